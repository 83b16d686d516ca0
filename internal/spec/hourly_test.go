package spec

import (
	"strings"
	"testing"
)

func TestParseHourly(t *testing.T) {
	for s, want := range map[string]float64{"10": 10, "10$/h": 10, "$10": 10, "$ 2.5 per hour": 2.5, "10 USD/h": 10, "usd 3/hr": 3, "0.05$": 0.05} {
		if got, err := ParseHourly(s); err != nil || got != want {
			t.Errorf("ParseHourly(%q) = %g, %v; want %g", s, got, err, want)
		}
	}
	for _, s := range []string{"", "$", "0", "-1$/h", "nan", "inf", "1e99", "10€/h", "ten", "10$/day"} {
		if got, err := ParseHourly(s); err == nil || !strings.Contains(err.Error(), "10$/h") {
			t.Errorf("ParseHourly(%q) = %g, %v", s, got, err)
		}
	}
}

func FuzzParseHourly(f *testing.F) {
	for _, s := range []string{"10$/h", "$10", "1e3 usd", "-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := ParseHourly(s); err == nil && !(v > 0 && v <= 1e9) {
			t.Fatalf("ParseHourly(%q) = %g", s, v)
		}
	})
}
