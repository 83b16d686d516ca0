package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"assay/internal/facts"
	"assay/internal/survey"
	"assay/internal/telemetry"
	"assay/internal/wire"
)

// diagnoseFlags are the flags of `assay diagnose`, as typed.
type diagnoseFlags struct {
	typed                             func(flag string) bool
	metrics, dcgm, node               []string
	prometheus, namespace, selector   string
	headers, thresholds               []string
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
	p.StringVar(&f.prometheus, "prometheus", "", "base URL of a Prometheus server to ask instead, "+place)
	p.DurationVar(&f.window, "window", survey.DefaultWindow, "how far to look back, with --prometheus")
	p.StringVarP(&f.namespace, "namespace", "n", "", "Kubernetes namespace of the service (default: all)")
	p.StringVar(&f.selector, "selector", "", `more label matchers, with --prometheus, such as 'app="vllm"'`)
	p.StringArrayVar(&f.headers, "prometheus-header", nil, "header of each query, NAME=VALUE; a secret as NAME=env:VARIABLE or NAME=file:PATH; repeatable")
	p.StringVar(&f.cluster.Kubeconfig, "kubeconfig", "", "kubeconfig of the service's cluster, asked for pod states and events (default: as kubectl finds it, where the namespace is known)")
	p.StringVar(&f.cluster.Context, "context", "", "context of the kubeconfig")
	p.StringVar(&f.cluster.PodSelector, "pod-selector", "", "label selector of the service's pods, such as app=vllm")
	p.BoolVar(&f.cluster.Off, "no-cluster", false, "do not ask the cluster")
	p.BoolVar(&f.watch, "watch", false, "look again and again: a line for each change")
	p.DurationVar(&f.heartbeat, "heartbeat", survey.DefaultHeartbeat, "with --watch: how often to say that nothing changed")
	p.StringVar(&f.gpu, "gpu", "", "accelerator behind the service (default: what the DCGM exporter names)")
	p.StringArrayVar(&f.thresholds, "threshold", nil, "NAME=VALUE of a threshold of the verdict; repeatable")
	p.StringVar(&f.caFile, "ca-file", "", "PEM file of certificate authorities to trust")
	p.BoolVar(&f.insecure, "insecure-skip-verify", false, "do not verify servers' certificates")
	p.StringVar(&f.proxy, "proxy", "", "URL of a proxy, env:VARIABLE or file:PATH with one, or none (default: HTTPS_PROXY, HTTP_PROXY and NO_PROXY)")
	p.StringVarP(&f.output, "output", "o", "text", "text, json, yaml or markdown")
}

func (f *diagnoseFlags) options(env *Env) (survey.Options, error) {
	opt := survey.Options{For: f.span, Interval: f.interval, Window: f.window, Namespace: f.namespace, Selector: f.selector, Cluster: f.cluster}
	switch {
	case len(f.metrics) == 0 && f.prometheus == "":
		return opt, errors.New("what to look at: --metrics URL for each replica, or --prometheus URL")
	case len(f.metrics) > 0 && f.prometheus != "":
		return opt, errors.New("--metrics watches from now on and --prometheus looks back: give one of them")
	case f.prometheus != "" && len(f.dcgm)+len(f.node) > 0:
		return opt, errors.New("--dcgm and --node stand beside --metrics; a Prometheus server is asked for what it has of them")
	case f.prometheus == "" && f.typed("window"):
		return opt, errors.New("--window is of --prometheus; --metrics watches from now on, --for so long")
	case f.prometheus != "" && (f.typed("interval") || f.typed("for") && !f.watch):
		return opt, errors.New("--for and --interval are of --metrics; --prometheus looks back, over --window")
	case f.prometheus == "" && (f.selector != "" || len(f.headers) > 0):
		return opt, errors.New("--selector and --prometheus-header are of --prometheus")
	case f.cluster.Off && (f.cluster.Kubeconfig != "" || f.cluster.Context != "" || f.cluster.PodSelector != ""):
		return opt, errors.New("--no-cluster excludes --kubeconfig, --context and --pod-selector")
	case f.span < shortestLook || f.window < shortestLook:
		return opt, fmt.Errorf("--for and --window: %v at least", shortestLook)
	case f.interval <= 0:
		return opt, fmt.Errorf("--interval %v: must be above 0", f.interval)
	}
	for _, t := range f.thresholds {
		if err := opt.Thresholds.SetText(t); err != nil {
			return opt, fmt.Errorf("--threshold: %w", err)
		}
	}
	if f.gpu != "" {
		chip, err := facts.ChipNamed(f.gpu)
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
	if f.prometheus != "" {
		opt.Prometheus, err = f.server(env, reach)
		return opt, err
	}
	opt.Replicas, err = f.replicas(env, reach)
	return opt, err
}

func (f *diagnoseFlags) server(env *Env, reach wire.Endpoint) (*telemetry.Prometheus, error) {
	p, err := placeOf(env, "--prometheus", f.prometheus, "", reach)
	if err != nil {
		return nil, err
	}
	headers, err := queryHeaders(env, f.headers)
	if err != nil {
		return nil, err
	}
	return &telemetry.Prometheus{URL: p.URL, Client: p.Client, Header: headers}, nil
}

// queryHeaders reads --prometheus-header.
func queryHeaders(env *Env, typed []string) (http.Header, error) {
	headers, err := readHeaders(env, typed)
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), "--header", "--prometheus-header"))
	}
	return wire.SentHeaders(headers), nil
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

// placeOf reads the URL of metrics, and how it is reached. Each scrape opens a
// connection of its own: over a kept one a Service of several replicas would
// answer from one of them, which nobody could tell.
func placeOf(env *Env, flag, typed, path string, reach wire.Endpoint) (survey.Place, error) {
	raw, secret, err := secretFrom(env, flag, typed)
	if err != nil {
		return survey.Place{}, err
	}
	if !secret {
		raw = typed
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return survey.Place{}, fmt.Errorf("%s: it is a URL such as http://localhost:8000%s", flag, path) // its words may hold a key
	case u.User != nil && !secret:
		return survey.Place{}, fmt.Errorf("%s: credentials are not taken from the command line, where process lists show them: give %s env:VARIABLE or file:PATH with the whole URL", flag, flag)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = path
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
	if t, ok := scraper.Transport.(*http.Transport); ok {
		t.DisableKeepAlives = true
	}
	return survey.Place{URL: u.String(), Shown: wire.ShownURL(u.String()), Client: scraper}, nil
}
