package dashboard

import "fmt"

// Variables that dashboards share, so that a link carries them along.
var (
	askJob = ask{name: "job", label: "Scrape job", seen: true,
		query: `label_values(vllm:num_requests_running, job)`}
	askNamespace = ask{name: "namespace", label: "Namespace",
		query: `label_values(vllm:num_requests_running{job=~"$job"}, namespace)`}
	askModel = ask{name: "model", label: "Model",
		query: `label_values(vllm:num_requests_running{namespace=~"$namespace"}, model_name)`}
	askPod = ask{name: "pod", label: "Pod",
		query: `label_values(vllm:num_requests_running{namespace=~"$namespace",model_name=~"$model"}, pod)`}
)

// size sets a panel's cells.
func (p panel) size(w, h uint32) panel { p.w, p.h = w, h; return p }

// Panels that stand on more than one dashboard.

func serversDown() panel {
	return panel{
		kind: tile, title: "Servers down", unit: "none",
		means:   "Targets of the scrape that do not answer; a server that is gone has no other figure.",
		queries: []query{{expr: "sum(up{" + targets + "} == bool 0) or -absent(up{" + targets + "})"}},
		judge:   never(), words: map[string]word{"-1": {"No target", red}}, none: "No target",
	}
}

func stalledServers(selection string) panel {
	return panel{
		kind: tile, title: "Stalled servers", unit: "none",
		means:   "Servers with requests in their batch that make no token: latency histograms go quiet then, not slow.",
		queries: []query{{expr: count(stalled(selection), "vllm:num_requests_running{"+selection+"}")}},
		judge:   never(), none: "No server",
	}
}

func (o Options) firstTokens(selection string) panel {
	return panel{
		kind: tile, title: "First token within " + spell(o.TTFT), unit: "percentunit",
		means:   fmt.Sprintf("Share of first tokens that came within %s of the request's arrival, counted by the histogram's boundary; the objective is %g.", spell(o.TTFT), o.Objective),
		queries: []query{{expr: o.ttftWithin("", selection, interval)}},
		judge:   o.within(),
	}
}

func (o Options) nextTokens(selection string) panel {
	return panel{
		kind: tile, title: "Next token within " + spell(o.ITL), unit: "percentunit",
		means:   fmt.Sprintf("Share of tokens that came within %s of the one before, counted by the histogram's boundary; the objective is %g.", spell(o.ITL), o.Objective),
		queries: []query{{expr: o.itlWithin("", selection, interval)}},
		judge:   o.within(),
	}
}

// within judges a share by the objective: red is what would page within the hour.
func (o Options) within() []step {
	return below(o.Objective, round(1-o.pageBurn()*o.allowed()))
}

// pageBurn is the burn rate that pages. At a loose objective the usual factor
// would ask for more than all tokens to be slow and could never be reached, so it
// is capped where four of five are.
func (o Options) pageBurn() float64 {
	return min(o.Levels.FastBurn, round(0.8/o.allowed()))
}

func (o Options) failed(selection string) panel {
	return panel{
		kind: tile, title: "Failed requests", unit: "percentunit",
		means:   "Share of answers of the API with a status of 5xx; a stream that breaks off after its head counts as 200.",
		queries: []query{{expr: failures(selection)}},
		judge:   above(o.Levels.Failing, o.Levels.Failed),
	}
}

func (o Options) preempted(selection string) panel {
	return panel{
		kind: tile, title: "Preemptions", unit: "ops",
		means:   "Requests a second that lost their place to make room in the KV cache; their tokens are computed again.",
		queries: []query{{expr: sum("", rate("vllm:num_preemptions_total{"+selection+"}"))}},
		judge:   above(o.Levels.Preempting, o.Levels.Thrashing), none: "No server",
	}
}

// figure is a tile that does not judge.
func figure(title, unit, means, expr string) panel {
	return panel{kind: tile, title: title, unit: unit, means: means, queries: []query{{expr: expr}}, none: "No server"}
}

// chart draws queries over time, one line for each series.
func chart(title, unit, means string, queries ...query) panel {
	return panel{kind: lines, title: title, unit: unit, means: means, queries: queries}
}

func serverStates() panel {
	return panel{
		kind: timeline, title: "Servers", unit: "none",
		means:   "Whether each target answered its scrapes; a gap is a target that was not to be found at all.",
		queries: []query{{expr: "max by (job, instance, pod) (up{" + targets + "})", legend: "{{pod}} {{instance}}"}},
		judge:   []step{{color: red}, {1, green}},
		words:   map[string]word{"0": {"Down", red}, "1": {"Up", green}},
	}
}

// percentiles are three of them, from the same buckets.
func percentiles(title, means, buckets string) panel {
	return chart(title, "s", means,
		query{expr: quantile(.5, buckets), legend: "p50"},
		query{expr: quantile(.9, buckets), legend: "p90"},
		query{expr: quantile(.99, buckets), legend: "p99"})
}
