package practice

import (
	"time"

	"assay/internal/record"
	"assay/internal/stats"
)

// MeasuredOf is what a run says, by its valid levels up to the operating point; without
// one, by all valid levels. Name is that of its folder.
func MeasuredOf(run *record.Run, name string) *Measured {
	m := &Measured{Run: name, Model: run.Target.Model}
	if run.Platform.GPU != nil {
		m.GPU = *run.Platform.GPU
	}
	m.load(run)
	rank := -1
	for _, l := range run.Levels {
		if l.Validity.Verdict != record.Valid || beyond(l, run.Saturation) {
			continue
		}
		m.Longest = max(m.Longest, ofMilliseconds(l.E2E.Max))
		m.Silence = max(m.Silence, ofMilliseconds(l.TTFT.Max), ofMilliseconds(l.ICL.Max))
		r, value := highest(l.E2E)
		if better(r, rank) || better(r, rank) == better(rank, r) && value > m.Response {
			rank, m.Response = r, value
		}
	}
	if rank >= 0 {
		m.ResponseName = responseNames[rank]
	}
	return m
}

// load is the operating point and the knee, where they are those of one server.
func (m *Measured) load(run *record.Run) {
	s := run.Saturation
	if s == nil || s.Unit != record.ByConcurrency || servers(run) > 1 {
		return
	}
	if s.OperatingPoint != nil {
		m.Operating = s.OperatingPoint.Concurrency
	}
	if s.Knee != nil {
		m.KneeLow = s.Knee.Low
	}
}

// servers are how many engines were seen behind the target at once.
func servers(run *record.Run) int {
	most := 0
	for _, l := range run.Levels {
		if l.Server != nil {
			most = max(most, l.Server.Engines)
		}
	}
	return most
}

// beyond says that a level's load is more than the service is meant to bear.
func beyond(l record.Level, s *record.Saturation) bool {
	if s == nil || s.OperatingPoint == nil || l.Load.Kind != s.Unit {
		return false
	}
	limit := s.OperatingPoint.Concurrency
	if s.Unit == record.ByRate {
		limit = s.OperatingPoint.RequestsPerS
	}
	return l.Load.Value > limit*1.001 // written with three digits less than measured
}

// responseNames are what a time of drain may rest on, the least first. A median says
// nothing of the requests that a drain waits for.
var responseNames = []string{"maximum", "p90", "p95", "p99"}

// highest is the highest percentile that the sample supports, else its maximum; -1 of
// an empty one.
func highest(d stats.Dist) (rank int, value time.Duration) {
	rank = -1
	for i, v := range []*float64{d.Max, d.P90, d.P95, d.P99} {
		if v != nil {
			rank, value = i, ofMilliseconds(v)
		}
	}
	return rank, value
}

// better says that one level's figure is a percentile and the other's is not: a maximum
// of few requests stands in only where no level supports a percentile. Among percentiles
// the slowest level counts, whichever of them it supports.
func better(r, than int) bool { return r > 0 && than <= 0 || r == 0 && than < 0 }

func ofMilliseconds(v *float64) time.Duration {
	if v == nil {
		return 0
	}
	return time.Duration(*v * float64(time.Millisecond))
}
