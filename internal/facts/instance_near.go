package facts

import (
	"cmp"
	"slices"
	"strings"

	"assay/internal/spelling"
)

// nearMost is how many names an error offers.
const nearMost = 5

// nearInstances are the types whose names are most like one that does not exist: of
// the same family where there is one, else by spelling.
func nearInstances(name string) []string {
	all, _ := loadInstances()
	family, _, _ := strings.Cut(name, ".")
	var pool []string
	for _, i := range all {
		if i.Family == family && !i.Fractional() {
			pool = append(pool, i.Name)
		}
	}
	if len(pool) == 0 {
		for _, i := range all {
			if !i.Fractional() {
				pool = append(pool, i.Name)
			}
		}
	}
	slices.SortStableFunc(pool, func(a, b string) int { return cmp.Compare(distance(name, a), distance(name, b)) })
	return pool[:min(nearMost, len(pool))]
}

// distance of two names, of what is long no more than its beginning.
func distance(a, b string) int {
	return spelling.Distance(a[:min(len(a), 40)], b[:min(len(b), 40)])
}
