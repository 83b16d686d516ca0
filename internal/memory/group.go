package memory

import "slices"

// group is a set of layers that share one table of blocks: a request holds the
// same blocks in each of them (vLLM's KVCacheGroupSpec).
type group struct {
	spec
	layers []layerSpec
}

// pageIn is the bytes of one block in those layers of the group that lie from
// first up to end.
func (g group) pageIn(first, end int) (n int64) {
	for _, l := range g.layers {
		if l.layer >= first && l.layer < end {
			n += l.page()
		}
	}
	return n
}

// groups divides the caches as vLLM's get_kv_cache_groups does
// (v1/core/kv_cache_utils.py): one group where all layers need the same number
// of blocks; else groups of equally many layers of one kind, of equal pages.
func groups(list []layerSpec) []group {
	if len(list) == 0 {
		return nil
	}
	if !slices.ContainsFunc(list, func(s layerSpec) bool { return !s.sameType(list[0].spec) }) {
		return []group{{list[0].spec, list}}
	}
	unifyPages(list)
	var buckets []group
	for _, l := range list {
		at := slices.IndexFunc(buckets, func(g group) bool { return g.spec == l.spec })
		if at < 0 {
			at = len(buckets)
			buckets = append(buckets, group{spec: l.spec})
		}
		buckets[at].layers = append(buckets[at].layers, l)
	}
	size := groupSize(buckets)
	var out []group
	for _, b := range buckets {
		n := (len(b.layers) + size - 1) / size
		for i := range n { // layers i, i+n, …: each stage of a pipeline has some of every group
			g := group{spec: b.spec}
			for k := i; k < len(b.layers); k += n {
				g.layers = append(g.layers, b.layers[k])
			}
			out = append(out, g)
		}
	}
	return out
}

// groupSize is the layers of a group: as many as the rarest kind has, or, where
// the kinds are nearly equal in number, as many as the most frequent.
func groupSize(buckets []group) int {
	least, most := len(buckets[0].layers), 0
	for _, b := range buckets {
		least, most = min(least, len(b.layers)), max(most, len(b.layers))
	}
	if float64(most) < 1.5*float64(least) {
		return most
	}
	return least
}

// unifyPages gives all caches the page of the largest: longer blocks where that
// divides, padding where not.
func unifyPages(list []layerSpec) {
	most := int64(0)
	for _, s := range list {
		most = max(most, s.page())
	}
	for i := range list {
		s := &list[i].spec
		switch page := s.page(); {
		case page == most:
		case s.keeps != keepsState && most%page == 0:
			s.block *= int(most / page)
		default:
			s.padded = most
		}
	}
}
