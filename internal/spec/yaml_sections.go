package spec

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// builtin maps the names under which a built-in scenario may stand in a file.
var builtin = map[string]string{
	"baseline": Baseline, "saturation": Saturation, "production": Production,
	"dataset": Dataset, "real_dataset": Dataset, "long_context": LongContext,
}

// BuiltinName is the built-in scenario that a name means, or "".
func BuiltinName(name string) string { return builtin[normalise(name)] }

func (r *reader) top(n *yaml.Node, s *Spec) {
	known := fields{
		"model": func(v *yaml.Node) {
			if v.Kind == yaml.MappingNode {
				r.mapping(v, "model", fields{"name": func(v *yaml.Node) { s.Model = r.str(v, "model.name") }})
				return
			}
			s.Model = r.str(v, "model")
		},
		"workload":  func(v *yaml.Node) { r.workload(v, &s.Workload) },
		"slo":       func(v *yaml.Node) { s.SLO = r.slo(v) },
		"platform":  func(v *yaml.Node) { r.platform(v, &s.Platform) },
		"scenarios": func(v *yaml.Node) { r.scenarios(v, s) },
		"diagnose":  func(v *yaml.Node) { r.diagnose(v, &s.Diagnose) },
		"render":    func(v *yaml.Node) { r.render(v, &s.Render) },
		"lint":      func(v *yaml.Node) { r.lint(v, &s.Lint) },
	}
	for key, name := range builtin {
		known[key] = func(v *yaml.Node) { r.scenario(v, name, s) }
	}
	r.mapping(n, "the file", known)
}

func (r *reader) workload(n *yaml.Node, w *Workload) {
	prompt := func(v *yaml.Node) { w.Prompt = r.lengths(v, "workload.prompt_length") }
	output := func(v *yaml.Node) { w.Output = r.lengths(v, "workload.max_tokens") }
	r.mapping(n, "workload", fields{
		"prompt_length": prompt, "isl": prompt, "max_tokens": output, "osl": output,
		"concurrency":  func(v *yaml.Node) { w.Concurrency = r.integer(v, "workload.concurrency", 1) },
		"request_rate": func(v *yaml.Node) { w.Rate = r.number(v, "workload.request_rate", 1e-6) },
		"context":      func(v *yaml.Node) { w.Context = r.integer(v, "workload.context", 1) },
	})
	if w.Concurrency > 0 && w.Rate > 0 {
		r.errorf(n, "workload gives both concurrency and request_rate; a service is planned for one of them")
	}
}

// slo reads a list of conditions, one condition, or a mapping of
// metric.percentile to limit.
func (r *reader) slo(n *yaml.Node) []Criterion {
	var list []Criterion
	add := func(at *yaml.Node, condition string) {
		got, err := ParseConditions([]string{condition})
		if err != nil {
			r.errorf(at, "%v", err)
			return
		}
		list = append(list, got...)
	}
	if n.Kind != yaml.MappingNode {
		each(n, func(v *yaml.Node) { add(v, r.str(v, "slo")) })
		return list
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], deref(n.Content[i+1])
		add(key, key.Value+"="+strings.TrimLeft(r.str(value, "slo."+key.Value), "<= "))
	}
	return list
}

func (r *reader) platform(n *yaml.Node, p *Platform) {
	r.mapping(n, "platform", fields{
		"instance":       func(v *yaml.Node) { p.Instance = r.str(v, "platform.instance") },
		"gpu":            func(v *yaml.Node) { p.GPU = r.str(v, "platform.gpu") },
		"region":         func(v *yaml.Node) { p.Region = r.str(v, "platform.region") },
		"count":          func(v *yaml.Node) { p.Count = r.integer(v, "platform.count", 1) },
		"tp":             func(v *yaml.Node) { p.TP = r.integer(v, "platform.tp", 1) },
		"price_per_hour": func(v *yaml.Node) { p.PricePerHour = r.number(v, "platform.price_per_hour", 0) },
	})
}

func (r *reader) diagnose(n *yaml.Node, d *Diagnose) {
	r.mapping(n, "diagnose", fields{"thresholds": func(v *yaml.Node) { d.Thresholds = r.thresholds(v) }})
}

// thresholds reads names and numbers; which names there are is for package
// diagnose to say.
func (r *reader) thresholds(n *yaml.Node) map[string]float64 {
	if n.Kind != yaml.MappingNode {
		r.errorf(n, "diagnose.thresholds must be a mapping of names to numbers")
		return nil
	}
	out := map[string]float64{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, name := n.Content[i], strings.ReplaceAll(normalise(n.Content[i].Value), "_", "-")
		if _, twice := out[name]; twice {
			r.errorf(key, "threshold %q stands twice", key.Value)
		}
		out[name] = r.number(deref(n.Content[i+1]), "diagnose.thresholds."+key.Value, 0)
	}
	return out
}

func (r *reader) scenarios(n *yaml.Node, s *Spec) {
	if n.Kind != yaml.MappingNode {
		r.errorf(n, "scenarios must be a mapping of names to scenarios")
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], deref(n.Content[i+1])
		name := key.Value
		if b := BuiltinName(name); b != "" {
			name = b
		} else if !scenarioName(name) {
			r.errorf(key, "scenario name %q: use letters, digits, - and _", name)
			continue
		}
		r.scenario(value, name, s)
	}
}

// scenarioName reports whether a name can stand in a level's id and in a file name.
func scenarioName(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_'
	})
}

func (r *reader) scenario(n *yaml.Node, name string, s *Spec) {
	if slices.ContainsFunc(s.Scenarios, func(o Scenario) bool { return o.Name == name }) {
		r.errorf(n, "scenario %q stands twice in the file", name)
		return
	}
	sc := Scenario{Name: name}
	what := "scenario " + name
	prompt := func(v *yaml.Node) {
		sc.Prompt = r.lengths(v, "prompt_length")
		if name == LongContext {
			sc.PromptSet, sc.Prompt.Choices = sc.Prompt.Choices, nil
		}
	}
	output := func(v *yaml.Node) { sc.Output = r.lengths(v, "max_tokens") }
	requests := func(v *yaml.Node) { sc.NumRequests, sc.Exact = r.integer(v, "num_requests", 1), true }
	rate := func(v *yaml.Node) {
		each(v, func(item *yaml.Node) { sc.RequestRate = append(sc.RequestRate, r.number(item, "request_rate", 1e-6)) })
	}
	dataset := func(v *yaml.Node) { r.dataset(v, &sc) }
	known := fields{
		"description":        func(v *yaml.Node) { sc.Description = r.str(v, "description") },
		"concurrency":        func(v *yaml.Node) { sc.Concurrency = r.integers(v, "concurrency", 1) },
		"request_rate":       rate,
		"arrival":            func(v *yaml.Node) { sc.Arrival = r.oneOf(v, "arrival", Arrivals) },
		"burstiness":         func(v *yaml.Node) { sc.Burstiness = r.number(v, "burstiness", 1e-3) },
		"num_requests":       requests,
		"duration":           func(v *yaml.Node) { sc.Duration = r.duration(v, "duration") },
		"budget":             func(v *yaml.Node) { sc.Budget = r.duration(v, "budget") },
		"warmup":             func(v *yaml.Node) { sc.Warmup = noneIsMinus(r.integer(v, "warmup", 0)) },
		"prompt_length":      prompt,
		"isl":                prompt,
		"max_tokens":         output,
		"osl":                output,
		"shared_prefix":      func(v *yaml.Node) { sc.SharedPrefix = r.integer(v, "shared_prefix", 1) },
		"repeat":             func(v *yaml.Node) { sc.Repeat = r.integer(v, "repeat", 1) },
		"confirm_knee":       func(v *yaml.Node) { sc.ConfirmKnee = r.oneOf(v, "confirm_knee", Choices) },
		"confirm":            func(v *yaml.Node) { sc.Confirm = r.boolean(v, "confirm") },
		"stop_oversaturated": func(v *yaml.Node) { sc.StopOversaturated = r.oneOf(v, "stop_oversaturated", Choices) },
		"dataset":            dataset,
		"dataset_path":       dataset,
		"dataset_format":     func(v *yaml.Node) { sc.DatasetKind = r.oneOf(v, "dataset_format", DatasetKinds) },
	}
	maps.Copy(known, r.traffic(&sc.Traffic))
	r.mapping(n, what, known)
	if len(sc.Concurrency) > 0 && len(sc.RequestRate) > 0 {
		r.errorf(n, "%s gives both concurrency and request_rate; a level is held by one of them", what)
	}
	s.Scenarios = append(s.Scenarios, sc)
}

func (r *reader) dataset(n *yaml.Node, sc *Scenario) {
	if n.Kind != yaml.MappingNode {
		sc.DatasetPath = r.str(n, "dataset")
		return
	}
	r.mapping(n, "dataset", fields{
		"path":   func(v *yaml.Node) { sc.DatasetPath = r.str(v, "dataset.path") },
		"format": func(v *yaml.Node) { sc.DatasetKind = r.oneOf(v, "dataset.format", DatasetKinds) },
	})
}

func noneIsMinus(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// Arrivals are the kinds of open-loop arrivals.
var Arrivals = []string{"constant", "poisson", "gamma"}

// DatasetKinds are the formats of a dataset or trace, those of package trace.
var DatasetKinds = []string{
	"bailian", "mooncake", "azure", "burstgpt", "weka", "otel", "sharegpt", "wildchat", "lmsys", "openai-batch",
	"spec-bench", "multi-turn", "random-pool", "single-turn", "guidellm", "jsonl", "text",
}

func (r *reader) oneOf(n *yaml.Node, what string, known []string) string {
	v := r.str(n, what)
	if !slices.Contains(known, v) {
		r.errorf(n, "%s is %q; it is one of %s", what, v, strings.Join(known, ", "))
		return ""
	}
	return v
}
