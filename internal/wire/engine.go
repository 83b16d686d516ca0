package wire

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// account is what servers say of themselves, at different paths.
type account struct {
	Version      string `json:"version"`
	BuildInfo    string `json:"build_info"`       // llama.cpp
	ModelID      string `json:"model_id"`         // TGI
	MaxTotal     int    `json:"max_total_tokens"` // TGI: prompt and answer
	Router       string `json:"router"`           // TGI
	TPSize       int    `json:"tp_size"`          // SGLang
	ServerArgs   any    `json:"server_args"`      // SGLang, newer
	RequestsMost int    `json:"max_running_requests"`
}

// engines is how each is told: by the owner that its models have, else by an
// answer that only it gives. Names are those of telemetry's catalogue. Facts: the
// engines' sources and answers, 2026.
var engines = []struct {
	name   string
	owner  string   // owned_by in /v1/models
	paths  []string // where it says its version; the first that answers
	unique func(account) bool
}{
	{"vllm", "vllm", []string{"/version"}, nil},
	{"sglang", "sglang", []string{"/server_info", "/get_server_info"}, func(a account) bool {
		return a.Version != "" && (a.TPSize > 0 || a.ServerArgs != nil || a.RequestsMost > 0)
	}},
	{"tensorrt-llm", "tensorrt_llm", []string{"/version"}, nil},
	{"llama.cpp", "llamacpp", []string{"/props"}, func(a account) bool { return a.BuildInfo != "" }},
	{"lmdeploy", "lmdeploy", nil, nil},
	{"ollama", "", []string{"/api/version"}, func(a account) bool { return a.Version != "" }},
	{"tgi", "", []string{"/info"}, account.isTGI},
}

func (a account) isTGI() bool { return a.ModelID != "" && (a.MaxTotal > 0 || a.Router != "") }

// askedOf bounds each question for the server's name: a run must not wait long
// for what it can do without.
const askedOf = 5 * time.Second

// Engine asks what software serves the endpoint; empty strings mean not known.
func (c *Client) Engine(ctx context.Context, models []Model) (name, version string) {
	for _, e := range engines {
		for _, m := range models {
			if e.owner != "" && m.OwnedBy == e.owner {
				name = e.name
			}
		}
	}
	if name == "" || name == "vllm" { // the simulated engine has vLLM's answers, and its name in a header
		a, header, err := c.account(ctx, "/version")
		switch {
		case strings.HasPrefix(header.Get("Server"), simulator):
			return simulator, a.Version
		case name == "vllm":
			return name, a.Version
		case unreachable(err):
			return "", ""
		}
		version = a.Version
	}
	for _, e := range engines {
		if name != "" && e.name != name || name == "" && e.unique == nil {
			continue
		}
		for _, path := range e.paths {
			a, _, err := c.account(ctx, path)
			if unreachable(err) {
				return name, version
			}
			if err == nil && (name != "" || e.unique(a)) {
				return e.name, a.version()
			}
		}
	}
	return name, version
}

// simulator is how the simulated engine calls itself.
const simulator = "assay-sim"

func (a account) version() string {
	if a.BuildInfo != "" {
		return a.BuildInfo
	}
	return a.Version
}

func (c *Client) account(ctx context.Context, path string) (account, http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, askedOf)
	defer cancel()
	var a account
	header, err := c.ask(ctx, http.MethodGet, path, nil, &a)
	if err != nil {
		return account{}, header, err
	}
	a.Version, a.BuildInfo = c.shown(a.Version, maxName), c.shown(a.BuildInfo, maxName)
	return a, header, nil
}
