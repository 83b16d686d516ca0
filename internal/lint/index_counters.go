package lint

import (
	"regexp"
	"slices"
	"strings"

	"assay/internal/lint/source"
	"assay/internal/telemetry"
)

// Counters is a counter list of dcgm-exporter that a ConfigMap carries.
type Counters struct {
	At     Spot
	Fields []string
}

// Counted is an alert's use of a DCGM field that the exporter collects only where its
// list says so. Names are all of what is counted: one that is collected is enough.
type Counted struct {
	At    Spot
	Field string
	Names []string
}

// countersOf are the lists of a ConfigMap: lines such as
// "DCGM_FI_DEV_GPU_TEMP, gauge, Temperature".
func countersOf(o *Object) []Counters {
	if o.Kind != "ConfigMap" {
		return nil
	}
	var all []Counters
	for key, v := range o.Get("data").Pairs() {
		if fields := fieldsOf(v); len(fields) > 0 {
			all = append(all, Counters{o.Spot(key), fields})
		}
	}
	return all
}

func fieldsOf(v source.Value) []string {
	var all []string
	for line := range strings.Lines(v.Text()) {
		field, rest, ok := strings.Cut(strings.TrimSpace(line), ",")
		kind, _, _ := strings.Cut(rest, ",")
		switch strings.TrimSpace(kind) {
		case "gauge", "counter", "label":
			if ok && strings.HasPrefix(field, "DCGM_") {
				all = append(all, strings.TrimSpace(field))
			}
		}
	}
	return all
}

var dcgmField = regexp.MustCompile(`\bDCGM_(FI|EXP)_[A-Z0-9_]+`)

// countedOf are the DCGM fields that alerts of an object read and that the exporter's
// own list leaves out.
func countedOf(o *Object) []Counted {
	if o.Kind != "PrometheusRule" {
		return nil
	}
	var all []Counted
	for _, g := range o.Get("spec", "groups").Items() {
		for _, rule := range g.Get("rules").Items() {
			if expr := rule.Get("expr"); rule.Get("alert").Exists() {
				all = append(all, countedIn(o, expr)...)
			}
		}
	}
	return all
}

func countedIn(o *Object, expr source.Value) []Counted {
	var all []Counted
	text := expr.Text()
	for _, at := range dcgmField.FindAllStringIndex(text, -1) {
		field := text[at[0]:at[1]]
		names, asked := askedFor(field)
		if asked && !slices.ContainsFunc(all, func(c Counted) bool { return c.Field == field }) {
			all = append(all, Counted{o.Spot(o.File.Within(expr, at[0], field)), field, names})
		}
	}
	return all
}

// askedFor says that the exporter collects a field only where it is asked to, and gives
// the names of what the field counts.
func askedFor(field string) (names []string, asked bool) {
	e, _, ok := telemetry.Lookup(field)
	if !ok {
		return nil, false
	}
	for _, n := range e.Names {
		if n.Engine == "dcgm" {
			names = append(names, n.Metric)
			if n.Default {
				return nil, false
			}
		}
	}
	return names, true
}
