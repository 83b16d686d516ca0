package report

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/record"
	"assay/internal/telemetry"
)

// folded is what the charts need of the run's lines, in bounded memory.
type folded struct {
	levels map[string]*shapes
	time   timeline
	csv    csvSample
	seen   bool // there were requests
}

// shapes are the distributions of one level's measured requests, milliseconds.
type shapes struct{ ttft, itl, e2e histogram }

func fold(in Input) (*folded, error) {
	f := &folded{levels: map[string]*shapes{}, time: newTimeline(in)}
	if in.Requests != nil {
		if err := in.Requests(f.add); err != nil {
			return nil, fmt.Errorf("read the requests for the report: %w", err)
		}
	}
	for _, c := range in.Client {
		f.time.addClient(c)
	}
	for _, m := range in.Metrics {
		f.time.addMetrics(m)
	}
	return f, nil
}

func (f *folded) add(r record.Request) error {
	f.seen = true
	f.csv.add(r)
	f.time.addRequest(&r)
	if r.Phase != record.Measured || !r.OK() {
		return nil
	}
	s := f.levels[r.Level]
	if s == nil {
		s = &shapes{}
		f.levels[r.Level] = s
	}
	if v, ok := r.TTFT(); ok {
		s.ttft.add(v)
	}
	if v, ok := r.ITL(); ok {
		s.itl.add(v)
	}
	if v, ok := r.E2E(); ok {
		s.e2e.add(v)
	}
	return nil
}

// timeline is the run over time in bins of equal width.
type timeline struct {
	width time.Duration
	bins  []bin
	gpus  map[string]gpuSeen // by exporter
}

type bin struct {
	tokens   float64 // output tokens that arrived
	ttft     histogram
	failed   int
	inFlight gauge
	lagUS    gauge // the worst p99 within the bin
	server   map[string]*sourceBin
	gpu      *gpuBin // nil: nothing was said
}

type sourceBin struct{ running, waiting, kv gauge }

// gauge is a sampled value within one bin.
type gauge struct {
	n        int
	sum, max float64
}

func (g *gauge) add(v float64) {
	g.n++
	g.sum += v
	g.max = max(g.max, v)
}

func (g *gauge) mean() float64 { return g.sum / float64(g.n) }

// Bins of a timeline at most: more would not be seen and would only make the
// file larger. None is shorter than the second between two samples.
const mostBins = 240

func newTimeline(in Input) timeline {
	end := length(in.Run)
	if n := len(in.Client); n > 0 {
		end = max(end, time.Duration(in.Client[n-1].AtUS)*time.Microsecond)
	}
	if n := len(in.Metrics); n > 0 {
		end = max(end, time.Duration(in.Metrics[n-1].AtUS)*time.Microsecond)
	}
	if end <= 0 {
		return timeline{}
	}
	width := end
	for _, w := range []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second,
		30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour} {
		if end/w < mostBins {
			width = w
			break
		}
	}
	return timeline{width: width, bins: make([]bin, min(int(end/width)+1, mostBins))}
}

// at is the bin of an offset in microseconds; nil outside the run.
func (t *timeline) at(us int64) *bin {
	if t.width <= 0 || us < 0 {
		return nil
	}
	i := us / t.width.Microseconds()
	if i >= int64(len(t.bins)) {
		return nil
	}
	return &t.bins[i]
}

func (t *timeline) addRequest(r *record.Request) {
	if !r.OK() {
		if b := t.at(r.EndUS); b != nil {
			b.failed++
		}
		return
	}
	if v, ok := r.TTFT(); ok {
		if b := t.at(r.SentUS); b != nil {
			b.ttft.add(v)
		}
	}
	r.EachToken(func(at int64, tokens float64) {
		if b := t.at(at); b != nil {
			b.tokens += tokens
		}
	})
}

func (t *timeline) addClient(c record.ClientSample) {
	if b := t.at(c.AtUS); b != nil {
		b.inFlight.add(float64(c.InFlight))
		b.lagUS.add(float64(c.LagP99US))
	}
}

func (t *timeline) addMetrics(m record.MetricsSample) {
	switch m.Of {
	case record.OfNode:
		return
	case record.OfGPU:
		t.addGPU(m)
		return
	}
	b := t.at(m.AtUS)
	if b == nil || len(m.Values) == 0 {
		return
	}
	// A line whose keys cannot be read says nothing, like a failed scrape.
	snap, err := telemetry.FromValues(time.Time{}, m.Values)
	if err != nil {
		return
	}
	if b.server == nil {
		b.server = map[string]*sourceBin{}
	}
	s := b.server[m.Source]
	if s == nil {
		s = &sourceBin{}
		b.server[m.Source] = s
	}
	for _, q := range []struct {
		of telemetry.Quantity
		to *gauge
	}{{telemetry.Running, &s.running}, {telemetry.Waiting, &s.waiting}, {telemetry.KVUsage, &s.kv}} {
		if v, ok := snap.Value(q.of); ok {
			q.to.add(v)
		}
	}
}

// over combines the sources of a bin: their sum, or their mean for a share.
// ok is false when none of them said anything.
func (b *bin) over(pick func(*sourceBin) *gauge, mean bool) (v float64, ok bool) {
	n := 0
	for _, source := range sortedKeys(b.server) {
		if g := pick(b.server[source]); g.n > 0 {
			v += g.mean()
			n++
		}
	}
	if mean && n > 0 {
		v /= float64(n)
	}
	return v, n > 0
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// csvSample keeps every stride-th request as a line of CSV, and doubles the
// stride when the lines outgrow their room: all levels stay represented.
type csvSample struct {
	lines  []string
	bytes  int
	stride int
	total  int
}

// Room for the requests within the page, before base64.
const mostCSV = 1 << 20

var csvHead = []string{"id", "level", "phase", "intended_ms", "sent_ms", "ttft_ms", "itl_ms", "e2e_ms", "prompt_tokens", "output_tokens", "error"}

func (c *csvSample) add(r record.Request) {
	c.stride = max(c.stride, 1)
	if c.total%c.stride == 0 {
		line := csvLine(csvRow(&r))
		c.lines = append(c.lines, line)
		c.bytes += len(line)
	}
	c.total++
	for c.bytes > mostCSV && len(c.lines) > 1 {
		c.halve()
	}
}

func (c *csvSample) halve() {
	kept := c.lines[:0]
	c.bytes = 0
	for i, l := range c.lines {
		if i%2 == 0 {
			kept = append(kept, l)
			c.bytes += len(l)
		}
	}
	c.lines = kept
	c.stride *= 2
}

func (c *csvSample) text() string { return csvLine(csvHead) + strings.Join(c.lines, "") }

func csvRow(r *record.Request) []string {
	measure := func(v float64, ok bool) string {
		if !ok {
			return ""
		}
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	whole := func(n *int) string {
		if n == nil {
			return ""
		}
		return strconv.Itoa(*n)
	}
	ms := func(us int64) string { return strconv.FormatFloat(float64(us)/1000, 'f', 3, 64) }
	return []string{plain(r.ID), plain(r.Level), plain(r.Phase), ms(r.IntendedUS), ms(r.SentUS), measure(r.TTFT()), measure(r.ITL()), measure(r.E2E()),
		whole(r.PromptTokens), whole(r.OutputTokens), plain(r.Error)}
}

func csvLine(cells []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(cells) // a strings.Builder does not fail
	w.Flush()
	return b.String()
}
