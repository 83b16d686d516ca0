package httpd

import (
	"bytes"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/telemetry"
)

// Every metric that the simulator serves is in the catalogue, with its labels.
func TestTheCatalogueKnowsWhatIsServed(t *testing.T) {
	s := serve(t, quick(), Options{})
	ask(t, s, http.MethodPost, textPath, `{"prompt":"one two three four","max_tokens":5}`)
	_, text := ask(t, s, http.MethodGet, "/metrics", "")
	hot := machineOf(t, "2xH100", Faults{ThermalClock: 0.5, XID: 79})
	hot.look(time.Second, busy(1))
	for where, body := range map[string][]byte{"/metrics": []byte(text), "/dcgm/metrics": hot.dcgm(), "/node/metrics": hot.nodeText()} {
		checked := 0
		for name, f := range families(t, body) {
			// What is the simulator's alone, and what has a server's configuration for labels.
			own := strings.HasPrefix(name, "assay_sim_") || name == "vllm:cache_config_info"
			if own || strings.HasSuffix(name, "_created") || len(f.GetMetric()) == 0 {
				continue
			}
			_, known, ok := telemetry.Lookup(name)
			if !ok {
				t.Errorf("%s: %s is in no catalogue", where, name)
				continue
			}
			checked++
			for _, l := range f.GetMetric()[0].GetLabel() {
				if !slices.Contains(known.Labels, l.GetName()) && !slices.Contains(telemetry.ScrapeLabels, l.GetName()) && len(known.Labels) > 0 {
					t.Errorf("%s: the catalogue does not know label %s of %s", where, l.GetName(), name)
				}
			}
		}
		if checked < 10 {
			t.Errorf("%s: only %d metrics compared", where, checked)
		}
	}
}

// What is served folds into the account that the engine's work makes.
func TestWhatIsServedFoldsBack(t *testing.T) {
	m := machineOf(t, "2xH100", Faults{GPU: 1, ThermalClock: 0.5, XID: 79, DoubleBitErrors: 2, NVLinkErrors: 4, CFSThrottled: 0.25, EFADrops: 7, ENAExceeded: 9})
	var gpus, nodes []telemetry.Snapshot
	began := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for i := 1; i <= 5; i++ {
		m.look(time.Duration(i)*time.Second, busy(i))
		for text, into := range map[string]*[]telemetry.Snapshot{string(m.dcgm()): &gpus, string(m.nodeText()): &nodes} {
			one, err := telemetry.Parse(bytes.NewReader([]byte(text)))
			if err != nil {
				t.Fatal(err)
			}
			one.At = began.Add(time.Duration(i) * time.Second)
			*into = append(*into, one)
		}
	}
	g, n := telemetry.FoldGPU(gpus), telemetry.FoldNode(nodes)
	if g == nil || n == nil {
		t.Fatalf("GPUs %+v, node %+v", g, n)
	}
	for what, c := range map[string]struct {
		got  *float64
		want float64
	}{
		"engine active":         {g.EngineActive, 1},
		"SM clock of the worst": {g.SMClockMHz, 990},
		"highest SM clock":      {g.SMClockMaxMHz, 1980},
		"NVLink bytes":          {g.NVLinkBytesPerS, 2e9},
		"temperature":           {g.TempMaxC, 88},
		"CPUs":                  {n.CPUs, nodeCPUs},
		"pod CPU":               {n.PodCPU, 2.25},
		"CFS throttled":         {n.CFSThrottled, 0.25},
		"EFA drops":             {n.EFADrops, 7},
		"ENA allowance":         {n.AllowanceExceeded, 9},
	} {
		if c.got == nil || math.Abs(*c.got-c.want) > 0.03*c.want {
			t.Errorf("%s: %v, want %g", what, c.got, c.want)
		}
	}
	if g.ThermalShare == nil || *g.ThermalShare == 0 || len(g.XIDs) != 1 || g.XIDs[0].Code != 79 {
		t.Errorf("heat %v, XIDs %+v", g.ThermalShare, g.XIDs)
	}
}
