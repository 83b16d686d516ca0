package figure

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestParseBytes(t *testing.T) {
	for s, want := range map[string]int64{
		"12GB": 12e9, "12GiB": 12 << 30, "12Gi": 12 << 30, "12G": 12e9, "1.5TB": 1.5e12, "1.5 TiB": 3 << 39,
		"894gib": 894 << 30, "1000": 1000, "7b": 7, "250mb": 250e6,
	} {
		if got, err := ParseBytes(s); err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "GB", "-1GB", "0", "12XB", "nan", "inf", "1e30GB", "12GB/s", "0.1b"} {
		if got, err := ParseBytes(s); err == nil {
			t.Errorf("ParseBytes(%q) = %d, want an error", s, got)
		} else if !strings.Contains(err.Error(), s) {
			t.Errorf("ParseBytes(%q): the error %q does not name the value", s, err)
		}
	}
}

func TestParseRate(t *testing.T) {
	for s, want := range map[string]float64{
		"2GB/s": 2e9, "600MiB/s": 600 << 20, "25Gbit/s": 25e9 / 8, "100Gbps": 100e9 / 8, "3.5 Gbit/s": 3.5e9 / 8, "125MB": 125e6,
	} {
		if got, err := ParseRate(s); err != nil || math.Abs(got-want) > 1e-6*want {
			t.Errorf("ParseRate(%q) = %g, %v; want %g", s, got, err, want)
		}
	}
	for _, s := range []string{"", "fast", "0GB/s", "-2GB/s", "2GB/h", "1e40GB/s"} {
		if got, err := ParseRate(s); err == nil {
			t.Errorf("ParseRate(%q) = %g, want an error", s, got)
		}
	}
}

func TestParseSpan(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"60s": time.Minute, "60": time.Minute, "5m": 5 * time.Minute, "1h30m": 90 * time.Minute, "7d": 7 * 24 * time.Hour, "0.5d": 12 * time.Hour,
	} {
		if got, err := ParseSpan(s); err != nil || got != want {
			t.Errorf("ParseSpan(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "0", "-5s", "soon", "1e30d", "nan", "infd"} {
		if got, err := ParseSpan(s); err == nil {
			t.Errorf("ParseSpan(%q) = %v, want an error", s, got)
		}
	}
}

func FuzzParseQuantities(f *testing.F) {
	for _, s := range []string{"12GB", "1.5TiB", "2GB/s", "25Gbit/s", "7d", "1h30m", "-1", "nan", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := ParseBytes(s); err == nil && n < 1 {
			t.Errorf("ParseBytes(%q) = %d", s, n)
		}
		if r, err := ParseRate(s); err == nil && !(r > 0 && r <= mostBytes) {
			t.Errorf("ParseRate(%q) = %g", s, r)
		}
		if d, err := ParseSpan(s); err == nil && d <= 0 {
			t.Errorf("ParseSpan(%q) = %v", s, d)
		}
	})
}
