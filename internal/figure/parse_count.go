package figure

import (
	"fmt"
	"strconv"
	"strings"
)

// mostCount bounds what a count may be: far above any corpus.
const mostCount = 1e18

// ParseCount reads a count above 0 as people write those of tokens and parameters:
// 10B, 1.5T, 200M, 4k, 1e9 or 2000000.
func ParseCount(s string) (float64, error) {
	t, unit := strings.TrimSpace(s), 1.0
	if t != "" {
		if u, ok := map[byte]float64{'k': 1e3, 'K': 1e3, 'm': 1e6, 'M': 1e6, 'b': 1e9, 'B': 1e9, 'g': 1e9, 'G': 1e9, 't': 1e12, 'T': 1e12}[t[len(t)-1]]; ok {
			t, unit = t[:len(t)-1], u
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(t), 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("count %q: want a number such as 200M, 10B or 1.5T", s)
	case !(v > 0):
		return 0, fmt.Errorf("count %q: must be above 0", s)
	case v*unit > mostCount:
		return 0, fmt.Errorf("count %q: more than %g", s, float64(mostCount))
	}
	return v * unit, nil
}
