package manifest

import (
	"fmt"
	"strings"
)

// down are targets of a job that do not answer. One that is less than half an hour
// old and never answered is still starting: a pod is scraped from its first second,
// and a model may load for minutes.
func down(target string) string {
	return fmt.Sprintf(`%[1]s == 0
unless
(
  max_over_time(%[1]s[30m]) == 0
  unless %[1]s offset 30m
)`, target)
}

// absent is true where no server is there: of the job or, where the models are
// named, of one of them.
func (o Options) absent() string {
	if len(o.Models) == 0 {
		return fmt.Sprintf(`absent(up{#,job=%q})`, o.Job)
	}
	var each []string
	for _, name := range o.Models {
		each = append(each, fmt.Sprintf(`absent(vllm:num_requests_running{#,model_name=%q})`, name))
	}
	return strings.Join(each, "\nor ")
}

// scrapeGroup is about what the other alerts cannot see: a metric that is not
// there fires nothing.
func scrapeGroup(opt Options) Group {
	asks := ""
	if opt.ScaleToZero {
		asks = "a service that does not scale to zero"
	}
	return Group{Name: "assay-scrape", Alerts: []Alert{
		{
			Name: "vLLMDown",
			Expr: down(fmt.Sprintf(`up{#,job=%q}`, opt.Job)),
			For:  "2m", Severity: Critical,
			Summary:     "{{ or $labels.pod $labels.instance }}: its metrics do not answer",
			Description: "The scrape of {{ or $labels.pod $labels.instance }} (job {{ $labels.job }}) has failed for two minutes (up is {{ $value }}).",
			Meaning: text("The server is down, or too busy to answer. While it lasts all other alerts are blind to it.",
				"One that has never answered has half an hour to load its model before it counts."),
			Steps: []string{"Is the pod running and ready? Read the end of its log, also of the one before: kubectl logs --previous.", "It runs and serves: its API server is at the end of its CPU. --api-server-count, or more vCPUs."},
			Level: "two minutes, or half an hour from its first second; ours",
		},
		{
			Name: "vLLMAbsent",
			Expr: opt.absent(),
			For:  "5m", Severity: Critical,
			Summary:     "{{ or $labels.model_name $labels.job }}: no server is there to be scraped",
			Description: fmt.Sprintf("No server {{ with $labels.model_name }}of model {{ . }} {{ end }}is found for job %s (absent is {{ $value }}): a dead server vanishes, and no other alert speaks of it.", literal(opt.Job)),
			Meaning:     "All pods are gone, the monitor's selector or port name does not match, or the job has another name. With --model each named model has to be there. With --scale-to-zero it is not written: no server is then a state like others.",
			Steps:       []string{"kubectl get pods with the selector of the monitor.", "Prometheus's page of targets says whether the monitor was taken up; kube-prometheus-stack wants its release label on it."},
			Level:       "five minutes",
			Asks:        asks,
		},
		{
			Name: "vLLMMetricsMissing",
			Expr: fmt.Sprintf("up{#,job=%q} == 1\nunless on (job, instance) vllm:num_requests_running", opt.Job),
			For:  "10m", Severity: Warning,
			Summary:     "{{ or $labels.pod $labels.instance }}: it is scraped and says nothing of the engine",
			Description: "{{ or $labels.pod $labels.instance }} (job {{ $labels.job }}) answers its scrape (up is {{ $value }}), and vllm:num_requests_running is not in it.",
			Meaning:     "The port is not that of the engine, or it runs with --disable-log-stats. No alert on the engine can fire.",
			Steps:       []string{"curl the pod's /metrics and look for vllm:.", "Take --disable-log-stats away, or correct the port of the monitor."},
			Level:       "ten minutes",
		},
		{
			Name: "DCGMDown",
			Expr: down(fmt.Sprintf(`up{job=%q}`, opt.DCGMJob)),
			For:  "5m", Severity: Warning,
			Summary:     "{{ or $labels.pod $labels.instance }}: dcgm-exporter does not answer",
			Description: "The scrape of {{ or $labels.node $labels.instance }} (job {{ $labels.job }}) has failed for five minutes (up is {{ $value }}).",
			Meaning:     "Nothing is known of the GPUs of that node: not whether they are hot, throttled or broken.",
			Steps:       []string{"Read the exporter's log. A GPU that fell off the bus (XID 79) can make it hang.", "Raise its memory limit if it was killed for memory."},
			Level:       "five minutes, or half an hour from its first second; ours",
		},
		{
			Name: "DCGMAbsent",
			Expr: fmt.Sprintf("absent(up{job=%q})\nand on () vllm:num_requests_running{@}\nunless on () neuroncore_utilization_ratio", opt.DCGMJob),
			For:  "15m", Severity: Warning,
			Summary:     "No dcgm-exporter is there to be scraped",
			Description: fmt.Sprintf("Service discovery finds no target for job %s (absent is {{ $value }}): no alert on GPUs can fire.", literal(opt.DCGMJob)),
			Meaning: text("The exporter is not installed, the monitor's selector or port does not match, or the job has another name.",
				"It speaks only while an engine runs, and not where Neuron cores are seen: GPU nodes that scaled to zero need no exporter."),
			Steps: []string{"kubectl get pods -A with the selector of the monitor.", "Where another monitor scrapes it: render again with the name of its job, --dcgm-job."},
			Level: "fifteen minutes",
		},
		{
			Name: "DCGMCountersMissing",
			Expr: `count by (job) (
  max by (job, UUID) (DCGM_FI_DEV_GPU_TEMP)
  unless on (UUID) (DCGM_FI_DEV_CLOCKS_EVENT_REASONS or DCGM_FI_DEV_CLOCK_THROTTLE_REASONS)
)`,
			For: "15m", Severity: Warning,
			Summary:     "{{ $labels.job }}: dcgm-exporter leaves out what the alerts need",
			Description: "{{ $value }} GPUs are published by dcgm-exporter (job {{ $labels.job }}) without clock-event reasons: the alerts on throttling cannot fire for them.",
			Meaning:     "Its default list of counters leaves out clock-event reasons, ECC and NVLink errors. Alerts on them are silent, not well.",
			Steps:       []string{"Mount the counter list (dcgm-counters.yaml); its head says how.", "An exporter that does not start with it does not know a field: take that row out."},
			Needs:       []string{"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"},
			Level:       "fifteen minutes",
		},
	}}
}
