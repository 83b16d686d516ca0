package dashboard

import (
	"fmt"
	"strings"
)

// What the variables of a dashboard select. Series of one service's servers,
// those of one server of it, and the targets of the scrape jobs that served it.
const (
	services = `namespace=~"$namespace",model_name=~"$model"`
	servers  = services + `,pod=~"$pod"`
	targets  = `job=~"$job",namespace=~"$namespace"`
)

// rate is a counter's growth a second.
func rate(series string) string { return "rate(" + series + "[$__rate_interval])" }

// sum adds series up, over all or by labels.
func sum(by, expr string) string { return over("sum", by, expr) }

func over(operation, by, expr string) string {
	if by == "" {
		return operation + "(" + expr + ")"
	}
	return operation + " by (" + by + ") (" + expr + ")"
}

// share is part of whole, and nothing where the whole is 0.
func share(part, whole string) string { return part + " / (" + whole + " > 0)" }

// some is part where it has series, else 0 where the whole has: a counter with a
// label has no series before its first count.
func some(part, whole string) string { return "(" + part + " or 0 * " + whole + ")" }

// either is a quantity under its new name or, of older servers, under its old one.
// It joins series, not sums: both may be there while a new version is rolled out.
func either(now, before string) string { return "(" + now + " or " + before + ")" }

// count is how many series there are, and 0 rather than none where the others say
// that there could have been some.
func count(expr, others string) string {
	return "count(" + expr + ") or 0 * count(" + others + ")"
}

// with adds matchers to a selection.
func with(selection string, matchers ...string) string {
	return strings.Join(append([]string{selection}, matchers...), ",")
}

// mean is a histogram's mean over the interval.
func mean(by, histogram, selection string) string {
	return share(
		sum(by, rate(histogram+"_sum{"+selection+"}")),
		sum(by, rate(histogram+"_count{"+selection+"}")))
}

// quantile interpolates between a histogram's boundaries.
func quantile(q float64, buckets string) string {
	return fmt.Sprintf("histogram_quantile(%g, %s)", q, buckets)
}

// The buckets of vLLM's latencies, summed over servers.

func ttftBuckets(selection string) string {
	return sum("le", rate("vllm:time_to_first_token_seconds_bucket{"+selection+"}"))
}

func itlBuckets(selection string) string {
	return sum("le", either(
		rate("vllm:inter_token_latency_seconds_bucket{"+selection+"}"),
		rate("vllm:time_per_output_token_seconds_bucket{"+selection+"}")))
}

// interval is the window of a chart: as wide as its step, and never too short to
// hold two scrapes.
const interval = "$__rate_interval"

// ttftShare and itlShare are the shares of tokens up to a boundary of the
// histogram, over a window.

func ttftShare(by, selection, le, window string) string {
	const h = "vllm:time_to_first_token_seconds"
	return share(sum(by, growth(h+"_bucket", with(selection, le), window)), sum(by, growth(h+"_count", selection, window)))
}

func itlShare(by, selection, le, window string) string {
	const now, before = "vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds"
	return share(
		sum(by, either(growth(now+"_bucket", with(selection, le), window), growth(before+"_bucket", with(selection, le), window))),
		sum(by, either(growth(now+"_count", selection, window), growth(before+"_count", selection, window))))
}

func growth(series, selection, window string) string {
	return "rate(" + series + "{" + selection + "}[" + window + "])"
}

// ttftWithin and itlWithin are the shares of tokens that came within the limits.

func (o Options) ttftWithin(by, selection, window string) string {
	le, _ := TTFTBoundaries.Match(o.TTFT) // resolve has checked it
	return ttftShare(by, selection, le, window)
}

func (o Options) itlWithin(by, selection, window string) string {
	le, _ := ITLBoundaries.Match(o.ITL)
	return itlShare(by, selection, le, window)
}

// kvUsage is the share of the KV cache in use, of each engine.
func kvUsage(selection string) string {
	return either("vllm:kv_cache_usage_perc{"+selection+"}", "vllm:gpu_cache_usage_perc{"+selection+"}")
}

// prefixHits is the share of prompt tokens that the prefix cache served.
func prefixHits(by, selection string) string {
	return share(
		sum(by, either(rate("vllm:prefix_cache_hits_total{"+selection+"}"), rate("vllm:gpu_prefix_cache_hits_total{"+selection+"}"))),
		sum(by, either(rate("vllm:prefix_cache_queries_total{"+selection+"}"), rate("vllm:gpu_prefix_cache_queries_total{"+selection+"}"))))
}

// beside keeps those series of a server that no model's name is on, such as
// HTTP's, whose server serves what the variables select.
func beside(series, selection string) string {
	return "(" + series + " and on (job, instance) vllm:num_requests_running{" + selection + "})"
}

// answers are the HTTP answers of the API a second, of those statuses.
func answers(selection, status string) string {
	matchers := `handler=~"/v1/.+"`
	if status != "" {
		matchers = with(matchers, fmt.Sprintf(`status=~%q`, status))
	}
	return beside(rate("http_requests_total{"+with(targets, matchers)+"}"), selection)
}

// failures is the share of answers that are the server's failures.
func failures(selection string) string {
	all := sum("", answers(selection, ""))
	return share(some(sum("", answers(selection, "5..")), all), all)
}

// stalled are the servers that run requests and make no tokens.
func stalled(selection string) string {
	const each = "namespace, pod, job, instance"
	return sum(each, "vllm:num_requests_running{"+selection+"}") + " > 0 and " +
		sum(each, rate("vllm:generation_tokens_total{"+selection+"}")) + " == 0"
}
