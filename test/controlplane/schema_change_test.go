package controlplane

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// change makes one change below an object's own fields and says which; empty: there was
// no place for it.
func change(random *rand.Rand, o object, kind int) string {
	var places []place
	for key, v := range o {
		if key != "apiVersion" && key != "kind" && key != "metadata" {
			collect(v, func(v any) { o[key] = v }, key, &places)
		}
	}
	slices.SortFunc(places, func(a, b place) int { return strings.Compare(a.path, b.path) })
	var fit []place
	changes := []func(place) string{
		place.misspell, place.drop, place.retype, place.reword, place.renumber, place.repeat, place.void, place.stranger,
	}
	make := changes[kind%len(changes)]
	for _, p := range places {
		if p.fits(kind % len(changes)) {
			fit = append(fit, p)
		}
	}
	if len(fit) == 0 {
		return ""
	}
	return make(fit[random.IntN(len(fit))])
}

// place is a value in an object.
type place struct {
	path string
	v    any
	set  func(any)
	in   map[string]any // the mapping that holds it; nil: a list does
	key  string
}

func collect(v any, set func(any), path string, all *[]place) {
	*all = append(*all, place{path: path, v: v, set: set})
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			at := len(*all)
			collect(v[key], func(x any) { v[key] = x }, path+"."+key, all)
			(*all)[at].in, (*all)[at].key = v, key
		}
	case []any:
		for i := range v {
			collect(v[i], func(x any) { v[i] = x }, fmt.Sprintf("%s[%d]", path, i), all)
		}
	}
}

// fits says whether a change, by its number, can be made at a place.
func (p place) fits(change int) bool {
	switch change {
	case 0, 1, 6:
		return p.in != nil
	case 3:
		_, ok := p.v.(string)
		return ok
	case 4:
		_, ok := p.v.(float64)
		return ok
	case 5:
		l, ok := p.v.([]any)
		return ok && len(l) > 0
	case 7:
		_, ok := p.v.(map[string]any)
		return ok
	}
	return true
}

func (p place) misspell() string {
	delete(p.in, p.key)
	p.in[p.key[:len(p.key)-1]+"zz"] = p.v
	return "misspelt " + p.path
}

func (p place) drop() string {
	delete(p.in, p.key)
	return "without " + p.path
}

func (p place) retype() string {
	switch p.v.(type) {
	case string:
		p.set(7)
	case float64, bool:
		p.set("text")
	case []any:
		p.set(map[string]any{})
	default:
		p.set([]any{})
	}
	return "of another type " + p.path
}

func (p place) reword() string {
	p.set("Wrong Value!")
	return "reworded " + p.path
}

func (p place) renumber() string {
	p.set(-1)
	return "below zero " + p.path
}

func (p place) repeat() string {
	l := p.v.([]any)
	p.set(append(slices.Clone(l), l[0]))
	return "repeated " + p.path
}

func (p place) void() string {
	p.set(nil)
	return "null " + p.path
}

func (p place) stranger() string {
	p.v.(map[string]any)["stranger"] = "x"
	return "a stranger in " + p.path
}
