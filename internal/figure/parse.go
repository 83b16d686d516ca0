package figure

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// units of bytes as people write them: decimal, binary, and the bare letters
// of Kubernetes, which are decimal there (10G) and binary with an i (10Gi).
var units = map[string]float64{
	"": 1, "b": 1,
	"k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12, "p": 1e15, "pb": 1e15,
	"ki": 1 << 10, "kib": 1 << 10, "mi": 1 << 20, "mib": 1 << 20, "gi": 1 << 30, "gib": 1 << 30, "ti": 1 << 40, "tib": 1 << 40, "pi": 1 << 50, "pib": 1 << 50,
}

// mostBytes bounds what a size or a rate may be: far above any storage.
const mostBytes = 1e18

// ParseBytes reads a size above 0: 12GB (12·10⁹), 12GiB (12·2³⁰), 12Gi, 1.5TB, or
// a plain count of bytes.
func ParseBytes(s string) (int64, error) {
	v, err := parseBytes(s)
	if err != nil {
		return 0, fmt.Errorf("size %q: %w", s, err)
	}
	if v < 1 {
		return 0, fmt.Errorf("size %q: less than a byte", s)
	}
	return int64(math.Round(v)), nil
}

// ParseRate reads bytes per second, above 0: 2GB/s, 600MiB/s, 10Gbit/s, 25Gbps.
// The unit of time may be left out; a lower-case b is a byte except in bit and bps.
func ParseRate(s string) (float64, error) {
	t := strings.ToLower(strings.TrimSpace(s))
	t = strings.TrimSuffix(t, "/s")
	bits := 1.0
	for _, end := range []string{"bits", "bit", "bps"} {
		if rest, ok := strings.CutSuffix(t, end); ok {
			t, bits = rest, 8
			break
		}
	}
	v, err := parseBytes(t)
	if err != nil {
		return 0, fmt.Errorf("rate %q: want a rate such as 2GB/s, 600MiB/s or 25Gbit/s", s)
	}
	return v / bits, nil
}

// ParseSpan reads a time above 0: 60s, 5m, 1h30m, 7d. A plain number is seconds.
func ParseSpan(s string) (time.Duration, error) {
	t := strings.ToLower(strings.TrimSpace(s))
	var d time.Duration
	var err error
	if days, ok := strings.CutSuffix(t, "d"); ok {
		d, err = spanOf(days, 24*time.Hour)
	} else if _, number := strconv.ParseFloat(t, 64); number == nil {
		d, err = spanOf(t, time.Second)
	} else {
		d, err = time.ParseDuration(t)
	}
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("time %q: want one above 0 such as 60s, 5m, 1h30m or 7d", s)
	}
	return d, nil
}

// mostSpan is a century: longer is a slip.
const mostSpan = 100 * 365 * 24 * time.Hour

func spanOf(number string, unit time.Duration) (time.Duration, error) {
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v > 0) || v*float64(unit) > float64(mostSpan) {
		return 0, fmt.Errorf("%q is not a number of %s", number, unit)
	}
	return time.Duration(v * float64(unit)), nil
}

func parseBytes(s string) (float64, error) {
	t := strings.ToLower(strings.TrimSpace(s))
	cut := strings.IndexFunc(t, func(r rune) bool { return r >= 'a' && r <= 'z' })
	if cut < 0 {
		cut = len(t)
	}
	unit, ok := units[strings.TrimSpace(t[cut:])]
	if !ok {
		return 0, fmt.Errorf("%q is not a unit: want MB, GB or TB (powers of ten), MiB, GiB or TiB (powers of two)", t[cut:])
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(t[:cut]), 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("want a number with a unit, such as 12GB or 1.5TiB")
	case !(v > 0):
		return 0, fmt.Errorf("must be above 0")
	case v*unit > mostBytes:
		return 0, fmt.Errorf("more than %g bytes", mostBytes)
	}
	return v * unit, nil
}
