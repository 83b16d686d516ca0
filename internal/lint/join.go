package lint

import "reflect"

// join adds what another index knows: lists are appended, maps merged, lists under
// equal keys too. Fields that are not exported are derived, and made when they are
// asked for.
func (x *Index) join(y *Index) {
	if x.Named != nil { // names tell which objects are there twice
		for ref, at := range y.Named {
			x.named(ref, at)
		}
	}
	into, from := reflect.ValueOf(x).Elem(), reflect.ValueOf(y).Elem()
	for i := range into.NumField() {
		if !into.Type().Field(i).IsExported() {
			continue
		}
		a, b := into.Field(i), from.Field(i)
		switch {
		case b.IsZero():
		case a.IsZero():
			a.Set(b)
		case a.Kind() == reflect.Slice:
			a.Set(reflect.AppendSlice(a, b))
		case a.Kind() == reflect.Map:
			joinMaps(a, b)
		default:
			panic("lint.Index." + into.Type().Field(i).Name + " is neither a list nor a map")
		}
	}
}

func joinMaps(a, b reflect.Value) {
	for _, key := range b.MapKeys() {
		was, more := a.MapIndex(key), b.MapIndex(key)
		switch {
		case !was.IsValid():
			a.SetMapIndex(key, more)
		case was.Kind() == reflect.Slice:
			a.SetMapIndex(key, reflect.AppendSlice(was, more))
		}
	}
}
