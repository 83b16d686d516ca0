package plan

import (
	"fmt"
	"slices"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/karpenter"
)

// host is what the option asks of its instances beside GPUs.
func (p *planner) host(s sized) Host {
	i, count := s.instance, s.instances(s.replicas)
	h := Host{
		VCPU: i.VCPU * count, Memory: i.Memory, Pods: i.Pods,
		LoadMemory: p.hostToLoad(s), Allocatable: i.Allocatable(),
	}
	h.NodePools, h.Tolerations = launched(s.pools)
	capacity := facts.OnDemand
	if p.asked.Capacity == Spot {
		capacity = facts.Spot
	}
	if q, ok := facts.Quota(i, capacity); ok {
		h.Quota, h.QuotaCode = q.Name, q.Code
	}
	return h
}

// hostToLoad is the memory of one instance with which weights are read once: the page
// cache holds them for all replicas of the node, beside each rank's own process. With
// less they are read from storage again at each start.
func (p *planner) hostToLoad(s sized) int64 {
	ranks := s.layout.perNode() * min(s.replicas, s.perInstance())
	return p.weights()/int64(s.layout.pp) + int64(ranks)*perRank
}

// perRank is the host memory of an engine's process for one GPU, beside the page
// cache: Python, CUDA's context and its libraries, buffers. An assumption.
const perRank = 4 * facts.GiB

// hostFigures defend the memory of the host.
func (p *planner) hostFigures(s sized) []figure.Figure {
	i := s.instance
	ranks := s.layout.perNode() * min(s.replicas, s.perInstance())
	return []figure.Figure{
		{Name: "host memory to load", Value: float64(p.hostToLoad(s)), Unit: "bytes", Kind: figure.Estimated, Formula: "weights ÷ pipeline stages, once in the page cache, and a process for each GPU",
			Inputs: []figure.Input{{Name: "weights", Value: float64(p.weights()), Unit: "bytes"}, {Name: "stages", Value: float64(s.layout.pp)}, {Name: "GPUs", Value: float64(ranks)}, {Name: "of each process (an assumption)", Value: perRank, Unit: "bytes"}}},
		{Name: "host memory that pods can count on", Value: float64(i.Allocatable()), Unit: "bytes", Kind: figure.Computed, Formula: "memory × (1 − 0.075) − 11 MiB a pod − 355 MiB: what Karpenter takes a node of the type to offer",
			Inputs: []figure.Input{{Name: "memory of " + i.Name, Value: float64(i.Memory), Unit: "bytes", Source: facts.InstanceSource()}}},
	}
}

// launchable are the NodePools that could launch an instance; else why none does.
func (p *planner) launchable(i facts.Instance) (pools []karpenter.NodePool, why string) {
	capacity := p.asked.Capacity
	if capacity == Any {
		capacity = ""
	}
	for _, pool := range p.pools {
		ok, reason := pool.Allows(i, capacity)
		switch {
		case ok:
			pools = append(pools, pool)
		case why == "":
			why = reason
		}
	}
	return pools, why
}

// launched names the NodePools of an option, and what pods tolerate on their nodes.
func launched(pools []karpenter.NodePool) (names []string, tolerations []karpenter.Toleration) {
	for _, pool := range pools {
		names = append(names, pool.Name)
		for _, t := range pool.Tolerations() {
			if !slices.Contains(tolerations, t) {
				tolerations = append(tolerations, t)
			}
		}
	}
	return names, tolerations
}

// room says why no NodePool has room for so many instances; empty: one has, or none
// was given.
func room(pools []karpenter.NodePool, i facts.Instance, count int) string {
	why := ""
	for _, pool := range pools {
		most, limit, limited := pool.Room(i)
		if !limited || most >= count {
			return ""
		}
		why = fmt.Sprintf("NodePool %s has room for %d of them, not %d: its limit of %s is %s", pool.Name, most, count, limit.Resource, limit.Text)
	}
	return why
}
