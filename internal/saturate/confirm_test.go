package saturate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/record"
)

// openLevel is a level of Poisson arrivals at a share of what c slots of a
// second each give.
func openLevel(rng *rand.Rand, c int, share, seconds float64) record.Level {
	requests := queue(rng, c, share, seconds)
	o := Growth(requests, 0, seconds)
	l := record.Level{ID: "s-confirm", Load: record.Load{Kind: record.ByRate, Value: share * float64(c)}, Oversaturated: &o,
		Validity: record.Validity{Verdict: record.Valid, Reasons: []string{}}}
	for _, r := range requests {
		l.Client.InFlight.Mean += min(r.EndS, seconds) - r.SentS
	}
	l.Client.InFlight.Mean /= seconds
	if o.Verdict == record.Oversaturated {
		l.Validity = record.Validity{Verdict: record.Unstable, Reasons: []string{o.Why}}
	}
	return l
}

func TestAnOpenLoopConfirmsAKneeOrRefutesIt(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	const c, levels = 20, 100
	for _, tc := range []struct {
		name      string
		kneeRate  float64 // as the closed loop says; the truth is c
		low, high float64 // share of runs in which 0.8 of it is held
		undecided float64 // at most
	}{
		{"a right knee", c, 0.9, 1, 0.08},
		{"a knee half as high again", 1.5 * c, 0, 0.03, 0.1},
		{"a knee twice as high", 2 * c, 0, 0, 0.01},
	} {
		held, open := 0.0, 0.0
		for range levels {
			share := ConfirmShares[0] * tc.kneeRate / c
			got := Confirm([]record.Level{openLevel(rng, c, share, 60)}, tc.kneeRate)[0]
			if got.Share != ConfirmShares[0] {
				t.Fatalf("share %g, want %g", got.Share, ConfirmShares[0])
			}
			switch {
			case got.Held == nil:
				open++
			case *got.Held:
				held++
			}
		}
		if held/levels < tc.low || held/levels > tc.high || open/levels > tc.undecided {
			t.Errorf("%s: held in %.2f of the runs, want %g to %g; undecided in %.2f", tc.name, held/levels, tc.low, tc.high, open/levels)
		}
	}
}

func TestALevelThatTellsNothingConfirmsNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	spoiled := openLevel(rng, 20, 0.8, 60)
	spoiled.Validity = record.Validity{Verdict: record.ClientLimited, Reasons: []string{"requests left late"}}
	brief := openLevel(rng, 20, 0.8, 5)
	for _, l := range []record.Level{spoiled, brief, {Validity: record.Validity{Verdict: record.Invalid}}} {
		if got := Confirm([]record.Level{l}, 20)[0]; got.Held != nil || got.Why == "" {
			t.Errorf("%+v", got)
		}
	}
}

func TestConfirmedInWords(t *testing.T) {
	yes, no := true, false
	for _, tc := range []struct {
		low, high *bool
		want      string
	}{
		{&yes, &yes, "it is confirmed"},
		{&yes, &no, "held at 0.8 of the knee's rate and not at 0.95"},
		{&no, &no, "closed loop and open loop disagree"},
		{&no, nil, "closed loop and open loop disagree"},
		{nil, &no, "not held at 0.95"},
	} {
		got := Confirmed([]record.Confirmation{{Share: 0.8, Held: tc.low}, {Share: 0.95, Held: tc.high}})
		if !strings.Contains(got, tc.want) {
			t.Errorf("got %q, want %q in it", got, tc.want)
		}
	}
	if got := Confirmed([]record.Confirmation{{Share: 0.8, Why: "too short"}, {Share: 0.95, Held: &yes}}); got != "whether an open loop holds 0.8 of its rate is not known: too short" {
		t.Errorf("0.95 alone says %q", got)
	}
	if got := Confirmed(nil); got != "" {
		t.Errorf("no open loop says %q", got)
	}
}

func TestConfirmLength(t *testing.T) {
	for _, tc := range []struct{ rate, latency, wanted, least float64 }{
		{100, 0.5, 30, 10},
		{100, 5, 100, 50},
		{1, 0.5, 125, 125},
	} {
		if wanted, least := ConfirmLength(tc.rate, tc.latency); wanted != tc.wanted || least != tc.least {
			t.Errorf("at %g/s, %g s each: %g and at least %g s, want %g and %g", tc.rate, tc.latency, wanted, least, tc.wanted, tc.least)
		}
	}
}
