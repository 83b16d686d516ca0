package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	prices, date, err := read([]byte(`package pricing

// generated at 2026-07-06T14:20:29Z for us-east-1

var InitialOnDemandPricesAWS = map[string]map[string]float64{
	"us-east-2": {"g5.xlarge": 9.000000},
	"us-east-1": {
		// g5 family
		"g5.xlarge": 1.006000, "m5.large": 0.096000,
	},
}
`))
	want := map[string]float64{"g5.xlarge": 1.006, "m5.large": 0.096}
	if diff := cmp.Diff(want, prices); err != nil || date != "2026-07-06" || diff != "" {
		t.Errorf("%v, %s, %v\n%s", prices, date, err, diff)
	}
	if diff := cmp.Diff(map[string]float64{"g5.xlarge": 1.006}, accelerated(prices)); diff != "" {
		t.Error(diff)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"package pricing\n": "does not say when",
		"// generated at 2026-07-06T14:20:29Z for us-east-1\npackage pricing\n": "has no prices",
		"// generated at 2026-07-06T14:20:29Z for us-east-1\nnonsense":          "expected 'package'",
	} {
		if _, _, err := read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}
