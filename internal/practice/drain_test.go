package practice

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDrain(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name            string
		response        time.Duration
		spot            bool
		shutdown, grace time.Duration
		cut             bool
	}{
		{"nothing measured", 0, false, 60 * s, 80 * s, false},
		{"nothing measured on Spot", 0, true, 60 * s, 80 * s, false},
		{"41 s on Spot", 41 * s, true, 70 * s, 90 * s, false},
		{"70 s want 110 and fit into 80 on Spot", 70 * s, true, 80 * s, 100 * s, false},
		{"90 s do not fit on Spot", 90 * s, true, 80 * s, 100 * s, true},
		{"90 s on demand", 90 * s, false, 140 * s, 160 * s, false},
		{"half a second", s / 2, false, 20 * s, 40 * s, false},
	}
	for _, test := range tests {
		d := DrainFor(DefaultPreStop, Responses{Usual: test.response}, test.spot)
		if d.Shutdown != test.shutdown || d.Grace() != test.grace || d.Cut != test.cut {
			t.Errorf("%s: shutdown %s, grace %s, cut %t; want %s, %s, %t", test.name, d.Shutdown, d.Grace(), d.Cut, test.shutdown, test.grace, test.cut)
		}
	}
}

func TestDrainBehind(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name           string
		response       time.Duration
		spot           bool
		preStop, grace time.Duration
		cut            bool
	}{
		{"nothing measured on Spot", 0, true, 60 * s, 90 * s, false},
		{"41 s on Spot", 41 * s, true, 70 * s, 100 * s, false},
		{"85 s on Spot are cut", 85 * s, true, 70 * s, 100 * s, true},
		{"85 s on demand", 85 * s, false, 130 * s, 160 * s, false},
		{"half a second", s / 2, false, 30 * s, 60 * s, false},
	}
	for _, test := range tests {
		d := DrainBehind(Responses{Usual: test.response}, test.spot)
		if d.PreStop != test.preStop || d.Grace() != test.grace || d.Cut != test.cut {
			t.Errorf("%s: preStop %s, grace %s, cut %t; want %s, %s, %t", test.name, d.PreStop, d.Grace(), d.Cut, test.preStop, test.grace, test.cut)
		}
	}
}

// TestDrainOfFewRequests: without a p99 the drain covers the longest response, too.
func TestDrainOfFewRequests(t *testing.T) {
	m := &Measured{Response: 40 * time.Second, ResponseName: "p95", Longest: 85 * time.Second}
	if d := DrainFor(DefaultPreStop, m.Responses(), false); d.Shutdown != 90*time.Second {
		t.Errorf("shutdown %s, want 90 s for a longest response of 85 s", d.Shutdown)
	}
	if d := DrainFor(DefaultPreStop, m.Responses(), true); !d.Cut {
		t.Errorf("the longest response of 85 s has %s on Spot, and nothing says so", d.Shutdown)
	}
	m.ResponseName = "p99"
	if d := DrainFor(DefaultPreStop, m.Responses(), true); d.Cut || d.Shutdown != 60*time.Second {
		t.Errorf("by a p99: shutdown %s, cut %t; want 60 s, and the longest of all left to chance", d.Shutdown, d.Cut)
	}
}

// TestDeregistration: the delay is over before preStop is.
func TestDeregistration(t *testing.T) {
	for _, preStop := range []time.Duration{5 * time.Second, 30 * time.Second, 130 * time.Second} {
		if d := (Drain{PreStop: preStop}).Deregistration(); d <= 0 || d >= preStop {
			t.Errorf("preStop %s: a delay of %s", preStop, d)
		}
	}
}

// TestDrainHoldsTogether: the grace is always longer than what comes before it, and on
// Spot never beyond the notice; what is cut is always said.
func TestDrainHoldsTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		response := time.Duration(rapid.Int64Range(0, int64(2*time.Hour)).Draw(t, "response"))
		preStop := time.Duration(rapid.IntRange(1, 60).Draw(t, "preStop")) * time.Second
		spot := rapid.Bool().Draw(t, "spot")
		d := DrainFor(preStop, Responses{Usual: response}, spot)
		if d.Grace() <= d.PreStop+d.Shutdown || d.Shutdown <= 0 {
			t.Fatalf("grace %s, preStop %s, shutdown %s", d.Grace(), d.PreStop, d.Shutdown)
		}
		if spot && d.Grace() > SpotGrace {
			t.Fatalf("grace %s on Spot", d.Grace())
		}
		if response > d.Shutdown && !d.Cut && response <= MostShutdown {
			t.Fatalf("responses of %s have %s, and nothing says so", response, d.Shutdown)
		}
	})
}
