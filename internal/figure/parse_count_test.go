package figure

import "testing"

func TestParseCount(t *testing.T) {
	for s, want := range map[string]float64{"10B": 10e9, "1.5T": 1.5e12, " 200M": 200e6, "4k": 4000, "1e9": 1e9, "2000000": 2e6, "3 b": 3e9} {
		if got, err := ParseCount(s); err != nil || got != want {
			t.Errorf("ParseCount(%q) = %g, %v; want %g", s, got, err, want)
		}
	}
	for _, s := range []string{"", "0", "-1B", "ten", "nan", "inf", "B", "1e30", "10BB"} {
		if got, err := ParseCount(s); err == nil {
			t.Errorf("ParseCount(%q) = %g, want an error", s, got)
		}
	}
}

func FuzzParseCount(f *testing.F) {
	for _, s := range []string{"10B", "1.5T", "nan", "-1k", "1e19", "0x1p4B"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := ParseCount(s); err == nil && !(v > 0 && v <= 1e18) {
			t.Errorf("ParseCount(%q) = %g", s, v)
		}
	})
}
