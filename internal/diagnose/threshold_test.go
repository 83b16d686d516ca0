package diagnose

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/record"
)

func TestThresholdsAreNamedAndSourced(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range DefaultThresholds() {
		if o.Name == "" || o.Unit == "" || o.Source == "" || o.Meaning == "" || o.Value <= 0 || o.Value > o.Most || seen[o.Name] {
			t.Errorf("threshold %+v", o)
		}
		seen[o.Name] = true
	}
}

func TestSetThreshold(t *testing.T) {
	var own Thresholds
	if err := own.SetText("kv-full = 0.8"); err != nil {
		t.Fatal(err)
	}
	if err := own.SetAll(map[string]float64{"queue-share": 0.2}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]float64{"kv-full": 0.8, "queue-share": 0.2}, own.Changed()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if got, _ := Thresholds(nil).Lookup("kv-full"); got.Value == 0.8 {
		t.Error("the defaults changed with the copy")
	}
	if DefaultThresholds().Changed() != nil {
		t.Error("the defaults differ from themselves")
	}
	for text, says := range map[string]string{
		"kv-ful=0.8":  `"kv-ful"; there are kv-full, kv-roomy`,
		"kv-full":     "write NAME=VALUE",
		"kv-full=x":   "write NAME=VALUE",
		"kv-full=1.5": "between 0 and 1 (share)",
		"kv-full=NaN": "between 0 and 1",
		"kv-full=-1":  "between 0 and 1",
	} {
		if err := own.SetText(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q in it", text, err, says)
		}
	}
	if err := own.Set("kv-full", math.Inf(1)); err == nil {
		t.Error("an infinite threshold was taken")
	}
}

// A verdict changes with the threshold that it rests on.
func TestThresholdsAreUsed(t *testing.T) {
	in := run(true, full(), with(func(s *record.Server) { s.KVUsageMax, s.MaxNumSeqs = p(0.9), p(256) }))
	if b := Bound(in); b.Verdict != record.BoundUnknown {
		t.Fatalf("%s", b.Verdict)
	}
	if err := in.Thresholds.Set(kvFull, 0.85); err != nil {
		t.Fatal(err)
	}
	if b := Bound(in); b.Verdict != record.BoundKVCache {
		t.Errorf("with a KV cache that counts as full from 85 %%: %s", b.Verdict)
	}
}
