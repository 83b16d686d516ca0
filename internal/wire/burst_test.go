package wire

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBursts(t *testing.T) {
	got := Bursts([]Chunk{{At: 10, Tokens: 2}, {At: 10, Tokens: 1}, {At: 20}, {At: 30, Tokens: 1}})
	want := []Burst{{At: 10, Chunks: 2, Tokens: 3}, {At: 20, Chunks: 1}, {At: 30, Chunks: 1, Tokens: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFlowOf(t *testing.T) {
	every := func(gap time.Duration, reads, chunks int) (out []Burst) {
		for i := range reads {
			out = append(out, Burst{At: time.Duration(i) * gap, Chunks: chunks})
		}
		return out
	}
	for _, c := range []struct {
		name   string
		bursts []Burst
		took   time.Duration
		want   string
	}{
		{"one by one", every(10*time.Millisecond, 64, 1), time.Second, Flowing},
		{"all at the end", every(0, 1, 64), time.Second, Whole},
		{"all at the end, in several reads", every(100*time.Microsecond, 8, 16), time.Second, Whole},
		{"all at once, at once", every(0, 1, 64), time.Millisecond, Unclear},
		{"a proxy's buffer", every(200*time.Millisecond, 5, 24), time.Second, Batched},
		{"a server faster than the network's reads", every(time.Millisecond, 20, 6), time.Second, Flowing},
		{"a server that lags now and then", append(every(10*time.Millisecond, 60, 1), Burst{At: time.Second, Chunks: 30}), time.Second, Flowing},
		{"a few chunks", every(10*time.Millisecond, 7, 1), time.Second, Unclear},
		{"none", nil, time.Second, Unclear},
	} {
		if got := FlowOf(c.bursts, c.took); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
