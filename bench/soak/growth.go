package main

import "fmt"

// trend is a straight line through the memory of one process.
type trend struct {
	PerHour float64 `json:"mib_per_hour"` // its slope
	Mean    float64 `json:"mean_mib"`
	Most    float64 `json:"max_mib"`
}

func (t trend) String() string {
	return fmt.Sprintf("%.0f MiB in the mean, %.0f at most, growing by %+.1f MiB an hour", t.Mean, t.Most, t.PerHour)
}

// The beginning is left out of the trend: connections, buffers and heap reach
// their size in it, and the level's requests are kept until they are too many.
// The end is left out too, where the level is folded. All in seconds.
const (
	settle  = 600
	foldEnd = 60
)

func (r *result) judge() {
	if len(r.Samples) == 0 {
		return
	}
	last := r.Samples[len(r.Samples)-1].AtS
	r.Settled = int(min(settle, last/2))
	var at, bench, sim []float64
	for _, s := range r.Samples {
		if s.AtS >= float64(r.Settled) && s.AtS <= last-foldEnd {
			at, bench, sim = append(at, s.AtS), append(bench, s.Bench), append(sim, s.Sim)
		}
	}
	r.Growth, r.Sim = line(at, bench), line(at, sim)
}

// line fits by least squares.
func line(x, y []float64) trend {
	n := float64(len(x))
	if n < 2 {
		return trend{}
	}
	var sx, sy, sxx, sxy, most float64
	for i := range x {
		sx, sy = sx+x[i], sy+y[i]
		sxx, sxy = sxx+x[i]*x[i], sxy+x[i]*y[i]
		most = max(most, y[i])
	}
	return trend{PerHour: 3600 * (n*sxy - sx*sy) / (n*sxx - sx*sx), Mean: sy / n, Most: most}
}
