package plan

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/facts"
)

const startLog = "../calibrate/testdata/vllm-0.32-gpu.log" // of an A10G-sized GPU, which it sees with 22.17 GiB

func TestALogReplacesTheAccountOfItsOwnLayoutAlone(t *testing.T) {
	r := asked(t, func(r *Request) {
		r.Calibrate, r.Instances, r.Concurrency, r.MaxNumSeqs = startLog, []string{"g5.xlarge", "g6e.xlarge"}, 8, 256
	}).answer(false)
	of := func(instance string) Option {
		i := slices.IndexFunc(r.Options, func(o Option) bool { return o.Instance == instance })
		if i < 0 {
			t.Fatalf("no %s among %v", instance, ids(r.Options))
		}
		return r.Options[i]
	}
	if o := of("g5.xlarge"); math.Abs(float64(o.KVTokens)/33744-1) > 0.01 || math.Abs(float64(o.GPU.Weights)/(14.99*facts.GiB)-1) > 1e-6 || !slices.Equal(o.Calibrated, []string{"memory"}) {
		t.Errorf("the log's own GPU has %d tokens and %d bytes of weights, by %q; the log says 33744 and 14.99 GiB", o.KVTokens, o.GPU.Weights, o.Calibrated)
	}
	if o := of("g6e.xlarge"); len(o.Calibrated) > 0 {
		t.Errorf("an L40S is calibrated by another GPU's log: %q", o.Calibrated)
	}
}

func TestCalibrationsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Request)
		say    string
	}{
		"another model":     {func(r *Request) { r.Model = "llama-3.1-70b" }, "nothing of it carries over"},
		"another precision": {func(r *Request) { r.Precision = "fp8"; r.Instances = []string{"g6.xlarge"} }, "weights of 14.99 GiB"},
		"a count":           {func(r *Request) { r.Model = "8B" }, "has no architecture"},
		"no file":           {func(r *Request) { r.Calibrate = "no-such.log" }, "no-such.log"},
	} {
		_, err := Serve(request(func(r *Request) { r.Calibrate = startLog; c.change(r) }))
		if err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v, want %q", name, err, c.say)
		}
	}
}
