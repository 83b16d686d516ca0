package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"assay/internal/bench"
)

// metricFlags say where the server's account of itself is to be had.
type metricFlags struct {
	engine, gpu, node []string
	prometheus        prometheusFlags
}

func (f *metricFlags) add(p *pflag.FlagSet) {
	p.StringArrayVar(&f.engine, "metrics", nil, "URL of the engine's Prometheus metrics, env:VARIABLE or file:PATH with one; once for each replica (default: where the engine has them beside the target; none: ask for no metrics)")
	p.StringArrayVar(&f.gpu, "dcgm", nil, "URL of dcgm-exporter's metrics on the target's node, such as http://node:9400/metrics, or env:, file:; repeatable")
	p.StringArrayVar(&f.node, "node", nil, "URL of metrics of the target's node: node exporter, cAdvisor, Neuron or EFA, or env:, file:; repeatable")
	f.prometheus.add(p, "URL of a Prometheus server to ask for what it recorded of the target's replicas, GPUs and nodes, in place of scraping them, or env:, file:; it scrapes seldom, so hold levels for minutes", "")
}

// server is the Prometheus server that the flags name.
func (f *metricFlags) server(env *Env) (bench.Prometheus, error) {
	asked := f.prometheus
	p := bench.Prometheus{Namespace: asked.namespace, Selector: asked.selector}
	if asked.url == "" {
		if asked.namespace != "" || asked.selector != "" || len(asked.headers) > 0 {
			return p, fmt.Errorf("--namespace, --selector and --prometheus-header say how a Prometheus server is asked: give --prometheus URL too")
		}
		return p, nil
	}
	u, err := readURL(env, "--prometheus", asked.url, "")
	if err != nil {
		return p, err
	}
	p.URL = u.String()
	p.Header, err = asked.header(env)
	return p, err
}

func (f *metricFlags) metrics(env *Env) (bench.Metrics, error) {
	if slices.Contains(f.engine, "none") {
		if len(f.engine)+len(f.gpu)+len(f.node) > 1 || f.prometheus.url != "" {
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
			u, err := readURL(env, of.flag, typed, "/metrics")
			if err != nil {
				return m, err
			}
			*of.to = append(*of.to, u.String())
		}
	}
	return m, nil
}
