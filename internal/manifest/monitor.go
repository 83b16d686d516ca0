package manifest

import (
	"errors"
	"fmt"
	"strings"
)

// engineMonitor is the ServiceMonitor or PodMonitor of the servers.
func (o Options) engineMonitor() (object, error) {
	selector, err := parseSelector("--selector", o.Selector)
	if err != nil {
		return nil, err
	}
	kind, endpoints := "ServiceMonitor", "endpoints"
	switch o.Monitor {
	case ServiceMonitor:
	case PodMonitor:
		kind, endpoints = "PodMonitor", "podMetricsEndpoints"
	default:
		return nil, fmt.Errorf("--monitor %s: it is service or pod", o.Monitor)
	}
	return object{
		{"apiVersion", "monitoring.coreos.com/v1", ""},
		{"kind", kind, o.whyMonitor()},
		{"metadata", o.metadata("assay-engine"), ""},
		{"spec", object{
			{"selector", object{{"matchLabels", selector, ""}}, o.whySelector()},
			{endpoints, []object{{
				{"port", o.Port, "the name of the port that serves /metrics, not its number"},
				{"path", "/metrics", ""},
				{"interval", "15s", "rates over five minutes then hold 20 samples"},
				{"relabelings", jobLabel(o.Job), "the alerts on a scrape that fails look for this job"},
			}}, ""},
		}, ""},
	}, nil
}

func (o Options) whyMonitor() string {
	if o.Monitor == PodMonitor {
		return "each pod is scraped, whether a Service leads to it or not"
	}
	return "each pod behind the Service is scraped by itself"
}

func (o Options) whySelector() string {
	if o.Monitor == PodMonitor {
		return "labels of the pods"
	}
	return "labels of the Service, which are not always those of its pods; of one Service alone: two that have them scrape each pod twice"
}

func (o Options) dcgmMonitor() (object, error) {
	selector, err := parseSelector("--dcgm-selector", o.DCGMSelector)
	if err != nil {
		return nil, err
	}
	where := object{{"any", true, "the exporter's namespace was not said: --dcgm-namespace"}}
	if o.DCGMNamespace != "" {
		where = object{{"matchNames", []string{o.DCGMNamespace}, ""}}
	}
	return object{
		{"apiVersion", "monitoring.coreos.com/v1", ""},
		{"kind", "ServiceMonitor", ""},
		{"metadata", o.metadata("assay-dcgm"), ""},
		{"spec", object{
			{"namespaceSelector", where, ""},
			{"selector", object{{"matchLabels", selector, ""}}, "labels of the exporter's Service: of its chart; the GPU operator's is app=nvidia-dcgm-exporter"},
			{"endpoints", []object{{
				{"port", o.DCGMPort, "metrics in the exporter's chart, gpu-metrics with the GPU operator"},
				{"path", "/metrics", ""},
				{"interval", "15s", "the exporter itself collects every 30 s unless DCGM_EXPORTER_INTERVAL says otherwise"},
				{"honorLabels", false, "the pod that uses a GPU becomes exported_pod, beside the exporter's own: rules and dashboards read both"},
				{"relabelings", jobLabel(o.DCGMJob), "the alerts on a scrape that fails look for this job"},
			}}, ""},
		}, ""},
	}, nil
}

func jobLabel(job string) []object {
	return []object{{{"action", "replace", ""}, {"targetLabel", "job", ""}, {"replacement", job, ""}}}
}

// parseSelector reads labels as kubectl's -l takes them, equality alone.
func parseSelector(flag, s string) (object, error) {
	if s == "" {
		return nil, errors.New(flag + " is not given: say which pods serve, such as " + flag + " app=vllm (kubectl get pods --show-labels)")
	}
	var labels object
	for part := range strings.SplitSeq(s, ",") {
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(strings.TrimPrefix(value, "="))
		if !ok || name == "" || value == "" || strings.ContainsAny(name, "!()") {
			return nil, fmt.Errorf("%s %q: it is a list of label=value", flag, s)
		}
		labels = append(labels, field{name, value, ""})
	}
	return labels, nil
}
