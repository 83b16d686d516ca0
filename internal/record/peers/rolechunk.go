package peers

import (
	"assay/internal/record"
	"assay/internal/stats"
)

// Chunks without a token, told by when they came. Both shares are ours.
const (
	// withToken is the share of a gap between tokens below which a chunk came
	// together with its neighbour.
	withToken = 0.2
	// longWait is how many gaps between tokens the first gap is, where a chunk
	// came as soon as the request was taken and the first token only later.
	longWait = 3
	// fewestTokens of an answer that are enough to see what a usual gap is.
	fewestTokens = 8
)

// dropTokenless takes from the arrivals of each request the chunks that hold no
// token: vLLM's client counts every chunk with choices over chat, also one with
// the role alone at the beginning and one with the finish reason alone at the
// end. Servers send one token a chunk otherwise, so that the count of chunks
// shows how many there are, and the gaps show where. It reports whether the
// requests are then known to hold tokens alone; where it does not, nothing was
// changed.
func dropTokenless(requests []record.Request) bool {
	extra := -1
	var first, last, inner []float64
	for i := range requests {
		r := &requests[i]
		if !r.OK() || r.OutputTokens == nil {
			continue
		}
		more := len(r.ChunkUS) - *r.OutputTokens
		if extra >= 0 && more != extra || more < 0 || more > 2 || *r.OutputTokens < fewestTokens {
			return false
		}
		extra = more
		gaps := make([]float64, 0, len(r.ChunkUS))
		r.ICLs(func(ms float64) { gaps = append(gaps, ms) })
		n := len(gaps)
		first, last = append(first, gaps[0]), append(last, gaps[n-1])
		inner = append(inner, stats.Median(gaps[1:n-1]))
	}
	if extra <= 0 {
		return extra == 0
	}
	usual := stats.Median(inner)
	head := stats.Median(first) < withToken*usual || stats.Median(first) > longWait*usual
	tail := stats.Median(last) < withToken*usual
	if extra == 1 && head == tail || extra == 2 && (!head || !tail) {
		return false
	}
	for i := range requests {
		r := &requests[i]
		if !r.OK() || r.OutputTokens == nil {
			continue
		}
		if tail {
			r.ChunkUS = r.ChunkUS[:len(r.ChunkUS)-1]
		}
		if head {
			r.ChunkUS = r.ChunkUS[1:]
		}
	}
	return true
}
