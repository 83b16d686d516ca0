package diagnose

import (
	"flag"
	"testing"

	"assay/internal/diagnose/lab"
)

var (
	develop = flag.Bool("develop", false, "list what is wrong or unsure on development systems of the laboratory")
	seed    = flag.Uint64("seed", 0, "with -develop: on other systems, of this seed, instead")
)

// Thresholds and weights are chosen with this list before one's eyes, and never
// with that of the other half.
func TestDevelopmentHalf(t *testing.T) {
	if !*develop {
		t.Skip("a tool for choosing thresholds: -develop -v")
	}
	systems := lab.Development()
	if *seed != 0 {
		systems = lab.Systems(*seed, 260)
	}
	all := grade(systems)
	for _, g := range all {
		if g.right() && g.bound.Confidence >= 0.5 {
			continue
		}
		t.Logf("%s at %.2f; it is %v by %v (meant %s, varied %v, seen %v): %s", g.bound.Verdict, g.bound.Confidence, g.truth.Bounds, g.truth.Gains, g.system.Meant, g.system.Varied, g.seen, g.system.Name)
		for _, e := range g.bound.Evidence {
			t.Logf("    for: %s", e.Fact)
		}
		for _, e := range g.bound.Against {
			t.Logf("    against: %s", e.Fact)
		}
	}
	t.Log("\n" + matrix(all))
}
