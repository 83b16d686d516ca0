package bench

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/engine"
	"assay/internal/engine/httpd"
	"assay/internal/record"
	"assay/internal/spec"
)

func TestCacheVerdicts(t *testing.T) {
	const prompt = 200
	for _, tc := range []struct {
		name     string
		cached   int // of each prompt; -1: the answers do not say
		template int
		change   func(*Recorded)
		want     string
	}{
		{"unique prompts, nothing cached", 0, 30, nil, record.CacheAsExpected},
		{"unique prompts, the template's blocks", 32, 36, nil, record.CacheAsExpected},
		{"unique prompts, more than the template", 96, 36, nil, record.CacheUnexpected},
		{"a template whose length is not known", 64, 0, nil, record.CacheAsExpected},
		{"more than any template", 128, 0, nil, record.CacheUnexpected},
		{"a shared prefix that is cached", 128, 10, func(r *Recorded) { r.Plan.Scenario.SharedPrefix = 128 }, record.CacheAsExpected},
		{"a shared prefix and more", 192, 10, func(r *Recorded) { r.Plan.Scenario.SharedPrefix = 64 }, record.CacheUnexpected},
		{"a shared prefix that is not cached", 0, 10, func(r *Recorded) { r.Plan.Scenario.SharedPrefix = 128 }, record.CacheNoHits},
		{"a dataset shares what it shares", 150, 10, func(r *Recorded) { r.Plan.Scenario.DatasetPath = "x.json" }, record.CacheAsExpected},
		{"a dataset that was begun anew", 0, 10, func(r *Recorded) { r.Plan.Scenario.DatasetPath, r.Repeated = "x.json", 7 }, record.CacheRepeated},
		{"nobody says", -1, 10, nil, record.CacheUnknown},
		{"the engine alone says, within the template", -1, 30, func(r *Recorded) { r.Metrics = hits(100, 1000) }, record.CacheAsExpected},
		{"the engine alone says, far more", -1, 30, func(r *Recorded) { r.Metrics = hits(600, 1000) }, record.CacheUnexpected},
	} {
		rec := closedLoop(10, 200)
		rec.TemplateTokens = tc.template
		for i := range rec.Requests {
			rec.Requests[i].PromptTokens = ptr(prompt)
			if tc.cached >= 0 {
				rec.Requests[i].CachedTokens = ptr(tc.cached)
			}
		}
		if tc.change != nil {
			tc.change(&rec)
		}
		got := Fold(rec).Cache
		if got == nil || got.Verdict != tc.want {
			t.Errorf("%s: %+v, want %s", tc.name, got, tc.want)
			continue
		}
		if (got.Verdict == record.CacheAsExpected) != (got.Why == "") {
			t.Errorf("%s: why is %q", tc.name, got.Why)
		}
		if tc.cached >= 0 && (got.CachedShare == nil || *got.CachedShare != float64(tc.cached)/prompt) {
			t.Errorf("%s: cached share %v", tc.name, got.CachedShare)
		}
	}
}

// hits are scrapes at both edges of a level in which the cache had that many.
func hits(hit, queries float64) []record.MetricsSample {
	const label = `{engine="0",model_name="m"}`
	return []record.MetricsSample{
		{AtUS: 0, Edge: "start", Values: map[string]float64{"vllm:prefix_cache_hits_total" + label: 50, "vllm:prefix_cache_queries_total" + label: 70}},
		{AtUS: 9e6, Edge: "end", Values: map[string]float64{"vllm:prefix_cache_hits_total" + label: 50 + hit, "vllm:prefix_cache_queries_total" + label: 70 + queries}},
	}
}

func TestASecondRunOfOneDatasetIsSeenInTheCache(t *testing.T) {
	var rows strings.Builder
	for i := range 12 {
		fmt.Fprintf(&rows, "Question %d of a file: %s\n", i, strings.Repeat(fmt.Sprintf("word%d ", i), 60))
	}
	file := filepath.Join(t.TempDir(), "prompts.txt")
	if err := os.WriteFile(file, []byte(rows.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	s := sim(t, nil)
	for _, tc := range []struct {
		name  string
		reset bool
		hits  bool
	}{{"the first run", false, false}, {"the second run", false, true}, {"with the cache emptied", true, false}} {
		sc := spec.Scenario{Name: spec.Dataset, DatasetPath: file, Concurrency: []int{2}, NumRequests: 12, Exact: true, Output: spec.Fixed(4), Warmup: -1}
		o := options(t, s.URL(), sc)
		o.ResetCache = tc.reset
		r, err := run(t, o, &quiet{})
		if err != nil {
			t.Fatal(err)
		}
		c := r.Levels[0].Cache
		if c == nil || c.Expected != record.ReuseDataset || c.Reset != tc.reset || c.CachedShare == nil || (*c.CachedShare > 0.5) != tc.hits {
			t.Errorf("%s: %+v", tc.name, c)
		}
		if c != nil && (c.PrefixHitShare == nil || (*c.PrefixHitShare > 0.5) != tc.hits) {
			t.Errorf("%s: the engine's share is %v", tc.name, c.PrefixHitShare)
		}
	}
}

func TestAPrefixThatNothingCachesIsSaid(t *testing.T) {
	s := sim(t, func(c *engine.Config, _ *httpd.Options) { c.NoPrefixCache = true })
	sc := short("fixed", spec.Scenario{Concurrency: []int{2}, NumRequests: 20, Exact: true, SharedPrefix: 48})
	r, err := run(t, options(t, s.URL(), sc), &quiet{})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Levels[0].Cache; c.Verdict != record.CacheNoHits {
		t.Errorf("cache: %+v", c)
	}
	if len(r.Notes) == 0 || !strings.Contains(strings.Join(r.Notes, "\n"), "it is off, or holds too little") {
		t.Errorf("notes: %q", r.Notes)
	}
}

func TestResetCacheIsRefusedWhereItIsNotOffered(t *testing.T) {
	real := sim(t, nil)
	proxy := httputil.NewSingleHostReverseProxy(must(url.Parse(real.URL())))
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "cache") {
			http.NotFound(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer front.Close()
	o := options(t, front.URL, short("fixed", spec.Scenario{Concurrency: []int{1}, NumRequests: 1, Exact: true}))
	o.ResetCache = true
	r, err := run(t, o, &quiet{})
	if r != nil || err == nil || !strings.Contains(err.Error(), "VLLM_SERVER_DEV_MODE=1") {
		t.Errorf("run %v, error %v", r, err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// SGLang says cached_tokens only where there are some.
func TestAnAnswerThatSaysNothingOfTheCacheBesideOthersHitNothing(t *testing.T) {
	rec := closedLoop(10, 200)
	rec.TemplateTokens = 10
	for i := range rec.Requests {
		rec.Requests[i].PromptTokens = ptr(200)
		if i%10 == 0 {
			rec.Requests[i].CachedTokens = ptr(40)
		}
	}
	c := Fold(rec).Cache
	if c.CachedShare == nil || math.Abs(*c.CachedShare-0.02) > 1e-12 || c.Verdict != record.CacheAsExpected {
		t.Errorf("a tenth of the prompts with a fifth of them cached: %+v", c)
	}
}
