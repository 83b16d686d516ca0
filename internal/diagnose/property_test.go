package diagnose

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"assay/internal/record"
)

// anything fills a struct with figures of all sizes, and leaves any of them out.
func anything(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type() != reflect.TypeFor[*float64]() {
			return
		}
		if rapid.Bool().Draw(t, "known") {
			x := rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(0, 1e6), rapid.Just(0.0)).Draw(t, "figure")
			v.Set(reflect.ValueOf(&x))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			anything(t, v.Field(i))
		}
	}
}

func anyEvidence(t *rapid.T) Evidence {
	in := Evidence{Service: rapid.Bool().Draw(t, "service")}
	for i := range rapid.IntRange(0, 6).Draw(t, "levels") {
		l := record.Level{ID: "l", Load: record.Load{Kind: record.ByConcurrency, Value: float64(i) * rapid.Float64Range(0, 3).Draw(t, "load")},
			Validity: record.Validity{Verdict: rapid.SampledFrom([]string{record.Valid, record.Unstable, record.ClientLimited, record.Invalid}).Draw(t, "validity")}}
		if rapid.Bool().Draw(t, "server") {
			l.Server = &record.Server{Samples: 10}
			anything(t, reflect.ValueOf(l.Server).Elem())
		}
		if rapid.Bool().Draw(t, "gpu") {
			l.GPU = &record.GPU{Count: rapid.IntRange(0, 8).Draw(t, "gpus")}
			anything(t, reflect.ValueOf(l.GPU).Elem())
		}
		if rapid.Bool().Draw(t, "node") {
			l.Node = &record.Node{}
			anything(t, reflect.ValueOf(l.Node).Elem())
		}
		anything(t, reflect.ValueOf(&l.Anatomy).Elem())
		l.Throughput.OutputTokensPerS = rapid.Float64Range(0, 1e5).Draw(t, "throughput")
		l.E2E.Mean, l.Got.Prompt, l.Got.Output = p(rapid.Float64Range(0, 1e5).Draw(t, "e2e")), p(rapid.Float64Range(0, 1e5).Draw(t, "prompt")), p(rapid.Float64Range(0, 1e4).Draw(t, "output"))
		in.Levels = append(in.Levels, l)
	}
	if rapid.Bool().Draw(t, "saturation") {
		in.Saturation = &record.Saturation{Saturated: rapid.Bool().Draw(t, "saturated"), Elasticities: rapid.SliceOfN(rapid.Float64Range(-1, 2), 0, 6).Draw(t, "elasticities")}
	}
	return in
}

// Whatever was seen, and whatever of it is missing, there is a verdict that can be
// read, with a confidence, a next step, and facts that have a source.
func TestAnyEvidenceGivesAVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyEvidence(t)
		b := Bound(in)
		if !slices.Contains(verdicts, b.Verdict) || !(b.Confidence >= 0 && b.Confidence <= mostCertain) || b.Next == "" {
			t.Fatalf("%+v", b)
		}
		if b.Verdict == record.BoundUnknown && (b.Confidence != 0 || b.Change != nil || b.Experiment != nil) {
			t.Fatalf("unknown, and yet %+v", b)
		}
		for _, e := range append(b.Evidence, b.Against...) {
			if e.Fact == "" || e.Metric == "" || e.Source == "" {
				t.Fatalf("%+v", e)
			}
		}
		if _, err := json.Marshal(b); err != nil {
			t.Fatal(err)
		}
	})
}

// A verdict is of the evidence, not of the order in which it is listed.
func TestTheOrderOfLevelsIsNoEvidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyEvidence(t)
		loads := map[float64]bool{}
		for _, l := range in.Levels {
			if loads[l.Load.Value] {
				t.Skip("levels of one load are told apart by nothing else")
			}
			loads[l.Load.Value] = true
		}
		first := Bound(in)
		slices.Reverse(in.Levels)
		if again := Bound(in); again.Verdict != first.Verdict || again.Confidence != first.Confidence {
			t.Fatalf("%s at %v, then %s at %v", first.Verdict, first.Confidence, again.Verdict, again.Confidence)
		}
	})
}
