package manifest

import (
	"fmt"
	"time"

	"assay/internal/facts"
	"assay/internal/plan/coldstart"
	"assay/internal/practice"
	"assay/internal/spec"
)

// ofEngine are the phases that a startup probe waits for: those within the container.
var ofEngine = map[string]bool{coldstart.Fetch: true, coldstart.Reads: true, coldstart.Load: true, coldstart.Init: true, coldstart.Compile: true, coldstart.Graphs: true}

// resolveStart settles how long a start may take.
func (s *server) resolveStart() {
	if given := s.Spec.Serve.StartTimeout; given > 0 {
		s.startup = practice.Startup(given / 2)
		s.starts = "as render.serve.start_timeout says"
		return
	}
	slow, from, ok := s.slowStart()
	s.startup = practice.Startup(slow)
	if !ok {
		s.starts = "how long a start takes could not be computed: patient, since an engine that fails exits by itself"
		return
	}
	s.starts = fmt.Sprintf("%s is how long weights from %s, the engine and its graphs take at the slow end (assay plan coldstart); twice that, at least 10 minutes", seconds(slow), s.sourceOf(from))
}

// slowStart is the time within the container at the slow end of what is known.
func (s *server) slowStart() (slow time.Duration, from coldstart.From, ok bool) {
	from = s.weightsFrom()
	os := coldstart.AL2023
	if s.Spec.NodePool.OS == spec.Bottlerocket {
		os = coldstart.Bottlerocket
	}
	r, err := coldstart.Plan(coldstart.Request{Image: int64(facts.VLLMImage.Value), Weights: max(s.Plan.Memory.Weights/int64(s.nodes), 1), Instance: s.instance, From: from, OS: os})
	if err != nil || len(r.Options) == 0 {
		return 0, from, false
	}
	for _, p := range r.Options[0].Phases {
		if ofEngine[p.Name] {
			slow += time.Duration(p.Seconds.High * float64(time.Second))
		}
	}
	return slow.Round(time.Second), from, slow > 0 && slow < 12*time.Hour
}

// sourceOf is what the weights come from, in words.
func (s *server) sourceOf(from coldstart.From) string {
	name := map[coldstart.From]string{coldstart.S3: "S3", coldstart.EBS: "EBS", coldstart.EFS: "EFS", coldstart.FSx: "FSx"}[from]
	switch {
	case s.weights.claim == "":
		return "the hub, taken to be as fast as " + name
	case s.weights.kind == "":
		return "the claim " + s.weights.claim + ", taken to be as fast as " + name
	}
	return name
}

func (s *server) weightsFrom() coldstart.From {
	switch s.weights.kind {
	case spec.OnEBS:
		return coldstart.EBS
	case spec.OnEFS:
		return coldstart.EFS
	case spec.OnFSx:
		return coldstart.FSx
	}
	return coldstart.S3 // the hub serves from a store of objects, too
}

// probes are those of a container that serves.
func (s *server) probes() object {
	health := object{{"path", "/health", ""}, {"port", "http", ""}}
	probe := func(p practice.Probe, failures string) object {
		return object{
			{"httpGet", health, ""},
			{"periodSeconds", int(p.Period.Seconds()), ""},
			{"timeoutSeconds", int(p.Timeout.Seconds()), ""},
			{"failureThreshold", p.Failures, failures},
		}
	}
	return object{
		{"startupProbe", probe(s.startup, fmt.Sprintf("%.0f minutes: %s", s.startup.Span().Minutes(), s.starts)), "the other probes wait for it"},
		{"readinessProbe", probe(practice.Readiness, ""), "/health says whether the engine lives; it stays 200 while it drains, which is why preStop sleeps"},
		{"livenessProbe", probe(practice.Liveness, fmt.Sprintf("%.0f minutes: an engine that is busy is not dead, and a restart costs a start and every running request", practice.Liveness.Span().Minutes())), ""},
	}
}
