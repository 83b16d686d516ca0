package diagnose

import (
	"runtime"
	"testing"

	"assay/internal/diagnose/lab"
)

// What the other half of the systems gave when the thresholds were fixed. A
// verdict that becomes wrong, or surely wrong, shows here as a page that differs.
func TestMatrixOfTheHeldOutHalf(t *testing.T) {
	systems := lab.Held()
	if raced {
		if n := count(grade(systems[:24]), everything); 5*n.right < 4*n.all {
			t.Errorf("%d of the first %d right", n.right, n.all)
		}
		t.Skip("the rest is run without the race detector, which makes it three minutes long")
	}
	all := grade(systems)
	whole := count(all, everything)
	if whole.all < 100 {
		t.Errorf("%d systems are too few", whole.all)
	}
	if 10*whole.right < 9*whole.all {
		t.Errorf("%d of %d right, less than 90 %%", whole.right, whole.all)
	}
	if 20*whole.surelyWrong > whole.sure {
		t.Errorf("%d of %d verdicts with a confidence of %g or more are wrong, more than 5 %%", whole.surelyWrong, whole.sure, sure)
	}
	if runtime.GOARCH != "amd64" && !*update {
		t.Skip("the page is of amd64; other machines round sums of products otherwise")
	}
	section(t, "matrix", matrix(all))
}
