package train

import "testing"

func TestParseBudget(t *testing.T) {
	for s, want := range map[string][2]float64{"5000": {5000, 0}, "$5000": {5000, 0}, "5000$": {5000, 0}, "40$/h": {0, 40}, "1e6 usd": {1e6, 0}} {
		if total, hourly, err := ParseBudget(s); err != nil || total != want[0] || hourly != want[1] {
			t.Errorf("ParseBudget(%q) = %g, %g, %v", s, total, hourly, err)
		}
	}
	for _, s := range []string{"", "-5", "0", "much", "nan", "5/d"} {
		if _, _, err := ParseBudget(s); err == nil {
			t.Errorf("ParseBudget(%q): no error", s)
		}
	}
}

func FuzzParseBudget(f *testing.F) {
	for _, s := range []string{"5000", "40$/h", "$1e6", "nan$/h", "-1", "1e400"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		total, hourly, err := ParseBudget(s)
		if err == nil && !(total > 0 && hourly == 0 && total <= 1e12 || hourly > 0 && total == 0 && hourly <= 1e12) {
			t.Errorf("ParseBudget(%q) = %g, %g", s, total, hourly)
		}
	})
}
