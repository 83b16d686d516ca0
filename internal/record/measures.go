package record

import "assay/internal/stats"

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

// EachToken credits the request's output tokens to the moments in which they
// arrived, microseconds since the run's start. Where chunks do not say how many
// tokens they hold, each holds an equal share of OutputTokens.
func (r *Request) EachToken(yield func(atUS int64, tokens float64)) {
	share := 1.0
	if r.OutputTokens != nil && len(r.ChunkUS) > 0 {
		share = float64(*r.OutputTokens) / float64(len(r.ChunkUS))
	}
	known := len(r.ChunkTokens) == len(r.ChunkUS)
	for i, at := range r.ChunkUS {
		tokens := share
		if known {
			tokens = float64(r.ChunkTokens[i])
		}
		yield(r.SentUS+at, tokens)
	}
}

// TokensWithin is how many output tokens arrived at or after start and before
// end, microseconds since the run's start.
func (r *Request) TokensWithin(startUS, endUS int64) float64 {
	sum := 0.0
	r.EachToken(func(at int64, tokens float64) {
		if at >= startUS && at < endUS {
			sum += tokens
		}
	})
	return sum
}

// Metric is one latency of a level by its key in conditions, such as "ttft";
// empty for another key.
func (l *Level) Metric(key string) stats.Dist {
	switch key {
	case "ttft":
		return l.TTFT
	case "ttfo":
		return l.TTFO
	case "itl":
		return l.ITL
	case "icl":
		return l.ICL
	case "e2e":
		return l.E2E
	}
	return stats.Dist{}
}

func millis(us int64) float64 { return float64(us) / 1000 }

// Slim drops the chunks that no measure of the request needs: all but the first,
// that in which the answer begins, and the last. Of what goes over each chunk or
// token a slim request says nothing.
func (r *Request) Slim() {
	n := len(r.ChunkUS)
	if n <= 3 {
		return
	}
	at := []int{0, n - 1}
	if r.AnswerAt > 0 && r.AnswerAt < n-1 {
		at = []int{0, r.AnswerAt, n - 1}
	}
	slim := make([]int64, len(at))
	for i, j := range at {
		slim[i] = r.ChunkUS[j]
	}
	if r.AnswerAt > 0 && r.AnswerAt < n {
		r.AnswerAt = 1 // the second that is kept, which may be the last
	}
	if len(r.ChunkTokens) > 0 {
		r.ChunkTokens = []int{r.ChunkTokens[0]}
	}
	r.ChunkUS = slim
}
