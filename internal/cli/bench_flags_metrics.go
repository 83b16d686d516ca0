package cli

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/spf13/pflag"

	"assay/internal/bench"
)

// metricFlags say where the server's account of itself is to be had.
type metricFlags struct{ engine, gpu, node []string }

func (f *metricFlags) add(p *pflag.FlagSet) {
	p.StringArrayVar(&f.engine, "metrics", nil, "URL of the engine's Prometheus metrics, env:VARIABLE or file:PATH with one; once for each replica (default: where the engine has them beside the target; none: ask for no metrics)")
	p.StringArrayVar(&f.gpu, "dcgm", nil, "URL of dcgm-exporter's metrics on the target's node, such as http://node:9400/metrics, or env:, file:; repeatable")
	p.StringArrayVar(&f.node, "node", nil, "URL of metrics of the target's node: node exporter, cAdvisor, Neuron or EFA, or env:, file:; repeatable")
}

func (f *metricFlags) metrics(env *Env) (bench.Metrics, error) {
	if slices.Contains(f.engine, "none") {
		if len(f.engine)+len(f.gpu)+len(f.node) > 1 {
			return bench.Metrics{}, fmt.Errorf("--metrics none asks for no metrics at all: give it alone, or leave it out")
		}
		return bench.Metrics{None: true}, nil
	}
	var m bench.Metrics
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
