package bench

import (
	"assay/internal/record"
	"assay/internal/stats"
	"cmp"
	"slices"
)

func foldClient(measured []*record.Request, in Recorded, w record.Window) record.Client {
	var lag []float64
	for _, r := range measured {
		if !r.NotSent {
			lag = append(lag, r.LagMS())
		}
	}
	c := record.Client{Lag: stats.Summarize(lag), SharedCPU: in.SimulatorInside}
	var sched []float64
	var cpu, wait mean
	for _, s := range in.Client {
		sched = append(sched, s.SchedP99US/1000)
		cpu.add(s.CPUCores)
		if s.SchedMeanUS != nil {
			wait.add(*s.SchedMeanUS / 1000)
		}
		c.GCPauseMax = max(c.GCPauseMax, s.GCPauseMaxUS/1000)
	}
	c.SchedDelay, c.SchedWait = stats.Summarize(sched), wait.value()
	if v := cpu.value(); v != nil {
		c.CPU = *v
	}
	c.InFlight = inFlight(in, w)
	return c
}

// inFlight is the mean number of open requests over the level's full-load part
// and the most at once, from the requests' own times.
func inFlight(in Recorded, w record.Window) record.InFlight {
	var f record.InFlight
	if in.Plan.Load.Kind == record.ByConcurrency {
		f.Asked = in.Plan.Load.Value
	}
	type edge struct {
		at   int64
		open int
	}
	var edges []edge
	var busy float64
	for i := range in.Requests {
		r := &in.Requests[i]
		if r.NotSent {
			continue
		}
		edges = append(edges, edge{r.SentUS, 1}, edge{r.EndUS, -1})
		busy += float64(max(0, min(r.EndUS, w.EndUS)-max(r.SentUS, w.StartUS)))
	}
	// At one instant an end comes before a send: the slot was handed over.
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.open, b.open))
	})
	open := 0
	for _, e := range edges {
		open += e.open
		f.Max = max(f.Max, open)
	}
	if w.EndUS > w.StartUS {
		f.Mean = busy / float64(w.EndUS-w.StartUS)
	}
	return f
}
