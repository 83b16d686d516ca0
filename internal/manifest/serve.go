package manifest

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/plan"
	"assay/internal/practice"
	"assay/internal/spec"
)

// Serve writes vLLM as the plan's option lays it out: a Deployment, or a LeaderWorkerSet
// where a replica spans nodes, with its Service, disruption budget and autoscaler, and on
// request a load balancer and the objects of a Gateway.
func Serve(in Input) ([]Written, error) {
	s, err := in.server()
	if err != nil {
		return nil, err
	}
	all := []Written{s.workload()}
	all = append(all, s.service()...)
	all = append(all, s.disruptionBudget())
	all = append(all, s.autoscaler()...)
	all = append(all, s.gateway()...)
	all[0].Remarks = s.remarks // all have spoken
	return all, nil
}

// server is the service as it is written: what the plan says, what the user says, and
// what follows from both.
type server struct {
	Input
	instance facts.Instance
	resource string // under which its accelerators are asked for
	each     int    // accelerators of one pod
	onNode   int    // pods of the service that one node holds
	nodes    int    // that one replica spans
	capacity []string
	image    string
	version  practice.VLLM // zero: not known
	home     string        // of the user that the engine runs as
	model    string        // what the engine loads
	called   string        // what clients ask for
	replicas int
	drain    practice.Drain
	response string // what the drain rests on
	startup  practice.Probe
	starts   string // what the startup probe rests on
	weights  weights
	remarks  []string
}

// server resolves what is written.
func (in Input) server() (*server, error) {
	if in.Option == nil {
		return nil, &plan.UsageError{What: "there is no plan of what to serve", Way: "give --plan with what assay plan serve -o json wrote, or -f with model, workload.isl, osl and concurrency"}
	}
	o := in.Option
	instance, err := facts.InstanceNamed(o.Instance)
	if err != nil {
		return nil, err
	}
	s := &server{Input: in, instance: instance, nodes: o.PP, replicas: cmp.Or(in.Spec.Serve.Replicas, o.Replicas)}
	s.resource, _ = karpenter.Resource(instance)
	if s.each = o.TP * o.DP; s.each > instance.Count || s.resource == "" {
		return nil, fmt.Errorf("option %s asks %d accelerators of %s, which offers %d", o.ID, s.each, instance.Name, instance.Count)
	}
	s.onNode = 1
	if s.nodes == 1 {
		s.onNode = min(instance.Count/s.each, s.replicas)
	}
	for _, step := range []func() error{s.resolveEngine, s.resolveModel, s.resolveCapacity, s.resolveWeights} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	s.checkNodes()
	s.checkWeights()
	s.checkRun()
	s.resolveDrain()
	s.resolveStart()
	return s, nil
}

func (s *server) remark(format string, args ...any) {
	s.remarks = append(s.remarks, fmt.Sprintf(format, args...))
}

// rootless is the first version of whose image it is read that it can run as the user
// vllm: vLLM's deployment documents of 0.26 (UID 2000, GID 0; pull request 40275, merged
// in May 2026; read 2026-11-30).
var rootless = practice.VLLM{Major: 0, Minor: 26}

// resolveEngine settles image and version.
func (s *server) resolveEngine() error {
	engine, version, _ := strings.Cut(s.Plan.Request.Engine, "@")
	if engine != "vllm" {
		return &plan.UsageError{What: fmt.Sprintf("the plan is for %s: what is rendered runs vLLM", s.Plan.Request.Engine), Way: "plan with --engine vllm"}
	}
	if strings.Count(version, ".") == 1 {
		version += ".0"
	}
	s.image = s.Spec.Serve.Image
	switch {
	case s.image != "":
	case s.resource != "nvidia.com/gpu":
		s.image = unset("serve.image")
		s.remark("%s runs vLLM by %s's own build of it: give its image (render.serve.image)%s", s.Option.GPU.Name, s.Option.GPU.Vendor, s.onGPUs())
	default:
		s.image = "vllm/vllm-openai:v" + version
	}
	s.version, _ = practice.VLLMImage(s.image)
	s.home = "/root"
	if s.ownUser() {
		s.home = "/home/vllm"
	}
	return nil
}

// onGPUs names the first option on NVIDIA's GPUs, where the plan has one.
func (s *server) onGPUs() string {
	i := slices.IndexFunc(s.Plan.Options, func(o plan.Option) bool { return o.GPU.Vendor == "NVIDIA" })
	if i < 0 {
		return ""
	}
	return "; the plan's first on GPUs is --option " + s.Plan.Options[i].ID
}

// ownUser says that the image has the user vllm.
func (s *server) ownUser() bool {
	return practice.IsVLLMImage(s.image) && s.version.Known() && s.version.Compare(rootless) >= 0
}

// has says that the image's version takes a flag. Of an image that is not known the plan's
// version counts.
func (s *server) has(flag string) bool {
	v := s.version
	if !v.Known() {
		v, _ = practice.VLLMImage("vllm/vllm-openai:v" + strings.TrimPrefix(s.Plan.Request.Engine, "vllm@"))
	}
	p, _ := practice.VLLMFlag(v, flag)
	return p == practice.Present || p == practice.Unjudged
}

// resolveModel settles what is loaded and under which name it is asked for.
func (s *server) resolveModel() error {
	m := s.Plan.Model
	s.model = s.Spec.Serve.Model
	if s.model == "" && m.From == "known model" {
		s.model = m.Serve
	}
	if s.model == "" {
		s.model = unset("serve.model")
		s.remark("the plan is of a %s, which no pod can load: say what the engine loads (render.serve.model), a model of the hub or a path in its volume", m.From)
	}
	s.called = cmp.Or(s.Spec.Serve.ServedName, s.model)
	return nil
}

// resolveCapacity settles the kinds of capacity, in Karpenter's order of preference.
func (s *server) resolveCapacity() error {
	asked := s.Spec.Serve.Capacity
	if len(asked) == 0 {
		asked = s.Spec.NodePool.Capacity
	}
	if len(asked) == 0 {
		switch s.Plan.Request.Capacity {
		case plan.Spot:
			asked = []string{facts.Spot}
		case plan.Any:
			asked = []string{facts.Spot, facts.OnDemand}
		default:
			asked = []string{facts.OnDemand}
		}
	}
	for _, c := range []string{"reserved", facts.Spot, facts.OnDemand} {
		if slices.Contains(asked, c) {
			s.capacity = append(s.capacity, c)
		}
	}
	if s.onSpot() && s.nodes > 1 {
		s.remark("a replica spans %d nodes: a Spot interruption of one of them ends the whole replica", s.nodes)
	}
	return nil
}

func (s *server) onSpot() bool { return slices.Contains(s.capacity, facts.Spot) }

// balanced says that a load balancer leads to the pods.
func (s *server) balanced() bool {
	lb := s.Spec.Serve.LoadBalancer
	return lb != "" && lb != spec.None
}

// resolveDrain settles how pods end.
func (s *server) resolveDrain() {
	var responses practice.Responses
	s.response = "how long responses take was not measured (--from RUN)"
	if m := s.Measured; m != nil && m.Response > 0 {
		responses, s.response = m.Responses(), saidOf(m)
	}
	if s.balanced() {
		s.drain = practice.DrainBehind(responses, s.onSpot())
		s.drain.PreStop = cmp.Or(s.Spec.Serve.PreStop, s.drain.PreStop)
	} else {
		s.drain = practice.DrainFor(cmp.Or(s.Spec.Serve.PreStop, practice.DefaultPreStop), responses, s.onSpot())
	}
	if s.Spec.Serve.Shutdown > 0 {
		s.drain.Shutdown, s.drain.Wanted = s.Spec.Serve.Shutdown, s.Spec.Serve.Shutdown
		s.drain.Cut = s.drain.Shutdown < responses.Usual
	}
	if s.drain.Cut {
		s.remark("%s, and on Spot only %s are left for it within the notice of %s: longer responses are cut. Serve them from on-demand capacity (render.serve.capacity), or bound max_tokens", s.response, seconds(s.drain.Room()), seconds(practice.SpotNotice))
	} else if s.onSpot() && s.drain.Grace() > practice.SpotGrace {
		s.remark("a grace of %s does not end within Spot's notice of %s and the %s until it reaches the pod", seconds(s.drain.Grace()), seconds(practice.SpotNotice), seconds(practice.SpotLatency))
	}
	if !s.has("--shutdown-timeout") {
		s.remark("vLLM %s has no --shutdown-timeout: SIGTERM cuts running requests, which have the %s of preStop to end", s.version, seconds(s.drain.PreStop))
	}
}

// saidOf is what a run measured of whole responses, by the name of the figure.
func saidOf(m *practice.Measured) string {
	switch {
	case m.ResponseName == practice.Supported:
		return fmt.Sprintf("the p99 of a whole response is %s in run %s", seconds(m.Response), m.Run)
	case m.Response == m.Longest:
		return fmt.Sprintf("the maximum of a whole response is %s in run %s, which is too small for any percentile that counts", seconds(m.Longest), m.Run)
	}
	return fmt.Sprintf("the %s of a whole response is %s and the maximum %s in run %s, which is too small for a p99", m.ResponseName, seconds(m.Response), seconds(m.Longest), m.Run)
}

// checkNodes says where replicas share nodes in another way than the plan counts.
func (s *server) checkNodes() {
	if s.nodes > 1 || s.replicas < 2 || s.onNode < 2 {
		return
	}
	planned := (s.replicas + s.onNode - 1) / s.onNode
	switch shared := s.shared(); {
	case len(s.capacity) > 1 && shared > planned:
		s.remark("%s share the %d replicas, which takes %d nodes in place of the %d that the plan counts", strings.Join(s.capacity, " and "), s.replicas, shared, planned)
	case planned == 1:
		s.remark("one %s holds all %d replicas: when it fails, or is taken back, none is left. Smaller instances (--option), or more replicas (render.serve.replicas), stand on several nodes", s.instance.Name, s.replicas)
	}
}

// checkWeights says what the weights still want.
func (s *server) checkWeights() {
	switch w := s.weights; {
	case strings.HasPrefix(s.model, "unset-"):
	case w.claim != "":
		s.remark("the engine loads %s from claim %s: nothing here puts it there", w.path, w.claim)
	case w.secret == "" && !path.IsAbs(s.model):
		s.remark("no token of the hub is mounted: where %s is gated, name one (render.secrets.hugging_face or render.serve.token_secret)", s.model)
	}
}

// checkRun says where a run is not of what is served.
func (s *server) checkRun() {
	if s.Run == nil {
		return
	}
	if s.Run.Target.Simulated {
		s.remark("%s measured the simulated engine: drain and autoscaling rest on a model, not on your servers", s.Measured.Run)
	}
	if m := s.Measured.Model; m != "" && m != s.called && m != s.model {
		s.remark("%s measured %s, and what is served is %s", s.Measured.Run, m, s.called)
	}
	if prompt, answer, ok := s.measuredLengths(); ok && (apart(prompt, s.Plan.Request.ISL) || apart(answer, s.Plan.Request.OSL)) {
		s.remark("%s measured prompts of %.0f tokens and answers of %.0f, and %d and %d are planned for: drain and autoscaling are those of what was measured", s.Measured.Run, prompt, answer, s.Plan.Request.ISL, s.Plan.Request.OSL)
	}
}

// measuredLengths are the mean tokens of prompts and answers of the scenario that looked
// for the knee, else of the first level that shows them.
func (s *server) measuredLengths() (prompt, answer float64, ok bool) {
	for _, l := range s.Run.Levels {
		if sat := s.Run.Saturation; sat != nil && l.Scenario != sat.Scenario || l.Got.Prompt == nil || l.Got.Output == nil {
			continue
		}
		return *l.Got.Prompt, *l.Got.Output, true
	}
	return 0, 0, false
}

// apart says that one length is more than twice the other.
func apart(measured float64, planned int) bool {
	return planned > 0 && max(measured, float64(planned)) > 2*min(measured, float64(planned))
}

// seconds writes a duration as a reader of manifests does.
func seconds(d time.Duration) string {
	if d >= 10*time.Second || d%time.Second == 0 {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
