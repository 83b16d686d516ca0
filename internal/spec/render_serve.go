package spec

import (
	"time"

	"go.yaml.in/yaml/v4"
)

// Names of choices in render.serve.
const (
	AutoscaleHPA  = "hpa"
	AutoscaleKEDA = "keda"
	None          = "none"

	ByLoadBalancerNLB = "nlb"
	ByLoadBalancerALB = "alb"
)

// RenderServe is how a model is served.
type RenderServe struct {
	Image        string   // of the engine; empty: vLLM's of the plan's version
	Model        string   // what the engine loads; empty: the plan's
	ServedName   string   // under which clients ask for it; empty: the model
	Replicas     int      // 0: the plan's
	MaxReplicas  int      // of the autoscaler; 0: twice the replicas
	Capacity     []string // spot, on-demand, reserved; empty: the plan's
	PreStop      time.Duration
	Shutdown     time.Duration // for running requests to end; 0: by the run, or a default
	StartTimeout time.Duration // 0: by what the start takes
	Autoscale    string        // hpa, keda, none; empty: hpa where a level is known
	Target       float64       // requests in flight of one replica to scale at; 0: the run's, or the plan's
	Prometheus   string        // its address within the cluster, for KEDA
	LoadBalancer string        // nlb, alb, none; empty: none
	Gateway      string        // name of the Gateway whose route and pool are written; empty: none
	Weights      string        // where they lie: pvc, hub; empty: a claim of render.storage where one is written, else hub
	Claim        string        // with pvc: its name
	TokenSecret  string        // the Secret with the token of the model hub; empty: none, or that of render.secrets
	Args         []string      // of the engine besides
}

func (r *reader) renderServe(n *yaml.Node, s *RenderServe) {
	const at = "render.serve."
	r.mapping(n, "render.serve", fields{
		"image":         func(v *yaml.Node) { s.Image = r.matching(v, at+"image", imageName) },
		"model":         func(v *yaml.Node) { s.Model = r.str(v, at+"model") },
		"served_name":   func(v *yaml.Node) { s.ServedName = r.str(v, at+"served_name") },
		"replicas":      func(v *yaml.Node) { s.Replicas = r.integer(v, at+"replicas", 1) },
		"max_replicas":  func(v *yaml.Node) { s.MaxReplicas = r.integer(v, at+"max_replicas", 1) },
		"capacity":      func(v *yaml.Node) { s.Capacity = r.someOf(v, at+"capacity", Capacities) },
		"pre_stop":      func(v *yaml.Node) { s.PreStop = r.duration(v, at+"pre_stop") },
		"shutdown":      func(v *yaml.Node) { s.Shutdown = r.duration(v, at+"shutdown") },
		"start_timeout": func(v *yaml.Node) { s.StartTimeout = r.duration(v, at+"start_timeout") },
		"autoscale": func(v *yaml.Node) {
			s.Autoscale = r.oneOf(v, at+"autoscale", []string{AutoscaleHPA, AutoscaleKEDA, None})
		},
		"target":     func(v *yaml.Node) { s.Target = r.number(v, at+"target", 1) },
		"prometheus": func(v *yaml.Node) { s.Prometheus = r.str(v, at+"prometheus") },
		"load_balancer": func(v *yaml.Node) {
			s.LoadBalancer = r.oneOf(v, at+"load_balancer", []string{ByLoadBalancerNLB, ByLoadBalancerALB, None})
		},
		"gateway":      func(v *yaml.Node) { s.Gateway = r.label(v, at+"gateway", mostLabel) },
		"weights":      func(v *yaml.Node) { s.Weights = r.oneOf(v, at+"weights", []string{"pvc", "hub"}) },
		"claim":        func(v *yaml.Node) { s.Claim = r.label(v, at+"claim", mostLabel) },
		"token_secret": func(v *yaml.Node) { s.TokenSecret = r.label(v, at+"token_secret", mostLabel) },
		"args": func(v *yaml.Node) {
			each(v, func(item *yaml.Node) { s.Args = append(s.Args, r.str(item, at+"args")) })
		},
	})
	if s.MaxReplicas > 0 && s.Replicas > s.MaxReplicas {
		r.errorf(n, "render.serve.replicas %d are more than max_replicas %d", s.Replicas, s.MaxReplicas)
	}
}

// Capacities are the kinds that Karpenter launches.
var Capacities = []string{"spot", "on-demand", "reserved"}

// someOf reads a list of known words, each once.
func (r *reader) someOf(n *yaml.Node, what string, known []string) (out []string) {
	seen := map[string]bool{}
	each(n, func(item *yaml.Node) {
		v := r.oneOf(item, what, known)
		if v != "" && !seen[v] {
			out = append(out, v)
		}
		seen[v] = true
	})
	return out
}
