package explain

import (
	"fmt"
	"strconv"
	"strings"

	"assay/internal/telemetry"
)

func quantityTopics() []topic {
	var all []topic
	for _, e := range telemetry.Catalogue {
		all = append(all, topic{name: string(e.Quantity), kind: Quantity, page: func() Page { return quantityPage(e) }})
	}
	return all
}

func metricTopics() []topic {
	var all []topic
	seen := map[string]bool{}
	for _, e := range telemetry.Catalogue {
		for _, n := range e.Names {
			if n.Also || seen[n.Metric] {
				continue
			}
			seen[n.Metric] = true
			all = append(all, topic{name: n.Metric, kind: Metric, page: func() Page { return metricPage(e, n) }})
		}
	}
	return all
}

// quantityPage is what all engines' names of a quantity have in common.
func quantityPage(e telemetry.Entry) Page {
	p := Page{Topic: string(e.Quantity), Kind: Quantity, Title: string(e.Quantity), Is: e.Help, Traps: e.Traps}
	p.published(e)
	return p
}

// metricPage is of one name, with the others beside it.
func metricPage(e telemetry.Entry, n telemetry.Name) Page {
	p := Page{Topic: n.Metric, Kind: Metric, Title: n.Metric, Is: e.Help, Traps: e.Traps, See: append([]string{string(e.Quantity)}, alertsOn(n.Metric)...)}
	if n.Removed != "" {
		p.Is = fmt.Sprintf("Gone since %s %s%s. %s", n.Engine, n.Removed, suffix("; read in its place ", n.Instead), p.Is)
	}
	p.fact("published by", n.Engine)
	p.published(e)
	if n.Scale != 0 && n.Scale != 1 {
		p.fact("as published", "times "+strconv.FormatFloat(n.Scale, 'f', -1, 64)+" it is in this unit")
	}
	p.fact("labels", strings.Join(n.Labels, ", "))
	if len(n.Product) > 0 {
		p.fact("its value", "the product of its labels "+strings.Join(n.Product, " × ")+", not of the series")
	}
	p.fact("in PromQL", query(e, n))
	return p
}

// published adds kind, unit and names.
func (p *Page) published(e telemetry.Entry) {
	p.fact("kind", e.Kind.String())
	p.fact("unit", units(e.Unit))
	for _, n := range e.Names {
		p.Names = append(p.Names, Name{
			Publisher: n.Engine, Metric: n.Metric, Labels: n.Labels, Product: n.Product, Since: n.Since, Removed: n.Removed, Instead: n.Instead, Enable: n.Enable,
		})
	}
	p.Sources = sourcesOf(e)
}

func units(unit string) string {
	switch unit {
	case "1":
		return "a plain number"
	case "share":
		return "a share, 0 to 1"
	}
	return unit
}

// query is how a metric is asked for, by its kind.
func query(e telemetry.Entry, n telemetry.Name) string {
	if len(n.Product) > 0 {
		return ""
	}
	switch e.Kind {
	case telemetry.Counter:
		return fmt.Sprintf("rate(%s[5m])", n.Metric)
	case telemetry.Histogram, telemetry.Summary:
		return fmt.Sprintf("rate(%[1]s_sum[5m]) / rate(%[1]s_count[5m]) is the mean; sum each over pods before dividing", n.Metric)
	}
	return ""
}

// sourcesOf are those of the publishers of a quantity, each once.
func sourcesOf(e telemetry.Entry) []Source {
	var all []Source
	seen := map[string]bool{}
	for _, n := range e.Names {
		s, ok := telemetry.SourceOf(n.Engine)
		if ok && !seen[n.Engine] {
			seen[n.Engine] = true
			all = append(all, Source{Title: s.Title, URL: s.URL, AsOf: s.AsOf})
		}
	}
	return all
}
