package diagnose

import "assay/internal/record"

// parts are where a mean request of the top level spends its time, ms, and where
// the requests in flight are. nil is not known.
type parts struct {
	whole    *float64 // as the client saw it; without a client as the server did
	network  *float64 // client less server, over the whole request
	frontend *float64 // server less queue, prefill and decode
	prefill  *float64
	decode   *float64
	outside  *float64 // share of the requests in flight that the engine neither runs nor keeps waiting
}

func partsOf(l *record.Level) parts {
	s := l.Server
	if s == nil {
		return parts{}
	}
	p := parts{whole: s.E2EMean, prefill: s.PrefillMean, decode: s.DecodeMean}
	if l.E2E.Mean != nil {
		p.whole = l.E2E.Mean
		p.network = less(l.E2E.Mean, s.E2EMean)
	}
	if p.network == nil {
		p.network = l.Anatomy.Network
	}
	if s.QueueMean != nil && s.PrefillMean != nil && s.DecodeMean != nil && s.E2EMean != nil {
		inside := *s.QueueMean + *s.PrefillMean + *s.DecodeMean
		p.frontend = less(s.E2EMean, &inside)
	}
	if p.frontend == nil {
		p.frontend = l.Anatomy.Frontend
	}
	if n := l.Client.InFlight.Mean; n > 0 && s.RunningMean != nil && s.WaitingMean != nil {
		share := max(1-(*s.RunningMean+*s.WaitingMean)/n, 0)
		p.outside = &share
	}
	return p
}

// less is a difference of means, at least 0.
func less(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	d := max(*a-*b, 0)
	return &d
}
