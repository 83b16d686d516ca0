package lint

// Once gives what several rules derive from the object, made at the first call. The
// rules of one object run one after the other.
func Once[T any](o *Object, key string, derive func() T) T {
	if v, ok := o.memo[key]; ok {
		return v.(T)
	}
	v := derive()
	if o.memo == nil {
		o.memo = map[string]any{}
	}
	o.memo[key] = v
	return v
}
