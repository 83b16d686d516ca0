package bench

import (
	"cmp"

	"assay/internal/record"
)

// mergeServers is one account of several replicas: what they hold and count is
// summed, shares and times are means, times weighted by the requests that each
// finished, and what one replica alone can exhaust is that of the fullest that says
// it. Of the others, what one of them does not say is not known of all.
func mergeServers(list []record.Server) *record.Server {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return &list[0]
	}
	out := record.Server{Samples: list[0].Samples}
	var finished []float64
	for _, s := range list {
		out.Samples = min(out.Samples, s.Samples)
		out.Engines += s.Engines
		out.Changed = cmp.Or(out.Changed, s.Changed)
		if s.Finished != nil {
			finished = append(finished, *s.Finished)
		}
	}
	if len(finished) < len(list) {
		finished = nil
	}
	for _, m := range []struct {
		of    func(*record.Server) **float64
		merge func([]*float64) *float64
	}{
		{func(s *record.Server) **float64 { return &s.RunningMean }, sum},
		{func(s *record.Server) **float64 { return &s.RunningMax }, sum},
		{func(s *record.Server) **float64 { return &s.WaitingMean }, sum},
		{func(s *record.Server) **float64 { return &s.WaitingMax }, sum},
		{func(s *record.Server) **float64 { return &s.Preemptions }, sum},
		{func(s *record.Server) **float64 { return &s.PromptTokens }, sum},
		{func(s *record.Server) **float64 { return &s.OutputTokens }, sum},
		{func(s *record.Server) **float64 { return &s.Finished }, sum},
		{func(s *record.Server) **float64 { return &s.PrefixHits }, sum},
		{func(s *record.Server) **float64 { return &s.PrefixQueries }, sum},
		{func(s *record.Server) **float64 { return &s.MaxNumSeqs }, sum},
		{func(s *record.Server) **float64 { return &s.KVTokens }, sum},
		{func(s *record.Server) **float64 { return &s.KVUsageMax }, largest},
		{func(s *record.Server) **float64 { return &s.MaxBatchedTokens }, largest},
		{func(s *record.Server) **float64 { return &s.ProcessCPU }, largest},
		{func(s *record.Server) **float64 { return &s.KVUsageMean }, meanOf},
		{func(s *record.Server) **float64 { return &s.WaitingShare }, meanOf},
		{func(s *record.Server) **float64 { return &s.WaitingCapacity }, meanOf},
		{func(s *record.Server) **float64 { return &s.WaitingDeferred }, meanOf},
		{func(s *record.Server) **float64 { return &s.IterationTokens }, meanOf},
		{func(s *record.Server) **float64 { return &s.StepMS }, meanOf},
		{func(s *record.Server) **float64 { return &s.FLOPs }, meanOf},
		{func(s *record.Server) **float64 { return &s.MemoryBytes }, meanOf},
	} {
		*m.of(&out) = m.merge(fields(list, m.of))
	}
	for _, of := range []func(*record.Server) **float64{
		func(s *record.Server) **float64 { return &s.TTFTMean }, func(s *record.Server) **float64 { return &s.QueueMean },
		func(s *record.Server) **float64 { return &s.PrefillMean }, func(s *record.Server) **float64 { return &s.DecodeMean },
		func(s *record.Server) **float64 { return &s.E2EMean }, func(s *record.Server) **float64 { return &s.ITLMean },
	} {
		if finished != nil {
			*of(&out) = weightedMean(fields(list, of), finished)
		}
	}
	return &out
}

// mergeNodes is one account of several nodes.
func mergeNodes(list []record.Node) *record.Node {
	if len(list) == 0 {
		return nil
	}
	out := list[0]
	for _, n := range list {
		out.Samples = min(out.Samples, n.Samples)
		out.Changed = cmp.Or(out.Changed, n.Changed)
	}
	for _, m := range []struct {
		of    func(*record.Node) **float64
		merge func([]*float64) *float64
	}{
		{func(n *record.Node) **float64 { return &n.CPUs }, sum},
		{func(n *record.Node) **float64 { return &n.CPUBusy }, sum},
		{func(n *record.Node) **float64 { return &n.PodCPU }, sum},
		{func(n *record.Node) **float64 { return &n.CFSThrottled }, largest},
		{func(n *record.Node) **float64 { return &n.AllowanceExceeded }, sum},
		{func(n *record.Node) **float64 { return &n.EFARetransmits }, sum},
		{func(n *record.Node) **float64 { return &n.EFADrops }, sum},
		{func(n *record.Node) **float64 { return &n.NeuronCore }, meanOf},
		{func(n *record.Node) **float64 { return &n.NeuronVCPU }, meanOf},
	} {
		*m.of(&out) = m.merge(fields(list, m.of))
	}
	return &out
}

// fields are one field of each account.
func fields[T any](list []T, of func(*T) **float64) []*float64 {
	out := make([]*float64, len(list))
	for i := range list {
		out[i] = *of(&list[i])
	}
	return out
}

// sum, meanOf and weightedMean are nil where one of the values is not known.
func sum(values []*float64) *float64 {
	total := 0.0
	for _, v := range values {
		if v == nil {
			return nil
		}
		total += *v
	}
	return &total
}

func meanOf(values []*float64) *float64 {
	m := sum(values)
	if m != nil {
		*m /= float64(len(values))
	}
	return m
}

func weightedMean(values []*float64, weights []float64) *float64 {
	total, weight := 0.0, 0.0
	for i, v := range values {
		if v == nil {
			if weights[i] == 0 {
				continue
			}
			return nil
		}
		total += *v * weights[i]
		weight += weights[i]
	}
	if weight == 0 {
		return nil
	}
	total /= weight
	return &total
}

// largest is nil where none of the values is known.
func largest(values []*float64) *float64 {
	var out *float64
	for _, v := range values {
		if v != nil && (out == nil || *v > *out) {
			out = v
		}
	}
	return out
}
