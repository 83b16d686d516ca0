package manifest

import "fmt"

// workload is the Deployment, or the LeaderWorkerSet where a replica spans nodes.
func (s *server) workload() Written {
	if s.nodes > 1 {
		return Written{Name: s.name() + "-leaderworkerset.yaml", Head: s.head(), Object: s.leaderWorkerSet()}
	}
	return Written{Name: s.name() + "-deployment.yaml", Head: s.head(), Object: s.deployment()}
}

func (s *server) head() string {
	o := s.Option
	return fmt.Sprintf("vLLM with %s on %s: %s of the plan, for %s.", s.model, s.instance.Name, o.ID, loadOf(s.Input))
}

func (s *server) deployment() object {
	startup := int(s.startup.Span().Seconds())
	spec := s.replicated()
	return object{
		{"apiVersion", "apps/v1", ""},
		{"kind", "Deployment", ""},
		{"metadata", s.meta(s.name()), ""},
		{"spec", append(spec,
			field{"selector", object{{"matchLabels", s.selector(), ""}}, ""},
			field{"strategy", object{
				{"type", "RollingUpdate", ""},
				{"rollingUpdate", object{
					{"maxSurge", 1, "a new replica loads for minutes: an old one serves until then, which takes one replica's accelerators more for that time"},
					{"maxUnavailable", 0, ""},
				}, ""},
			}, ""},
			field{"progressDeadlineSeconds", startup + 600, "the startup probe's time and 10 minutes for a node and its images; by default a rollout fails after 10 minutes"},
			field{"template", s.pod(alone), ""},
		), ""},
	}
}

// replicated is the number of replicas, left to the autoscaler where there is one.
func (s *server) replicated() object {
	if s.scaled() {
		return nil
	}
	return object{{"replicas", s.replicas, s.whyReplicas()}}
}

func (s *server) whyReplicas() string {
	if s.Spec.Serve.Replicas > 0 {
		return ""
	}
	return "those of the plan"
}

// workloadName is what the workload is called. The controller of LeaderWorkerSets makes a
// headless Service of a set's name, by which workers find their leader before it is ready:
// the Service that clients use must have another.
func (s *server) workloadName() string {
	if s.nodes > 1 {
		return s.name() + "-group"
	}
	return s.name()
}

func (s *server) leaderWorkerSet() object {
	return object{
		{"apiVersion", "leaderworkerset.x-k8s.io/v1", ""},
		{"kind", "LeaderWorkerSet", ""},
		{"metadata", append(object{{"name", s.workloadName(), "the controller makes a headless Service of this name for the group; clients have Service " + s.name()}}, s.meta("")[1:]...), ""},
		{"spec", append(s.replicated(),
			field{"startupPolicy", "LeaderCreated", "workers join while the leader loads"},
			field{"rolloutStrategy", object{
				{"type", "RollingUpdate", ""},
				{"rollingUpdateConfiguration", object{{"maxSurge", 1, "a new replica serves before an old one goes"}, {"maxUnavailable", 0, ""}}, ""},
			}, ""},
			field{"leaderWorkerTemplate", object{
				{"size", s.nodes, fmt.Sprintf("pipeline parallel over %d nodes, tensor parallel within each", s.nodes)},
				{"restartPolicy", "RecreateGroupOnPodRestart", "a pipeline that lost a stage is no use"},
				{"leaderTemplate", s.pod(leader), ""},
				{"workerTemplate", s.pod(worker), ""},
			}, ""},
		), ""},
	}
}

// disruptionBudget bounds how many pods are evicted at once.
func (s *server) disruptionBudget() Written {
	most, why := s.mostUnavailable()
	return Written{Name: s.name() + "-poddisruptionbudget.yaml", Head: "How many pods may be evicted at once. Evictions obey it, those of a Spot notice too, which runs out whether they are done or not; nodes that expire wait for it.", Object: object{
		{"apiVersion", "policy/v1", ""},
		{"kind", "PodDisruptionBudget", ""},
		{"metadata", s.meta(s.name()), ""},
		{"spec", object{
			{"maxUnavailable", most, why},
			{"unhealthyPodEvictionPolicy", "AlwaysAllow", "a pod that never became ready does not hold a node for ever"},
			{"selector", object{{"matchLabels", s.selector(), ""}}, ""},
		}, ""},
	}}
}

func (s *server) mostUnavailable() (int, string) {
	switch {
	case s.nodes > 1:
		return 1, "one pod takes its whole group along"
	case s.onNode > 1 && s.onSpot():
		return s.onNode, "as many as one Spot node holds: with fewer the second of them would be evicted only when the first is back, past the two minutes of the notice"
	case s.replicas == 1:
		return 1, "one replica: a budget that kept it would block each drain of its node for ever"
	}
	return 1, "one at a time"
}
