package compare

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/record"
)

// mostDifferences bounds how many entries of the two specs are listed.
const mostDifferences = 40

// differences lists what differs between the runs apart from what was measured:
// the reader judges whether it explains a change.
func differences(b, n record.Run) []Difference {
	out := []Difference{}
	add := func(what, base, next string) {
		if base != next {
			out = append(out, Difference{what, known(base), known(next)})
		}
	}
	add("tool", b.Tool.Name+" "+b.Tool.Version, n.Tool.Name+" "+n.Tool.Version)
	add("model", b.Target.Model, n.Target.Model)
	if b.Target.Preset == "" || n.Target.Preset == "" { // the embedded engine's port is any
		add("target", b.Target.URL, n.Target.URL)
	}
	add("simulated engine", b.Target.Preset, n.Target.Preset)
	add("engine", b.Target.Engine.Name+" "+b.Target.Engine.Version, n.Target.Engine.Name+" "+n.Target.Engine.Version)
	add("context length", whole(&b.Target.MaxLen), whole(&n.Target.MaxLen))
	add("API", b.Target.API, n.Target.API)
	add("instance", text(b.Platform.Instance), text(n.Platform.Instance))
	add("GPU", text(b.Platform.GPU), text(n.Platform.GPU))
	add("GPUs", whole(b.Platform.Count), whole(n.Platform.Count))
	add("tensor parallel", whole(b.Platform.TP), whole(n.Platform.TP))
	add("region", text(b.Platform.Region), text(n.Platform.Region))
	add("price per hour", price(b.Cost), price(n.Cost))
	add("client's machine", machine(b.Host), machine(n.Host))
	add("seed", strconv.FormatUint(b.Seed, 10), strconv.FormatUint(n.Seed, 10))
	add("SLO", conditions(b.SLO), conditions(n.SLO))
	return append(out, specDifferences(b.Spec, n.Spec)...)
}

func known(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return "not known"
	}
	return s
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func whole(n *int) string {
	if n == nil || *n == 0 {
		return ""
	}
	return strconv.Itoa(*n)
}

func price(c *record.Cost) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("$%g", c.PricePerHour)
}

func machine(h record.Host) string {
	if h.CPUs == 0 {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%s/%s, %d CPUs %s", h.OS, h.Arch, h.CPUs, h.CPUModel))
}

func conditions(s record.SLO) string {
	var out []string
	for _, c := range s.Criteria {
		out = append(out, fmt.Sprintf("%s.%s<%gms", c.Metric, c.Percentile, c.Limit))
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, " ")
}

// specDifferences compares the options and the scenarios of two specs as
// recorded, leaf by leaf. What one side has no spec for is not asked.
func specDifferences(base, next json.RawMessage) []Difference {
	b, okB := specLeaves(base)
	n, okN := specLeaves(next)
	if !okB || !okN {
		return nil
	}
	var out []Difference
	var keys []string
	for k := range b {
		keys = append(keys, k)
	}
	for k := range n {
		if _, both := b[k]; !both {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		if b[k] == n[k] {
			continue
		}
		if len(out) == mostDifferences {
			break
		}
		out = append(out, Difference{strings.TrimSuffix(k, "_ns"), known(b[k]), known(n[k])})
	}
	return out
}

// specLeaves flattens what shapes the traffic: the options, and each scenario
// that some level belongs to. The loads themselves are told by the levels.
func specLeaves(raw json.RawMessage) (map[string]string, bool) {
	var s struct {
		Options map[string]any `json:"options"`
		Levels  []struct {
			Scenario map[string]any `json:"scenario"`
		} `json:"levels"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return nil, false
	}
	out := map[string]string{}
	flatten("options", s.Options, out)
	for _, l := range s.Levels {
		name, _ := l.Scenario["name"].(string)
		flatten(name, l.Scenario, out)
		delete(out, name+".name")
		delete(out, name+".description")
		delete(out, name+".concurrency")
		delete(out, name+".request_rate")
	}
	return out, true
}

func flatten(path string, v any, out map[string]string) {
	switch v := v.(type) {
	case nil:
	case map[string]any:
		for k, child := range v {
			flatten(path+"."+k, child, out)
		}
	case float64:
		out[path] = strconv.FormatFloat(v, 'g', -1, 64)
		if strings.HasSuffix(path, "_ns") {
			out[path] = time.Duration(v).String()
		}
	case string:
		out[path] = v
	default:
		b, err := json.Marshal(v)
		if err == nil {
			out[path] = string(b)
		}
	}
}
