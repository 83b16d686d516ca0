package predict

import "math"

// layout is how a row's ranks are laid out, after what its columns say was read.
type layout struct {
	TP, DP, EP, PP int
	PerRank        int // requests open at each rank of attention
}

// layoutOf reads a row's columns. Concurrency is of one rank of data-parallel
// attention.
//
// The published tables write experts spread over g GPUs in two ways: as moe_ep g, and
// as moe_tp g by moe_ep g with tp (or attention_dp) g², or moe_ep g² beside tp g
// and attention_dp g. That both are the same systems shows in rows which hold the
// same two latencies to the last digit under both; they are read as g GPUs.
func layoutOf(r Row) layout {
	l := layout{TP: max(r.TP, 1), DP: r.AttentionDP, EP: max(r.MoEEP, 1), PP: max(r.PP, 1), PerRank: r.Concurrency}
	ranks := max(r.MoETP, 1) * l.EP
	if l.DP < 1 {
		l.DP = max(1, ranks/l.TP)
		if l.TP*l.DP != ranks {
			l.DP = 1
		}
	}
	g := int(math.Sqrt(float64(ranks)))
	square := g > 1 && g*g == ranks && r.AttentionDP > 0
	switch {
	case square && r.MoETP == g && l.EP == g && l.TP == ranks && l.DP == 1:
		l.TP, l.EP = g, g
	case square && r.MoETP == g && l.EP == g && l.TP == 1 && l.DP == ranks:
		l.DP, l.EP, l.PerRank = g, g, r.Concurrency*g
	case square && r.MoETP == 1 && l.TP == g && l.DP == g && l.EP == ranks:
		l.DP, l.EP, l.PerRank = 1, g, r.Concurrency*g
	}
	l.EP = min(l.EP, l.TP*l.DP)
	return l
}
