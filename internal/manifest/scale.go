package manifest

import (
	"cmp"
	"fmt"
	"math"

	"assay/internal/spec"
)

// Metrics of an engine that say its load. Never a latency: a server that hangs has none.
const (
	runningMetric = "vllm:num_requests_running"
	waitingMetric = "vllm:num_requests_waiting"
	// inFlightMetric is their sum, as a custom metric of pods is called.
	inFlightMetric = "vllm_requests_in_flight"
)

// scaled says that the number of replicas is an autoscaler's.
func (s *server) scaled() bool {
	how, level, _ := s.scaling()
	return how != spec.None && level > 0
}

// scaling is how replicas are added, at which load of each, and where that is from.
func (s *server) scaling() (how string, level int, from string) {
	how = cmp.Or(s.Spec.Serve.Autoscale, spec.AutoscaleHPA)
	if s.Spec.Serve.MaxReplicas == s.replicas || how == spec.None {
		return spec.None, 0, ""
	}
	at, from := s.operating()
	return how, int(math.Floor(at)), from
}

// operating is the load of one replica, in requests in flight, that it is meant to bear.
func (s *server) operating() (float64, string) {
	if t := s.Spec.Serve.Target; t > 0 {
		return t, "as render.serve.target says"
	}
	if m := s.Measured; m != nil && m.Operating >= 1 {
		return m.Operating, fmt.Sprintf("the operating point of run %s: the largest load that met the SLO, %.3g requests in flight", m.Run, m.Operating)
	}
	o := s.Option
	load, what := float64(o.Load.Concurrency), "the load of one replica in the plan"
	if o.Load.Rate != nil {
		load, what = *o.Load.Rate*o.Predicted.E2E.Mid/1000, "the plan's rate for one replica times the predicted length of a response"
	}
	if k := o.Predicted.Knee; k != nil {
		if most := 0.8 * k.Low / float64(o.Replicas); most >= 1 && load > most {
			load, what = most, "0.8 of the knee that is predicted of one replica"
		}
	}
	return load, fmt.Sprintf("%s, %.3g requests in flight: predicted, not measured (--from RUN)", what, load)
}

func (s *server) most() int { return cmp.Or(s.Spec.Serve.MaxReplicas, 2*s.replicas) }

// ceiling is the most replicas there may be.
func (s *server) ceiling() int {
	if s.scaled() {
		return s.most()
	}
	return s.replicas
}

// autoscaler adds replicas by requests in flight.
func (s *server) autoscaler() []Written {
	how, level, from := s.scaling()
	switch {
	case how == spec.None:
		return nil
	case level < 1:
		return nil
	case how == spec.AutoscaleKEDA:
		return []Written{s.scaledObject(level, from)}
	}
	return s.podAutoscaler(level, from)
}

func (s *server) scaleTarget() object {
	if s.nodes > 1 {
		return object{{"apiVersion", "leaderworkerset.x-k8s.io/v1", ""}, {"kind", "LeaderWorkerSet", ""}, {"name", s.workloadName(), ""}}
	}
	return object{{"apiVersion", "apps/v1", ""}, {"kind", "Deployment", ""}, {"name", s.name(), ""}}
}

// behavior is slow to take replicas away: each took minutes to come.
func (s *server) behavior() object {
	return object{
		{"scaleUp", object{{"stabilizationWindowSeconds", 30, "two scrapes: a burst of one is none"}, {"policies", []object{{{"type", "Percent", ""}, {"value", 100, ""}, {"periodSeconds", 60, ""}}}, ""}}, ""},
		{"scaleDown", object{{"stabilizationWindowSeconds", 600, "a replica that goes takes minutes to come back"}, {"policies", []object{{{"type", "Pods", ""}, {"value", 1, ""}, {"periodSeconds", 120, ""}}}, "each drains first"}}, ""},
	}
}

func (s *server) whyLevel(from string) string {
	return "requests running and waiting of each replica; " + from
}

func (s *server) podAutoscaler(level int, from string) []Written {
	rule := Written{Name: s.name() + "-prometheus-adapter.yaml", Beside: []byte(s.adapterRule())}
	return []Written{{
		Name: s.name() + "-horizontalpodautoscaler.yaml",
		Head: fmt.Sprintf("Replicas by requests in flight. The metric %s is served by prometheus-adapter, whose rule is beside: %s.", inFlightMetric, rule.Name),
		Object: object{
			{"apiVersion", "autoscaling/v2", ""},
			{"kind", "HorizontalPodAutoscaler", ""},
			{"metadata", s.meta(s.name()), ""},
			{"spec", object{
				{"scaleTargetRef", s.scaleTarget(), ""},
				{"minReplicas", s.replicas, s.whyReplicas()},
				{"maxReplicas", s.most(), s.whyMost()},
				{"metrics", []object{{
					{"type", "Pods", "of latency it would learn nothing when the server hangs"},
					{"pods", object{
						{"metric", object{{"name", inFlightMetric, ""}}, ""},
						{"target", object{{"type", "AverageValue", ""}, {"averageValue", fmt.Sprint(level), s.whyLevel(from)}}, ""},
					}, ""},
				}}, ""},
				{"behavior", s.behavior(), ""},
			}, ""},
		},
		Remarks: []string{fmt.Sprintf("the HorizontalPodAutoscaler needs prometheus-adapter with the rule of %s (helm upgrade --values)", rule.Name)},
	}, rule}
}

func (s *server) whyMost() string {
	if s.Spec.Serve.MaxReplicas > 0 {
		return ""
	}
	return "twice the least (render.serve.max_replicas)"
}

// adapterRule is a value of prometheus-adapter's chart. The series are kept apart by pod,
// so that each replica has its own sum.
func (s *server) adapterRule() string {
	return fmt.Sprintf(`# Values for the chart prometheus-adapter: the load of each pod, for the HorizontalPodAutoscaler %s.
rules:
  custom:
    - seriesQuery: '%s{namespace!="",pod!=""}'
      resources:
        overrides:
          namespace: {resource: namespace}
          pod: {resource: pod}
      name:
        as: %s
      metricsQuery: 'sum by (<<.GroupBy>>) (%s{<<.LabelMatchers>>}) + sum by (<<.GroupBy>>) (%s{<<.LabelMatchers>>})'
`, s.name(), runningMetric, inFlightMetric, runningMetric, waitingMetric)
}

func (s *server) scaledObject(level int, from string) Written {
	address := cmp.Or(s.Spec.Serve.Prometheus, unset("serve.prometheus"))
	return Written{
		Name: s.name() + "-scaledobject.yaml",
		Head: "Replicas by requests in flight, by KEDA.",
		Object: object{
			{"apiVersion", "keda.sh/v1alpha1", ""},
			{"kind", "ScaledObject", ""},
			{"metadata", s.meta(s.name()), ""},
			{"spec", object{
				{"scaleTargetRef", s.scaleTarget(), ""},
				{"minReplicaCount", s.replicas, s.whyReplicas()},
				{"maxReplicaCount", s.most(), s.whyMost()},
				{"pollingInterval", 15, "as often as the engine is scraped"},
				{"fallback", object{{"failureThreshold", 4, ""}, {"replicas", s.replicas, ""}}, "what is kept when Prometheus does not answer"},
				{"advanced", object{{"horizontalPodAutoscalerConfig", object{{"behavior", s.behavior(), ""}}, ""}}, ""},
				{"triggers", []object{{
					{"type", "prometheus", ""},
					{"metricType", "AverageValue", ""},
					{"metadata", object{
						{"serverAddress", address, ""},
						{"query", s.inFlightQuery(), "running and waiting; of latency it would learn nothing when the server hangs"},
						{"threshold", fmt.Sprint(level), s.whyLevel(from)},
						{"ignoreNullValues", "false", "no answer is no load of 0"},
					}, ""},
				}}, ""},
			}, ""},
		},
	}
}

// inFlightQuery is the load of all replicas.
func (s *server) inFlightQuery() string {
	matchers := fmt.Sprintf("model_name=%q", s.called)
	if n := s.Spec.Namespace; n != "" {
		matchers = fmt.Sprintf("namespace=%q,", n) + matchers
	}
	return fmt.Sprintf("sum(%s{%s}) + sum(%s{%s})", runningMetric, matchers, waitingMetric, matchers)
}
