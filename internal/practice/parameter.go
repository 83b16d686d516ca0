package practice

import (
	"slices"
	"strings"

	"assay/internal/spelling"
)

// Fault is one thing in the parameters of a driver that it, or AWS behind it, refuses
// or passes over in silence.
type Fault struct {
	Practice string // that is broken; lint's rule has it as its id
	Key      string // of the parameter that it is about
	Absent   bool   // the key is not there, and should be
	Say      string // what stands there, and what would be right
	Near     string // of a misspelled key: the one that was meant
}

// params are a driver's, in the order of their names where order matters.
type params map[string]string

// known says what is wrong with keys that a driver does not have. Those of the
// provisioner itself are not the driver's.
func (p params) known(practice, driver string, keys []string, fold bool, prefixes ...string) []Fault {
	var all []Fault
	for _, key := range sortedKeys(p) {
		if strings.HasPrefix(key, "csi.storage.k8s.io/") || slices.ContainsFunc(prefixes, func(s string) bool { return strings.HasPrefix(key, s) }) {
			continue
		}
		has := func(k string) bool { return k == key || fold && strings.EqualFold(k, key) }
		if slices.ContainsFunc(keys, has) {
			continue
		}
		f := Fault{Practice: practice, Key: key, Near: nearest(key, keys)}
		f.Say = "parameter " + clipped(key) + " is none of " + driver
		if f.Near != "" {
			f.Say += ": " + f.Near + " is"
		}
		all = append(all, f)
	}
	return all
}

// nearest is the key that a misspelled one was meant to be: the same but for the case
// and marks between words, or one or two letters off.
func nearest(key string, keys []string) string {
	if len(key) > 100 {
		return ""
	}
	plain := func(s string) string {
		return strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(s))
	}
	best, distance := "", 3
	for _, k := range keys {
		if d := spelling.Distance(plain(key), plain(k)); d < distance && d*4 <= len(k) {
			best, distance = k, d
		}
	}
	return best
}

// clipped bounds a text from a file.
func clipped(s string) string {
	if len(s) > 100 {
		return strings.ToValidUTF8(s[:100], "") + "…"
	}
	return s
}

func sortedKeys(m map[string]string) []string {
	all := make([]string, 0, len(m))
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}
