package explain

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"assay/internal/diagnose"
	"assay/internal/facts"
	"assay/internal/lint"
	"assay/internal/lint/rules"
	"assay/internal/manifest"
	"assay/internal/telemetry"
)

// Whatever is known has a page, under its own name.
func TestEveryTopicHasAPage(t *testing.T) {
	n := 0
	for _, g := range Topics() {
		for _, name := range g.Topics {
			n++
			p, err := Topic(name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if p.Title == "" || p.Is == "" || p.Topic == "" {
				t.Errorf("%s: %+v says too little", name, p)
			}
			if p.Kind != Class && name != lint.RuleFailed.ID && len(p.Sources) == 0 {
				t.Errorf("%s has no source", name)
			}
			for _, see := range p.See {
				if _, err := Topic(see); err != nil {
					t.Errorf("%s points to %s: %v", name, see, err)
				}
			}
		}
	}
	if n < len(facts.XIDs)+len(telemetry.Catalogue)+len(diagnose.Classes)+len(manifest.Alerts)+len(diagnose.DefaultThresholds())+len(rules.All())+len(terms) {
		t.Errorf("%d topics are fewer than what they are made of", n)
	}
}

// Each rule of lint has a page of its own, whatever else has a like name, with what is
// wrong beside what is right where a file can hold it.
func TestRulesOfLint(t *testing.T) {
	examples := 0
	for _, r := range rules.All() {
		p, err := Topic(r.ID)
		if err != nil || p.Kind != Rule || p.Topic != r.ID || len(p.Do) == 0 || len(p.Sources) != len(r.Sources) {
			t.Errorf("%s: %+v, %v", r.ID, p, err)
		}
		lines := "\n" + p.Example
		if p.Example != "" {
			examples++
		}
		if strings.Contains(lines, "# want") || p.Example != "" && !strings.Contains(lines, "\n-") && !strings.Contains(lines, "\n+") {
			t.Errorf("%s: the example shows no difference, or what is for tests:\n%s", r.ID, p.Example)
		}
	}
	if examples < len(rules.All())*9/10 {
		t.Errorf("%d of %d rules have an example", examples, len(rules.All()))
	}
}

// Each name leads to the page that is meant by it.
func TestTopicByAnyOfItsNames(t *testing.T) {
	for name, want := range map[string]struct {
		topic string
		kind  Kind
	}{
		"vllm:gpu_cache_usage_perc":               {"vllm:gpu_cache_usage_perc", Metric},
		"vllm:e2e_request_latency_seconds_bucket": {"vllm:e2e_request_latency_seconds", Metric},
		"vllm:num_preemptions":                    {"vllm:num_preemptions_total", Metric},
		"FB_USED":                                 {"DCGM_FI_DEV_FB_USED", Metric},
		"fb_used":                                 {"DCGM_FI_DEV_FB_USED", Metric},
		"GPU_UTIL":                                {"DCGM_FI_DEV_GPU_UTIL", Metric},
		"gpu_util":                                {"gpu_util", Quantity},
		"kv_usage":                                {"kv_usage", Quantity},
		"79":                                      {"xid 79", XID},
		"XID79":                                   {"xid 79", XID},
		"xid 79":                                  {"xid 79", XID},
		" Xid-79 ":                                {"xid 79", XID},
		"NvidiaXID79Error":                        {"xid 79", XID},
		"NvidiaXID31Warning":                      {"xid 31", XID},
		"0x40":                                    {"0x40", ClockEvent},
		"0X60":                                    {"0x60", ClockEvent},
		"hw_thermal":                              {"0x40", ClockEvent},
		"sw_power_cap":                            {"0x4", ClockEvent},
		"kv-cache":                                {"kv-cache", Class},
		"KV cache":                                {"kv-cache", Class},
		"gpu-throttled":                           {"gpu-throttled", Class},
		"GPUHighTemperature":                      {"GPUHighTemperature", Alert},
		"vllmkvcachefull":                         {"vLLMKVCacheFull", Alert},
		"kv-full":                                 {"kv-full", Threshold},
		"ttft":                                    {"TTFT", Term},
		"TPOT":                                    {"ITL", Term},
		"p99":                                     {"percentile", Term},
		"xid":                                     {"XID", Term},
		"goodput":                                 {"goodput", Term},
		"Operating_Point":                         {"operating point", Term},
		"AcceleratedHardwareReady":                {"AcceleratedHardwareReady", Term},
	} {
		p, err := Topic(name)
		if err != nil || p.Topic != want.topic || p.Kind != want.kind {
			t.Errorf("%q is %s %q, %v; want %s %q", name, p.Kind, p.Topic, err, want.kind, want.topic)
		}
	}
}

func TestUnknownTopicsNameTheNearest(t *testing.T) {
	for name, near := range map[string]string{
		"kv-cahce":                 "kv-cache",
		"grace-shorter-then-drain": "grace-shorter-than-drain",
		"env-secret":               "secret-in-env",
		"vllm:kv_cache_usage_per":  "vllm:kv_cache_usage_perc",
		"remapped":                 "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
		"hw-thermall":              "hw_thermal",
		"gputhrottled":             "gpu-throttled",
	} {
		_, err := Topic(name)
		var u *Unknown
		if !errors.As(err, &u) || !slices.Contains(u.Near, near) || !strings.Contains(err.Error(), near) {
			t.Errorf("%q: %v, want %s to be near", name, err, near)
		}
	}
	for _, name := range []string{"", "999", "0x0", "0x200", "q", strings.Repeat("x", 1<<20), "\x00\xff"} {
		if p, err := Topic(name); err == nil {
			t.Errorf("%.20q is %+v", name, p)
		} else if len(err.Error()) > 2000 {
			t.Errorf("%.20q: an error of %d bytes", name, len(err.Error()))
		}
	}
}

// A removed name says what took its place, and an old name is listed with the new.
func TestOldNames(t *testing.T) {
	p, err := Topic("vllm:gpu_cache_usage_perc")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.Is, "vllm:kv_cache_usage_perc") || !strings.Contains(p.Is, "Gone since") {
		t.Errorf("is: %s", p.Is)
	}
	i := slices.IndexFunc(p.Names, func(n Name) bool { return n.Metric == "vllm:kv_cache_usage_perc" })
	if i < 0 || p.Names[i].Since == "" || p.Names[i].Removed != "" {
		t.Errorf("names: %+v", p.Names)
	}
}

// A value that is published in another unit than the page's says so.
func TestPublishedUnit(t *testing.T) {
	for name, want := range map[string]string{"GPU_UTIL": "0.01", "DCGM_FI_DEV_FB_USED": "1048576"} {
		p, err := Topic(name)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(p.Facts, func(f Fact) bool { return f.Name == "as published" })
		if i < 0 || !strings.Contains(p.Facts[i].Value, want) {
			t.Errorf("%s: %+v, want a factor of %s", name, p.Facts, want)
		}
	}
}

// An alert leads to the metrics that it rests on, and they lead back.
func TestAlertsAndTheirMetrics(t *testing.T) {
	p, err := Topic("vLLMKVCacheFull")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(p.See, "vllm:kv_cache_usage_perc") || len(p.Do) == 0 {
		t.Errorf("%+v", p)
	}
	back, err := Topic("vllm:kv_cache_usage_perc")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(back.See, "vLLMKVCacheFull") {
		t.Errorf("see %v", back.See)
	}
}

func FuzzTopic(f *testing.F) {
	for _, s := range []string{"xid 79", "0x40", "vllm:x_bucket", "kv-cache", "P99.9", "\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		p, err := Topic(name)
		if (err == nil) == (p.Title == "") {
			t.Errorf("%q: %+v, %v", name, p, err)
		}
	})
}
