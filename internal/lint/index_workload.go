package lint

import (
	"strings"
	"time"

	"assay/internal/karpenter"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

// Workload is a pod template as rules across objects need it.
type Workload struct {
	At       Spot // the object's name
	Spec     Spot // the pod's spec
	Role     string
	Labels   map[string]string
	Replicas int // see Pod.Replicas
	Counted  bool

	karpenter.Pod                 // what decides onto which nodes the pods may come
	Asked         map[string]Spot // where a resource is asked for
	TolerationsAt Spot            // of the list; of the spec where there is none
	Open          bool            // something that decides where it runs is filled in later

	Grace   time.Duration // 30 s where it is not set
	GraceAt Spot
	Kept    Spot // of karpenter.sh/do-not-disrupt: "true"; its Line is 0 where it is not set

	Claims     []ClaimUse
	Loads      []Load
	Ports      []string // names of the containers' ports
	ServesVLLM bool
	// ServiceLinks says that the variables of the namespace's Services are set in it.
	ServiceLinks bool
	PreStop      time.Duration // how long the server's hook sleeps
	Fixed        bool          // replicas are written
	Gated        bool          // ready only once a load balancer's target is healthy
	Apart        bool          // a constraint or anti-affinity keeps the pods on hosts of their own
	Group        bool          // of a LeaderWorkerSet whose workers find their leader, not ready yet, by a Service of its name
	Queue        Label         // of Kueue that it waits in; empty: none
}

// ClaimUse is a volume of a pod that a PersistentVolumeClaim gives.
type ClaimUse struct {
	Name string
	At   Spot
}

// Named says what the workload is, for messages.
func (w Workload) Named() string { return w.At.Object.Kind + " " + w.At.Object.Name }

// At a place of a requirement or toleration.
func (w Workload) place(at karpenter.Place) Spot { return w.At.within(at) }

// PlaceOf is where one of its requirements stands.
func (w Workload) PlaceOf(r karpenter.Requirement) Spot { return w.place(r.Place) }

func workloadOf(p *Pod) Workload {
	o := p.Object
	w := Workload{
		At: o.Spot(o.Get("metadata", "name")), Spec: o.Spot(p.Spec), Role: p.Role,
		Labels: texts(p.Meta.Get("labels")), Replicas: p.Replicas, Counted: p.Counted,
		Grace: practice.DefaultGrace,
	}
	if v := o.Get("metadata", "labels", "kueue.x-k8s.io/queue-name"); v.Exists() && !v.Open() {
		w.Queue = Label{Value: v.Text(), At: o.Spot(v)}
	}
	w.Open = w.scheduling(p)
	w.Fixed = o.Get("spec", "replicas").Exists()
	w.Apart = apart(p)
	w.Group = group(o)
	for _, g := range p.Get("readinessGates").Items() {
		w.Gated = w.Gated || strings.HasPrefix(g.Get("conditionType").Text(), "target-health.elbv2.k8s.aws/")
	}
	w.ServiceLinks = p.Get("enableServiceLinks").Text() != "false"
	if seconds := p.Get("terminationGracePeriodSeconds"); seconds.Exists() {
		if n, ok := seconds.Int(); ok {
			w.Grace = time.Duration(n) * time.Second
		}
		w.GraceAt = o.Spot(seconds)
	}
	if v := p.Meta.Get("annotations", "karpenter.sh/do-not-disrupt"); v.Text() == "true" {
		w.Kept = o.Spot(v)
	}
	for _, v := range p.Get("volumes").Items() {
		if name := v.Get("persistentVolumeClaim", "claimName"); name.Exists() {
			w.Claims = append(w.Claims, ClaimUse{name.Text(), o.Spot(name)})
		}
	}
	for _, c := range p.Containers() {
		if c.ServesVLLM() {
			w.ServesVLLM = true
			if load, ok := loadOf(p, c); ok {
				w.Loads = append(w.Loads, load)
			}
			hook, _ := c.PreStop()
			w.PreStop = max(w.PreStop, hook.Sleep)
		}
		for _, port := range c.Get("ports").Items() {
			if name := port.Get("name").Text(); name != "" {
				w.Ports = append(w.Ports, name)
			}
		}
	}
	return w
}

// group says that the pods of a LeaderWorkerSet find each other by a headless Service of
// the set's name, which its controller makes where there is none.
func group(o *Object) bool {
	size, _ := o.Get("spec", "leaderWorkerTemplate", "size").Int()
	return o.Kind == "LeaderWorkerSet" && size > 1 &&
		o.Get("spec", "startupPolicy").Text() != "LeaderReady" &&
		o.Get("spec", "networkConfig", "subdomainPolicy").Text() != "UniquePerReplica"
}

// scheduling reads what decides where the pods run; true where a part of it is open.
func (w *Workload) scheduling(p *Pod) (open bool) {
	o := p.Object
	at := p.Get("tolerations")
	if !at.Exists() {
		at = p.Spec
	}
	w.TolerationsAt = o.Spot(at)
	w.Pod, open = podOfKarpenter(o, p)
	w.Asked = map[string]Spot{}
	sums, init := map[string]float64{}, map[string]float64{}
	for _, c := range p.Containers() {
		for name, asked := range c.asks() {
			n, ok := karpenter.Quantity(asked.Text())
			if !ok {
				open = open || asked.Open()
				continue
			}
			if c.Init {
				init[name] = max(init[name], n)
			} else {
				sums[name] += n
			}
			if first, there := w.Asked[name]; !there || first.Line == 0 {
				w.Asked[name] = o.Spot(asked)
			}
		}
	}
	for name, n := range init {
		sums[name] = max(sums[name], n)
	}
	w.Pod.Asks = sums
	return open
}

// asks are the container's requests by resource; a limit without a request is one.
func (c *Container) asks() map[string]source.Value {
	all := map[string]source.Value{}
	for _, kind := range []string{"limits", "requests"} {
		for k, v := range c.Get("resources", kind).Pairs() {
			all[k.Text()] = v
		}
	}
	return all
}

func podOfKarpenter(o *Object, p *Pod) (pod karpenter.Pod, open bool) {
	read := func(v source.Value) string {
		open = open || v.Open()
		return v.Text()
	}
	place := func(v source.Value) karpenter.Place {
		return karpenter.Place{File: o.File.Name, Line: v.Line(), Column: v.Column()}
	}
	for k, v := range p.Get("nodeSelector").Pairs() {
		pod.Requirements = append(pod.Requirements, karpenter.NewRequirement(k.Text(), "In", []string{read(v)}, place(v)))
	}
	required := p.Get("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
	for _, term := range required.Get("nodeSelectorTerms").Items() {
		var all []karpenter.Requirement
		for _, e := range term.Get("matchExpressions").Items() {
			var values []string
			for _, v := range e.Get("values").Items() {
				values = append(values, read(v))
			}
			all = append(all, karpenter.NewRequirement(read(e.Get("key")), e.Get("operator").Text(), values, place(e)))
		}
		open = open || term.Get("matchFields").Exists()
		pod.Terms = append(pod.Terms, all)
	}
	for _, t := range p.Get("tolerations").Items() {
		pod.Tolerations = append(pod.Tolerations, karpenter.Toleration{Key: read(t.Get("key")), Operator: t.Get("operator").Text(), Value: read(t.Get("value")), Effect: t.Get("effect").Text()})
	}
	return pod, open
}

// hostLabel is the topology key of single nodes.
const hostLabel = "kubernetes.io/hostname"

// apart says that a pod asks not to share its node with others of its kind.
func apart(p *Pod) bool {
	for _, c := range p.Get("topologySpreadConstraints").Items() {
		if c.Get("topologyKey").Text() == hostLabel {
			return true
		}
	}
	anti := p.Get("affinity", "podAntiAffinity")
	for _, t := range anti.Get("requiredDuringSchedulingIgnoredDuringExecution").Items() {
		if t.Get("topologyKey").Text() == hostLabel {
			return true
		}
	}
	for _, t := range anti.Get("preferredDuringSchedulingIgnoredDuringExecution").Items() {
		if t.Get("podAffinityTerm", "topologyKey").Text() == hostLabel {
			return true
		}
	}
	return false
}
