package lint

import "assay/internal/lint/source"

// Pod is a pod template within an object.
type Pod struct {
	Object *Object
	Meta   source.Value // metadata of the template; of a Pod its own
	Spec   source.Value
	Role   string // within the object: leader, worker, a replicated job's name; empty for one alone
	// Replicas is how many pods the template makes: of a workload without replicas 1;
	// ok is false where that is not known, as for a DaemonSet or under an autoscaler.
	Replicas int
	Counted  bool
}

// holders say where pod templates lie in a kind.
var holders = map[string]func(*Object) []*Pod{
	"Pod": func(o *Object) []*Pod {
		return []*Pod{{Object: o, Meta: o.Get("metadata"), Spec: o.Get("spec"), Replicas: 1, Counted: true}}
	},
	"Deployment":            replicated,
	"ReplicaSet":            replicated,
	"ReplicationController": replicated,
	"StatefulSet":           replicated,
	"Rollout":               replicated,
	"DaemonSet":             func(o *Object) []*Pod { return []*Pod{podOf(o, o.Get("spec", "template"), "")} },
	"Job":                   func(o *Object) []*Pod { return jobPods(o, o.Get("spec"), "", 1) },
	"CronJob":               func(o *Object) []*Pod { return jobPods(o, o.Get("spec", "jobTemplate", "spec"), "", 1) },
	"LeaderWorkerSet":       leaderWorker,
	"JobSet":                jobSet,
	"PyTorchJob":            pyTorchJob,
}

// PodsOf are the pod templates of an object; none where it holds none.
func PodsOf(o *Object) []*Pod {
	if of, ok := holders[o.Kind]; ok {
		return of(o)
	}
	return nil
}

func podOf(o *Object, template source.Value, role string) *Pod {
	return &Pod{Object: o, Meta: template.Get("metadata"), Spec: template.Get("spec"), Role: role}
}

func replicated(o *Object) []*Pod {
	p := podOf(o, o.Get("spec", "template"), "")
	p.Replicas, p.Counted = count(o.Get("spec", "replicas"), 1)
	return []*Pod{p}
}

// count is a number that has a default where it is absent.
func count(v source.Value, absent int) (int, bool) {
	if !v.Exists() {
		return absent, true
	}
	return v.Int()
}

func jobPods(o *Object, spec source.Value, role string, jobs int) []*Pod {
	p := podOf(o, spec.Get("template"), role)
	n, ok := count(spec.Get("parallelism"), 1)
	p.Replicas, p.Counted = n*jobs, ok
	return []*Pod{p}
}

func leaderWorker(o *Object) []*Pod {
	groups, ok := count(o.Get("spec", "replicas"), 1)
	t := o.Get("spec", "leaderWorkerTemplate")
	size, sized := count(t.Get("size"), 1)
	worker := podOf(o, t.Get("workerTemplate"), "worker")
	worker.Counted = ok && sized
	if leader := t.Get("leaderTemplate"); leader.Exists() {
		l := podOf(o, leader, "leader")
		l.Replicas, l.Counted = groups, ok
		worker.Replicas = groups * (size - 1)
		return []*Pod{l, worker}
	}
	worker.Replicas = groups * size
	return []*Pod{worker}
}

func jobSet(o *Object) []*Pod {
	var all []*Pod
	for _, j := range o.Get("spec", "replicatedJobs").Items() {
		n, ok := count(j.Get("replicas"), 1)
		pods := jobPods(o, j.Get("template", "spec"), j.Get("name").Text(), n)
		pods[0].Counted = pods[0].Counted && ok
		all = append(all, pods...)
	}
	return all
}

func pyTorchJob(o *Object) []*Pod {
	var all []*Pod
	for role, spec := range o.Get("spec", "pytorchReplicaSpecs").Pairs() {
		p := podOf(o, spec.Get("template"), role.Text())
		p.Replicas, p.Counted = count(spec.Get("replicas"), 1)
		all = append(all, p)
	}
	return all
}

// Get follows keys from the pod's spec.
func (p *Pod) Get(keys ...string) source.Value { return p.Spec.Get(keys...) }

// Containers are those that run, sidecars among init containers too.
func (p *Pod) Containers() []*Container {
	var all []*Container
	for _, c := range p.Get("containers").Items() {
		all = append(all, &Container{Pod: p, Root: c})
	}
	for _, c := range p.Get("initContainers").Items() {
		sidecar := c.Get("restartPolicy").Text() == "Always"
		all = append(all, &Container{Pod: p, Root: c, Init: !sidecar})
	}
	return all
}

// Label is a label of the pods.
func (p *Pod) Label(key string) string { return p.Meta.Get("labels", key).Text() }

// NodeSelector is what the pod's nodeSelector asks of a label.
func (p *Pod) NodeSelector(key string) source.Value { return p.Get("nodeSelector", key) }
