package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"assay/internal/facts"
	"assay/internal/spec"
	"assay/internal/survey"
	"assay/internal/telemetry"
	"assay/internal/wire"
)

// diagnoseFlags are the flags of `assay diagnose`, as typed.
type diagnoseFlags struct {
	typed                             func(flag string) bool
	file                              string
	metrics, dcgm, node               []string
	prometheus                        prometheusFlags
	thresholds                        []string
	window, span, interval, heartbeat time.Duration
	cluster                           survey.Cluster
	watch, insecure                   bool
	gpu, output, caFile, proxy        string
}

func (f *diagnoseFlags) add(p *pflag.FlagSet) {
	p.SortFlags = false
	const place = "env:VARIABLE or file:PATH with one"
	p.StringArrayVar(&f.metrics, "metrics", nil, "URL of a replica's own metrics, "+place+"; repeatable, one for each replica")
	p.DurationVar(&f.span, "for", survey.DefaultFor, "how long to watch; with --prometheus and --watch: the pause between looks")
	p.DurationVar(&f.interval, "interval", survey.DefaultInterval, "how often to scrape")
	p.StringArrayVar(&f.dcgm, "dcgm", nil, "URL of the DCGM exporter beside a replica, "+place+"; repeatable, in the order of --metrics")
	p.StringArrayVar(&f.node, "node", nil, "URL of a node exporter beside a replica, "+place+"; repeatable, in the order of --metrics")
	f.prometheus.add(p, "base URL of a Prometheus server to ask instead, "+place, "n")
	p.DurationVar(&f.window, "window", survey.DefaultWindow, "how far to look back, with --prometheus")
	p.StringVar(&f.cluster.Kubeconfig, "kubeconfig", "", "kubeconfig of the service's cluster, asked for pod states and events (default: as kubectl finds it, where the namespace is known)")
	p.StringVar(&f.cluster.Context, "context", "", "context of the kubeconfig")
	p.StringVar(&f.cluster.PodSelector, "pod-selector", "", "label selector of the service's pods, such as app=vllm")
	p.BoolVar(&f.cluster.Off, "no-cluster", false, "do not ask the cluster")
	p.BoolVar(&f.watch, "watch", false, "look again and again: a line for each change")
	p.DurationVar(&f.heartbeat, "heartbeat", survey.DefaultHeartbeat, "with --watch: how often to say that nothing changed")
	p.StringVarP(&f.file, "file", "f", "", "assay.yaml whose platform and diagnose.thresholds hold; - is standard input")
	p.StringVar(&f.gpu, "gpu", "", "accelerator behind the service (default: that of the file, or what the DCGM exporter names)")
	addThresholds(p, &f.thresholds)
	p.StringVar(&f.caFile, "ca-file", "", "PEM file of certificate authorities to trust")
	p.BoolVar(&f.insecure, "insecure-skip-verify", false, "do not verify servers' certificates")
	p.StringVar(&f.proxy, "proxy", "", "URL of a proxy, env:VARIABLE or file:PATH with one, or none (default: HTTPS_PROXY, HTTP_PROXY and NO_PROXY)")
	p.StringVarP(&f.output, "output", "o", "text", "text, json, yaml or markdown")
}

// check refuses flags that go with the other way to look, and spans that are none.
func (f *diagnoseFlags) check() error {
	back := f.prometheus.url != ""
	switch {
	case len(f.metrics) == 0 && !back:
		return errors.New("what to look at: --metrics URL for each replica, or --prometheus URL")
	case len(f.metrics) > 0 && back:
		return errors.New("--metrics watches from now on and --prometheus looks back: give one of them")
	case back && len(f.dcgm)+len(f.node) > 0:
		return errors.New("--dcgm and --node stand beside --metrics; a Prometheus server is asked for what it has of them")
	case !back && f.typed("window"):
		return errors.New("--window is of --prometheus; --metrics watches from now on, --for so long")
	case back && (f.typed("interval") || f.typed("for") && !f.watch):
		return errors.New("--for and --interval are of --metrics; --prometheus looks back, over --window")
	case !back && (f.prometheus.selector != "" || len(f.prometheus.headers) > 0):
		return errors.New("--selector and --prometheus-header are of --prometheus")
	case f.cluster.Off && (f.cluster.Kubeconfig != "" || f.cluster.Context != "" || f.cluster.PodSelector != ""):
		return errors.New("--no-cluster excludes --kubeconfig, --context and --pod-selector")
	case f.span < shortestLook || f.window < shortestLook:
		return fmt.Errorf("--for and --window: %v at least", shortestLook)
	case f.interval <= 0:
		return fmt.Errorf("--interval %v: must be above 0", f.interval)
	}
	return nil
}

// options resolves flags over assay.yaml.
func (f *diagnoseFlags) options(env *Env) (survey.Options, error) {
	opt := survey.Options{For: f.span, Interval: f.interval, Window: f.window, Cluster: f.cluster,
		Namespace: f.prometheus.namespace, Selector: f.prometheus.selector}
	if err := f.check(); err != nil {
		return opt, err
	}
	file := &spec.Spec{}
	var err error
	if f.file != "" {
		if file, err = spec.ReadFile(f.file); err != nil {
			return opt, err
		}
	}
	if opt.Thresholds, err = thresholds(file.Diagnose.Thresholds, f.thresholds); err != nil {
		return opt, err
	}
	opt.TP = file.Platform.TP
	if gpu := cmp.Or(f.gpu, file.Platform.GPU); gpu != "" {
		chip, err := facts.ChipNamed(gpu)
		if err != nil {
			return opt, fmt.Errorf("--gpu: %w", err)
		}
		opt.Chip = &chip
	}
	proxies, err := (&transportFlags{proxy: f.proxy}).proxies(env)
	if err != nil {
		return opt, err
	}
	reach := wire.Endpoint{Proxies: proxies, CAFile: f.caFile, InsecureTLS: f.insecure}
	if f.prometheus.url != "" {
		opt.Prometheus, err = f.server(env, reach)
		return opt, err
	}
	opt.Replicas, err = f.replicas(env, reach)
	return opt, err
}

func (f *diagnoseFlags) server(env *Env, reach wire.Endpoint) (*telemetry.Prometheus, error) {
	p, err := placeOf(env, "--prometheus", f.prometheus.url, "", reach)
	if err != nil {
		return nil, err
	}
	headers, err := f.prometheus.header(env)
	if err != nil {
		return nil, err
	}
	return &telemetry.Prometheus{URL: p.URL, Client: p.Client, Header: headers}, nil
}

func (f *diagnoseFlags) replicas(env *Env, reach wire.Endpoint) ([]survey.Endpoint, error) {
	metrics, err := placesOf(env, "--metrics", f.metrics, reach)
	if err != nil {
		return nil, err
	}
	dcgm, err := placesOf(env, "--dcgm", f.dcgm, reach)
	if err != nil {
		return nil, err
	}
	node, err := placesOf(env, "--node", f.node, reach)
	if err != nil {
		return nil, err
	}
	return survey.Endpoints(metrics, dcgm, node)
}

func placesOf(env *Env, flag string, typed []string, reach wire.Endpoint) ([]survey.Place, error) {
	var places []survey.Place
	for _, t := range typed {
		p, err := placeOf(env, flag, t, "/metrics", reach)
		if err != nil {
			return nil, err
		}
		places = append(places, p)
	}
	return places, nil
}

// placeOf reads the URL of metrics, and how it is reached.
func placeOf(env *Env, flag, typed, path string, reach wire.Endpoint) (survey.Place, error) {
	u, err := readURL(env, flag, typed, path)
	if err != nil {
		return survey.Place{}, err
	}
	reach.URL = u.Scheme + "://" + u.Host
	client, err := wire.New(reach, wire.Options{})
	if err != nil {
		return survey.Place{}, fmt.Errorf("%s: %w", flag, err)
	}
	defer client.Close()
	scraper, err := client.Scraper(u.String())
	if err != nil {
		return survey.Place{}, fmt.Errorf("%s: %w", flag, err)
	}
	return survey.Place{URL: u.String(), Shown: wire.ShownURL(u.String()), Client: scraper, Engine: engineAt(reach)}, nil
}

// engineAt asks what serves at an address, without sending it work.
func engineAt(reach wire.Endpoint) func(context.Context) string {
	return func(ctx context.Context) string {
		client, err := wire.New(reach, wire.Options{})
		if err != nil {
			return ""
		}
		defer client.Close()
		name, _ := client.Engine(ctx, nil)
		return name
	}
}
