package facts

import (
	"cmp"
	"slices"
	"strings"
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

// distance is Levenshtein's: letters to put in, leave out or change.
func distance(a, b string) int {
	a, b = a[:min(len(a), 40)], b[:min(len(b), 40)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
