package manifest

import "fmt"

// gateway are the objects of a Gateway's inference extension, on request.
func (s *server) gateway() []Written {
	name := s.Spec.Serve.Gateway
	if name == "" {
		return nil
	}
	picker := s.name() + "-epp"
	selector := s.selector()
	if s.nodes > 1 {
		selector = append(selector, field{roleLabel, leader, "workers answer nobody"})
	}
	pool := Written{
		Name: s.name() + "-inferencepool.yaml",
		Head: fmt.Sprintf("The pods as one pool, of which an endpoint picker chooses by load and prefix. The picker, Service %s, is installed by the chart of the inference extension; it is told this pool's name.", picker),
		Object: object{
			{"apiVersion", "inference.networking.k8s.io/v1", ""},
			{"kind", "InferencePool", ""},
			{"metadata", s.meta(s.name()), ""},
			{"spec", object{
				{"selector", object{{"matchLabels", selector, ""}}, ""},
				{"targetPorts", []object{{{"number", enginePort, ""}}}, ""},
				{"endpointPickerRef", object{
					{"name", picker, ""},
					{"port", object{{"number", 9002, ""}}, "the picker's for Envoy's external processing"},
					{"failureMode", "FailOpen", "a picker that is down is no reason to serve nobody"},
				}, ""},
			}, ""},
		},
		Remarks: []string{fmt.Sprintf("InferencePool %s names the endpoint picker %s, which is not written: install it with the chart of the Gateway API inference extension", s.name(), picker)},
	}
	route := Written{
		Name: s.name() + "-httproute.yaml",
		Head: "From the Gateway to the pool.",
		Object: object{
			{"apiVersion", "gateway.networking.k8s.io/v1", ""},
			{"kind", "HTTPRoute", ""},
			{"metadata", s.meta(s.name()), ""},
			{"spec", object{
				{"parentRefs", []object{{{"name", name, ""}}}, ""},
				{"rules", []object{{
					{"matches", []object{{{"path", object{{"type", "PathPrefix", ""}, {"value", "/v1", "the API alone: /metrics and what sleeps or profiles stay inside"}}, ""}}}, ""},
					{"backendRefs", []object{{
						{"group", "inference.networking.k8s.io", ""}, {"kind", "InferencePool", ""}, {"name", s.name(), ""},
					}}, ""},
					{"timeouts", object{{"request", "0s", "none: a Gateway's default, 15 s of many, would cut streams"}}, ""},
				}}, ""},
			}, ""},
		},
	}
	return []Written{pool, route}
}
