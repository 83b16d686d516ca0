package survey

import (
	"strings"
	"testing"

	"assay/internal/record"
)

// replica is one of a service, alike but for what change does to it.
func replica(name string, change func(*Instance)) Instance {
	i := Instance{Name: name, Model: "m", seconds: 60,
		Server: &record.Server{RunningMean: p(20), WaitingMean: p(1), KVUsageMean: p(0.5), StepMS: p(12), OutputTokens: p(60_000), Finished: p(600)},
		GPU:    &record.GPU{SMClockMHz: p(1755)}, errors: p(0)}
	if change != nil {
		change(&i)
	}
	return i
}

func TestOddReplica(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Instance)
		want   string // in what is said of c; empty: nothing is odd
	}{
		{"alike", nil, ""},
		{"noise", func(i *Instance) { i.Server.StepMS, i.Server.RunningMean, i.GPU.SMClockMHz = p(13), p(24), p(1720) }, ""},
		{"a throttled GPU", func(i *Instance) { i.GPU.SMClockMHz = p(900) }, "SM clock 900 MHz, the median of all is 1755 MHz"},
		{"slow steps", func(i *Instance) { i.Server.StepMS = p(40) }, "step time 40 ms"},
		{"a queue", func(i *Instance) { i.Server.WaitingMean = p(40) }, "requests waiting 40"},
		{"a full cache", func(i *Instance) { i.Server.KVUsageMean = p(0.97) }, "KV cache usage 97 %"},
		{"no traffic", func(i *Instance) { i.Server.RunningMean = p(0) }, "requests running 0"},
		{"errors", func(i *Instance) { i.errors = p(30) }, "ended in an error 5 %"},
		{"few tokens", func(i *Instance) { i.Server.OutputTokens = p(20_000) }, "output tokens per second of a running request"},
		{"what it does not say", func(i *Instance) { i.Server.StepMS, i.GPU = nil, nil }, ""},
		{"out of reach", func(i *Instance) { i.Failed, i.Server = "refused", nil }, "could not be read: refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := []Instance{replica("a", nil), replica("b", nil), replica("c", c.change), replica("d", nil)}
			apart(all)
			got := odd(all)
			if c.want == "" && got != "" || c.want != "" && (!strings.HasPrefix(got, "c: ") || !strings.Contains(got, c.want) || strings.Count(got, "\n") != 1) {
				t.Errorf("%q, want %q of c alone", got, c.want)
			}
		})
	}
}

func TestOfTwoOneCannotTell(t *testing.T) {
	all := []Instance{replica("a", nil), replica("b", func(i *Instance) { i.Server.StepMS = p(40) })}
	d := apart(all)
	if odd(all) != "" || len(d) != 1 || d[0].What != "step time" || d[0].Odd != nil || d[0].Of["a"] != 12 || d[0].Of["b"] != 40 {
		t.Errorf("%+v, %q", d, odd(all))
	}
	if d := apart([]Instance{replica("a", nil), replica("b", nil)}); d != nil {
		t.Errorf("two alike: %+v", d)
	}
}

func TestReplicasOfOtherModelsAreNotCompared(t *testing.T) {
	slow := func(i *Instance) { i.Model, i.Server.StepMS = "big", p(80) }
	all := []Instance{replica("a", nil), replica("b", nil), replica("c", nil), replica("d", slow)}
	if d := apart(all); d != nil || odd(all) != "" {
		t.Errorf("%+v, %q", d, odd(all))
	}
}

// Where the replicas are spread, none is odd.
func TestSpreadIsNoOddity(t *testing.T) {
	var all []Instance
	for _, ms := range []float64{10, 14, 18, 22, 26} {
		all = append(all, replica(string(rune('a'+len(all))), func(i *Instance) { i.Server.StepMS = &ms }))
	}
	if apart(all); odd(all) != "" {
		t.Errorf("%q", odd(all))
	}
}
