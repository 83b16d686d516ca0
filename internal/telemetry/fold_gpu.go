package telemetry

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/record"
)

// FoldGPU makes the account of the GPUs of a span from the snapshots of their
// exporters, in order of time; nil where nothing was seen of a GPU. Where GPUs
// came or went, or a counter fell, Changed says how, and nothing cumulative is
// given.
func FoldGPU(snapshots []Snapshot) *record.GPU {
	kept := holding(snapshots, "dcgm")
	cards := cardsOf(kept)
	if len(cards) == 0 {
		return nil
	}
	g := &record.GPU{Source: "dcgm", Model: modelOf(cards), Count: len(cards), Samples: len(kept)}
	g.EngineActive = meanOver(cards, one(GPUEngineActive))
	g.SMActive = meanOver(cards, one(GPUSMActive))
	g.TensorActive = meanOver(cards, one(GPUTensorActive))
	g.DRAMActive = meanOver(cards, one(GPUDRAMActive))
	g.PCIeBytesPerS = meanOver(cards, both(GPUPCIeTx, GPUPCIeRx))
	g.NVLinkBytesPerS = meanOver(cards, both(GPUNVLinkTx, GPUNVLinkRx))
	for _, c := range cards {
		g.TempMaxC = larger(g.TempMaxC, c.readings(one(GPUTemperature)).max())
		g.XIDs = append(g.XIDs, c.xidsOf(kept)...)
	}
	g.RemapFailures = sumOver(cards, func(c *card) *float64 { return c.readings(one(GPURemapFailure)).max() })
	g.Changed = changedCards(kept, cards)
	if len(kept) > 1 && g.Changed == "" {
		g.DoubleBitErrors = sumOver(cards, func(c *card) *float64 { return c.grown(GPUDoubleBit) })
		g.NVLinkErrors = sumOver(cards, (*card).nvlinkErrors)
	}
	clocks(g, kept, cards)
	g.Worst = worst(cards, kept, g.Changed == "")
	return g
}

// holding are the snapshots that hold series of one of the publishers.
func holding(snapshots []Snapshot, publishers ...string) []Snapshot {
	var kept []Snapshot
	for _, s := range snapshots {
		if slices.ContainsFunc(s.Publishers(), func(p string) bool { return slices.Contains(publishers, p) }) {
			kept = append(kept, s)
		}
	}
	return kept
}

func modelOf(cards []*card) string {
	for _, c := range cards[1:] {
		if c.model != cards[0].model {
			return "" // of several kinds
		}
	}
	return cards[0].model
}

// meanOver is the mean over all GPUs and samples that have it.
func meanOver(cards []*card, of func(sample) (float64, bool)) *float64 {
	var all readings
	for _, c := range cards {
		all = append(all, c.readings(of)...)
	}
	return all.mean()
}

// sumOver is the sum over the GPUs that say; nil where none does.
func sumOver(cards []*card, of func(*card) *float64) *float64 {
	var r readings
	for _, c := range cards {
		if v := of(c); v != nil {
			r = append(r, *v)
		}
	}
	return r.sum()
}

func larger(a, b *float64) *float64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

// changedCards says which GPU came, went or counted backwards.
func changedCards(kept []Snapshot, cards []*card) string {
	for i := 1; i < len(kept); i++ {
		if len(kept[i].Engines()) == 0 { // an exporter by itself
			a, okA := kept[i-1].Value(ProcessStart)
			b, okB := kept[i].Value(ProcessStart)
			if okA && okB && a != b {
				return fmt.Sprintf("the exporter's process start time went from %.10g to %.10g: it restarted", a, b)
			}
		}
	}
	for _, c := range cards {
		for i := 1; i < len(kept); i++ {
			was, is := c.at[i-1], c.at[i]
			switch {
			case was == nil && is != nil:
				return brief(fmt.Sprintf("GPU %s came within the span", c.name))
			case was != nil && is == nil:
				return brief(fmt.Sprintf("GPU %s went within the span", c.name))
			}
			for _, q := range cardCounters {
				if v, ok := is[q]; ok && v < was[q] {
					return brief(fmt.Sprintf("%s of GPU %s fell from %g to %g: its driver was loaded again", entry(q).Names[0].Metric, c.name, was[q], v))
				}
			}
		}
	}
	return ""
}

// clocks fills what says whether and why the clock is low. Clock and power are of
// the GPU whose clock is held back most.
func clocks(g *record.GPU, kept []Snapshot, cards []*card) {
	var slow *card
	for _, c := range cards {
		if _, ok := c.clock(); ok && (slow == nil || c.heldBack() > slow.heldBack()) {
			slow = c
		}
	}
	if slow != nil {
		g.SMClockMHz = slow.busyMean(GPUSMClock)
	} else {
		slow = cards[0]
	}
	g.SMClockMaxMHz = slow.readings(one(GPUSMClockMax)).max()
	g.PowerW = slow.busyMean(GPUPower)
	g.PowerLimitW = slow.readings(one(GPUPowerLimit)).max()
	g.ThermalShare = larger(heldShare(kept, cards, thermal), violation(kept, cards, g.Changed))
	g.BrakeShare = heldShare(kept, cards, brake)
	g.PowerCapShare = heldShare(kept, cards, capped)
}

// violation is the largest share of the span in which heat held a GPU's clock
// back by its own count of time. Above 1 the count is in another unit than the
// driver's nanoseconds, and says nothing.
func violation(kept []Snapshot, cards []*card, changed string) *float64 {
	span := kept[len(kept)-1].At.Sub(kept[0].At).Seconds()
	if changed != "" || span <= 0 {
		return nil
	}
	var most *float64
	for _, c := range cards {
		if t := c.grown(GPUThermalTime); t != nil && *t/span <= 1 {
			most = larger(most, pointer(*t/span, true))
		}
	}
	return most
}

// worst names the GPU that fares worst: faulty, then held back by heat or the
// brake, then the one with the lowest clock.
func worst(cards []*card, kept []Snapshot, counted bool) string {
	var name string
	least := 0.0
	for i, c := range cards {
		bad := c.heldBack() // at most 1
		for _, h := range []hold{thermal, brake} {
			if s := heldShare(kept, []*card{c}, h); s != nil {
				bad += 2 * *s
			}
		}
		bad += 10 * c.faults(kept, counted)
		if i == 0 || bad > least {
			name, least = c.name, bad
		}
	}
	if _, ok := cards[0].clock(); !ok && least == 0 {
		return ""
	}
	return strings.TrimSpace(name)
}
