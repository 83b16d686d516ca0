package survey

import (
	"fmt"
	"math"
	"slices"

	"assay/internal/stats"
)

// Difference is a figure in which replicas of one model lie apart.
type Difference struct {
	Model string             `json:"model,omitempty"`
	What  string             `json:"what"`
	Unit  string             `json:"unit"`
	Of    map[string]float64 `json:"of"` // each replica's
	// Odd are the replicas that lie apart from the others; none where there are but
	// two, of which one cannot tell which is odd.
	Odd    []string `json:"odd,omitempty"`
	Median float64  `json:"median"`
}

// figure is something of a replica that those of one service share.
type figure struct {
	what, unit string
	// A replica lies apart where it differs from the median by more than relative of
	// it and more than absolute. Ours: what load balancing and noise explain is less.
	relative, absolute float64
	of                 func(Instance) *float64
}

var figures = []figure{
	{"SM clock", "MHz", 0.05, 30, func(i Instance) *float64 { return i.ofGPU().SMClockMHz }},
	{"step time", "ms", 0.25, 1, func(i Instance) *float64 { return i.ofServer().StepMS }},
	{"output tokens per second of a running request", "tokens/s", 0.25, 1, perRequest},
	{"requests waiting", "requests", 0.5, 2, func(i Instance) *float64 { return i.ofServer().WaitingMean }},
	{"mean KV cache usage", "%", 0.25, 10, func(i Instance) *float64 { return scaled(i.ofServer().KVUsageMean, 100) }},
	{"requests that ended in an error", "%", 0.5, 1, errorShare},
	{"requests running", "requests", 0.5, 2, func(i Instance) *float64 { return i.ofServer().RunningMean }},
}

const (
	// farMADs is how many scaled median absolute deviations from the median are
	// apart: 3.5, after Iglewicz and Hoaglin (1993).
	farMADs = 3.5
	// madScale makes the median absolute deviation of normal samples their standard
	// deviation.
	madScale = 1.4826
)

// apart compares the replicas of each model and marks the odd ones, which is
// also said of a replica that could not be read where others could.
func apart(instances []Instance) []Difference {
	var all []Difference
	for _, model := range models(instances) {
		var group []*Instance
		for i := range instances {
			if instances[i].Model == model && instances[i].Failed == "" {
				group = append(group, &instances[i])
			}
		}
		for _, f := range figures {
			if d, ok := f.compare(group); ok {
				d.Model = model
				all = append(all, d)
			}
		}
	}
	failed := slices.ContainsFunc(instances, func(i Instance) bool { return i.Failed != "" })
	for i := range instances {
		if failed && instances[i].Failed != "" {
			instances[i].Odd = true
			instances[i].Why = append(instances[i].Why, "could not be read: "+instances[i].Failed)
		}
	}
	return all
}

func models(instances []Instance) []string {
	var names []string
	for _, i := range instances {
		if i.Failed == "" && !slices.Contains(names, i.Model) {
			names = append(names, i.Model)
		}
	}
	return names
}

// compare looks for replicas that lie apart in one figure.
func (f figure) compare(group []*Instance) (Difference, bool) {
	d := Difference{What: f.what, Unit: f.unit, Of: map[string]float64{}}
	var values []float64
	var known []*Instance
	for _, i := range group {
		if v := f.of(*i); v != nil && finite(*v) != nil {
			values = append(values, *v)
			known = append(known, i)
			d.Of[i.Name] = *v
		}
	}
	if len(values) < 2 {
		return d, false
	}
	d.Median = stats.Median(values)
	if len(values) == 2 {
		return d, f.far(math.Abs(values[0]-values[1]), min(values[0], values[1]), 0)
	}
	mad := deviation(values, d.Median)
	for k, v := range values {
		if !f.far(math.Abs(v-d.Median), d.Median, mad) {
			continue
		}
		known[k].Odd = true
		known[k].Why = append(known[k].Why, fmt.Sprintf("%s %s %s, the median of all is %s %s", f.what, number(v), f.unit, number(d.Median), f.unit))
		d.Odd = append(d.Odd, known[k].Name)
	}
	return d, len(d.Odd) > 0
}

// far reports a distance that neither the spread of the others nor what is usual
// explains.
func (f figure) far(distance, from, mad float64) bool {
	return distance > f.absolute && distance > f.relative*math.Abs(from) && distance > farMADs*madScale*mad
}

// deviation is the median absolute deviation.
func deviation(values []float64, median float64) float64 {
	off := make([]float64, len(values))
	for i, v := range values {
		off[i] = math.Abs(v - median)
	}
	return stats.Median(off)
}

func perRequest(i Instance) *float64 {
	rate, running := i.OutputTokensPerS(), i.ofServer().RunningMean
	if rate == nil || running == nil || *running <= 0.1 {
		return nil
	}
	return finite(*rate / *running)
}

func scaled(v *float64, by float64) *float64 {
	if v == nil {
		return nil
	}
	return finite(*v * by)
}

func errorShare(i Instance) *float64 {
	s := i.ofServer()
	if i.errors == nil || s.Finished == nil || *s.Finished < 20 {
		return nil
	}
	return scaled(i.errors, 100 / *s.Finished)
}

// number prints three significant digits, never fewer than the whole part.
func number(v float64) string {
	if a := math.Abs(v); a >= 100 && a < 1e9 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
