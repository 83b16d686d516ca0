package wire

import (
	"context"
	"slices"
	"time"
)

// Burst is what one read from the network brought.
type Burst struct {
	At     time.Duration
	Chunks int
	Tokens int // 0: the server does not say
}

// Bursts gathers chunks that came in the same read.
func Bursts(chunks []Chunk) []Burst {
	var out []Burst
	for _, c := range chunks {
		if n := len(out); n > 0 && out[n-1].At == c.At {
			out[n-1].Chunks++
			out[n-1].Tokens += c.Tokens
			continue
		}
		out = append(out, Burst{At: c.At, Chunks: 1, Tokens: c.Tokens})
	}
	return out
}

// How a stream reached the client.
const (
	Flowing = "flowing" // as it was made
	Whole   = "whole"   // all at its end: TTFT is the time of the whole answer
	Batched = "batched" // in batches: something gathers it
	Unclear = "unclear" // too short or too quick to tell
)

const (
	// fewChunks is how many chunks it takes to tell.
	fewChunks = 8
	// batch is how many chunks in a read, in the median, make a batch. Servers
	// that lag put several tokens in one chunk, not several chunks in one write.
	batch = 4
	// quickest is less than any engine takes for a token of one stream: what comes
	// faster was made before. Ours.
	quickest = 100 * time.Microsecond
	// apart is the least gap between batches, in the median: below it the network
	// itself gathers what a fast server sends.
	apart = 15 * time.Millisecond
)

// FlowOf judges how a stream arrived that took so long from its sending.
func FlowOf(bursts []Burst, took time.Duration) string {
	chunks := 0
	if len(bursts) == 0 {
		return Unclear
	}
	var sizes []int
	var gaps []time.Duration
	for i, b := range bursts {
		chunks += b.Chunks
		sizes = append(sizes, b.Chunks)
		if i > 0 {
			gaps = append(gaps, b.At-bursts[i-1].At)
		}
	}
	if chunks < fewChunks {
		return Unclear
	}
	if span := bursts[len(bursts)-1].At - bursts[0].At; span < time.Duration(chunks)*quickest {
		if took > bufferedAfter {
			return Whole
		}
		return Unclear
	}
	slices.Sort(sizes)
	slices.Sort(gaps)
	if sizes[len(sizes)/2] >= batch && gaps[len(gaps)/2] >= apart {
		return Batched
	}
	return Flowing
}

// Look is Do that also says what the stream was like.
func (c *Client) Look(ctx context.Context, id string, body []byte) (Outcome, Facts) {
	return c.do(ctx, id, body)
}
