package explain

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"assay/internal/manifest"
	"assay/internal/telemetry"
)

func alertTopics() []topic {
	var all []topic
	for _, a := range manifest.Alerts {
		all = append(all, topic{name: a.Name, kind: Alert, page: func() Page { return alertPage(a) }})
	}
	return all
}

func alertPage(a manifest.Alert) Page {
	p := Page{Topic: a.Name, Kind: Alert, Title: a.Name, Is: a.Meaning, Do: steps(a.Steps...), See: metricsOf(a)}
	p.fact("says", withoutTemplate(a.Summary))
	p.fact("severity", a.Severity)
	p.fact("fires when", strings.Join(strings.Fields(a.Expr), " "))
	p.fact("for", a.For)
	p.fact("its level", a.Level)
	p.fact("asks for", a.Asks)
	for _, metric := range a.Needs {
		if _, n, ok := telemetry.Lookup(metric); ok {
			p.fact("needs", metric+suffix(", which is published only with ", n.Enable))
		}
	}
	p.Sources = []Source{{Title: "assay render monitoring, group " + a.Group}}
	return p
}

// filled is what Alertmanager puts into an annotation: the first label that it
// names, or the value.
var filled = regexp.MustCompile(`\{\{[^{}]*?\$(?:labels\.)?(\w+)[^{}]*\}\}`)

// withoutTemplate names in capitals what an annotation is filled with.
func withoutTemplate(s string) string {
	return filled.ReplaceAllStringFunc(s, func(m string) string {
		return strings.ToUpper(filled.FindStringSubmatch(m)[1])
	})
}

// words of a PromQL expression that may be names of metrics.
var word = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*`)

// metricsOf are the catalogue's metrics that an alert rests on, each once.
func metricsOf(a manifest.Alert) []string {
	var names []string
	for _, w := range append(word.FindAllString(a.Expr, -1), a.Needs...) {
		if _, n, ok := telemetry.Lookup(w); ok && !slices.Contains(names, n.Metric) {
			names = append(names, n.Metric)
		}
	}
	return names
}

// alertsOn are the alerts that rest on a metric.
func alertsOn(metric string) []string { return alertsByMetric()[metric] }

var alertsByMetric = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for _, a := range manifest.Alerts {
		for _, metric := range metricsOf(a) {
			m[metric] = append(m[metric], a.Name)
		}
	}
	return m
})
