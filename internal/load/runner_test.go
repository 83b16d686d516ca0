package load

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assay/internal/record"
	"assay/internal/wire"
)

const ms = time.Millisecond

// perToken answers in a millisecond for each token asked.
func perToken(_ int, body []byte) (time.Duration, *wire.Error) {
	n, _ := strconv.Atoi(string(body))
	return time.Duration(n) * ms, nil
}

func TestClosedLoopHoldsExactlyItsSlots(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		slots := rapid.IntRange(1, 40).Draw(rt, "slots")
		requests := rapid.IntRange(1, 200).Draw(rt, "requests")
		warmup := rapid.SampledFrom([]int{NoWarmup, 0, 3, 70}).Draw(rt, "warmup")
		inBubble(t, func(t *testing.T) {
			s := newServer(func(n int, body []byte) (time.Duration, *wire.Error) {
				d, err := perToken(n, body)
				return d + time.Duration(n*7919%13)*ms, err
			})
			tr := newTrial(s).run(t.Context(), Level{ID: "c", Concurrency: slots, Requests: requests, Warmup: warmup})
			if tr.err != nil {
				t.Fatal(tr.err)
			}
			if s.highest > slots {
				t.Errorf("%d requests were open at once, want at most %d", s.highest, slots)
			}
			if got := tr.result.Requests.Completed; got != requests {
				t.Errorf("%d measured requests, want %d", got, requests)
			}
			got := tr.result.Requests.Warmup
			switch {
			case warmup == 0 && got < slots:
				t.Errorf("%d warm-up requests, want one for each of %d slots at least", got, slots)
			case warmup == NoWarmup && got != 0, warmup > 0 && got != warmup:
				t.Errorf("%d warm-up requests, want %d", got, max(0, warmup))
			}
			if len(tr.records) != requests+got {
				t.Errorf("%d records of %d warm-up and %d measured requests", len(tr.records), got, requests)
			}
		})
	})
}

func TestClosedLoopHandsOverWithoutAGap(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newServer(perToken)
		tr := newTrial(s).run(t.Context(), Level{ID: "c", Concurrency: 10, Requests: 100, OpenRate: 1e9})
		if tr.err != nil {
			t.Fatal(tr.err)
		}
		for i, open := range s.openAt {
			if i >= 10 && open != 10 {
				t.Errorf("request %d found %d open, want 10: the load fell between warm-up and measuring", i, open)
			}
		}
	})
}

// A deterministic server answers slots that start together together. After
// warm-up each slot must be at another place of its request.
func TestWarmupPutsSlotsOutOfPhase(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newServer(perToken)
		newTrial(s).run(t.Context(), Level{ID: "c", Concurrency: 10, Requests: 40, OpenRate: 1e9})
		var got []time.Duration
		for _, at := range s.openings[10:20] {
			got = append(got, at.Round(ms))
		}
		want := []time.Duration{10 * ms, 20 * ms, 30 * ms, 40 * ms, 50 * ms, 60 * ms, 70 * ms, 80 * ms, 90 * ms, 100 * ms}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("first measured sends (-want +got):\n%s", d)
		}
	})
}

func TestSlotsOpenAtAPace(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := takes(time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		newTrial(s).run(ctx, Level{ID: "c", Concurrency: 100, Requests: 1, OpenRate: 10})
		for i, at := range s.openings {
			if want := time.Duration(i) * 100 * ms; at.Round(ms) != want {
				t.Fatalf("slot %d opened at %v, want %v", i, at, want)
			}
		}
	})
}

func TestClosedLoopEnds(t *testing.T) {
	for _, c := range []struct {
		name      string
		level     Level
		completed int
		cut       string
	}{
		{"by number", Level{Requests: 12}, 12, ""},
		{"by time", Level{Duration: time.Second}, 20, ""},
		{"by both, number later", Level{Requests: 30, Duration: time.Second}, 30, ""},
		{"by both, time later", Level{Requests: 5, Duration: time.Second}, 20, ""},
		{"by budget", Level{Requests: 500, Budget: 2 * time.Second}, 40, CutBudget},
		{"before the budget", Level{Requests: 30, Budget: 2 * time.Second}, 30, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				c.level.ID, c.level.Concurrency, c.level.Warmup = "c", 2, NoWarmup
				c.level.OpenRate = 1e9
				tr := newTrial(takes(100*ms)).run(t.Context(), c.level)
				if tr.err != nil {
					t.Fatal(tr.err)
				}
				if got := tr.result.Requests.Completed; got != c.completed {
					t.Errorf("%d measured requests, want %d", got, c.completed)
				}
				if got := tr.result.CutBy; got != c.cut {
					t.Errorf("cut by %q, want %q", got, c.cut)
				}
			})
		})
	}
}

func TestErrorsEndALevel(t *testing.T) {
	failing := func(share int) *server {
		return newServer(func(n int, _ []byte) (time.Duration, *wire.Error) {
			if n%100 < share {
				return ms, &wire.Error{Kind: wire.KindOverloaded}
			}
			return ms, nil
		})
	}
	for _, c := range []struct {
		name      string
		share     int
		maxErrors float64
		want      record.Requests
		cut       string
	}{
		{"all fail", 100, 0.1, record.Requests{Failed: MinJudged}, CutErrors},
		{"few fail", 2, 0.2, record.Requests{Completed: 196, Failed: 4}, ""},
		{"all fail, no limit", 100, 0, record.Requests{Failed: 200}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				tr := newTrial(failing(c.share)).run(t.Context(),
					Level{ID: "c", Concurrency: 1, Requests: 200, Warmup: NoWarmup, MaxErrors: c.maxErrors})
				if d := cmp.Diff(c.want, tr.result.Requests); d != "" {
					t.Errorf("requests (-want +got):\n%s", d)
				}
				if tr.result.CutBy != c.cut {
					t.Errorf("cut by %q, want %q", tr.result.CutBy, c.cut)
				}
				if c.want.Failed > 0 {
					if d := cmp.Diff(map[string]int{wire.KindOverloaded: c.want.Failed}, tr.result.Errors); d != "" {
						t.Errorf("errors (-want +got):\n%s", d)
					}
				}
			})
		})
	}
}

func TestOpenLoopKeepsItsScheduleWhateverComesBack(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newServer(func(n int, _ []byte) (time.Duration, *wire.Error) {
			if n == 0 {
				return 500 * ms, nil
			}
			return time.Minute, nil // the server has stalled
		})
		tr := newTrial(s).run(t.Context(), Level{ID: "r", Rate: 30, Arrival: Constant, Requests: 100})
		if tr.err != nil {
			t.Fatal(tr.err)
		}
		for i, at := range s.openings {
			want := time.Duration(float64(i) / 30 * float64(time.Second))
			if d := at - want; d < -time.Microsecond || d > time.Microsecond {
				t.Fatalf("request %d was sent at %v, want %v", i, at, want)
			}
		}
		want := record.Requests{Completed: 100, Warmup: 16}
		if d := cmp.Diff(want, tr.result.Requests); d != "" {
			t.Errorf("requests (-want +got): warm-up ends with the first answer\n%s", d)
		}
		if tr.records[0].Phase != record.Warmup {
			t.Errorf("first record is %s", tr.records[0].Phase)
		}
	})
}

func TestOpenLoopWarmup(t *testing.T) {
	for _, c := range []struct{ warmup, want int }{{NoWarmup, 0}, {0, 6}, {3, 6}, {20, 20}} {
		inBubble(t, func(t *testing.T) {
			tr := newTrial(takes(550*ms)).run(t.Context(), Level{ID: "r", Rate: 10, Arrival: Constant, Requests: 50, Warmup: c.warmup})
			want := record.Requests{Completed: 50, Warmup: c.want}
			if d := cmp.Diff(want, tr.result.Requests); d != "" {
				t.Errorf("warm-up %d: requests (-want +got):\n%s", c.warmup, d)
			}
		})
	}
}

func TestOpenLoopEndsByTimeWithoutWaitingForTheNextArrival(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := takes(ms)
		tr := newTrial(s).run(t.Context(), Level{ID: "r", Rate: 0.01, Arrival: Constant, Duration: 150 * time.Second, Warmup: NoWarmup})
		if got := tr.result.Requests.Completed; got != 2 {
			t.Errorf("%d requests, want 2", got)
		}
		if end := tr.result.End; end > 101*time.Second {
			t.Errorf("ended at %v: waited for an arrival that was not to be sent", end)
		}
	})
}

func TestOpenLoopDropsAboveTheLimit(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := takes(time.Second)
		tr := newTrial(s).run(t.Context(), Level{ID: "r", Rate: 100, Arrival: Constant, Requests: 20, MaxInFlight: 10, Warmup: NoWarmup})
		if s.highest != 10 {
			t.Errorf("%d open at once, want 10", s.highest)
		}
		if tr.result.Dropped < 80 {
			t.Errorf("%d arrivals dropped, want those of 0.9 s", tr.result.Dropped)
		}
		if got := tr.result.Requests.Completed; got != 20 {
			t.Errorf("%d requests, want 20", got)
		}
	})
}

func TestStopLetsWhatIsInFlightFinish(t *testing.T) {
	for _, c := range []struct {
		name  string
		takes time.Duration
		level Level
		want  record.Requests
		end   time.Duration
	}{
		{"within the grace, closed loop", 4 * time.Second, Level{Concurrency: 3, OpenRate: 1e9, Requests: 100, Warmup: NoWarmup},
			record.Requests{Completed: 9}, 12 * time.Second},
		{"beyond the grace, closed loop", time.Hour, Level{Concurrency: 3, OpenRate: 1e9, Requests: 100, Warmup: NoWarmup},
			record.Requests{Cancelled: 3}, 15 * time.Second},
		{"beyond the grace, open loop", time.Hour, Level{Rate: 1, Arrival: Constant, Requests: 100, Warmup: NoWarmup},
			record.Requests{Cancelled: 10}, 15 * time.Second},
		{"while waiting for an arrival", ms, Level{Rate: 0.001, Arrival: Constant, Requests: 100, Warmup: NoWarmup},
			record.Requests{Completed: 1}, 10 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				stop := make(chan struct{})
				time.AfterFunc(10*time.Second-ms, func() { close(stop) })
				c.level.ID = "x"
				tr := newTrial(takes(c.takes))
				tr.runner.Stop = stop
				tr.run(t.Context(), c.level)
				if tr.err != nil {
					t.Fatal(tr.err)
				}
				if d := cmp.Diff(c.want, tr.result.Requests); d != "" {
					t.Errorf("requests (-want +got):\n%s", d)
				}
				if tr.result.CutBy != CutInterrupt {
					t.Errorf("cut by %q", tr.result.CutBy)
				}
				if got := tr.result.End.Round(10 * ms); got != c.end {
					t.Errorf("ended at %v, want %v", got, c.end)
				}
			})
		})
	}
}

func TestOverloadEndsSendingAndWaitsForAnswers(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		overload := make(chan struct{})
		time.AfterFunc(10*time.Second-ms, func() { close(overload) })
		tr := newTrial(takes(time.Minute))
		tr.runner.Overload = overload
		tr.run(t.Context(), Level{ID: "x", Rate: 1, Arrival: Constant, Requests: 100, Warmup: NoWarmup})
		if tr.err != nil {
			t.Fatal(tr.err)
		}
		if d := cmp.Diff(record.Requests{Completed: 10}, tr.result.Requests); d != "" {
			t.Errorf("requests (-want +got):\n%s", d)
		}
		if tr.result.CutBy != CutOversaturated || tr.result.End.Round(10*ms) != 69*time.Second {
			t.Errorf("cut by %q, ended at %v", tr.result.CutBy, tr.result.End)
		}
	})
}

func TestCancelledContextEndsAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		tr := newTrial(takes(time.Hour)).run(ctx, Level{ID: "c", Concurrency: 4, OpenRate: 1e9, Requests: 9, Warmup: NoWarmup})
		if d := cmp.Diff(record.Requests{Cancelled: 4}, tr.result.Requests); d != "" {
			t.Errorf("requests (-want +got):\n%s", d)
		}
		if tr.result.End != time.Second || tr.result.CutBy != CutInterrupt {
			t.Errorf("ended at %v, cut by %q", tr.result.End, tr.result.CutBy)
		}
	})
}

func TestSourceThatFailsKeepsWhatWasMeasured(t *testing.T) {
	for _, l := range []Level{
		{ID: "c", Concurrency: 2, Requests: 100, Warmup: NoWarmup},
		{ID: "r", Rate: 5, Requests: 100, Warmup: NoWarmup},
	} {
		inBubble(t, func(t *testing.T) {
			tr := newTrial(takes(ms))
			tr.runner.Source = &fixed{failAt: 31}
			tr.run(t.Context(), l)
			if tr.err == nil || tr.result.Requests.Completed != 30 {
				t.Errorf("level %s: error %v after %d requests, want one after 30", l.ID, tr.err, tr.result.Requests.Completed)
			}
		})
	}
}

// A prompt that is only prepared ahead must not fail a level that has all it
// asked for.
func TestSourceThatFailsBeyondTheNeedIsNoError(t *testing.T) {
	for _, l := range []Level{
		{ID: "c", Concurrency: 2, Requests: 30, Warmup: NoWarmup},
		{ID: "r", Rate: 5, Requests: 30, Warmup: NoWarmup},
	} {
		inBubble(t, func(t *testing.T) {
			tr := newTrial(takes(ms))
			tr.runner.Source = &fixed{failAt: 31}
			if tr.run(t.Context(), l); tr.err != nil {
				t.Errorf("level %s: %v", l.ID, tr.err)
			}
		})
	}
}

func TestRepeatedPromptsAreCounted(t *testing.T) {
	d, err := OpenDataset(write(t, "data", strings.Repeat("hello\n", 30)), DatasetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	inBubble(t, func(t *testing.T) {
		tr := newTrial(takes(ms))
		tr.runner.Source = d
		tr.run(t.Context(), Level{ID: "c", Concurrency: 1, Requests: 50, Warmup: 5})
		if got := tr.result.Repeated; got != 25 {
			t.Errorf("%d of 55 requests from 30 prompts repeat one in measuring, want 25", got)
		}
	})
}

func TestStoppedRunnerSendsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := takes(ms)
		tr := newTrial(s)
		stop := make(chan struct{})
		close(stop)
		tr.runner.Stop = stop
		tr.run(t.Context(), Level{ID: "c", Concurrency: 4, Requests: 9})
		if s.calls != 0 || tr.result.CutBy != CutInterrupt {
			t.Errorf("%d requests sent, cut by %q", s.calls, tr.result.CutBy)
		}
	})
}

func TestSamplesOnceASecond(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		tr := newTrial(takes(100*ms)).run(t.Context(), Level{ID: "c", Concurrency: 2, OpenRate: 1e9, Duration: 3450 * ms, Warmup: NoWarmup})
		var at []int64
		sent := 0
		for _, s := range tr.samples {
			at = append(at, s.AtUS)
			sent += s.Sent
		}
		if d := cmp.Diff([]int64{1e6, 2e6, 3e6, 35e5}, at); d != "" {
			t.Errorf("samples at (-want +got):\n%s", d)
		}
		if sent != 70 {
			t.Errorf("samples account for %d sent requests, want 70", sent)
		}
	})
}

func TestProgressNamesThePhase(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		tr := newTrial(takes(600 * ms))
		var got []string
		tr.runner.OnProgress = func(p Progress) {
			if len(got) == 0 || got[len(got)-1] != p.Phase {
				got = append(got, p.Phase)
			}
		}
		tr.run(t.Context(), Level{ID: "c", Concurrency: 1, Requests: 2})
		if d := cmp.Diff([]string{record.Warmup, record.Measured, Draining}, got); d != "" {
			t.Errorf("phases (-want +got):\n%s", d)
		}
	})
}

func TestLevelsThatCannotRun(t *testing.T) {
	for _, l := range []Level{
		{},
		{Concurrency: 1},
		{Concurrency: -1, Requests: 1},
		{Concurrency: 1, Rate: 1, Requests: 1},
		{Rate: 1},
		{Rate: 1, Requests: 1, Arrival: "uniform"},
		{Rate: 1, Requests: 1, Arrival: Gamma, Burstiness: -1},
		{Concurrency: 11, Requests: 1, MaxInFlight: 10},
		{Concurrency: 1, Requests: 1, Warmup: -2},
	} {
		if _, err := (&Runner{}).Run(t.Context(), l); err == nil {
			t.Errorf("%+v: no error", l)
		}
	}
}
