package manifest

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Options are what a user decides about monitoring. The zero value gives every
// rule at its default level, and no monitors.
type Options struct {
	Namespace string   // of the service and of what is written; empty: not stated
	Models    []string // names that are served; empty: all
	Job       string   // label job of the servers' scrape; empty: vllm
	DCGMJob   string   // of dcgm-exporter's; empty: dcgm-exporter

	Objective float64       // share of tokens that are fast; 0: 0.99
	TTFT, ITL time.Duration // what fast is; 0: 500 ms and 50 ms

	// Stall is how long no token may come while requests run; 0: 5 minutes.
	// StallFrom and KneeFrom say where the numbers are from.
	Stall     Seconds
	StallFrom string
	// Knee is the load of one replica, requests in flight, past which throughput
	// stops growing; 0: not known, and no rule on it is written.
	Knee     float64
	KneeFrom string

	// OperatingPoint is the load of one server that met the SLO, requests in flight;
	// 0: not known.
	OperatingPoint float64
	OperatingFrom  string

	ScaleToZero bool // having no server is a state like others

	KVFrom string // how large a full KV cache is, by a run; empty: not known

	// What finds the servers and dcgm-exporter: labels of a Service, or of pods.
	Monitor       string // ServiceMonitor or PodMonitor
	Selector      string // app=vllm
	Port          string // a name; empty: http
	DCGMSelector  string
	DCGMNamespace string // empty: any
	DCGMPort      string // empty: metrics

	ReleaseLabel string // of kube-prometheus-stack; empty: none
	RunbookURL   string // of which each alert's page is a part; empty: none
	Plain        bool   // for a Prometheus and a Grafana without the operator
}

// The defaults: the documents' limits.
const (
	defaultTTFT      = 500 * time.Millisecond
	defaultITL       = 50 * time.Millisecond
	defaultObjective = 0.99
	defaultStall     = Seconds(300)
)

func (o Options) withDefaults() Options {
	if o.Job == "" {
		o.Job = "vllm"
	}
	if o.DCGMJob == "" {
		o.DCGMJob = "dcgm-exporter"
	}
	if o.Monitor == "" {
		o.Monitor = ServiceMonitor
	}
	if o.Port == "" {
		o.Port = "http"
	}
	if o.DCGMSelector == "" {
		o.DCGMSelector = "app.kubernetes.io/name=dcgm-exporter"
	}
	if o.DCGMPort == "" {
		o.DCGMPort = "metrics"
	}
	if o.Objective == 0 {
		o.Objective = defaultObjective
	}
	if o.TTFT == 0 {
		o.TTFT = defaultTTFT
	}
	if o.ITL == 0 {
		o.ITL = defaultITL
	}
	if o.Stall == 0 {
		o.Stall, o.StallFrom = defaultStall, "five minutes: longer than the prefill of any prompt; a measured run gives a shorter one"
	}
	return o
}

// Seconds is a whole number of seconds that prints as Prometheus writes it.
type Seconds int

func (s Seconds) String() string {
	if s%60 == 0 {
		return fmt.Sprintf("%dm", int(s)/60)
	}
	return fmt.Sprintf("%ds", int(s))
}

// matchers are those for metrics of an engine, and for any of its process.
func (o Options) matchers() (engine, any string) {
	var m []string
	if o.Namespace != "" {
		m = append(m, fmt.Sprintf("namespace=%q", o.Namespace))
	}
	any = strings.Join(m, ",")
	switch len(o.Models) {
	case 0:
	case 1:
		m = append(m, fmt.Sprintf("model_name=%q", o.Models[0]))
	default:
		quoted := make([]string, len(o.Models))
		for i, name := range o.Models {
			quoted[i] = regexp.QuoteMeta(name)
		}
		m = append(m, fmt.Sprintf("model_name=~%q", strings.Join(quoted, "|")))
	}
	return strings.Join(m, ","), any
}
