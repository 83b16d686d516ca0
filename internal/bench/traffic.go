package bench

import (
	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
)

// reuseOf is what a scenario's prompts share by intent.
func reuseOf(s spec.Scenario) string {
	switch {
	case s.DatasetPath != "":
		return record.ReuseDataset
	case s.SharedPrefix > 0:
		return record.ReusePrefix
	}
	return record.ReuseNone
}

// modelsOf parts a level that mixes models by the model asked for, in the order
// in which they were first asked; nil where none is named.
func modelsOf(measured []*record.Request) []record.ModelLevel {
	var order []string
	by := map[string][]*record.Request{}
	for _, r := range measured {
		if r.Model == "" {
			continue
		}
		if by[r.Model] == nil {
			order = append(order, r.Model)
		}
		by[r.Model] = append(by[r.Model], r)
	}
	var out []record.ModelLevel
	for _, name := range order {
		m := record.ModelLevel{Model: name, Requests: count(by[name], map[string]int{})}
		var ttft, itl, e2e []float64
		for _, r := range by[name] {
			if r.OK() {
				ttft, itl, e2e = appendDefined(ttft, r.TTFT), appendDefined(itl, r.ITL), appendDefined(e2e, r.E2E)
			}
		}
		m.TTFT, m.ITL, m.E2E = stats.Summarize(ttft), stats.Summarize(itl), stats.Summarize(e2e)
		out = append(out, m)
	}
	return out
}
