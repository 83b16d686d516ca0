package dashboard

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Boundaries are the upper bounds of a histogram's buckets, seconds. What is to
// be counted exactly has to be one of them: between two of them a histogram
// knows nothing.
type Boundaries []float64

// Boundaries of vLLM 0.32, as scraped in 2026-11; --custom-histogram-buckets
// changes them.
var (
	TTFTBoundaries = Boundaries{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560}
	ITLBoundaries  = Boundaries{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
)

// Match is the matcher of the bucket at a limit, such as le="0.5". A whole number
// is written 1 or 1.0, by the client library and by Prometheus's version.
func (b Boundaries) Match(limit time.Duration) (string, error) {
	if !slices.Contains(b, limit.Seconds()) {
		return "", fmt.Errorf("%s is no boundary of vLLM's histogram, so nothing counts what is within it; there are %s", spell(limit), b)
	}
	s := strconv.FormatFloat(limit.Seconds(), 'f', -1, 64)
	if strings.Contains(s, ".") {
		return fmt.Sprintf(`le=%q`, s), nil
	}
	return fmt.Sprintf(`le=~"%s(\\.0)?"`, s), nil
}

func (b Boundaries) String() string {
	var all []string
	for _, v := range b {
		all = append(all, spell(seconds(v)))
	}
	return strings.Join(all, ", ")
}

// seconds is a boundary as a duration, to the microsecond.
func seconds(v float64) time.Duration {
	return time.Duration(math.Round(v*1e6)) * time.Microsecond
}

// spell writes a limit as people do: 500 ms, 2.5 s.
func spell(d time.Duration) string {
	if d < time.Second {
		return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', -1, 64) + " ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}
