package diagnose

import (
	"strings"
	"testing"

	"assay/internal/record"
)

func TestAnEngineThatHangsIsNotTakenForAnIdleOne(t *testing.T) {
	p := func(v float64) *float64 { return &v }
	look := func(change func(*record.Level)) record.Bound {
		l := record.Level{ID: "a #1", Load: record.Load{Value: 19}, DurationS: 8, Validity: record.Validity{Verdict: record.Valid},
			Server: &record.Server{Samples: 9, RunningMean: p(19), RunningMax: p(19), WaitingMean: p(0), WaitingShare: p(0), KVUsageMax: p(0.002), MaxNumSeqs: p(1024), OutputTokens: p(0), PromptTokens: p(0)}}
		change(&l)
		return Bound(Evidence{Levels: []record.Level{l}, Service: true, Thresholds: DefaultThresholds()})
	}
	b := look(func(*record.Level) {})
	if b.Verdict != record.BoundUnknown || len(b.Evidence) == 0 || b.Evidence[0].Fact != "19 requests ran, and no token came in 8 s" || b.Change == nil || !strings.Contains(b.Change.Text, "vLLMStalled") {
		t.Errorf("got %+v", b)
	}
	for name, change := range map[string]func(*record.Level){
		"tokens come":             func(l *record.Level) { l.Server.OutputTokens = p(500) },
		"steps, of a long prompt": func(l *record.Level) { l.Server.StepMS = p(400) },
		"tokens are not known":    func(l *record.Level) { l.Server.OutputTokens = nil },
		"a glance":                func(l *record.Level) { l.DurationS = 2 },
	} {
		if b := look(change); b.Change != nil && strings.Contains(b.Change.Text, "hangs") {
			t.Errorf("%s: %+v", name, b)
		}
	}
	// What is known to be broken is the reason.
	b = look(func(l *record.Level) {
		l.GPU = &record.GPU{Source: "dcgm", Count: 1, XIDs: []record.XID{{GPU: "0", Code: 79}}}
	})
	if b.Verdict != record.BoundFault {
		t.Errorf("with XID 79 it is %s", b.Verdict)
	}
}
