package lint

import "assay/internal/lint/source"

// Service is what leads to pods.
type Service struct {
	At       Spot
	Labels   map[string]string
	Selector Selector
	Ports    []ServicePort
	Early    bool // it has addresses of pods that are not ready, too
}

// ServicePort is one port of a Service. Target is the name of a container's port;
// empty where it is a number or absent.
type ServicePort struct {
	Name   string
	Target string
	At     Spot // of the target
}

func (x *Index) service(o *Object) {
	if o.Group() != "" {
		return
	}
	s := Service{At: o.Spot(o.Get("metadata", "name")), Labels: texts(o.Get("metadata", "labels")), Selector: selectorOf(o, o.Get("spec", "selector"))}
	s.Early, _ = o.Get("spec", "publishNotReadyAddresses").Bool()
	for _, p := range o.Get("spec", "ports").Items() {
		port := ServicePort{Name: p.Get("name").Text(), At: o.Spot(p.Get("targetPort"))}
		if target := p.Get("targetPort"); target.Tag() == "!!str" && !target.Open() {
			port.Target = target.Text()
		}
		s.Ports = append(s.Ports, port)
	}
	x.Services = append(x.Services, s)
	x.balancedService(o)
}

// PodBudget is a PodDisruptionBudget.
type PodBudget struct {
	At             Spot
	Selector       Selector
	MaxUnavailable string // as written; empty: not set
	MinAvailable   string
	ValueAt        Spot // of whichever is set
}

func (x *Index) podBudget(o *Object) {
	if o.Group() != "policy" {
		return
	}
	b := PodBudget{
		At: o.Spot(o.Get("metadata", "name")), Selector: selectorOf(o, o.Get("spec", "selector")),
		MaxUnavailable: o.Get("spec", "maxUnavailable").Text(), MinAvailable: o.Get("spec", "minAvailable").Text(),
	}
	at := o.Get("spec", "maxUnavailable")
	if !at.Exists() {
		at = o.Get("spec", "minAvailable")
	}
	b.ValueAt = o.Spot(at)
	x.PodBudgets = append(x.PodBudgets, b)
}

// Monitor is a ServiceMonitor or a PodMonitor.
type Monitor struct {
	At       Spot
	Selector Selector
	Any      bool     // it looks into all namespaces
	In       []string // namespaces; empty: its own
	Ports    []Label  // names of ports that it scrapes, with their places
}

func (x *Index) monitor(o *Object) {
	if o.Group() != "monitoring.coreos.com" {
		return
	}
	m := Monitor{At: o.Spot(o.Get("metadata", "name")), Selector: selectorOf(o, o.Get("spec", "selector"))}
	m.Any, _ = o.Get("spec", "namespaceSelector", "any").Bool()
	m.In = o.Get("spec", "namespaceSelector", "matchNames").Texts()
	for _, list := range []string{"endpoints", "podMetricsEndpoints"} {
		for _, e := range o.Get("spec", list).Items() {
			if port := e.Get("port"); port.Exists() && !port.Open() {
				m.Ports = append(m.Ports, Label{Value: port.Text(), At: o.Spot(port)})
			}
		}
	}
	x.Monitors = append(x.Monitors, m)
}

// Sees says that the monitor looks for its targets where another object lies.
func (m Monitor) Sees(other Ref) bool {
	if m.Any || other.Namespace == "" {
		return true
	}
	if len(m.In) == 0 {
		return SameNamespace(m.At.Object, other)
	}
	for _, n := range m.In {
		if n == other.Namespace {
			return true
		}
	}
	return false
}

// Scaler is what sets the replicas of a workload: an autoscaler or a ScaledObject.
type Scaler struct {
	At       Spot
	Kind     string // of its target
	Target   string
	TargetAt Spot
	OnCPU    Spot // of a trigger on CPU or memory alone; its Line is 0 where there is none or another
}

func (x *Index) autoscaler(o *Object) {
	if o.Group() != "autoscaling" {
		return
	}
	x.scaler(o, "Deployment")
}

func (x *Index) scaledObject(o *Object) {
	if o.Group() != "keda.sh" {
		return
	}
	x.scaler(o, "Deployment")
}

func (x *Index) scaler(o *Object, kind string) {
	ref := o.Get("spec", "scaleTargetRef")
	s := Scaler{At: o.Spot(o.Get("metadata", "name")), Kind: kind, Target: ref.Get("name").Text(), TargetAt: o.Spot(ref.Get("name"))}
	if k := ref.Get("kind").Text(); k != "" {
		s.Kind = k
	}
	s.OnCPU = onCPU(o)
	x.Scalers = append(x.Scalers, s)
}

// onCPU is where an autoscaler asks for CPU, if it asks for nothing else.
func onCPU(o *Object) Spot {
	var at source.Value
	for _, m := range o.Get("spec", "metrics").Items() {
		name := m.Get("resource", "name")
		if m.Get("type").Text() != "Resource" || name.Text() != "cpu" {
			return Spot{}
		}
		at = name
	}
	for _, t := range o.Get("spec", "triggers").Items() {
		if t.Get("type").Text() != "cpu" {
			return Spot{}
		}
		at = t.Get("type")
	}
	if v := o.Get("spec", "targetCPUUtilizationPercentage"); v.Exists() {
		at = v
	}
	if !at.Exists() {
		return Spot{}
	}
	return o.Spot(at)
}
