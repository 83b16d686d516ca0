package survey

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"assay/internal/diagnose"
	"assay/internal/model"
	"assay/internal/record"
)

// evidence is what diagnose judges of one replica.
func evidence(i Instance, opt Options, incidents []diagnose.Incident) diagnose.Evidence {
	e := diagnose.Evidence{
		Levels: i.levels, Saturation: saturationOf(i.levels), Service: true,
		Chip: opt.Chip, Model: model.Served(i.Model), Thresholds: opt.Thresholds, Incidents: incidentsOf(i, opt, incidents),
	}
	if opt.TP > 0 {
		e.Platform.TP = &opt.TP
	}
	if i.GPU != nil {
		e.Platform.Count = &i.GPU.Count
		if i.GPU.Model != "" {
			e.Platform.GPU = &i.GPU.Model
		}
	}
	for _, r := range i.Restarts {
		if i.past(r.At) {
			continue
		}
		e.Incidents = append(e.Incidents, diagnose.Incident{
			Kind: diagnose.Restarted, Object: i.Name, Fact: r.Why, Source: i.Name + ", engine /metrics", At: r.At,
		})
	}
	return e
}

// past reports what lies before the part of the window that tells most: it is
// listed, and says nothing of what was seen after it.
func (i Instance) past(at time.Time) bool {
	return i.ofSeen >= 0.5 && !at.IsZero() && !at.After(i.start)
}

// together is the verdict on the service: what binds most of the replicas that
// anything binds, with the evidence of the one for which it is surest.
func together(instances []Instance) record.Bound {
	count, sure := map[string]int{}, map[string]*Instance{}
	binding := false
	for k := range instances {
		i := &instances[k]
		v := i.Bound.Verdict
		count[v]++
		if s := sure[v]; s == nil || i.Bound.Confidence > s.Bound.Confidence {
			sure[v] = i
		}
		binding = binding || Binds(i.Bound)
	}
	if len(instances) == 0 {
		return unknown("a replica")
	}
	best := slices.MaxFunc(verdicts(sure), func(a, b string) int {
		if binding && Binds(sure[a].Bound) != Binds(sure[b].Bound) {
			return rank(Binds(sure[a].Bound), Binds(sure[b].Bound))
		}
		return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(sure[a].Bound.Confidence, sure[b].Bound.Confidence), cmp.Compare(b, a))
	})
	b := sure[best].Bound
	if len(instances) == 1 {
		return b
	}
	n := float64(count[best])
	b.Evidence = append([]record.Evidence{{
		Fact:   fmt.Sprintf("%d of %d replicas %s so; the facts are of %s", count[best], len(instances), map[bool]string{true: "says", false: "say"}[count[best] == 1], sure[best].Name),
		Metric: "replicas", Value: &n, Unit: "replicas", Source: "survey",
	}}, b.Evidence...)
	if !binding && count[best] < len(instances) && b.Verdict == record.BoundNotSaturated {
		b.Missing = append(slices.Clone(b.Missing), fmt.Sprintf("what the other %d replicas are bound by", len(instances)-count[best]))
	}
	return b
}

func verdicts(sure map[string]*Instance) []string {
	var all []string
	for v := range sure {
		all = append(all, v)
	}
	slices.Sort(all)
	return all
}

func rank(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
