package manifest

import "fmt"

// scrapeGroup is about what the other alerts cannot see: a metric that is not
// there fires nothing.
func scrapeGroup(opt Options) Group {
	return Group{Name: "assay-scrape", Alerts: []Alert{
		{
			Name: "vLLMDown",
			Expr: fmt.Sprintf(`up{#,job=%q} == 0`, opt.Job),
			For:  "2m", Severity: Critical,
			Summary:     "{{ or $labels.pod $labels.instance }}: its metrics do not answer",
			Description: "The scrape of {{ or $labels.pod $labels.instance }} (job {{ $labels.job }}) has failed for two minutes (up is {{ $value }}).",
			Meaning:     "The server is down, or too busy to answer. While it lasts all other alerts are blind to it.",
			Steps:       []string{"Is the pod running and ready? Read the end of its log, also of the one before: kubectl logs --previous.", "It runs and serves: its API server is at the end of its CPU. --api-server-count, or more vCPUs."},
			Level:       "two minutes",
		},
		{
			Name: "vLLMAbsent",
			Expr: fmt.Sprintf(`absent(up{#,job=%q})`, opt.Job),
			For:  "5m", Severity: Critical,
			Summary:     fmt.Sprintf("No server of job %s is there to be scraped", literal(opt.Job)),
			Description: fmt.Sprintf("Service discovery finds no target for job %s (absent is {{ $value }}): a dead server vanishes, and no other alert speaks of it.", literal(opt.Job)),
			Meaning:     "All pods are gone, the monitor's selector or port name does not match, or the job has another name. A service that scales to zero is meant to be here: silence it then.",
			Steps:       []string{"kubectl get pods with the selector of the monitor.", "Prometheus's page of targets says whether the monitor was taken up; kube-prometheus-stack wants its release label on it."},
			Level:       "five minutes",
		},
		{
			Name: "vLLMMetricsMissing",
			Expr: fmt.Sprintf("up{#,job=%q} == 1\nunless on (instance) vllm:num_requests_running", opt.Job),
			For:  "10m", Severity: Warning,
			Summary:     "{{ or $labels.pod $labels.instance }}: it is scraped and says nothing of the engine",
			Description: "{{ or $labels.pod $labels.instance }} (job {{ $labels.job }}) answers its scrape (up is {{ $value }}), and vllm:num_requests_running is not in it.",
			Meaning:     "The port is not that of the engine, or it runs with --disable-log-stats. No alert on the engine can fire.",
			Steps:       []string{"curl the pod's /metrics and look for vllm:.", "Take --disable-log-stats away, or correct the port of the monitor."},
			Level:       "ten minutes",
		},
		{
			Name: "DCGMDown",
			Expr: fmt.Sprintf(`up{job=%q} == 0`, opt.DCGMJob),
			For:  "5m", Severity: Warning,
			Summary:     "{{ or $labels.pod $labels.instance }}: dcgm-exporter does not answer",
			Description: "The scrape of {{ or $labels.node $labels.instance }} (job {{ $labels.job }}) has failed for five minutes (up is {{ $value }}).",
			Meaning:     "Nothing is known of the GPUs of that node: not whether they are hot, throttled or broken.",
			Steps:       []string{"Read the exporter's log. A GPU that fell off the bus (XID 79) can make it hang.", "Raise its memory limit if it was killed for memory."},
			Level:       "five minutes",
		},
		{
			Name: "DCGMAbsent",
			Expr: fmt.Sprintf(`absent(up{job=%q})`, opt.DCGMJob),
			For:  "15m", Severity: Warning,
			Summary:     "No dcgm-exporter is there to be scraped",
			Description: fmt.Sprintf("Service discovery finds no target for job %s (absent is {{ $value }}): no alert on GPUs can fire.", literal(opt.DCGMJob)),
			Meaning:     "The exporter is not installed, the monitor's selector or port does not match, or the job has another name.",
			Steps:       []string{"kubectl get pods -A with the selector of the monitor.", "Where another monitor scrapes it: render again with the name of its job, --dcgm-job."},
			Level:       "fifteen minutes",
		},
		{
			Name: "DCGMCountersMissing",
			Expr: `count by (instance) (DCGM_FI_DEV_GPU_TEMP)
unless on (instance)
(
  DCGM_FI_DEV_CLOCKS_EVENT_REASONS
  or DCGM_FI_DEV_CLOCK_THROTTLE_REASONS
)`,
			For: "15m", Severity: Warning,
			Summary:     "{{ $labels.instance }}: dcgm-exporter leaves out what the alerts need",
			Description: "The dcgm-exporter at {{ $labels.instance }} publishes {{ $value }} GPUs and no clock-event reasons: the alerts on throttling cannot fire there.",
			Meaning:     "Its default list of counters leaves out clock-event reasons, ECC and NVLink errors. Alerts on them are silent, not well.",
			Steps:       []string{"Mount the counter list (dcgm-counters.yaml); its head says how.", "An exporter that does not start with it does not know a field: take that row out."},
			Needs:       []string{"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"},
			Level:       "fifteen minutes",
		},
	}}
}
