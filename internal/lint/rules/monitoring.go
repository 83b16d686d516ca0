package rules

import (
	"assay/internal/facts"
	"assay/internal/lint"
)

var (
	vllmMetrics   = facts.Source{Title: "vLLM, production metrics", URL: "https://docs.vllm.ai/en/latest/usage/metrics/", Date: "2026-11-30"}
	promFunctions = facts.Source{Title: "Prometheus, query functions", URL: "https://prometheus.io/docs/prometheus/latest/querying/functions/", Date: "2026-11-30"}
	promHistogram = facts.Source{Title: "Prometheus, histograms and summaries", URL: "https://prometheus.io/docs/practices/histograms/", Date: "2026-11-30"}
	dcgmFields    = facts.Source{Title: "DCGM, field identifiers", URL: "https://docs.nvidia.com/datacenter/dcgm/latest/dcgm-api/dcgm-api-field-ids.html", Date: "2026-11-30"}
	dcgmExporter  = facts.Source{Title: "dcgm-exporter, etc/default-counters.csv", URL: "https://github.com/NVIDIA/dcgm-exporter/blob/main/etc/default-counters.csv", Date: "2026-11-30"}
	dcgmSticky    = facts.Source{Title: "dcgm-exporter issue 500, the XID gauge does not reset", URL: "https://github.com/NVIDIA/dcgm-exporter/issues/500", Date: "2026-11-30"}
	promOperator  = facts.Source{Title: "Prometheus operator, ServiceMonitor", URL: "https://prometheus-operator.dev/docs/api-reference/api/", Date: "2026-11-30"}
)

var monitoringRules = []*lint.Rule{
	{
		ID: "promql-syntax", Severity: lint.Error, Subject: lint.Monitoring,
		Title:   "An expression that Prometheus cannot parse",
		Why:     "The operator refuses the whole object, or Prometheus the whole file: none of its rules is loaded. In a dashboard the panel stays empty.",
		Fix:     "Mend the expression at the place named; promtool check rules parses it as Prometheus does.",
		Sources: []facts.Source{promFunctions}, Kinds: holdsQueries, Object: promqlSyntax,
	},
	{
		ID: "metric-removed", Severity: lint.Error, Subject: lint.Monitoring, Fixable: true,
		Title:   "A metric that the engine publishes no more",
		Why:     "A metric that is not there gives no series and no error: an alert on it never fires, a panel is empty, an autoscaler stands still.",
		Fix:     "Read the new name; assay explain NAME says since when and what differs.",
		Sources: []facts.Source{vllmMetrics}, Kinds: holdsQueries, Object: metricRemoved,
	},
	{
		ID: "metric-misspelt", Severity: lint.Error, Subject: lint.Monitoring, Fixable: true,
		Title:   "A metric that nobody publishes, one or two letters from one that exists",
		Why:     "A metric that is not there gives no series and no error: an alert on it never fires.",
		Fix:     "Write the name as it is published.",
		Sources: []facts.Source{vllmMetrics, dcgmFields}, Kinds: holdsQueries, Object: metricMisspelt,
	},
	{
		ID: "xid-sticky-gauge", Severity: lint.Error, Subject: lint.Monitoring,
		Title:   "The gauge of the last XID read as a counter, or as any value above 0",
		Why:     "DCGM_FI_DEV_XID_ERRORS holds the code of the last error and keeps it until the driver is loaded again: increase() of a code is no number of errors (from 31 to 79 is 48), and > 0 fires for ever after the first one, be it an application's own fault (13, 31).",
		Fix:     "Match codes by their severity, such as DCGM_FI_DEV_XID_ERRORS == 79, or count events with changes(); assay render monitoring writes both.",
		Sources: []facts.Source{dcgmSticky}, Kinds: holdsQueries, Object: xidSticky,
	},
	{
		ID: "rate-of-gauge", Severity: lint.Error, Subject: lint.Monitoring,
		Title:   "rate() or increase() of a gauge",
		Why:     "These functions take each fall of a value for a restart and add what stood there: of a gauge they give a number that means nothing.",
		Fix:     "Use the value itself, avg_over_time() or delta().",
		Sources: []facts.Source{promFunctions}, Kinds: holdsQueries, Object: rateOfGauge,
	},
	{
		ID: "counter-threshold", Severity: lint.Warning, Subject: lint.Monitoring,
		Title:   "A counter compared with a limit",
		Why:     "A counter only grows: once past the limit the alert fires until the process restarts, whatever happens then.",
		Fix:     "Compare rate(…[5m]) or increase(…[10m]) with the limit.",
		Sources: []facts.Source{promFunctions}, Kinds: holdsQueries, Object: counterThreshold,
	},
	{
		ID: "threshold-unit", Severity: lint.Error, Subject: lint.Monitoring,
		Title:   "A limit in another unit than the metric's",
		Why:     "A share goes from 0 to 1, so it is never above 90; a latency in seconds is never above 500: the alert cannot fire.",
		Fix:     "Write the limit in the metric's unit.",
		Sources: []facts.Source{vllmMetrics, dcgmFields}, Kinds: holdsQueries, Object: thresholdUnit,
	},
	{
		ID: "throttling-by-temperature", Severity: lint.Warning, Subject: lint.Monitoring,
		Title:   "Throttling told from a temperature",
		Why:     "Limits differ from chip to chip, and memory throttles before the GPU does: a temperature says warm. That the clock was held back is said by the clock-event reasons, thermal ones by bits 0x20 and 0x40.",
		Fix:     "Ask DCGM_FI_DEV_CLOCKS_EVENT_REASONS for the bits, as the alert GPUThermalThrottling of assay render monitoring does.",
		Sources: []facts.Source{dcgmFields}, Kinds: []string{"PrometheusRule", "ConfigMap"}, Object: throttlingByTemperature,
	},
	{
		ID: "hit-ratio-inverted", Severity: lint.Error, Subject: lint.Monitoring,
		Title:   "A hit rate with queries over hits",
		Why:     "Hits are part of the queries: queries over hits is never below 1, and grows as the cache gets worse.",
		Fix:     "rate(vllm:prefix_cache_hits_total[5m]) / rate(vllm:prefix_cache_queries_total[5m])",
		Sources: []facts.Source{vllmMetrics}, Kinds: holdsQueries, Object: hitRatioInverted,
	},
	{
		ID: "quantile-without-le", Severity: lint.Error, Subject: lint.Monitoring,
		Title:   "histogram_quantile over a sum that dropped le",
		Why:     "Buckets are told apart by le; where an aggregation drops it, the quantile has no buckets and gives nothing.",
		Fix:     "Keep it: sum by (le, …) (rate(…_bucket[5m])).",
		Sources: []facts.Source{promHistogram}, Kinds: holdsQueries, Object: quantileWithoutLE,
	},
	{
		ID: "quantile-of-sum", Severity: lint.Error, Subject: lint.Monitoring,
		Title:   "histogram_quantile of something that is no histogram's buckets",
		Why:     "A quantile is made from NAME_bucket; of NAME, NAME_sum or NAME_count it gives nothing.",
		Fix:     "histogram_quantile(0.95, sum by (le) (rate(NAME_bucket[5m])))",
		Sources: []facts.Source{promHistogram}, Kinds: holdsQueries, Object: quantileOfNoBuckets,
	},
	{
		ID: "mean-of-quantiles", Severity: lint.Warning, Subject: lint.Monitoring,
		Title:   "A mean of percentiles",
		Why:     "The mean of the p95s of replicas is no p95 of the service: a replica that serves a tenth of the requests counts as much as the others.",
		Fix:     "Add the buckets first: histogram_quantile(0.95, sum by (le) (rate(NAME_bucket[5m]))).",
		Sources: []facts.Source{promHistogram}, Kinds: holdsQueries, Object: meanOfQuantiles,
	},
	{
		ID: "alert-without-counter", Severity: lint.Error, Subject: lint.Monitoring,
		Title:   "An alert on a counter that dcgm-exporter does not collect",
		Why:     "dcgm-exporter collects the fields of its list alone, and its own list leaves out all violation, ECC and most profiling fields: an alert on one of them never fires.",
		Fix:     "Add the field to the exporter's list; assay render monitoring writes the list that the alerts need.",
		Sources: []facts.Source{dcgmExporter}, Across: alertWithoutCounter,
	},
	{
		ID: "scrape-timeout-over-interval", Severity: lint.Error, Subject: lint.Monitoring,
		Title:   "A scrape may take longer than the time between two",
		Why:     "Prometheus refuses a timeout above the interval, and the operator then leaves the whole monitor out.",
		Fix:     "A timeout at most the interval, or leave it out.",
		Sources: []facts.Source{promOperator}, Kinds: []string{"ServiceMonitor", "PodMonitor", "Probe"}, Object: scrapeTimeout,
	},
}
