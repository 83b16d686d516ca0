package manifest

import (
	"fmt"
	"math"
	"time"

	"assay/internal/practice"
	"assay/internal/spec"
)

// servicePort is the Service's.
const servicePort = 80

// service is the way to the pods, and the load balancer's to it.
func (s *server) service() []Written {
	o := object{
		{"apiVersion", "v1", ""},
		{"kind", "Service", ""},
		{"metadata", append(s.meta(s.name()), field{"annotations", s.balancerAnnotations(), ""}), ""},
		{"spec", s.serviceSpec(), ""},
	}
	all := []Written{{Name: s.name() + "-service.yaml", Head: "The way to the pods. Monitoring finds them by it, under the port's name.", Object: o}}
	if s.Spec.Serve.LoadBalancer == spec.ByLoadBalancerALB {
		all = append(all, s.ingress())
	}
	return all
}

func (s *server) serviceSpec() object {
	o := object{}
	if s.Spec.Serve.LoadBalancer == spec.ByLoadBalancerNLB {
		o = append(o, field{"type", "LoadBalancer", ""}, field{"loadBalancerClass", "service.k8s.aws/nlb", "of the AWS Load Balancer Controller"})
	}
	selector := s.selector()
	if s.nodes > 1 {
		selector = append(selector, field{roleLabel, leader, "workers answer nobody"})
	}
	return append(o,
		field{"selector", selector, ""},
		field{"ports", []object{{{"name", "http", "the API, and /metrics"}, {"port", servicePort, ""}, {"targetPort", "http", ""}}}, ""},
	)
}

// Idle times that are written.
const (
	mostIdle = 4000 * time.Second // of ALB; NLB takes 6,000
	// idleFactor is how much longer than the longest silence that was measured.
	idleFactor = 2
)

// idle is how long a connection may be silent: at least the balancer's default, twice the
// longest silence of a run, and as long as a whole response where nothing was measured,
// since one that is not streamed is silent to its end.
func (s *server) idle(least time.Duration) (time.Duration, string) {
	need, why := 2*s.drain.PreStop, "the longest silence within a response was not measured (--from RUN): a request that is not streamed is silent to its end"
	if m := s.Measured; m != nil && m.Longest > 0 {
		need = idleFactor * max(m.Silence, m.Longest)
		why = fmt.Sprintf("twice the longest response of run %s, %s: one that is not streamed is silent to its end; within a stream the longest silence was %s", m.Run, seconds(m.Longest), seconds(m.Silence))
	}
	need = min(max(need, least, 2*practice.ALBIdle), mostIdle)
	return time.Duration(math.Ceil(need.Seconds())) * time.Second, why
}

const nlbPrefix = "service.beta.kubernetes.io/aws-load-balancer-"

func (s *server) balancerAnnotations() object {
	if s.Spec.Serve.LoadBalancer != spec.ByLoadBalancerNLB {
		return nil
	}
	s.remarkGate()
	idle, why := s.idle(practice.NLBIdle)
	return object{
		{nlbPrefix + "scheme", "internal", "an engine has no authentication worth the name"},
		{nlbPrefix + "nlb-target-type", "ip", "pods are the targets, without a hop over other nodes"},
		{nlbPrefix + "healthcheck-protocol", "http", "by default it asks for a TCP connection, which an engine that hangs accepts"},
		{nlbPrefix + "healthcheck-path", "/health", ""},
		{nlbPrefix + "target-group-attributes", s.deregistration(), s.whyDeregistration()},
		{fmt.Sprintf("%slistener-attributes.TCP-%d", nlbPrefix, servicePort), fmt.Sprintf("tcp.idle_timeout.seconds=%.0f", idle.Seconds()), why},
	}
}

func (s *server) deregistration() string {
	return fmt.Sprintf("deregistration_delay.timeout_seconds=%.0f", s.drain.Deregistration().Seconds())
}

func (s *server) whyDeregistration() string {
	return fmt.Sprintf("within the %s that preStop sleeps, less the time until the target is deregistered: it is gone before the pod gets SIGTERM. The default is 300 s, beyond the pod's grace", seconds(s.drain.PreStop))
}

const albPrefix = "alb.ingress.kubernetes.io/"

func (s *server) ingress() Written {
	s.remarkGate()
	idle, why := s.idle(practice.ALBIdle)
	return Written{Name: s.name() + "-ingress.yaml", Head: "The load balancer, made by the AWS Load Balancer Controller.", Remarks: nil, Object: object{
		{"apiVersion", "networking.k8s.io/v1", ""},
		{"kind", "Ingress", ""},
		{"metadata", append(s.meta(s.name()), field{"annotations", object{
			{albPrefix + "scheme", "internal", "an engine has no authentication worth the name"},
			{albPrefix + "target-type", "ip", "pods are the targets, without a hop over other nodes"},
			{albPrefix + "healthcheck-path", "/health", ""},
			{albPrefix + "load-balancer-attributes", fmt.Sprintf("idle_timeout.timeout_seconds=%.0f", idle.Seconds()), "60 s by default; " + why},
			{albPrefix + "target-group-attributes", s.deregistration(), s.whyDeregistration()},
		}, ""}), ""},
		{"spec", object{
			{"ingressClassName", "alb", ""},
			{"rules", []object{{{"http", object{{"paths", []object{{
				{"path", "/v1", "the API alone: /metrics and what sleeps or profiles stay inside"}, {"pathType", "Prefix", ""},
				{"backend", object{{"service", object{{"name", s.name(), ""}, {"port", object{{"name", "http", ""}}, ""}}, ""}}, ""},
			}}, ""}}, ""}}}, ""},
		}, ""},
	}}
}

// remarkGate speaks of what no object of a service can say.
func (s *server) remarkGate() {
	namespace := "its namespace"
	if n := s.Spec.Namespace; n != "" {
		namespace = "namespace " + n
	}
	s.remark("label %s with elbv2.k8s.aws/pod-readiness-gate-inject=enabled: a rollout then waits until the load balancer finds a new pod healthy", namespace)
}
