package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"assay/internal/bench"
	"assay/internal/manifest"
	"assay/internal/spec"
)

// monitoringFlags are the flags of `assay render monitoring`.
type monitoringFlags struct {
	manifest.Options
	file, from, out, output string
}

func newRenderMonitoring(env *Env) *cobra.Command {
	f := &monitoringFlags{}
	cmd := &cobra.Command{
		Use:   "monitoring",
		Short: "Write rules, alerts, monitors, DCGM counters and dashboards",
		Long: `Write the monitoring of an inference service as a folder for kubectl apply -k:
PrometheusRules, a ServiceMonitor or PodMonitor, the counter list that
dcgm-exporter needs, and Grafana dashboards. With --plain, files for a Prometheus
and a Grafana without the operator.

--from RUN takes levels from a measured run: limits and objective from its SLO,
the alerts on load from its knee and operating point, the time of a stall from its
longest gap. Each is written with the figure that it comes from. What no run and no
flag says is not invented: an alert whose level is not known is left out.`,
		Example: `  assay render monitoring --selector app=vllm --namespace llm --out monitoring
  assay render monitoring --selector app=vllm --from assay-runs/20261130-091500 --out monitoring
  assay render monitoring --plain --job vllm --out prometheus
  assay render monitoring --selector app=vllm | kubectl apply -f -`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return renderMonitoring(env, f) },
	}
	f.add(cmd)
	return cmd
}

func (f *monitoringFlags) add(cmd *cobra.Command) {
	p := cmd.Flags()
	p.SortFlags = false
	p.StringVar(&f.out, "out", "-", "folder to write; - for all objects on stdout")
	p.StringVarP(&f.output, "output", "o", "yaml", "yaml")
	p.StringVarP(&f.file, "file", "f", "", "assay.yaml whose SLO gives the limits")
	p.StringVar(&f.from, "from", "", "run folder to take levels from")
	p.StringVarP(&f.Namespace, "namespace", "n", "", "namespace of the service, and of what is written")
	p.StringSliceVar(&f.Models, "model", nil, "names of the served models to watch (default: all)")
	p.StringVar(&f.Monitor, "monitor", manifest.ServiceMonitor, "what finds the servers: service or pod")
	p.StringVar(&f.Selector, "selector", "", "labels of the Service, or with --monitor pod of the pods, such as app=vllm")
	p.StringVar(&f.Port, "port", "http", "name of their port that serves /metrics")
	p.StringVar(&f.Job, "job", "vllm", "label job of their scrape")
	p.StringVar(&f.DCGMNamespace, "dcgm-namespace", "", "namespace of dcgm-exporter (default: any)")
	p.StringVar(&f.DCGMSelector, "dcgm-selector", "app.kubernetes.io/name=dcgm-exporter", "labels of its Service")
	p.StringVar(&f.DCGMPort, "dcgm-port", "metrics", "name of its port")
	p.StringVar(&f.DCGMJob, "dcgm-job", "dcgm-exporter", "label job of its scrape")
	p.Float64Var(&f.Objective, "objective", 0, "share of tokens that have to be fast (default: that of the run's SLO, or 0.99)")
	p.DurationVar(&f.TTFT, "ttft", 0, "how late a first token may be, a boundary of the engine's histogram (default: that of the run's SLO, or 500ms)")
	p.DurationVar(&f.ITL, "itl", 0, "how long a gap between tokens may be, likewise (default: that of the run's SLO, or 50ms)")
	p.Float64Var(&f.Knee, "knee", 0, "requests in flight of one server past which its throughput stops growing (default: that of the run)")
	p.BoolVar(&f.ScaleToZero, "scale-to-zero", false, "the service may have no server: leave out the alert on that")
	p.StringVar(&f.ReleaseLabel, "release-label", "", "label release of kube-prometheus-stack, which takes only objects that have it")
	p.StringVar(&f.RunbookURL, "runbook-url", "", "address under which each alert has a page of its name")
	p.BoolVar(&f.Plain, "plain", false, "files for a Prometheus and a Grafana without the operator")
}

func renderMonitoring(env *Env, f *monitoringFlags) error {
	if f.output != "yaml" {
		return usagef("-o %s: Kubernetes objects are written as yaml", f.output)
	}
	opt := f.Options
	if opt.Knee > 0 {
		opt.KneeFrom = "as given by --knee"
	}
	var remarks []string
	if f.file != "" {
		s, err := spec.ReadFile(f.file)
		if err != nil {
			return usage(err)
		}
		opt, remarks = opt.Declared(s.SLO, f.file)
	}
	if f.from != "" {
		folder, err := bench.Reopen(runFolder(f.from))
		if err != nil {
			return usage(err)
		}
		var more []string
		opt, more = opt.Measured(&folder.Run, filepath.Base(folder.Dir))
		remarks = append(remarks, more...)
	}
	files, err := manifest.Monitoring(opt)
	if err != nil {
		return usage(err)
	}
	for _, r := range remarks {
		env.remark(r)
	}
	if f.out == "-" {
		return writeStream(env, files, opt.Plain)
	}
	return writeFolder(env, f.out, files)
}
