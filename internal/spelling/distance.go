package spelling

// mostCompared bounds the names that are compared, bytes: it takes time by the product of
// both lengths, and names come from outside.
const mostCompared = 256

// Distance is Levenshtein's: how many bytes have to be put in, left out or changed. A name
// longer than any that somebody writes is as far from all others as it is long.
func Distance(a, b string) int {
	if n := max(len(a), len(b)); n > mostCompared && a != b {
		return n
	}
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

// Nearest is the one of names that is nearest to a name and less than so far from it,
// the first of several; empty: there is none.
func Nearest(name string, names []string, far int) string {
	best := ""
	for _, n := range names {
		if d := Distance(name, n); d < far {
			best, far = n, d
		}
	}
	return best
}
