package train

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseBudget reads what may be spent: 5000, $5000 or 5000$ in all, 40$/h an hour.
func ParseBudget(s string) (total, hourly float64, err error) {
	t := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(s), "$", ""))
	t, perHour := strings.CutSuffix(t, "/h")
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(t, "usd")), 64)
	switch {
	case err != nil:
		return 0, 0, fmt.Errorf("%q: want US dollars such as 5000 in all, or 40$/h", s)
	case !(v > 0) || v > 1e12:
		return 0, 0, fmt.Errorf("%q: must be above 0 and at most a trillion", s)
	case perHour:
		return 0, v, nil
	}
	return v, 0, nil
}
