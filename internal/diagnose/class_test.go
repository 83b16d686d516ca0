package diagnose

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"assay/internal/facts"
	"assay/internal/record"
)

// Verdicts are all that a bound may say.
var verdicts = []string{record.BoundCompute, record.BoundMemory, record.BoundCollective, record.BoundKVCache, record.BoundAdmission, record.BoundTokenBudget,
	record.BoundCPU, record.BoundNetwork, record.BoundClient, record.BoundThrottled, record.BoundFault, record.BoundCold, record.BoundNotSaturated, record.BoundUnknown}

func TestEveryVerdictHasAClass(t *testing.T) {
	if len(Classes) != len(verdicts) {
		t.Errorf("%d classes for %d verdicts", len(Classes), len(verdicts))
	}
	for _, v := range verdicts {
		c, ok := ClassOf(v)
		if !ok || c.Title == "" || c.Meaning == "" || len(c.Signs) == 0 || len(c.Traps) == 0 || len(c.Remedies) == 0 {
			t.Errorf("%s: %+v", v, c)
		}
		for _, r := range c.Remedies {
			if r.Text == "" || r.Cost == "" || !slices.Contains([]string{Helps, Trades, NoLonger, DoesNot}, r.Helps) {
				t.Errorf("%s: remedy %+v", v, r)
			}
		}
	}
}

func TestTheFiveRemediesForAFullKVCache(t *testing.T) {
	c, _ := ClassOf(record.BoundKVCache)
	for flag, helps := range map[string]string{"--gpu-memory-utilization 0.95": Helps, "--kv-cache-dtype fp8": Helps, "--max-model-len": DoesNot,
		"--enable-chunked-prefill": NoLonger, "--tensor-parallel-size": Helps} {
		i := slices.IndexFunc(c.Remedies, func(r Remedy) bool { return r.Flag == flag })
		if i < 0 || c.Remedies[i].Helps != helps {
			t.Errorf("%s: want %q", flag, helps)
		}
	}
}

// The codes that the page on faulty GPUs names as signs are faults by the table, and
// those that it calls the application's are none.
func TestTheFaultPageNamesCodesAsTheTableDoes(t *testing.T) {
	c, _ := ClassOf(record.BoundFault)
	n := 0
	check := func(lines []string, about string, fatal bool) {
		for _, line := range lines {
			if !strings.Contains(line, about) {
				continue
			}
			line, _, _ = strings.Cut(line, "`")
			for _, number := range regexp.MustCompile(`\d+`).FindAllString(line, -1) {
				code, _ := strconv.Atoi(number)
				if x, ok := facts.XIDOf(code); !ok || x.Fatal != fatal {
					t.Errorf("%d in %q: fatal %v by the table", code, line, x.Fatal)
				}
				n++
			}
		}
	}
	check(c.Signs, "an XID code", true)
	check(c.Traps, "application", false)
	if n < 9 {
		t.Errorf("%d codes", n)
	}
}
