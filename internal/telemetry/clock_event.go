package telemetry

// hold is a reason for which a GPU's clock is held back: its bits among the
// clock-event reasons and the exporter's names of them. Source: dcgm_fields.h and
// clock_events_collector.go of dcgm-exporter, 2026-05.
type hold struct {
	bits   uint64
	events []string
}

var (
	thermal = hold{0x20 | 0x40, []string{"sw_thermal", "hw_thermal"}}
	brake   = hold{0x80, []string{"hw_power_brake"}}
	capped  = hold{0x4, []string{"power_cap"}}
)

// heldShare is the share of samples in which a GPU's clock was held back for a
// reason, by the reasons at the moment of each; where the exporter gives only
// counts of a sliding window, the share of the stretches between samples in which
// the count says so.
func heldShare(kept []Snapshot, cards []*card, h hold) *float64 {
	var r readings
	for i := range kept {
		if held, known := heldAt(cards, i, h); known {
			r = append(r, held)
		}
	}
	if len(r) > 0 {
		return r.mean()
	}
	for i := 1; i < len(kept); i++ {
		if held, known := heldBetween(kept, cards, i, h); known {
			r = append(r, held)
		}
	}
	return r.mean()
}

func heldAt(cards []*card, i int, h hold) (held float64, known bool) {
	for _, c := range cards {
		v, ok := c.at[i][GPUClockReasons]
		if !ok || v < 0 || v >= 1<<53 {
			continue
		}
		known = true
		if uint64(v)&h.bits != 0 {
			held = 1
		}
	}
	return held, known
}

func heldBetween(kept []Snapshot, cards []*card, i int, h hold) (held float64, known bool) {
	for _, c := range cards {
		if c.events[i] == nil {
			continue
		}
		known = true
		for _, event := range h.events {
			if c.fresh(kept, i, c.events, GPUClockEvents, event) {
				held = 1
			}
		}
	}
	return held, known
}
