package record

// Each calls yield with the values, in milliseconds, that one request adds to a
// latency of its key in conditions, such as "ttft": one, none where it is
// undefined, and for "icl" one for each gap.
func (r *Request) Each(metric string, yield func(ms float64)) {
	one := func(ms float64, ok bool) {
		if ok {
			yield(ms)
		}
	}
	switch metric {
	case "ttft":
		one(r.TTFT())
	case "ttfo":
		one(r.TTFO())
	case "itl":
		one(r.ITL())
	case "e2e":
		one(r.E2E())
	case "icl":
		r.ICLs(yield)
	}
}

// Within reports that a latency of the request, of "icl" each of them, is below a
// limit in milliseconds. What is undefined for the request is within any.
func (r *Request) Within(metric string, limit float64) bool {
	within := true
	r.Each(metric, func(ms float64) { within = within && ms < limit })
	return within
}

// Credits reports a request whose work counts in a level's throughput: of those
// that succeeded in a closed loop the measured ones, for the window begins when
// the shortened answers of the warm-up have ended; in an open loop all, for
// what was sent in the warm-up is part of the load that the window sees.
func (l Load) Credits(r *Request) bool {
	return r.OK() && (r.Phase != Warmup || l.Kind == ByRate)
}

// Ended reports a request that ended after the window's start and not after its
// end.
func (w Window) Ended(r *Request) bool { return r.EndUS > w.StartUS && r.EndUS <= w.EndUS }

// Seconds is the window's length; 0 or less: there was none.
func (w Window) Seconds() float64 { return float64(w.EndUS-w.StartUS) / 1e6 }
