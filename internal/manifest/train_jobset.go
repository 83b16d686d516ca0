package manifest

import "fmt"

// trainRole is the name of the only replicated job.
const trainRole = "node"

// rendezvous is the port at which torchrun's processes meet, its default.
const rendezvous = "29500"

// jobSet starts one indexed Job whose pods know their rank by their index, and each
// other by the names that the JobSet gives them.
func (t *trainer) jobSet() Written {
	job := object{
		{"parallelism", t.nodes, "all nodes at once"},
		{"completions", t.nodes, ""},
		{"completionMode", "Indexed", "the index of a pod is torchrun's rank of its node"},
		{"backoffLimit", 0, "the first failure ends the job, and the JobSet starts it anew"},
		{"activeDeadlineSeconds", t.deadline(), "of one run, from its start"},
		{"podReplacementPolicy", "Failed", "no second pod of a rank while the first still ends"},
		{"podFailurePolicy", object{{"rules", []object{{
			{"action", "FailJob", "an evicted pod or a lost node is told apart from a fault of the program"},
			{"onPodConditions", []object{{{"type", "DisruptionTarget", ""}, {"status", "True", ""}}}, ""},
		}}, ""}}, ""},
		{"template", t.pod("trainer", t.launched(t.ranks()...)), ""},
	}
	return Written{
		Name: t.name + "-jobset.yaml", Head: t.head("JobSet"),
		Object: object{
			{"apiVersion", "jobset.x-k8s.io/v1alpha2", ""},
			{"kind", "JobSet", ""},
			{"metadata", t.jobMeta(), ""},
			{"spec", object{
				{"ttlSecondsAfterFinished", t.keep(), "time to read logs; then its pods go"},
				{"network", object{
					{"enableDNSHostnames", true, "pods find each other by name"},
					{"publishNotReadyAddresses", true, "before they are ready, which they are when they have met"},
				}, ""},
				{"failurePolicy", object{
					{"maxRestarts", t.restarts(), "of the whole job, from its last checkpoint"},
					{"restartStrategy", "BlockingRecreate", "all pods of the old run are gone, and give their GPUs back, before the new ones come"},
					{"rules", []object{{
						{"name", "disrupted", ""},
						{"action", "RestartJobSetAndIgnoreMaxRestarts", "a lost node is no fault of the program: it does not count"},
						{"onJobFailureReasons", []string{"PodFailurePolicy"}, ""},
					}}, ""},
				}, ""},
				{"replicatedJobs", []object{{
					{"name", trainRole, ""},
					{"replicas", 1, ""},
					{"template", object{{"spec", job, ""}}, ""},
				}}, ""},
			}, ""},
		},
	}
}

// ranks are torchrun's flags in a JobSet.
func (t *trainer) ranks() []item {
	processes := item{fmt.Sprintf("--nproc-per-node=%d", t.instance.Count), "one process for each GPU"}
	if t.nodes == 1 {
		return []item{{"--standalone", "one node: no rendezvous over the network"}, processes}
	}
	return []item{
		{fmt.Sprintf("--nnodes=%d", t.nodes), ""},
		processes,
		{"--node-rank=$(JOB_COMPLETION_INDEX)", "set by the Job"},
		{fmt.Sprintf("--master-addr=%s-%s-0-0.%s", t.name, trainRole, t.name), "the first pod, by the name that the JobSet gives it"},
		{"--master-port=" + rendezvous, ""},
	}
}
