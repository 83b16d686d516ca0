package grid

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"assay/internal/manifest"
	"assay/internal/plan"
	"assay/internal/practice"
	"assay/internal/spec"
)

// Case is one service.
type Case struct {
	Name   string
	YAML   string // its assay.yaml
	Layout Layout
	From   bool // a run is given
}

// Layout is a plan's option of a shape that manifests differ by.
type Layout struct {
	Name string
	asked
	image string // where the engine's own does not run there
	nodes int
}

type asked struct {
	model, instance, option string
	concurrency             int
}

// Layouts of the grid: one GPU a replica, several replicas on a node, tensor parallel
// over one, two nodes, chips of AWS.
var Layouts = []Layout{
	{Name: "one-gpu", asked: asked{"llama-3.1-8b", "g6.xlarge", "g6.xlarge-tp1-x2", 32}, nodes: 2},
	{Name: "shared-node", asked: asked{"llama-3.1-8b", "g6.12xlarge", "", 200}, nodes: 2},
	{Name: "tensor", asked: asked{"qwen3-32b", "g6e.12xlarge", "", 64}, nodes: 2},
	{Name: "whole-node", asked: asked{"llama-3.3-70b", "p5.48xlarge", "", 32}, nodes: 1},
	{Name: "two-nodes", asked: asked{"llama-3.1-405b", "p5.48xlarge", "", 16}, nodes: 2},
	{Name: "neuron", asked: asked{"llama-3.1-8b", "inf2.xlarge", "", 32}, image: "registry.example/neuron/vllm:0.16.0-neuron2.29", nodes: 1},
}

// planned are the plans of the layouts, made once.
var planned = sync.OnceValues(func() (map[string]*plan.Result, error) {
	all := map[string]*plan.Result{}
	for _, l := range Layouts {
		r, err := plan.Serve(plan.Request{Asked: plan.Asked{
			Model: l.model, Instances: []string{l.instance}, Context: 8192, Concurrency: l.concurrency, ISL: 1000, OSL: 300,
		}})
		if err != nil {
			return nil, fmt.Errorf("plan of %s: %w", l.Name, err)
		}
		all[l.Name] = r
	}
	return all, nil
})

// Run is what a run measured, for cases that have one.
var Run = practice.Measured{
	Run: "20261130-091500", Response: 41 * time.Second, ResponseName: "p99", Longest: 52 * time.Second,
	Silence: 2300 * time.Millisecond, Operating: 24, KneeLow: 30,
}

// Parts that a case renders: those that its file names, serving and the node pool.
func (c Case) Parts() ([]string, error) {
	in, err := c.Input()
	return in.All(), err
}

// Input is what the case is written from.
func (c Case) Input() (manifest.Input, error) {
	plans, err := planned()
	if err != nil {
		return manifest.Input{}, err
	}
	s, err := spec.Parse(c.Name+".yaml", []byte(c.YAML))
	if err != nil {
		return manifest.Input{}, err
	}
	in := manifest.Input{Spec: s.Render, SLO: s.SLO, Plan: plans[c.Layout.Name]}
	if in.Option, err = in.Plan.Option(c.Layout.option); err != nil {
		return in, fmt.Errorf("%s: %w (%s)", c.Name, err, in.Plan.Verdict.Say)
	}
	if c.From {
		m := Run
		in.Measured = &m
	}
	return in, nil
}

// Render writes the case.
func (c Case) Render() ([]manifest.File, error) {
	in, err := c.Input()
	if err != nil {
		return nil, err
	}
	files, _, err := manifest.Render(in, in.All())
	return files, err
}

// place is a region with the zones that are named.
type place struct{ region, zones, clock string }

var places = []place{
	{"us-east-1", "[us-east-1a, us-east-1b]", "America/New_York"},
	{"eu-central-1", "[eu-central-1b]", "Europe/Berlin"},
	{"ap-southeast-2", "[ap-southeast-2a, ap-southeast-2b, ap-southeast-2c]", "Australia/Sydney"},
	{"ap-south-1", "", "Asia/Kolkata"},
}

var capacities = []string{"[on-demand]", "[spot]", "[spot, on-demand]", "[reserved, on-demand]", "[spot, on-demand, reserved]"}

var systems = []struct{ os, ami string }{{"al2023", "v20261120"}, {"bottlerocket", "1.55.0"}}

// storages are sections render.storage; empty: weights come from the hub.
var storages = []struct{ name, yaml string }{
	{"hub", ""},
	{"ebs", "    - {kind: ebs, size: 200Gi}\n"},
	{"efs", "    - {kind: efs, file_system: fs-0a1b2c3d, access_point: fsap-0a1b2c3d, size: 900Gi}\n"},
	{"fsx", "    - {kind: fsx, size: 2400Gi, subnet: subnet-0a1b2c3d, security_groups: [sg-0a1b2c3d], deployment: PERSISTENT_2, per_tib: 250}\n    - {kind: fsx, for: data, size: 1200Gi, subnet: subnet-0a1b2c3d, security_groups: [sg-0a1b2c3d], deployment: SCRATCH_2, import_path: s3://models-prod/data}\n"},
	{"s3", "    - {kind: s3, bucket: models-prod, prefix: llama/, size: 900Gi}\n"},
}

// Cases are all of the grid, in a stable order. Features that do not depend on each other
// take turns, each with a period of its own.
func Cases() []Case {
	var all []Case
	for _, l := range Layouts {
		for _, c := range capacities {
			for _, os := range systems {
				for _, st := range storages {
					if st.name == "ebs" && (l.nodes > 1 || l.Name == "shared-node") {
						continue // one node alone attaches it, and serving refuses it elsewhere
					}
					n := len(all)
					words := strings.NewReplacer("[", "", "]", "", ", ", "+").Replace(c)
					all = append(all, Case{
						Name:   fmt.Sprintf("g%03d-%s-%s-%s-%s", n, l.Name, words, os.os, st.name),
						YAML:   yamlOf(n, l, c, os.os, os.ami, st.yaml),
						Layout: l, From: n%2 == 1,
					})
				}
			}
		}
	}
	return all
}

func pick[T any](n int, of ...T) T { return of[n%len(of)] }

// yamlOf is the assay.yaml of the nth case. All that must be known is given.
func yamlOf(n int, l Layout, capacity, os, ami, storage string) string {
	var b strings.Builder
	at := places[n%len(places)]
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("slo: [ttft.p95<500ms, itl.p95<50ms]")
	line("render:")
	line("  name: g%03d", n)
	line("  namespace: llm")
	line("  cluster: prod")
	line("  region: %s", at.region)
	if at.zones != "" {
		line("  zones: %s", at.zones)
	}
	line("  time_zone: %s", at.clock)
	if n%3 == 0 {
		line("  labels: {team: search, cost-center: \"42\"}")
	}
	line("  serve:")
	line("    capacity: %s", capacity)
	line("    autoscale: %s", pick(n, "hpa", "keda", "none"))
	line("    prometheus: http://prometheus.monitoring.svc:9090")
	line("    load_balancer: %s", pick(n/2, "none", "nlb", "alb"))
	if n%5 == 0 {
		line("    gateway: inference")
	}
	if l.image != "" {
		line("    image: %s", l.image)
	}
	line("  nodepool:")
	line("    os: %s", os)
	line("    ami: %s", ami)
	line("    role: KarpenterNodeRole-prod")
	line("    capacity: %s", capacity)
	if strings.Contains(capacity, "reserved") {
		line("    reservations: [cr-0a1b2c3d4e5f]")
	}
	line("    business_hours: %s", pick(n, "true", "{days: mon-sat, from: \"07:30\", to: \"20:00\"}", "false"))
	line("    consolidation: %s", pick(n/3, "when-empty", "when-empty-or-underutilized"))
	line("    soci: %t", n%4 != 0)
	if os == "bottlerocket" && n%3 == 1 {
		line("    snapshot: snap-0a1b2c3d")
	}
	if n%6 == 1 {
		line("    prefetch: [vllm/vllm-openai:v0.32.0]")
	}
	if l.Name == "two-nodes" {
		line("    efa: %t", n%2 == 0)
		line("    placement_group: inference")
	}
	if storage != "" {
		line("  storage:\n%s", strings.TrimSuffix(storage, "\n"))
	}
	switch n % 4 {
	case 1:
		line("  secrets: {hugging_face: models/hub-token, account: \"123456789012\"}")
	case 3:
		line("  secrets: {hugging_face: {secret: models/keys, property: hub}, ngc: models/ngc, auth: irsa, account: \"123456789012\", oidc_provider: oidc.eks.%s.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF, kms_key: arn:aws:kms:%s:123456789012:key/1a2b3c4d-0000-4000-8000-000000000000}", at.region, at.region)
	}
	if n%35 == 0 { // its dashboards are large, and the same for all
		line("  monitoring: {release_label: prometheus, dcgm_namespace: gpu-operator}")
	}
	if n%6 == 4 {
		line("  train: {kind: %s, image: registry.example/train:1.2.3, command: [train.py, --config, c.yaml], instance: %s, nodes: %d, capacity: %s, checkpoints: shared, queue: research, quota: 8}",
			pick(n/6, "jobset", "pytorchjob"), pick(n/12, "p5.48xlarge", "p4d.24xlarge", "g6e.12xlarge"), pick(n/18, 2, 4, 1), pick(n/6, "on-demand", "reserved"))
	}
	if n%5 == 2 {
		line("  bench: {image: registry.example/assay:1.0.0, scenarios: [baseline, saturation]}")
	}
	return b.String()
}
