package lint

// memo keeps what several rules derive from one thing, by a key of their own.
type memo map[string]any

// Once gives what several rules derive from the object, made at the first call. The
// rules of one object run one after the other.
func Once[T any](o *Object, key string, derive func() T) T { return once(&o.memo, key, derive) }

// OnceAcross is Once for what rules across objects derive from the whole index.
func OnceAcross[T any](x *Index, key string, derive func() T) T { return once(&x.memo, key, derive) }

func once[T any](m *memo, key string, derive func() T) T {
	if v, ok := (*m)[key]; ok {
		return v.(T)
	}
	v := derive()
	if *m == nil {
		*m = memo{}
	}
	(*m)[key] = v
	return v
}
