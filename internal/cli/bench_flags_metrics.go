package cli

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/spf13/pflag"

	"assay/internal/bench"
)

// metricFlags say where the server's account of itself is to be had.
type metricFlags struct {
	engine, gpu, node               []string
	prometheus, namespace, selector string
	headers                         []string
}

func (f *metricFlags) add(p *pflag.FlagSet) {
	p.StringArrayVar(&f.engine, "metrics", nil, "URL of the engine's Prometheus metrics, env:VARIABLE or file:PATH with one; once for each replica (default: where the engine has them beside the target; none: ask for no metrics)")
	p.StringArrayVar(&f.gpu, "dcgm", nil, "URL of dcgm-exporter's metrics on the target's node, such as http://node:9400/metrics, or env:, file:; repeatable")
	p.StringArrayVar(&f.node, "node", nil, "URL of metrics of the target's node: node exporter, cAdvisor, Neuron or EFA, or env:, file:; repeatable")
	f.addPrometheus(p)
}

func (f *metricFlags) addPrometheus(p *pflag.FlagSet) {
	p.StringVar(&f.prometheus, "prometheus", "", "URL of a Prometheus server to ask for what it recorded of the target's replicas, GPUs and nodes, in place of scraping them, or env:, file:; it scrapes seldom, so hold levels for minutes")
	p.StringArrayVar(&f.headers, "prometheus-header", nil, "header of each query, NAME=VALUE; a secret as NAME=env:VARIABLE or NAME=file:PATH; repeatable")
	p.StringVar(&f.namespace, "namespace", "", "with --prometheus: Kubernetes namespace of the target (default: all)")
	p.StringVar(&f.selector, "selector", "", "with --prometheus: more label matchers of the engine's series, such as app=\"vllm\"")
}

// server is the Prometheus server that the flags name.
func (f *metricFlags) server(env *Env) (bench.Prometheus, error) {
	p := bench.Prometheus{Namespace: f.namespace, Selector: f.selector}
	if f.prometheus == "" {
		if f.namespace != "" || f.selector != "" || len(f.headers) > 0 {
			return p, fmt.Errorf("--namespace, --selector and --prometheus-header say how a Prometheus server is asked: give --prometheus URL too")
		}
		return p, nil
	}
	var err error
	if p.URL, err = readURL(env, "--prometheus", f.prometheus); err != nil {
		return p, err
	}
	p.Header, err = queryHeaders(env, f.headers)
	return p, err
}

func (f *metricFlags) metrics(env *Env) (bench.Metrics, error) {
	if slices.Contains(f.engine, "none") {
		if len(f.engine)+len(f.gpu)+len(f.node) > 1 || f.prometheus != "" {
			return bench.Metrics{}, fmt.Errorf("--metrics none asks for no metrics at all: give it alone, or leave it out")
		}
		return bench.Metrics{None: true}, nil
	}
	var m bench.Metrics
	var err error
	if m.Prometheus, err = f.server(env); err != nil {
		return m, err
	}
	for _, of := range []struct {
		flag  string
		typed []string
		to    *[]string
	}{{"--metrics", f.engine, &m.Engine}, {"--dcgm", f.gpu, &m.GPU}, {"--node", f.node, &m.Node}} {
		for _, typed := range of.typed {
			u, err := readURL(env, of.flag, typed)
			if err != nil {
				return m, err
			}
			*of.to = append(*of.to, u)
		}
	}
	return m, nil
}

// readURL is the URL that a flag says: as typed, or from a variable or a file
// where it holds a secret.
func readURL(env *Env, flag, typed string) (string, error) {
	raw, secret, err := secretFrom(env, flag, typed)
	if err != nil {
		return "", err
	}
	if !secret {
		raw = typed
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%s: it is a URL such as http://localhost:8000/metrics", flag) // its words may hold a key
	case u.User != nil && !secret:
		return "", fmt.Errorf("%s: credentials are not taken from the command line, where process lists show them: give %s env:VARIABLE or file:PATH with the whole URL", flag, flag)
	}
	return raw, nil
}
