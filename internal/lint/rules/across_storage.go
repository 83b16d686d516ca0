package rules

import (
	"slices"
	"strings"

	"assay/internal/karpenter"
	"assay/internal/lint"
	"assay/internal/practice"
)

// claimOf is the claim that a volume of a workload names, if it was read; of several of
// the name the one beside it.
func claimOf(x *lint.Index, w lint.Workload, name string) (lint.Claim, bool) {
	return closestTo(w.At, x.Claims, func(c lint.Claim) (lint.Spot, bool) {
		return c.At, c.At.Object.Name == name && lint.SameNamespace(c.At.Object, w.At.Object)
	})
}

func claimAbsent(p *lint.Pass, x *lint.Index) {
	for _, w := range x.Workloads {
		var names []string
		for _, c := range x.Claims {
			if lint.SameNamespace(c.At.Object, w.At.Object) && !slices.ContainsFunc(w.Claims, func(u lint.ClaimUse) bool { return u.Name == c.At.Object.Name }) {
				names = append(names, c.At.Object.Name)
			}
		}
		for _, use := range w.Claims {
			if slices.ContainsFunc(x.Claims, func(c lint.Claim) bool { return c.At.Object.Name == use.Name }) {
				continue
			}
			if near, ok := nearest(use.Name, names); ok {
				p.FailAt(use.At, "%s mounts the claim %s, which is not among those read; there is %s", w.Named(), use.Name, near)
			}
		}
	}
}

func claimShared(p *lint.Pass, x *lint.Index) {
	for _, w := range x.Workloads {
		several := w.Counted && w.Replicas > 1 || w.At.Object.Kind == "DaemonSet"
		for _, use := range w.Claims {
			c, ok := claimOf(x, w, use.Name)
			if !ok || !several || w.Elsewhere() || len(c.Modes) == 0 || !slices.Equal(slices.Compact(slices.Clone(c.Modes)), c.Modes[:1]) {
				continue
			}
			switch c.Modes[0] {
			case "ReadWriteOnce", "ReadWriteOncePod":
				p.FailAt(use.At, "%s of %s share the claim %s, which is %s (%s): %s", manyPods(w), w.Named(), use.Name, c.Modes[0], c.ModesAt.Place, sharing[c.Modes[0]])
			}
		}
	}
}

var sharing = map[string]string{
	"ReadWriteOnce":    "pods on another node than the first do not start (Multi-Attach)",
	"ReadWriteOncePod": "only one of the pods starts",
}

func manyPods(w lint.Workload) string {
	if !w.Counted {
		return "the pods"
	}
	return counted(w.Replicas, "pod")
}

func classOfClaimAbsent(p *lint.Pass, x *lint.Index) {
	var names []string
	for _, c := range x.StorageClasses {
		names = append(names, c.At.Object.Name)
	}
	for _, c := range x.Claims {
		if c.Class == "" || c.Volume != "" || slices.Contains(names, c.Class) || strings.Contains(c.Class, "${") || boundByClass(x, c) {
			continue
		}
		if near, ok := nearest(c.Class, names); ok {
			p.FailAt(c.ClassAt, "there is no StorageClass %s among those read; there is %s", c.Class, near)
		}
	}
}

// boundByClass says that a volume was read that carries the claim's class: a name that
// only binds the two.
func boundByClass(x *lint.Index, c lint.Claim) bool {
	return slices.ContainsFunc(x.Volumes, func(v lint.Volume) bool { return v.Class == c.Class })
}

// zoneNeed is the zone into which a volume takes a pod.
type zoneNeed struct {
	need karpenter.Requirement
	use  lint.ClaimUse
	from lint.Spot
}

// volumeZones are the zones into which a workload's volumes take it.
func volumeZones(x *lint.Index, w lint.Workload) []zoneNeed {
	var all []zoneNeed
	for _, use := range w.Claims {
		c, ok := claimOf(x, w, use.Name)
		if !ok {
			continue
		}
		zones, from := zonesOfClaim(x, c)
		if len(zones) == 0 {
			continue
		}
		at := karpenter.Place{File: use.At.File, Line: use.At.Line, Column: use.At.Column}
		all = append(all, zoneNeed{karpenter.NewRequirement(practice.ZoneLabel, "In", zones, at), use, from})
	}
	return all
}

func zonesOfClaim(x *lint.Index, c lint.Claim) ([]string, lint.Spot) {
	for _, v := range x.Volumes {
		bound := c.Volume != "" && v.At.Object.Name == c.Volume || v.Claim.Name == c.At.Object.Name && lint.SameNamespace(v.Claim, c.At.Object)
		if bound && len(v.Zones) > 0 {
			return v.Zones, v.ZonesAt
		}
	}
	if c.Volume != "" {
		return nil, lint.Spot{}
	}
	for _, s := range x.StorageClasses {
		if s.At.Object.Name == c.Class && len(s.Zones) > 0 {
			return s.Zones, s.ZonesAt
		}
	}
	return nil, lint.Spot{}
}

func volumeZone(p *lint.Pass, x *lint.Index) {
	for _, w := range x.Workloads {
		for _, z := range volumeZones(x, w) {
			if own, ok := ownZone(w); ok && !karpenter.Together([]karpenter.Requirement{own, z.need}) {
				p.FailAt(w.PlaceOf(own), "%s must run in %s, and the volume of its claim %s is in %s (%s): no node has both", w.Named(), strings.Join(own.Values, " or "), z.use.Name, strings.Join(z.need.Values, " or "), z.from.Place)
			}
		}
	}
}

// ownZone is the zone that a workload itself asks for.
func ownZone(w lint.Workload) (karpenter.Requirement, bool) {
	all := w.Requirements
	if len(w.Terms) == 1 {
		all = append(slices.Clip(all), w.Terms[0]...)
	}
	for _, r := range all {
		if r.Key == practice.ZoneLabel && r.Operator == "In" {
			return r, true
		}
	}
	return karpenter.Requirement{}, false
}
