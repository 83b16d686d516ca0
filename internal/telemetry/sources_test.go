package telemetry

import "testing"

func TestEveryPublisherHasASource(t *testing.T) {
	for _, e := range Catalogue {
		for _, n := range e.Names {
			if s, ok := SourceOf(n.Engine); !ok || s.Title == "" || s.URL == "" || s.AsOf == "" {
				t.Errorf("%s (%s) has no source: %+v", n.Metric, n.Engine, s)
			}
		}
	}
}
