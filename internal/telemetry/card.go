package telemetry

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"assay/internal/record"
)

// card is one GPU, or one instance of a partitioned one, over the snapshots.
type card struct {
	name  string // its index; with its host where there are several
	model string
	at    []sample // one for each snapshot; nil where the GPU is not in it
	// Counts of a sliding window, by the label that says of what. nil where the
	// exporter does not have the metric.
	events []map[string]float64
	xids   []map[string]float64
}

// sample is what a snapshot says of one GPU, in the catalogue's units.
type sample map[Quantity]float64

// cardCounters are a GPU's quantities that only grow.
var cardCounters = []Quantity{GPUDoubleBit, GPUNVLinkCRCFlit, GPUNVLinkCRCData, GPUNVLinkReplay, GPUNVLinkRecover, GPUThermalTime}

var nvlinkCounters = []Quantity{GPUNVLinkCRCFlit, GPUNVLinkCRCData, GPUNVLinkReplay, GPUNVLinkRecover}

// identity tells GPUs apart.
type identity struct{ host, gpu, uuid, instance string }

func identityOf(one series) identity {
	get := func(name string) string { v, _ := one.label(name); return v }
	id := identity{host: cmp.Or(get("hostname"), get("Hostname")), gpu: get("gpu"), uuid: get("UUID"), instance: get("GPU_I_ID")}
	return id
}

// key is the UUID where there is one: it stays the same when a host's name does
// not.
func (id identity) key() string {
	if id.uuid != "" {
		return id.uuid + "/" + id.instance
	}
	return id.host + "/" + id.gpu + "/" + id.instance
}

// cardsOf reads the GPUs of snapshots, sorted by name. Where a GPU is partitioned,
// its instances count and not the whole.
func cardsOf(kept []Snapshot) []*card {
	cards, ids := map[string]*card{}, map[string]identity{}
	for i, s := range kept {
		for _, q := range gpuQuantities {
			e := entry(q)
			list, scale := s.first(e)
			for _, one := range list {
				id := identityOf(one)
				c := cards[id.key()]
				if c == nil {
					n := len(kept)
					c = &card{at: make([]sample, n), events: make([]map[string]float64, n), xids: make([]map[string]float64, n)}
					cards[id.key()], ids[id.key()] = c, id
				}
				c.put(i, q, one, one.value*scale)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(ids)) {
		id := ids[key]
		whole := identity{id.host, id.gpu, id.uuid, ""}.key()
		if c := cards[whole]; id.instance != "" && c != nil {
			cards[key].takes(c)
			delete(cards, whole)
		}
	}
	return named(cards, ids)
}

// takes gives what is said of the whole GPU alone, such as its temperature and its
// errors, to one of its instances, so that it counts once.
func (c *card) takes(whole *card) {
	for i := range whole.at {
		if c.at[i] == nil {
			continue
		}
		for q, v := range whole.at[i] {
			if _, own := c.at[i][q]; !own {
				c.at[i][q] = v
			}
		}
		if c.events[i] == nil {
			c.events[i] = whole.events[i]
		}
		if c.xids[i] == nil {
			c.xids[i] = whole.xids[i]
		}
	}
}

// gpuQuantities are the kept quantities that dcgm-exporter publishes.
var gpuQuantities = func() []Quantity {
	var list []Quantity
	for _, e := range gpuEntries {
		if e.Kept {
			list = append(list, e.Quantity)
		}
	}
	return list
}()

// first are the series of the first name that a snapshot has, and its scale.
func (s Snapshot) first(e *Entry) ([]series, float64) {
	for i := range e.Names {
		if list := s.byName[e.Names[i].Metric]; len(list) > 0 {
			return list, e.Names[i].scale()
		}
	}
	return nil, 1
}

// put keeps a value. A GPU that several pods share has a series for each of them:
// they say the same, so the largest is kept, and no sum.
func (c *card) put(i int, q Quantity, one series, v float64) {
	if c.at[i] == nil {
		c.at[i] = sample{}
	}
	if model, ok := one.label("modelName"); ok && c.model == "" {
		c.model = model
	}
	count := func(m map[string]float64, label string) map[string]float64 {
		if m == nil {
			m = map[string]float64{}
		}
		if what, ok := one.label(label); ok {
			m[what] = max(m[what], v)
		}
		return m
	}
	switch q {
	case GPUClockEvents:
		c.events[i] = count(c.events[i], "clock_event")
	case GPUXIDCount:
		c.xids[i] = count(c.xids[i], "xid")
	default:
		if was, ok := c.at[i][q]; !ok || v > was {
			c.at[i][q] = v
		}
	}
	if w, ok := one.label("window_size_in_ms"); ok {
		if ms, err := strconv.ParseFloat(w, 64); err == nil && finite(ms) {
			c.at[i][windowOf(q)] = ms / 1000
		}
	}
}

// windowOf is the length of a counted quantity's sliding window, seconds.
func windowOf(q Quantity) Quantity { return q + "_window" }

func named(cards map[string]*card, ids map[string]identity) []*card {
	hosts := map[string]bool{}
	for key := range cards {
		hosts[ids[key].host] = true
	}
	var list []*card
	for key, c := range cards {
		id := ids[key]
		c.name = cmp.Or(id.gpu, id.uuid, "of no name")
		if id.instance != "" {
			c.name += " instance " + id.instance
		}
		if len(hosts) > 1 && id.host != "" {
			c.name += " on " + id.host
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *card) int {
		return cmp.Or(cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	return list
}

func one(q Quantity) func(sample) (float64, bool) {
	return func(s sample) (float64, bool) { v, ok := s[q]; return v, ok }
}

// both directions of a link.
func both(a, b Quantity) func(sample) (float64, bool) {
	return func(s sample) (float64, bool) {
		v, okV := s[a]
		w, okW := s[b]
		return v + w, okV && okW
	}
}

func (c *card) readings(of func(sample) (float64, bool)) readings {
	var r readings
	for _, s := range c.at {
		if v, ok := of(s); ok {
			r = append(r, v)
		}
	}
	return r
}

// busyAbove is the activity above which a clock says something: an idle GPU lowers
// its own. Ours.
const busyAbove = 0.05

func (s sample) busy() bool {
	if v, ok := s[GPUEngineActive]; ok {
		return v > busyAbove
	}
	return s[GPUUtil] > busyAbove
}

func (c *card) busyMean(q Quantity) *float64 {
	return c.readings(func(s sample) (float64, bool) { v, ok := s[q]; return v, ok && s.busy() }).mean()
}

func (c *card) clock() (mhz float64, ok bool) {
	if m := c.busyMean(GPUSMClock); m != nil {
		return *m, true
	}
	return 0, false
}

// heldBack is the share of its highest clock that a busy GPU lacks; of one whose
// highest clock is not known, something that grows as the clock falls.
func (c *card) heldBack() float64 {
	mhz, ok := c.clock()
	if !ok || mhz <= 0 {
		return 0
	}
	if highest := c.readings(one(GPUSMClockMax)).max(); highest != nil && *highest > 0 {
		return min(max(1 - mhz / *highest, 0), 1)
	}
	return 1 / (1 + mhz)
}

// grown is how much a counter grew from the first snapshot to the last.
func (c *card) grown(q Quantity) *float64 {
	from, okFrom := c.at[0][q]
	to, okTo := c.at[len(c.at)-1][q]
	return pointer(to-from, len(c.at) > 1 && okFrom && okTo)
}

// nvlinkErrors are all kinds together; nil where the exporter shows none of them.
func (c *card) nvlinkErrors() *float64 {
	var r readings
	for _, q := range nvlinkCounters {
		if v := c.grown(q); v != nil {
			r = append(r, *v)
		}
	}
	return r.sum()
}

// faults counts what is wrong with a GPU.
func (c *card) faults(kept []Snapshot, counted bool) float64 {
	n := 0.0
	for _, x := range c.xidsOf(kept) {
		if !x.Sticky {
			n++
		}
	}
	if v := c.readings(one(GPURemapFailure)).max(); v != nil && *v > 0 {
		n++
	}
	for _, v := range []*float64{c.grown(GPUDoubleBit), c.nvlinkErrors()} {
		if counted && v != nil && *v > 0 {
			n++
		}
	}
	return n
}

// xidsOf are the codes that a GPU shows: those counted within the span, those
// whose gauge changed in it, and, as sticky, those that may be of before.
func (c *card) xidsOf(kept []Snapshot) []record.XID {
	codes := map[int]bool{} // -> of the span
	windowed := false
	for i, counts := range c.xids {
		windowed = windowed || counts != nil
		for text, n := range counts {
			if code, err := strconv.Atoi(text); err == nil && code > 0 && n > 0 {
				codes[code] = codes[code] || c.fresh(kept, i, c.xids, GPUXIDCount, text)
			}
		}
	}
	if !windowed {
		var before float64
		seen := false
		for _, s := range c.at {
			v, ok := s[GPUXID]
			if !ok {
				continue
			}
			if code := int(v); v > 0 && v < 1e6 {
				codes[code] = codes[code] || seen && v != before
			}
			before, seen = v, true
		}
	}
	var list []record.XID
	for code, ofSpan := range codes {
		list = append(list, record.XID{GPU: c.name, Code: code, Sticky: !ofSpan})
	}
	slices.SortFunc(list, func(a, b record.XID) int { return cmp.Compare(a.Code, b.Code) })
	return list
}

// fresh reports whether a count of a sliding window is of the span: it rose from
// the snapshot before, or the window lies within the span.
func (c *card) fresh(kept []Snapshot, i int, counts []map[string]float64, q Quantity, what string) bool {
	if counts[i][what] <= 0 || i == 0 {
		return false
	}
	if counts[i-1] != nil && counts[i][what] > counts[i-1][what] {
		return true
	}
	window, ok := c.at[i][windowOf(q)]
	return ok && kept[i].At.Sub(kept[0].At).Seconds() >= window
}
