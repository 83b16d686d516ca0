package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/internal/facts"
)

func clockTopics() []topic {
	var all []topic
	for _, e := range facts.ClockEvents {
		all = append(all, topic{name: e.Name, kind: ClockEvent, aliases: e.Aliases, page: func() Page { return clockPage(e.Bit) }})
	}
	return all
}

// clockBits reads a mask as DCGM gives it: 0x40, or several bits, 0x44.
func clockBits(name string) (int64, bool) {
	hex, ok := strings.CutPrefix(strings.ToLower(name), "0x")
	if !ok {
		return 0, false
	}
	bits, err := strconv.ParseInt(hex, 16, 64)
	return bits, err == nil && bits > 0 && bits < 1<<len(facts.ClockEvents)
}

// clockPage explains a mask: each of its bits.
func clockPage(mask int64) Page {
	p := Page{Topic: fmt.Sprintf("%#x", mask), Kind: ClockEvent, Title: fmt.Sprintf("Clock-event reason %#x", mask)}
	var is []string
	for _, e := range facts.ClockEvents {
		if mask&e.Bit == 0 {
			continue
		}
		is = append(is, e.Meaning)
		p.fact(fmt.Sprintf("%#x %s", e.Bit, e.Name), string(e.Cause)+suffix(", also called ", strings.Join(e.Aliases, ", ")))
		if !slices.ContainsFunc(p.Do, func(s Step) bool { return s.Text == e.Do }) {
			p.Do = append(p.Do, Step{Text: e.Do})
		}
		p.Sources = []Source{{e.Source.Title, e.Source.URL, e.Source.Date}}
		p.See = clockSee[e.Cause]
	}
	p.Is = strings.Join(is, "; ")
	p.fact("in PromQL", clockQuery(mask))
	p.Traps = []string{
		"PromQL has no bitwise and: divide, floor, and take the remainder.",
		"DCGM_EXP_CLOCK_EVENTS_COUNT counts samples in a sliding window, whatever kind it is declared: never take its rate.",
	}
	return p
}

var clockSee = map[facts.ClockCause][]string{
	facts.ClockThermal: {"gpu-throttled", "DCGM_EXP_CLOCK_EVENTS_COUNT", "DCGM_FI_DEV_GPU_TEMP"},
	facts.ClockBrake:   {"gpu-throttled", "DCGM_EXP_CLOCK_EVENTS_COUNT"},
	facts.ClockPower:   {"DCGM_FI_DEV_POWER_USAGE"},
}

// clockQuery asks for a single bit. Of a mask it asks for the lowest.
func clockQuery(mask int64) string {
	bit := mask & -mask
	if bit == 1 {
		return "DCGM_FI_DEV_CLOCKS_EVENT_REASONS % 2 == 1"
	}
	return fmt.Sprintf("floor(DCGM_FI_DEV_CLOCKS_EVENT_REASONS / %d) %% 2 == 1", bit)
}

func suffix(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}
