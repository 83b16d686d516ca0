package bench

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/engine"
	"assay/internal/engine/httpd"
	"assay/internal/record"
	"assay/internal/wire"
)

// examined examines a simulated engine with those faults.
func examined(t *testing.T, faults httpd.Faults, opt httpd.Options) *record.Examination {
	t.Helper()
	opt.Faults = faults
	s, err := httpd.Start(engine.Demo(), opt)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		s.Terminate(0)
		<-s.Done()
	}()
	x, err := Examine(context.Background(), Options{Target: s.URL(), API: wire.Chat, Metrics: Metrics{None: true}, Timeout: time.Minute, Stall: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestExamine(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults httpd.Faults
		opt    httpd.Options
		status string
		says   string
	}{
		{"a stream held to its end", httpd.Faults{Buffer: true}, httpd.Options{}, record.Trouble, "holds the stream back to its end"},
		{"several tokens a chunk", httpd.Faults{ChunkTokens: 4}, httpd.Options{}, record.Remark, "tokens"},
		{"no usage", httpd.Faults{NoUsage: true}, httpd.Options{}, record.Remark, "no usage"},
		{"CRLF", httpd.Faults{CRLF: true}, httpd.Options{}, record.Fine, "lines end in CRLF"},
		{"reasoning", httpd.Faults{Reasoning: 20}, httpd.Options{}, record.Remark, "reasons first"},
		{"cached tokens told", httpd.Faults{}, httpd.Options{PromptTokensDetails: true}, record.Fine, "a prefix cache is at work"},
		{"cached tokens not told", httpd.Faults{}, httpd.Options{}, record.Remark, "cached tokens are not told"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := examined(t, c.faults, c.opt)
			for _, f := range x.Findings {
				if f.Status == c.status && strings.Contains(f.What, c.says) {
					if Troubled(x) != (c.status == record.Trouble) {
						t.Errorf("troubled: %t", Troubled(x))
					}
					return
				}
			}
			t.Errorf("no finding %s with %q: %+v", c.status, c.says, x.Findings)
		})
	}
}

func TestFindingsStandInOrderOfTheirWeight(t *testing.T) {
	x := examined(t, httpd.Faults{Buffer: true}, httpd.Options{})
	var got []string
	for _, f := range x.Findings {
		if n := len(got); n == 0 || got[n-1] != f.Status {
			got = append(got, f.Status)
		}
	}
	if diff := cmp.Diff([]string{record.Trouble, record.Remark, record.Fine}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
