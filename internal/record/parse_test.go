package record

import (
	"strings"
	"testing"
)

func TestLevelsOfARunAreBounded(t *testing.T) {
	text := func(n int) []byte {
		return []byte(`{"schema":"assay.run/v1","levels":[` + strings.Repeat(`{"id":"a,\"],b"},`, n-1) + `{}]}`)
	}
	run, err := ParseRun(text(mostLevels))
	if err != nil || len(run.Levels) != mostLevels || run.Levels[0].ID != `a,"],b` {
		t.Errorf("%d levels, %v", len(run.Levels), err)
	}
	if _, err := ParseRun(text(mostLevels + 1)); err == nil || !strings.Contains(err.Error(), "10001 levels: at most 10000") {
		t.Error(err)
	}
}
