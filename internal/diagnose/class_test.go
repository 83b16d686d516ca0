package diagnose

import (
	"slices"
	"testing"

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
