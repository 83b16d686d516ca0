package checkpoint

import (
	"strings"
	"testing"
)

func TestParseCount(t *testing.T) {
	for text, want := range map[string]size{
		"30B": {total: 30e9}, "1.5b": {total: 1.5e9}, "480M": {total: 480e6}, "1T": {total: 1e12}, " 7B ": {total: 7e9},
		"30B-A3B": {total: 30e9, active: 3e9}, "235b-a22b": {total: 235e9, active: 22e9}, "120B-A5.1B": {total: 120e9, active: 5.1e9},
		"8x7B": {total: 56e9 * sharedOfExperts, experts: 8},
	} {
		if got, ok := parseCount(text); !ok || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "B", "30", "30GB", "-30B", "0B", "1e9B", "30B-A40B", "1x7B", "0x7B", "30B-", "NaNB", "99999999B", "30B 40B", "llama-30B"} {
		if got, ok := parseCount(text); ok {
			t.Errorf("%q is taken for %+v", text, got)
		}
	}
}

func TestCountsFindArchitecturesOfTheirSize(t *testing.T) {
	for ref, want := range map[string]string{"30B": "qwen3-32b", "8B": "llama-3.1-8b", "70B": "llama-3.3-70b", "30B-A3B": "qwen3-30b-a3b", "8x7B": "mixtral-8x7b", "671B": "deepseek-v3"} {
		c, err := Open(ref)
		if err != nil {
			t.Errorf("%s: %v", ref, err)
			continue
		}
		found := false
		for _, a := range c.Candidates {
			found = found || a.Name == want
		}
		if !found || c.Arch != nil || c.Exact() || len(c.Remarks) == 0 {
			t.Errorf("%s: %q, want %s among the candidates and a remark", ref, c.Remarks, want)
		}
	}
	if _, err := Open("900T"); err == nil || !strings.Contains(err.Error(), "nearest") {
		t.Errorf("900T: %v, want the nearest known model named", err)
	}
	if c, _ := Open("8x7B"); c.Parameters < 44e9 || c.Parameters > 49e9 {
		t.Errorf("8x7B is taken for %d parameters; Mixtral has 46.7 billion", c.Parameters)
	}
}

// Candidates are of the size asked for, of its kind where there are any, and sorted
// by how near they are.
func TestCandidatesAreNear(t *testing.T) {
	for n := 1; n < 1500; n += 1 + n/5 {
		c, err := ofCount("x", size{total: float64(n) * 1e9})
		if err != nil {
			continue // none is near
		}
		last := 1.0
		for _, a := range c.Candidates {
			f := apart(float64(a.Parameters()), float64(c.Parameters))
			if f > FarFactor || f < last {
				t.Errorf("%d billion: %s is a factor of %g away, after %g", n, a.Name, f, last)
			}
			last = f
		}
	}
}

func FuzzCount(f *testing.F) {
	f.Add("30B-A3B")
	f.Fuzz(func(t *testing.T, s string) {
		if c, ok := parseCount(s); ok && (!(c.total >= 1) || c.total > 1e22 || !(c.active < c.total)) {
			t.Errorf("%q: %+v", s, c)
		}
	})
}
