package spec

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseHourly reads a price an hour in US dollars: 10, 10$, $10, 10$/h, 10/h, $10 per hour.
func ParseHourly(s string) (float64, error) {
	text := strings.ToLower(strings.TrimSpace(s))
	for _, suffix := range []string{"per hour", "/hour", "/hr", "/h"} {
		text = strings.TrimSpace(strings.TrimSuffix(text, suffix))
	}
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(text, "usd"), "$"))
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(text, "usd"), "$"))
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || v > 1e9 || math.IsNaN(v) {
		return 0, fmt.Errorf("price %q is not a number of US dollars an hour above 0; write it as 10$/h", s)
	}
	return v, nil
}
