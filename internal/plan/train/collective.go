package train

import (
	"math"

	"assay/internal/figure"
)

// fabric is what connects GPUs: links within a node, the network between nodes.
type fabric struct {
	node    int     // GPUs of a node
	link    float64 // bytes/s of one GPU to its peers, one way, as sold
	nvlink  bool
	network float64 // bytes/s of a node, one way, as sold
	efa     bool
}

// Shares of the rates as sold that ring collectives reach on large messages:
// NCCL tests print 0.75 to 0.9 of NVLink, and some 0.85 of EFA's; PCIe and TCP are
// shared and copied through the host.
func (f fabric) linkRate() float64 {
	if f.nvlink {
		return 0.8 * f.link
	}
	return 0.5 * f.link
}

func (f fabric) networkRate() float64 {
	if f.efa {
		return 0.85 * f.network
	}
	return 0.5 * f.network
}

// latency of one collective, in seconds for each step of its ring.
const (
	linkLatency    = 3e-6
	networkLatency = 20e-6
)

// gather is the seconds of an all-gather after which each of n ranks holds that many
// bytes; a reduce-scatter takes as long, an all-reduce twice. Ranks lie stride GPUs
// apart, and all such groups of a node work at once, over the node's one network.
// Within a node and between nodes the transfers overlap, as NCCL's channels do.
func (f fabric) gather(bytes float64, n, stride int) float64 {
	if n <= 1 || bytes <= 0 {
		return 0
	}
	inside := min(n, max(1, f.node/stride))
	nodes := (n + inside - 1) / inside
	t := bytes*float64(inside-1)/float64(inside)/f.linkRate() + float64(inside-1)*linkLatency
	if nodes == 1 {
		return t
	}
	groups := float64(min(stride, f.node))
	between := bytes*float64(nodes-1)/float64(nodes)*groups/f.networkRate() + math.Log2(float64(nodes))*networkLatency
	return math.Max(t, between)
}

// exchange is the seconds of an all-to-all that takes tokens to experts: each of n
// ranks has that many bytes of tokens, and each token goes to several ranks evenly at
// random, once to each node of them.
func (f fabric) exchange(bytes float64, several, n, stride int) float64 {
	if n <= 1 || bytes <= 0 {
		return 0
	}
	inside := min(n, max(1, f.node/stride))
	nodes := float64((n + inside - 1) / inside)
	t := bytes*float64(several)*float64(inside-1)/float64(inside)/f.linkRate() + float64(inside-1)*linkLatency
	if nodes > 1 {
		visited := nodes * (1 - math.Pow(1-1/nodes, float64(several)))
		outside := bytes * visited * (nodes - 1) / nodes * float64(f.node)
		t = math.Max(t, outside/f.networkRate()+math.Log2(nodes)*networkLatency)
	}
	return t
}

// hand is the seconds in which a GPU hands that many bytes to the one of the next
// stage, stride GPUs on, while its neighbours do the same.
func (f fabric) hand(bytes float64, stride int) float64 {
	if stride < f.node {
		return bytes/f.linkRate() + linkLatency
	}
	return bytes*float64(f.node)/f.networkRate() + networkLatency
}

// Shares of a collective that computation hides: assumptions, with the range that
// frameworks with and without overlap span. What lasts longer than the computation
// that it hides behind shows in any case.
var (
	hiddenShards  = figure.Range{Low: 0.5, Mid: 0.8, High: 0.95} // FSDP's and data parallel's: prefetched, layer by layer
	hiddenTensor  = figure.Range{Low: 0, Mid: 0.5, High: 0.8}    // tensor parallel's: only with user buffers split in chunks
	hiddenExperts = figure.Range{Low: 0, Mid: 0.5, High: 0.9}    // experts' all-to-all: only with batches computed in turn
)

// shown are what of a step's transfers shows beside its computation: ranges, low where
// most is hidden. All of them hide behind one computation, nine tenths of it at most.
func (t transfers) shown(compute float64) (tensor, experts, shards, stages figure.Range) {
	at := func(of func(figure.Range) float64) (left [4]float64) {
		room := 0.9 * compute
		for i, x := range [4]struct {
			time   float64
			hidden figure.Range
		}{{t.tensor, hiddenTensor}, {t.experts, hiddenExperts}, {t.shards, hiddenShards}, {t.stages, hiddenShards}} {
			behind := math.Min(of(x.hidden)*x.time, room)
			room -= behind
			left[i] = x.time - behind
		}
		return left
	}
	low := at(func(r figure.Range) float64 { return r.High })
	mid := at(func(r figure.Range) float64 { return r.Mid })
	high := at(func(r figure.Range) float64 { return r.Low })
	// What hides more of one leaves less room for the next.
	at4 := func(i int) figure.Range {
		return figure.Range{Low: math.Min(low[i], mid[i]), Mid: mid[i], High: math.Max(mid[i], high[i])}
	}
	return at4(0), at4(1), at4(2), at4(3)
}
