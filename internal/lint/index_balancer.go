package lint

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/lint/source"
	"assay/internal/practice"
)

// Balancer is a load balancer of AWS: an Ingress or a Service of its type.
type Balancer struct {
	At       Spot
	Kind     BalancerKind
	Services []string      // that it sends requests to
	Idle     time.Duration // a connection without a byte for so long is closed
	IdleAt   Spot          // where that is written; the object's name where it is the default
	Delay    time.Duration // of deregistration; 300 s where it is not written
	DelayAt  Spot          // its Line is 0 there
	Pods     bool          // its targets are pods, not nodes
}

// Namespace is one, with its labels.
type Namespace struct {
	At     Spot
	Labels map[string]string
}

func (x *Index) namespace(o *Object) {
	if o.Group() == "" {
		x.Namespaces = append(x.Namespaces, Namespace{o.Spot(o.Get("metadata", "name")), texts(o.Get("metadata", "labels"))})
	}
}

// BalancerKind is what AWS calls it.
type BalancerKind string

// Kinds of load balancers.
const (
	ALB     BalancerKind = "ALB"
	NLB     BalancerKind = "NLB"
	Classic BalancerKind = "Classic Load Balancer"
)

var idleDefault = map[BalancerKind]time.Duration{ALB: practice.ALBIdle, NLB: practice.NLBIdle, Classic: practice.ClassicIdle}

const (
	albAnnotation     = "alb.ingress.kubernetes.io/"
	serviceAnnotation = "service.beta.kubernetes.io/aws-load-balancer-"
)

func (x *Index) ingress(o *Object) {
	notes := o.Get("metadata", "annotations")
	class := o.Get("spec", "ingressClassName").Text()
	if o.Group() != "networking.k8s.io" || class != "alb" && notes.Get("kubernetes.io/ingress.class").Text() != "alb" {
		return
	}
	b := balancerOf(o, ALB)
	b.Services = backends(o)
	b.Pods = notes.Get(albAnnotation+"target-type").Text() == "ip"
	b.settings(o, notes.Get(albAnnotation+"load-balancer-attributes"), "idle_timeout.timeout_seconds")
	b.settings(o, notes.Get(albAnnotation+"target-group-attributes"), "deregistration_delay.timeout_seconds")
	x.Balancers = append(x.Balancers, b)
}

func backends(o *Object) []string {
	var all []string
	add := func(backend source.Value) {
		if name := backend.Get("service", "name").Text(); name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	add(o.Get("spec", "defaultBackend"))
	for _, rule := range o.Get("spec", "rules").Items() {
		for _, path := range rule.Get("http", "paths").Items() {
			add(path.Get("backend"))
		}
	}
	return all
}

func (x *Index) balancedService(o *Object) {
	if o.Get("spec", "type").Text() != "LoadBalancer" {
		return
	}
	notes := o.Get("metadata", "annotations")
	b := balancerOf(o, serviceKind(o, notes))
	b.Services = []string{o.Name}
	b.Pods = notes.Get(serviceAnnotation+"nlb-target-type").Text() == "ip" || notes.Get(serviceAnnotation+"type").Text() == "nlb-ip"
	for key, v := range notes.Pairs() {
		name, ok := strings.CutPrefix(key.Text(), serviceAnnotation)
		switch {
		case !ok:
		case strings.HasPrefix(name, "listener-attributes."):
			b.settings(o, v, "tcp.idle_timeout.seconds")
		case name == "target-group-attributes":
			b.settings(o, v, "deregistration_delay.timeout_seconds")
		case name == "connection-idle-timeout" && b.Kind == Classic:
			b.set(o, "idle", v, v.Text())
		case name == "connection-draining-timeout" && b.Kind == Classic:
			b.set(o, "delay", v, v.Text())
		}
	}
	x.Balancers = append(x.Balancers, b)
}

func serviceKind(o *Object, notes source.Value) BalancerKind {
	kind := notes.Get(serviceAnnotation + "type").Text()
	if o.Get("spec", "loadBalancerClass").Exists() || kind == "external" || strings.HasPrefix(kind, "nlb") {
		return NLB
	}
	return Classic
}

func balancerOf(o *Object, kind BalancerKind) Balancer {
	at := o.Spot(o.Get("metadata", "name"))
	return Balancer{At: at, Kind: kind, Idle: idleDefault[kind], IdleAt: at, Delay: practice.DefaultDeregistration}
}

// settings reads one of the attributes that an annotation lists, name=value,name=value.
func (b *Balancer) settings(o *Object, v source.Value, name string) {
	for _, pair := range strings.Split(v.Text(), ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if key == name {
			which := "idle"
			if strings.HasPrefix(name, "deregistration") {
				which = "delay"
			}
			b.set(o, which, v, value)
		}
	}
}

func (b *Balancer) set(o *Object, which string, v source.Value, text string) {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 0 {
		return
	}
	d := time.Duration(n) * time.Second
	if which == "idle" {
		b.Idle, b.IdleAt = d, o.Spot(v)
		return
	}
	b.Delay, b.DelayAt = d, o.Spot(v)
}
