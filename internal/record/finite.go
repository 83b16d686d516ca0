package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// marshal is json.Marshal for lines that may hold figures that are none: JSON
// knows neither NaN nor infinities, and one of them must not lose the rest.
func marshal(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if _, ok := errors.AsType[*json.UnsupportedValueError](err); ok {
		v, _ = finite(v)
		return json.Marshal(v)
	}
	return b, err
}

// finiteRun is run without figures that are none, and with a note that names
// them. It is run itself where there are none.
func finiteRun(run *Run) *Run {
	clean, lost := finite(*run)
	if len(lost) == 0 {
		return run
	}
	clean.Notes = append(slices.Clone(clean.Notes), lostNote(lost))
	return &clean
}

// Most figures that a note names.
const mostLost = 5

func lostNote(lost []string) string {
	more := ""
	if n := len(lost) - mostLost; n > 0 {
		lost, more = lost[:mostLost], fmt.Sprintf(" and %d more", n)
	}
	return "not finite numbers and left out: " + strings.Join(lost, ", ") + more
}

// finite is a copy of v without NaN and infinities, and the keys of what was
// left out: a pointer becomes nil, an element of a map goes, a plain number
// becomes 0. v itself is not changed.
func finite[T any](v T) (T, []string) {
	var lost []string
	out := finiteCopy(reflect.ValueOf(&v).Elem(), "", &lost)
	return out.Interface().(T), lost
}

func finiteCopy(v reflect.Value, key string, lost *[]string) reflect.Value {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if isFinite(v.Float()) {
			return v
		}
		*lost = append(*lost, key)
		return reflect.Zero(v.Type())
	case reflect.Pointer, reflect.Interface:
		return finitePointer(v, key, lost)
	case reflect.Struct:
		return finiteStruct(v, key, lost)
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8 {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(finiteCopy(v.Index(i), key+"["+strconv.Itoa(i)+"]", lost))
		}
		return out
	case reflect.Map:
		return finiteMap(v, key, lost)
	}
	return v
}

func finitePointer(v reflect.Value, key string, lost *[]string) reflect.Value {
	if v.IsNil() {
		return v
	}
	if v.Kind() == reflect.Interface {
		return finiteCopy(v.Elem(), key, lost)
	}
	elem := finiteCopy(v.Elem(), key, lost)
	if isFloat(v.Elem()) && !isFinite(v.Elem().Float()) {
		return reflect.Zero(v.Type())
	}
	out := reflect.New(v.Type().Elem())
	out.Elem().Set(elem)
	return out
}

func finiteStruct(v reflect.Value, key string, lost *[]string) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = f.Name
		}
		out.Field(i).Set(finiteCopy(v.Field(i), strings.TrimPrefix(key+"."+name, "."), lost))
	}
	return out
}

func finiteMap(v reflect.Value, key string, lost *[]string) reflect.Value {
	if v.IsNil() {
		return v
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for it := v.MapRange(); it.Next(); {
		at := key + "[" + it.Key().String() + "]"
		elem := finiteCopy(it.Value(), at, lost)
		if isFloat(it.Value()) && !isFinite(it.Value().Float()) {
			continue
		}
		out.SetMapIndex(it.Key(), elem)
	}
	return out
}

func isFloat(v reflect.Value) bool {
	return v.Kind() == reflect.Float64 || v.Kind() == reflect.Float32
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
