package view

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/expfmt"
	prommodel "github.com/prometheus/common/model"

	"assay/internal/bench"
	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/spec"
)

var update = flag.Bool("update", false, "write the golden files")

func planned(concurrency float64) bench.PlannedLevel {
	return bench.PlannedLevel{
		ID: "saturation-c" + short(concurrency), Pass: record.PassGrid,
		Load:     record.Load{Kind: record.ByConcurrency, Value: concurrency, Requests: 100},
		Scenario: spec.Scenario{Name: "saturation"},
	}
}

func level(concurrency, tokensPerS, ttftP95 float64, verdict string) record.Level {
	p := planned(concurrency)
	l := record.Level{ID: p.ID, Scenario: "saturation", Pass: p.Pass, Load: p.Load, DurationS: 12}
	l.Requests.Completed = 100
	l.Validity.Verdict = verdict
	l.Throughput = record.Throughput{RequestsPerS: tokensPerS / 64, OutputTokensPerS: tokensPerS}
	l.TTFT.P95, l.TTFT.Mean = &ttftP95, &ttftP95
	return l
}

// answer is a request of three chunks, sent at 0.
func answer(ttftMS, itlMS float64) *record.Request {
	tokens := 3
	us := func(ms float64) int64 { return int64(ms * 1000) }
	return &record.Request{
		Phase: record.Measured, OutputTokens: &tokens,
		ChunkUS: []int64{us(ttftMS), us(ttftMS + itlMS), us(ttftMS + 2*itlMS)}, EndUS: us(ttftMS + 2*itlMS),
	}
}

// play shows a run in the middle of its third level.
func play(v bench.View) {
	v.Note("target: the embedded engine")
	v.LevelStart(planned(1), 1, 3)
	v.LevelDone(level(1, 500, 20, record.Valid))
	v.LevelStart(planned(10), 2, 3)
	v.LevelDone(level(10, 3000, 45, record.Unstable))
	v.LevelStart(planned(20), 3, 3)
	for i := range 40 {
		v.Request(answer(50+float64(i), 5))
	}
	v.Request(&record.Request{Phase: record.Warmup, Error: "timeout"})
	v.Request(&record.Request{Phase: record.Measured, Error: "timeout"})
	v.Request(&record.Request{Phase: record.Measured, Error: "stall"})
	v.Request(&record.Request{Phase: record.Measured, Error: "cancelled"})
	for s := range 3 {
		v.Tick(load.Progress{
			Level: "saturation-c20", Phase: record.Measured, Elapsed: time.Duration(s) * time.Second,
			Asked: 100, Measured: 62, Finished: 21 * s, Failed: s, InFlight: 20, Tokens: 4000 * s,
		})
	}
	v.Sample(record.ClientSample{Level: "saturation-c20", LagP99US: 400, SchedP99US: 100, CPUCores: 0.5, RSSBytes: 50 << 20})
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update writes it):\n%s", name, diff)
	}
}

func TestPanel(t *testing.T) {
	s := &Screen{style: styles(false)}
	playState(&s.state)
	for _, c := range []struct {
		name  string
		width int
	}{{"panel-120.txt", 120}, {"panel-60.txt", 60}} {
		got := s.panel(c.width)
		golden(t, c.name, got+"\n")
		for _, line := range strings.Split(got, "\n") {
			if n := len([]rune(line)); n > c.width {
				t.Errorf("width %d: a line of %d columns: %s", c.width, n, line)
			}
		}
	}
}

// playState plays without a terminal.
func playState(s *state) {
	play(stateView{s})
}

type stateView struct{ *state }

func (v stateView) Note(string)                                {}
func (v stateView) LevelStart(l bench.PlannedLevel, n, of int) { v.levelStart(l, n, of) }
func (v stateView) Request(q *record.Request)                  { v.request(q) }
func (v stateView) Sample(c record.ClientSample)               { v.sample = c }
func (v stateView) Tick(p load.Progress)                       { v.tickTo(p) }
func (v stateView) LevelDone(l record.Level)                   { v.levelDone(l) }

func TestScreenKeepsLinesAndTakesThePanelAway(t *testing.T) {
	var out bytes.Buffer
	s := NewScreen(&out, 100, 40, false)
	play(s)
	s.Close()
	got := out.String()
	for _, want := range []string{"target: the embedded engine", "[3/3] saturation-c20", "3000 tokens/s", "UNSTABLE"} {
		if !strings.Contains(got, want) {
			t.Errorf("the terminal was not given %q", want)
		}
	}
	if strings.Contains(got, "\x1b[?2026$p") {
		t.Error("the terminal was asked a question whose answer nobody reads")
	}
}

// While a level has no answers yet, its curves are those of the levels before,
// under their names: not another latency, and no point at zero.
func TestCurvesOfALevelThatBegins(t *testing.T) {
	var s state
	s.levelStart(planned(1), 1, 2)
	s.levelDone(level(1, 500, 20, record.Valid))
	s.levelStart(planned(10), 2, 2)
	for n := range 3 {
		s.tickTo(load.Progress{Phase: record.Warmup, Elapsed: time.Duration(n) * time.Second, InFlight: 10})
	}
	got := strings.Join(s.curves(120), "\n")
	if !strings.Contains(got, "output tokens/s") || !strings.Contains(got, "TTFT p95, ms") || strings.Contains(got, "○") {
		t.Errorf("before the first answer:\n%s", got)
	}
	s.request(answer(50, 5))
	s.tickTo(load.Progress{Phase: record.Measured, Elapsed: 3 * time.Second, Finished: 1, InFlight: 10})
	if got := s.curves(120); !strings.Contains(got[len(got)-3], "○") { // at 0 tokens/s, not at the requests/s
		t.Errorf("after the first answer:\n%s", strings.Join(got, "\n"))
	}
}

// A percentile that a level's sample does not support is not drawn as another.
func TestCurvesShowWhatAllLevelsSupport(t *testing.T) {
	few := level(1, 500, 20, record.Valid)
	few.TTFT.P90, few.TTFT.P95 = few.TTFT.P95, nil
	many := level(10, 3000, 45, record.Valid)
	many.TTFT.P90 = many.TTFT.Mean
	got := latencyOf([]record.Level{few, many})
	if got.name != "TTFT p90, ms" || got.percentile != 90 || got.of(few) == nil {
		t.Errorf("%+v", got)
	}
	none := record.Level{}
	if got := latencyOf([]record.Level{many, none}); got.name != "TTFT p95, ms" || got.of(none) != nil {
		t.Errorf("beside a level without answers: %+v", got)
	}
}

func TestHeadSaysTheLoad(t *testing.T) {
	for want, l := range map[string]record.Load{
		"replay at 2x":   {Kind: record.ByRate, Arrival: record.ArrivalTrace, Speed: 2},
		"sessions 8":     {Kind: record.ByConcurrency, Value: 8, Sessions: true},
		"requests/s 2.5": {Kind: record.ByRate, Value: 2.5},
		"concurrency 20": {Kind: record.ByConcurrency, Value: 20},
	} {
		if got := loadOf(l); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestLines(t *testing.T) {
	var out bytes.Buffer
	play(NewLines(&out))
	golden(t, "lines.txt", out.String())
}

// A level of an hour must not be an hour of silence.
func TestLinesSayHowFarALongLevelIs(t *testing.T) {
	var out bytes.Buffer
	l := NewLines(&out)
	for range 2 {
		l.LevelStart(planned(20), 1, 1)
		for _, s := range []int{0, 59, 60, 61, 119, 185, 186} {
			l.Tick(load.Progress{Elapsed: time.Duration(s) * time.Second, Asked: 500, Finished: s, Failed: s / 100, InFlight: 20})
		}
	}
	want := "[1/1] saturation-c20\n      1m0s: 60 of 500 answered, 20 in flight\n      3m5s: 185 of 500 answered, 20 in flight, failed 1\n"
	if diff := cmp.Diff(want+want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestJSONL(t *testing.T) {
	var out bytes.Buffer
	j := NewJSONL(&out)
	play(j)
	if err := j.Run(&record.Run{Schema: record.Schema}, "runs/1"); err != nil {
		t.Fatal(err)
	}
	var events []string
	var last map[string]any
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		last = map[string]any{}
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		name := last["event"].(string)
		if _, ok := last[name]; !ok {
			t.Errorf("event %s does not hold itself: %s", name, line)
		}
		if name == "progress" {
			p := last["progress"].(map[string]any)
			if diff := cmp.Diff(map[string]any{"stall": 1.0, "timeout": 1.0}, p["errors"]); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
			if p["requests_per_s"] != 20.0 || p["output_tokens_per_s"] != 4000.0 || p["latest_ttft_p50_ms"] != 69.0 {
				t.Errorf("progress is %v", p)
			}
		}
		events = append(events, name)
	}
	want := []string{"note", "level_start", "level", "level_start", "level", "level_start", "progress", "run"}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if last["folder"] != "runs/1" {
		t.Errorf("folder is %v", last["folder"])
	}
}

// stuck is a reader that takes nothing until it is let go.
type stuck struct{ entered, release chan struct{} }

func (s stuck) Write(b []byte) (int, error) {
	close(s.entered)
	<-s.release
	return len(b), nil
}

func TestASlowReaderOfEventsHoldsUpNoRequest(t *testing.T) {
	w := stuck{make(chan struct{}), make(chan struct{})}
	j := NewJSONL(w)
	written := make(chan struct{})
	go func() {
		defer close(written)
		j.Note("nobody reads")
	}()
	<-w.entered
	j.change(func(s *state) { s.levelStart(planned(1), 1, 1) })
	j.Request(answer(50, 5))
	if got := j.now(); len(got.ttft.values) != 1 {
		t.Errorf("%d answers are counted", len(got.ttft.values))
	}
	close(w.release)
	<-written
}

func TestMetrics(t *testing.T) {
	m := NewMetrics()
	url, err := m.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	play(m)
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(prommodel.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if n := families["assay_time_to_first_token_seconds"].GetMetric()[0].GetHistogram().GetSampleCount(); n != 40 {
		t.Errorf("TTFT has %d samples, want the 40 that succeeded", n)
	}
	for _, want := range []string{
		`assay_requests_total{level="saturation-c20",outcome="ok",scenario="saturation"} 40`,
		`assay_requests_total{level="saturation-c20",outcome="timeout",scenario="saturation"} 1`,
		`assay_output_tokens_total{level="saturation-c20",scenario="saturation"} 120`,
		`assay_level_valid{level="saturation-c10",scenario="saturation",verdict="unstable"} 0`,
		`assay_level_throughput{level="saturation-c1",scenario="saturation",unit="output_tokens_per_s"} 500`,
		`assay_in_flight_requests 20`,
		`assay_send_lateness_p99_seconds 0.0004`,
	} {
		if !strings.Contains(string(body), want+"\n") {
			t.Errorf("no line %s", want)
		}
	}
}

func TestMetricsAddressInUse(t *testing.T) {
	first := NewMetrics()
	url, err := first.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/metrics")
	second := NewMetrics()
	if _, err := second.Listen(address); err == nil || !strings.Contains(err.Error(), address) {
		t.Errorf("a second listener on %s: %v", address, err)
	}
	second.Close()
}

func TestChartPlacesMarks(t *testing.T) {
	got := chart("y", []mark{{1, 0, 'a'}, {10, 50, 'b'}, {100, 100, 'c'}}, 8+21, 5)
	want := []string{
		"y",
		"   100 ┤" + strings.Repeat(" ", 19) + "c",
		"       │",
		"       │" + strings.Repeat(" ", 10) + "b",
		"       │",
		"     0 ┤a",
		"       └─────────────────────",
		"        1         10      100",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := chart("y", nil, 80, 5); got != nil {
		t.Errorf("a chart of nothing: %q", got)
	}
}
