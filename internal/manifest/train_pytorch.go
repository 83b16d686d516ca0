package manifest

import "fmt"

// pyTorchJob leaves addresses and ranks to Kubeflow's training operator, which sets the
// variables that torchrun reads (PET_NNODES, PET_NODE_RANK and others).
func (t *trainer) pyTorchJob() Written {
	replicas := func(n int) object {
		return object{
			{"replicas", n, ""},
			{"restartPolicy", "OnFailure", "the operator starts the pod anew, and torchrun meets its partners again"},
			{"template", t.pod("pytorch", t.launched()), ""},
		}
	}
	specs := object{{"Master", replicas(1), "rank 0, where the others meet"}}
	if t.nodes > 1 {
		specs = append(specs, field{"Worker", replicas(t.nodes - 1), ""})
	}
	run := object{
		{"cleanPodPolicy", "Running", "pods that ended stay for their logs"},
		{"ttlSecondsAfterFinished", t.keep(), "time to read logs; then all goes"},
		{"backoffLimit", t.restarts(), "then the job has failed"},
		{"activeDeadlineSeconds", t.deadline(), "of all runs together"},
	}
	return Written{
		Name: t.name + "-pytorchjob.yaml", Head: t.head("PyTorchJob"),
		Object: object{
			{"apiVersion", "kubeflow.org/v1", "of Kubeflow's training operator 1.x; its successor takes TrainJob"},
			{"kind", "PyTorchJob", ""},
			{"metadata", t.jobMeta(), ""},
			{"spec", object{
				{"nprocPerNode", fmt.Sprint(t.instance.Count), "one process for each GPU"},
				{"runPolicy", run, ""},
				{"pytorchReplicaSpecs", specs, ""},
			}, ""},
		},
	}
}
