package trace

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/spec"
)

// The file of a run names its format before this package sees it.
func TestSpecKnowsTheSameKinds(t *testing.T) {
	if diff := cmp.Diff(Kinds(), spec.DatasetKinds); diff != "" {
		t.Errorf("kinds (-here +spec):\n%s", diff)
	}
}
