package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/internal/spelling"
)

// Unknown is a name that nothing is known of.
type Unknown struct {
	Name string
	Near []string // topics of a like name, nearest first
}

func (u *Unknown) Error() string {
	s := fmt.Sprintf("nothing is known of %q", u.Name)
	if len(u.Near) > 0 {
		s += "; near to it: " + strings.Join(u.Near, ", ")
	}
	return s
}

func (u *Unknown) Hint() string { return "assay explain lists all topics" }

// common counts the words that are in both, without those too short to say much.
func common(words, others []string) (n int) {
	for _, w := range words {
		if len(w) > 3 && slices.Contains(others, w) {
			n++
		}
	}
	return n
}

// maxNear is how many near names are told.
const maxNear = 5

// near finds names that hold what was asked, then those that differ in few
// letters, else those that have most of its words.
func near(name string) []string {
	asked := fold(name)
	if len(asked) < 2 {
		return nil
	}
	type candidate struct {
		name string
		far  int
	}
	var all []candidate
	for _, t := range topics() {
		best := -1
		for _, n := range append([]string{t.name}, t.aliases...) {
			far := spelling.Distance(asked, fold(n))
			if strings.Contains(fold(n), asked) {
				far = 0
			}
			if best < 0 || far < best {
				best = far
			}
		}
		if best <= max(1, len(asked)/3) {
			all = append(all, candidate{t.name, best})
		}
	}
	if len(all) == 0 {
		words := strings.Split(asked, "_")
		for _, t := range topics() {
			if n := common(words, strings.Split(fold(t.name), "_")); n > 0 && 2*n >= len(words) {
				all = append(all, candidate{t.name, len(words) - n})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(len(a.name), len(b.name)))
	})
	var names []string
	for _, c := range all[:min(len(all), maxNear)] {
		names = append(names, c.name)
	}
	return names
}
