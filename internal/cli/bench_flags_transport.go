package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"assay/internal/bench"
	"assay/internal/sigv4"
	"assay/internal/wire"
)

// transportFlags are the flags of how an endpoint is reached, as typed.
type transportFlags struct {
	headers, extra             []string
	caFile, cert, key, tlsName string
	insecure                   bool
	proxy                      string
	sigv4, region, http        string
}

func (f *transportFlags) add(p *pflag.FlagSet) {
	p.StringArrayVarP(&f.headers, "header", "H", nil, "header of each request, NAME=VALUE; a secret as NAME=env:VARIABLE or NAME=file:PATH; repeatable")
	p.StringArrayVar(&f.extra, "extra-body", nil, "more fields for each request's body: a JSON object, @FILE or NAME:VALUE; repeatable")
	p.StringVar(&f.caFile, "ca-file", "", "PEM file of certificate authorities to trust")
	p.BoolVar(&f.insecure, "insecure-skip-verify", false, "do not verify the server's certificate")
	p.StringVar(&f.cert, "cert", "", "PEM file of the client's certificate, for mutual TLS; with --key")
	p.StringVar(&f.key, "key", "", "PEM file of that certificate's key (an API key comes by --api-key-file)")
	p.StringVar(&f.tlsName, "server-name", "", "name that the server's certificate must hold (default: the target's host)")
	p.StringVar(&f.proxy, "proxy", "", "URL of a proxy, env:VARIABLE or file:PATH with one, or none (default: HTTPS_PROXY, HTTP_PROXY and NO_PROXY)")
	p.StringVar(&f.http, "http-version", wire.HTTP1, "1.1, or 2 (cleartext: by prior knowledge); 1.1 times what arrives more exactly")
	p.StringVar(&f.sigv4, "aws-sigv4", "", "sign requests for AWS: SERVICE, SERVICE/REGION, auto or none (default: auto at AWS's own hosts without a key)")
	p.StringVar(&f.region, "aws-region", "", "AWS region (default: the host's, else AWS_REGION, else the profile's)")
}

// endpoint is what the flags say, without URL, model, API and key.
func (f *transportFlags) endpoint(env *Env) (wire.Endpoint, error) {
	e := wire.Endpoint{CAFile: f.caFile, InsecureTLS: f.insecure, CertFile: f.cert, KeyFile: f.key, ServerName: f.tlsName, HTTPVersion: f.http}
	var err error
	if e.Headers, err = readHeaders(env, f.headers); err != nil {
		return e, err
	}
	if e.Extra, err = readExtraBody(f.extra); err != nil {
		return e, err
	}
	e.Proxies, err = f.proxies(env)
	return e, err
}

// typed are the flags that say something of an endpoint.
func (f *transportFlags) typed(p *pflag.FlagSet) []string {
	var names []string
	for _, name := range []string{"header", "extra-body", "ca-file", "insecure-skip-verify", "cert", "key", "server-name", "proxy", "http-version", "aws-sigv4", "aws-region"} {
		if p.Changed(name) {
			names = append(names, "--"+name)
		}
	}
	return names
}

// resolve finds what a target of AWS's stands for, and who signs for it.
func (f *transportFlags) resolve(ctx context.Context, env *Env, opt *bench.Options) error {
	w := sigv4.Wanted{Target: opt.Target, API: opt.API, Scope: f.sigv4, Region: f.region, Key: !opt.Key.IsZero() || opt.Reach.HasAuthorization()}
	var err error
	opt.Target, opt.API, opt.Reach.Signer, err = sigv4.Resolve(ctx, w, env.Getenv)
	return err
}

func (f *transportFlags) proxies(env *Env) (wire.Proxies, error) {
	if f.proxy == "" {
		return wire.ProxiesOf(env.Getenv), nil
	}
	if f.proxy == "none" {
		return wire.Proxies{}, nil
	}
	raw, secret, err := secretFrom(env, "--proxy", f.proxy)
	if err != nil {
		return wire.Proxies{}, err
	}
	if !secret {
		if raw = f.proxy; strings.Contains(raw, "@") {
			return wire.Proxies{}, fmt.Errorf("--proxy: the credentials of a proxy are not taken from the command line, where process lists show them: give --proxy env:VARIABLE or file:PATH with the whole URL, or set HTTPS_PROXY")
		}
	}
	p, err := wire.OneProxy(raw)
	if err != nil {
		return p, fmt.Errorf("--proxy: %w", err)
	}
	return p, nil
}
