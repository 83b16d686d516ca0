package peers

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"assay/internal/record"
)

// kindCancelled is a request that the client gave up, as package wire calls it.
const kindCancelled = "cancelled"

// value is a figure, 0 where there is none.
func value(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}

// positive is a figure above 0: 0 stands for not known in the files of others.
func positive(x *float64) *float64 {
	if x == nil || *x <= 0 {
		return nil
	}
	return x
}

// fromEpoch is a moment from seconds since the epoch; the zero time where that
// is no wall clock's.
func fromEpoch(seconds float64) time.Time {
	if seconds < 1e9 || seconds > 1e11 || math.IsNaN(seconds) {
		return time.Time{}
	}
	return time.UnixMicro(micros(seconds)).UTC()
}

// safeURL is a URL without user info and query, which may hold secrets.
func safeURL(s string) string {
	if s == "" {
		return ""
	}
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// byAssay begins the version of a file that Assay wrote in another tool's form.
const byAssay = "written by assay"

// mostOpen is the most requests that were open at once.
func mostOpen(requests []record.Request) int {
	type edge struct {
		at   int64
		step int
	}
	edges := make([]edge, 0, 2*len(requests))
	for _, r := range requests {
		edges = append(edges, edge{r.SentUS, 1}, edge{r.EndUS, -1})
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.step, b.step)) })
	open, most := 0, 0
	for _, e := range edges {
		open += e.step
		most = max(most, open)
	}
	return most
}
