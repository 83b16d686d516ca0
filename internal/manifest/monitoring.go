package manifest

import (
	"strings"

	"assay/internal/manifest/dashboard"
)

// Kinds of monitor.
const (
	ServiceMonitor = "service"
	PodMonitor     = "pod"
)

// Monitoring writes everything: for the Prometheus operator one object a file and
// a kustomization, or, with Plain, files for a Prometheus and a Grafana without it.
func Monitoring(opt Options) ([]File, error) {
	if opt.Plain {
		return plainFiles(opt.withDefaults())
	}
	all, err := MonitoringObjects(opt)
	if err != nil {
		return nil, err
	}
	return Folder(monitoringHead, all)
}

const monitoringHead = "Monitoring of an inference service: kubectl apply -k this folder.\nWritten by `assay render monitoring`: change its flags and write it again, rather than these files."

// MonitoringObjects are the objects alone, to be written beside others.
func MonitoringObjects(opt Options) ([]Written, error) {
	opt = opt.withDefaults()
	gs, boards, err := opt.judgedAndDrawn()
	if err != nil {
		return nil, err
	}
	return written(gs, boards, opt)
}

func (o Options) judgedAndDrawn() ([]Group, []dashboard.Dashboard, error) {
	gs, err := groups(o)
	if err != nil {
		return nil, nil, err
	}
	boards, err := dashboard.All(o.dashboards())
	return gs, boards, err
}

func plainFiles(opt Options) ([]File, error) {
	gs, boards, err := opt.judgedAndDrawn()
	if err != nil {
		return nil, err
	}
	rules, err := ruleGroups(gs, opt).marshal(rulesHead)
	if err != nil {
		return nil, err
	}
	files := []File{{Name: "rules.yml", Body: rules}, {Name: "dcgm-counters.csv", Body: []byte(Counters())}}
	for _, d := range boards {
		files = append(files, File{Name: "dashboards/" + d.Name + ".json", Body: d.JSON})
	}
	return files, nil
}

// written are the objects for the operator, in the order in which they are read
// best: what is scraped, what is judged, what is drawn.
func written(gs []Group, boards []dashboard.Dashboard, opt Options) ([]Written, error) {
	engine, err := opt.engineMonitor()
	if err != nil {
		return nil, err
	}
	dcgm, err := opt.dcgmMonitor()
	if err != nil {
		return nil, err
	}
	all := []Written{
		{Name: "engine-monitor.yaml", Head: "What scrapes the engine.", Object: engine},
		{Name: "dcgm-monitor.yaml", Head: "What scrapes dcgm-exporter. Leave it out where the exporter is scraped already (serviceMonitor.enabled of its chart, the GPU operator), or every GPU is counted twice; then render again with the name of that job, --dcgm-job.", Object: dcgm},
		{Name: "dcgm-counters.yaml", Head: countersHead, Object: opt.counters()},
	}
	for _, subject := range subjects {
		var of []Group
		for _, g := range gs {
			if strings.HasPrefix(g.Name, "assay-"+subject.name) && (g.Name == "assay-"+subject.name || strings.HasSuffix(g.Name, "-long")) {
				of = append(of, g)
			}
		}
		all = append(all, Written{Name: "rules-" + subject.name + ".yaml", Head: subject.about, Object: opt.prometheusRule(subject.name, of)})
	}
	for _, d := range boards {
		all = append(all, Written{Name: "dashboard-" + d.Name + ".yaml", Head: d.Title + ", for the sidecar of kube-prometheus-stack's Grafana.", Object: opt.dashboard(d)})
	}
	return all, nil
}

// subjects are the rule objects, in their order.
var subjects = []struct{ name, about string }{
	{"slo", "Objectives on TTFT and ITL: how fast their error budget is spent. Shares are counted by histogram buckets, so the limits have to be boundaries of them."},
	{"serving", "What the engine says of itself."},
	{"gpu", "What holds a GPU back. They need counters that dcgm-exporter leaves out by itself: dcgm-counters.yaml."},
	{"gpu-faults", "What breaks in a GPU. They need counters that dcgm-exporter leaves out by itself: dcgm-counters.yaml."},
	{"network", "EFA and ENA: silent where no exporter shows them."},
	{"neuron", "AWS's accelerators: silent where there are none."},
	{"scrape", "What the other alerts cannot see: a metric that is not there fires nothing."},
}

const countersHead = `The counter list of dcgm-exporter that the alerts need: its own leaves most of them out.
It is of no use until the exporter reads it:
- chart dcgm-exporter 4: --set-file customMetrics=dcgm-counters.csv, the same list as --plain writes it;
  or --set arguments='{-m,NAMESPACE:assay-dcgm-counters}', and name assay-dcgm-counters in its Role
  dcgm-exporter-read-cm, which may read exporter-metrics-config-map alone: else it reads its own list, or does not start
- GPU operator: --set dcgmExporter.config.name=assay-dcgm-counters --set 'dcgmExporter.env[0].name=DCGM_EXPORTER_COLLECTORS' --set 'dcgmExporter.env[0].value=/etc/dcgm-exporter/dcgm-metrics.csv'
- by hand: mount it and name the file with -f
An exporter that does not know one of the fields says which, and does not start: take that row out.`

// metadata is of an object in the service's namespace.
func (o Options) metadata(name string) object {
	labels := object{{"app.kubernetes.io/part-of", "assay", ""}}
	if o.ReleaseLabel != "" {
		labels = append(labels, field{"release", o.ReleaseLabel, "kube-prometheus-stack takes only what has the label of its release"})
	}
	return object{{"name", name, ""}, {"namespace", o.Namespace, ""}, {"labels", labels, ""}}
}

func (o Options) prometheusRule(subject string, gs []Group) object {
	return object{
		{"apiVersion", "monitoring.coreos.com/v1", ""},
		{"kind", "PrometheusRule", ""},
		{"metadata", o.metadata("assay-" + subject), ""},
		{"spec", ruleGroups(gs, o), ""},
	}
}

func (o Options) counters() object {
	csv := Counters()
	return object{
		{"apiVersion", "v1", ""},
		{"kind", "ConfigMap", ""},
		{"metadata", object{
			{"name", "assay-dcgm-counters", ""},
			{"namespace", o.DCGMNamespace, "the exporter's own: a pod mounts only what is in its namespace"},
			{"labels", object{{"app.kubernetes.io/part-of", "assay", ""}}, ""},
		}, ""},
		{"data", object{
			{"metrics", csv, "the key that dcgm-exporter's -m reads"},
			{"dcgm-metrics.csv", csv, "the same under the key of the GPU operator"},
		}, ""},
	}
}

func (o Options) dashboard(d dashboard.Dashboard) object {
	meta := o.metadata("assay-dashboard-" + strings.TrimPrefix(d.Name, "assay-"))
	for i, f := range meta {
		if f.name == "labels" {
			meta[i].value = append(f.value.(object), field{"grafana_dashboard", "1", "what Grafana's sidecar looks for"})
		}
	}
	return object{
		{"apiVersion", "v1", ""},
		{"kind", "ConfigMap", ""},
		{"metadata", meta, ""},
		{"data", object{{d.Name + ".json", string(d.JSON), ""}}, ""},
	}
}

// dashboards are the options of the dashboards: the same limits as the alerts'.
func (o Options) dashboards() dashboard.Options {
	d := dashboard.Options{TTFT: o.TTFT, ITL: o.ITL, Objective: o.Objective}
	if o.OperatingPoint > 0 {
		d.OperatingPoint = &dashboard.OperatingPoint{Running: o.OperatingPoint, Source: o.OperatingFrom}
	}
	return d
}
