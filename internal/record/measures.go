package record

// The measures of one request, in milliseconds. ok is false where the measure
// is undefined for it; undefined is never 0.

// TTFT is the time from the actual send to the first token.
func (r *Request) TTFT() (ms float64, ok bool) {
	if len(r.ChunkUS) == 0 {
		return 0, false
	}
	return millis(r.ChunkUS[0]), true
}

// TTFO is the time from the actual send to the first token that is not reasoning.
func (r *Request) TTFO() (ms float64, ok bool) {
	if r.AnswerAt < 0 || r.AnswerAt >= len(r.ChunkUS) {
		return 0, false
	}
	return millis(r.ChunkUS[r.AnswerAt]), true
}

// ITL is (t_last - t_first) / (n - k), n the output tokens and k those of the
// first chunk, 1 where the server does not say. Undefined for n < 2 and where
// one chunk held all.
func (r *Request) ITL() (ms float64, ok bool) {
	if r.OutputTokens == nil || len(r.ChunkUS) < 2 {
		return 0, false
	}
	k := 1
	if len(r.ChunkTokens) > 0 && r.ChunkTokens[0] > 0 {
		k = r.ChunkTokens[0]
	}
	after := *r.OutputTokens - k
	if after < 1 {
		return 0, false
	}
	return millis(r.ChunkUS[len(r.ChunkUS)-1]-r.ChunkUS[0]) / float64(after), true
}

// ICLs are the gaps between the chunks that carry tokens.
func (r *Request) ICLs(yield func(ms float64)) {
	for i := 1; i < len(r.ChunkUS); i++ {
		yield(millis(r.ChunkUS[i] - r.ChunkUS[i-1]))
	}
}

// E2E is the time from the actual send to the end of the stream.
func (r *Request) E2E() (ms float64, ok bool) {
	if r.NotSent || r.EndUS < r.SentUS {
		return 0, false
	}
	return millis(r.EndUS - r.SentUS), true
}

// TPS is n_tokens / (t_last - t_request), tokens per second of this request.
func (r *Request) TPS() (perSecond float64, ok bool) {
	if r.OutputTokens == nil || len(r.ChunkUS) == 0 || r.ChunkUS[len(r.ChunkUS)-1] <= 0 {
		return 0, false
	}
	return float64(*r.OutputTokens) / (float64(r.ChunkUS[len(r.ChunkUS)-1]) / 1e6), true
}

// WaitMS is the time from the intended to the actual send.
func (r *Request) WaitMS() float64 { return millis(r.SentUS - r.IntendedUS) }

// LagMS is how late the client was: WaitMS without the time to connect, which
// is the network's and the server's.
func (r *Request) LagMS() float64 { return millis(r.SentUS - r.IntendedUS - r.ConnectUS) }

// OK reports a success.
func (r *Request) OK() bool { return r.Error == "" }

// TokensWithin credits the request's output tokens to the time in which they
// arrived: how many came at or after start and before end, microseconds since
// the run's start. Where chunks do not say how many tokens they hold, each
// holds an equal share of OutputTokens.
func (r *Request) TokensWithin(startUS, endUS int64) float64 {
	share := 1.0
	if r.OutputTokens != nil && len(r.ChunkUS) > 0 {
		share = float64(*r.OutputTokens) / float64(len(r.ChunkUS))
	}
	sum := 0.0
	for i, at := range r.ChunkUS {
		if t := r.SentUS + at; t < startUS || t >= endUS {
			continue
		}
		if len(r.ChunkTokens) == len(r.ChunkUS) {
			sum += float64(r.ChunkTokens[i])
		} else {
			sum += share
		}
	}
	return sum
}

func millis(us int64) float64 { return float64(us) / 1000 }
