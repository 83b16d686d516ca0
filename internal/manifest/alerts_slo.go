package manifest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/manifest/dashboard"
)

// windows are those over which the share of slow tokens is recorded, shortest
// first, in the two groups that record them.
var (
	shortWindows = []string{"5m", "30m", "1h", "2h"}
	longWindows  = []string{"6h", "1d", "3d"}
)

// burn is one alert of the set in Google's SRE workbook, chapter 5: it fires
// where the error budget of 30 days is spent so many times too fast, over a long
// window and still over a short one.
type burn struct {
	suffix      string
	factor      float64
	long, short string
	severity    string
	budget      string // what has been spent when it fires
}

var burns = []burn{
	{"BudgetBurnFast", 14.4, "1h", "5m", Critical, "2 % of a month's budget in an hour"},
	{"BudgetBurn", 6, "6h", "30m", Critical, "5 % of a month's budget in six hours"},
	{"BudgetBurnSlow", 3, "1d", "2h", Warning, "10 % of a month's budget in a day"},
	{"BudgetBurnSteady", 1, "3d", "6h", Warning, "all of the budget, if it goes on for the month"},
}

// Most of what a burn alert may ask for. A factor above it, for a loose objective,
// would ask for more than all tokens to be slow: 14.4 × (1 − 0.9) = 1.44.
const mostSlow = 0.8

// A burn alert takes so many requests, and so many slow ones, before it says
// anything: one slow request at night is no incident, however many tokens it has.
// Ours.
const (
	leastRequests = 100
	leastSlow     = 5
)

// threshold is the share of slow tokens at which the alert fires.
func (b burn) threshold(objective float64) float64 {
	return min(b.factor*(1-objective), mostSlow)
}

// least is how many requests the long window has to hold.
func (b burn) least(objective float64) float64 {
	return max(leastRequests, math.Ceil(leastSlow/b.threshold(objective)-1e-9))
}

// latency is a histogram that an objective is set on.
type latency struct {
	name    string // TTFT
	metric  string // in the names of recordings
	series  []string
	limit   time.Duration
	bounds  dashboard.Boundaries
	flag    string
	slow    string // what is slow, in words
	counted string // what one observation is
	steps   []string
	meaning string
}

func latencies(opt Options) []latency {
	return []latency{
		{
			name: "TTFT", metric: "ttft", series: []string{"vllm:time_to_first_token_seconds"},
			limit: opt.TTFT, bounds: dashboard.TTFTBoundaries, flag: "--ttft", slow: "first tokens", counted: "requests",
			meaning: text("The time to the first token grows with the queue and with the length of prompts.",
				"It is counted when the first token exists, so an engine that hangs is silent here (vLLMStalled sees it),",
				"and a request that was refused is not in it (vLLMErrorRate and vLLMSheddingLoad see those)."),
			steps: []string{
				"Is there a queue? vllm:num_requests_waiting. Then `assay diagnose` says what binds: KV cache, admission, token budget or compute.",
				"No queue, but long prompts: compare vllm:request_prefill_time_seconds with vllm:request_queue_time_seconds; a prefix cache that stopped hitting shows in prefix_cache_hits over prefix_cache_queries.",
				"More load than the operating point of the last run: add replicas.",
			},
		},
		{
			name: "ITL", metric: "itl", series: []string{"vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds"},
			limit: opt.ITL, bounds: dashboard.ITLBoundaries, flag: "--itl", slow: "gaps between tokens", counted: "tokens",
			meaning: text("The gap between two tokens of a request grows with the batch and with prompts that share its steps.",
				"It counts tokens, so a long answer weighs more than a short one."),
			steps: []string{
				"Is the batch larger than at the operating point? vllm:num_requests_running. Add replicas, or lower --max-num-seqs.",
				"Long prompts in the same steps: lower --max-num-batched-tokens, which costs some TTFT.",
				"Neither: look at the GPU's clock (GPUThermalThrottling, GPUClockBelowBaseline) and at the CPU of the API server.",
			},
		},
	}
}

// sloGroups are the recordings and alerts of both latencies: short windows are
// evaluated as often as everything else, long ones need not be.
func sloGroups(opt Options) ([]Group, error) {
	if opt.Objective < 0.5 || opt.Objective > 0.9999 {
		return nil, fmt.Errorf("objective %g: it is the share of fast tokens and lies between 0.5 and 0.9999", opt.Objective)
	}
	short := Group{Name: "assay-slo"}
	long := Group{Name: "assay-slo-long", Interval: "2m"}
	for _, l := range latencies(opt) {
		le, err := l.bounds.Match(l.limit)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.flag, err)
		}
		short.Records = append(short.Records, l.records(le, shortWindows)...)
		long.Records = append(long.Records, l.records(le, longWindows)...)
		for _, b := range burns {
			if b.short == "5m" {
				short.Alerts = append(short.Alerts, l.alert(b, opt.Objective))
			} else {
				long.Alerts = append(long.Alerts, l.alert(b, opt.Objective))
			}
		}
		short.Alerts = append(short.Alerts, l.missing(le))
	}
	return []Group{short, long}, nil
}

// over is f of the histogram's series with this suffix, by service. A server that
// has the old name alone counts by it, beside others that have the new one.
func (l latency) over(f, suffix, matchers, window string) string {
	var names []string
	for _, name := range l.series {
		names = append(names, fmt.Sprintf("%s(%s%s%s[%s])", f, name, suffix, matchers, window))
	}
	return "sum by (namespace, model_name) (" + strings.Join(names, " or ") + ")"
}

func (l latency) records(le string, windows []string) []Record {
	var all []Record
	for _, w := range windows {
		all = append(all, Record{
			Name: fmt.Sprintf("assay:%s_slow:ratio_rate%s", l.metric, w),
			Expr: fmt.Sprintf("1 - (\n  %s\n) / (\n  %s\n)", l.over("rate", "_bucket", "{@,"+le+"}", w), l.over("rate", "_count", "{@}", w)),
			Why:  fmt.Sprintf("share of %s slower than %s; nothing served gives NaN, which no alert fires on", l.slow, l.limit),
		})
	}
	for _, w := range windows {
		if l.counted == "requests" && slices.ContainsFunc(burns, func(b burn) bool { return b.long == w }) {
			all = append(all, Record{
				Name: "assay:requests:increase" + w,
				Expr: l.over("increase", "_count", "{@}", w),
				Why:  "how many requests the shares rest on",
			})
		}
	}
	return all
}

func (l latency) alert(b burn, objective float64) Alert {
	at := strconv.FormatFloat(b.threshold(objective), 'g', 6, 64)
	level := fmt.Sprintf("%g × (1 − %g) = %s of %s", b.factor, objective, at, l.slow)
	if b.factor*(1-objective) > mostSlow {
		level = fmt.Sprintf("%g × (1 − %g) can hardly be reached, so it is capped at %s of %s", b.factor, objective, at, l.slow)
	}
	return Alert{
		Name: l.name + b.suffix,
		Expr: fmt.Sprintf("(\n  assay:%[1]s_slow:ratio_rate%[2]s > %[3]s\n  and\n  assay:%[1]s_slow:ratio_rate%[4]s > %[3]s\n)\nand\nassay:requests:increase%[2]s >= %[5]g",
			l.metric, b.long, at, b.short, b.least(objective)),
		Severity: b.severity,
		Summary:  fmt.Sprintf("{{ $labels.model_name }}: too many %s take longer than %s", l.slow, l.limit),
		Description: fmt.Sprintf("{{ $value | humanizePercentage }} of the %s of {{ $labels.model_name }} {{ with $labels.namespace }}in {{ . }} {{ end }}took longer than %s over the last %s, and as many over the last %s. The objective is %s within it; this spends %s.",
			l.slow, l.limit, b.long, b.short, percent(objective), b.budget),
		Meaning: l.meaning,
		Steps:   l.steps,
		Level:   level + fmt.Sprintf("; at least %g requests in the long window", b.least(objective)),
	}
}

// missing is for servers whose histogram has no bucket at the limit: every burn
// alert would stay silent.
func (l latency) missing(le string) Alert {
	return Alert{
		Name: l.name + "BucketMissing",
		Expr: fmt.Sprintf("(\n  %s\n) > 0\nunless\n(\n  %s\n)", l.over("rate", "_count", "{@}", "15m"), l.over("rate", "_bucket", "{@,"+le+"}", "15m")),
		For:  "15m", Severity: Warning,
		Summary:     fmt.Sprintf("{{ $labels.model_name }}: no %s objective is watched", l.name),
		Description: fmt.Sprintf("{{ $labels.model_name }} serves {{ $value | humanize }} %s a second, and its histogram has no bucket that ends at %s: the %s alerts cannot fire.", l.counted, l.limit, l.name),
		Meaning:     "Shares are counted by the bucket that ends exactly at the limit. A server started with --custom-histogram-buckets may not have it.",
		Steps: []string{
			"List the boundaries: curl the server's /metrics and look at le of " + l.series[0] + "_bucket.",
			"Render the rules again with a limit that is one of them, or add it to --custom-histogram-buckets.",
		},
		Level: "the limit of the objective",
	}
}

func percent(share float64) string {
	return strconv.FormatFloat(share*100, 'g', 6, 64) + " %"
}
