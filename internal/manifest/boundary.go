package manifest

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// boundaries are the upper bounds of a histogram's buckets, seconds.
type boundaries []float64

// Boundaries of vLLM 0.32 (loggers.py, read 2026-11).
var (
	ttftBoundaries = boundaries{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560}
	itlBoundaries  = boundaries{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
)

// match is the matcher of the bucket that ends at the limit. Between two
// boundaries nothing can be counted, so any other limit is an error.
func (b boundaries) match(flag string, limit time.Duration) (string, error) {
	for _, v := range b {
		if seconds(v) == limit {
			return matchBoundary(limit), nil
		}
	}
	all := make([]string, len(b))
	for i, v := range b {
		all[i] = seconds(v).String()
	}
	return "", fmt.Errorf("%s %s is no boundary of vLLM's histogram, so what is slower cannot be counted; take one of %s, or, where the servers have this one by --custom-histogram-buckets, say --custom-buckets",
		flag, limit, strings.Join(all, ", "))
}

// above is the lowest boundary that is no less than the limit, or the highest of all.
func (b boundaries) above(limit time.Duration) time.Duration {
	for _, v := range b {
		if seconds(v) >= limit {
			return seconds(v)
		}
	}
	return seconds(b[len(b)-1])
}

func seconds(v float64) time.Duration {
	return time.Duration(v*1e6+0.5) * time.Microsecond
}

// matchBoundary matches the label le. Prometheus 3 writes whole numbers as 1.0,
// client libraries and older servers as 1.
func matchBoundary(limit time.Duration) string {
	s := strconv.FormatFloat(limit.Seconds(), 'g', -1, 64)
	if strings.Contains(s, ".") {
		return `le="` + s + `"`
	}
	return `le=~"` + s + `(\\.0)?"`
}
