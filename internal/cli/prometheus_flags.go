package cli

import (
	"errors"
	"net/http"
	"strings"

	"github.com/spf13/pflag"

	"assay/internal/wire"
)

// prometheusFlags say which Prometheus server is asked, and for what.
type prometheusFlags struct {
	url, namespace, selector string
	headers                  []string
}

// add adds the flags; short is the shorthand of --namespace, empty where another
// flag has it.
func (f *prometheusFlags) add(p *pflag.FlagSet, what, short string) {
	p.StringVar(&f.url, "prometheus", "", what)
	p.StringArrayVar(&f.headers, "prometheus-header", nil, "header of each query, NAME=VALUE; a secret as NAME=env:VARIABLE or NAME=file:PATH; repeatable")
	p.StringVarP(&f.namespace, "namespace", short, "", "Kubernetes namespace of the service (default: all)")
	p.StringVar(&f.selector, "selector", "", `with --prometheus: more label matchers of the engine's series, such as 'app="vllm"'`)
}

// header reads --prometheus-header.
func (f *prometheusFlags) header(env *Env) (http.Header, error) {
	headers, err := readHeaders(env, f.headers)
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), "--header", "--prometheus-header"))
	}
	return wire.SentHeaders(headers), nil
}
