package trace

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Bounds of what is worth a remark.
const (
	// Rows that share a stamp go out at once in a replay. It shows where many do,
	// and stamps stand further apart than a server takes between steps.
	manyShared = 0.1
	farApart   = 0.1 // s
	// Over a minute, a Poisson process has an index of dispersion of 1.
	bursty = 10
	// A prompt that came before is served from a prefix cache, where there is one.
	manyRepeated = 0.01
)

// judge writes the verdict and the remarks.
func judge(r *Report, a analysis) {
	v := &r.Verdict
	v.Use, v.Say = use(r, a)
	if c := r.Context; c != nil {
		v.Fit = new(c.Total == 0)
	}
	if c := r.Context; c != nil && c.Total > 0 {
		r.remark("%s of %s do not fit in a context of %s tokens (%s), %s of them by the prompt alone: a server refuses them or cuts them off; leave them out, or raise --max-model-len",
			number(c.Total), rowsOf(r.Rows), number(c.Limit), share(c.Total, r.Rows), number(c.Prompt))
	}
	timeRemarks(r, a)
	rowRemarks(r)
}

// use is the best way to use the trace, and why.
func use(r *Report, a analysis) (way, sentence string) {
	switch {
	case a.asked == 0:
		return ReplayNothing, "cannot be used: no row says what was asked, or how long it was"
	case a.clock != "":
		return ReplayAtLoad, fmt.Sprintf("can be used as sessions at a load of your choice (--sessions with --concurrency or --request-rate): %s, each with a clock of its own; how they lay to each other was not recorded", plural(a.clocks, "conversation"))
	case r.SpanS == nil:
		return ReplayAtLoad, fmt.Sprintf("has no time stamps: its %s can be sent at a load of your choice (--concurrency, --request-rate)", rowsOf(r.Rows))
	case *r.SpanS == 0:
		return ReplayAtLoad, fmt.Sprintf("all time stamps are the same: its %s can be sent at a load of your choice (--concurrency, --request-rate)", rowsOf(r.Rows))
	case coarse(r):
		return ReplaySpread, fmt.Sprintf("can be replayed, but not as it stands: quantised: %s on %s%s: replay as recorded sends bursts of up to %s at once; --replay-spread spreads them over their tick, --replay lengths takes only the lengths",
			rowsOf(a.arrivals.n), number(*r.Distinct), ticks(r.Stamps.TickS), number(r.Stamps.MostAtOnce))
	}
	return ReplayAsIs, fmt.Sprintf("can be replayed as recorded (--replay timestamps): %s in %s, %s a second in the mean", rowsOf(a.arrivals.n), duration(*r.SpanS), figure(*r.PerS))
}

// coarse says whether requests would go out together that did not come together.
func coarse(r *Report) bool {
	s := r.Stamps
	if float64(s.Shared) < manyShared*float64(r.Rows) || *r.Distinct < 2 {
		return false
	}
	apart := *r.SpanS / float64(*r.Distinct-1)
	if s.TickS != nil {
		apart = *s.TickS
	}
	return apart >= farApart
}

func ticks(tick *float64) string {
	if tick == nil {
		return " time stamps"
	}
	return " ticks of " + duration(*tick)
}

func timeRemarks(r *Report, a analysis) {
	if r.Stamps == nil {
		return
	}
	if n := r.Rows - a.arrivals.n - r.Stamps.Left; n > 0 {
		r.remark("%s of %s have no time stamp", number(n), rowsOf(r.Rows))
	}
	if n := r.Stamps.OutOfOrder; n > 0 {
		r.remark("%s stand before an earlier one: the figures of time are of the rows in order", rowsOf(n))
	}
	if n := r.Stamps.Left; n > 0 {
		r.remark("%s are more than %s rows away from their place, and the figures of time leave them out: sort the file by time", rowsOf(n), number(window))
	}
	if d := r.Bursts.D60; d != nil && *d > bursty {
		r.remark("bursty: the number of requests a minute varies %s times as much as at random (index of dispersion; 1 is Poisson): a mean rate does not stand for this trace", figure(*d))
	}
}

func rowRemarks(r *Report) {
	if r.Failed > 0 {
		r.remark("%s (%s) got no answer when the trace was recorded: their lengths of answers are not counted", rowsOf(r.Failed), share(r.Failed, r.Rows))
	}
	if r.Skipped > 0 {
		r.remark("%s hold nothing to ask and are left out", rowsOf(r.Skipped))
	}
	if p := r.Prefix; p != nil && p.Mismatched > 0 {
		r.remark("%s have another number of blocks than prompts of their length in blocks of %d tokens: check --block-size", rowsOf(p.Mismatched), p.BlockSize)
	}
	if n := r.Repeated; n != nil && float64(*n) >= manyRepeated*float64(r.Rows) && *n > 0 {
		r.remark("%s (%s) repeat an earlier one word for word: a prefix cache serves them", plural(*n, "prompt"), share(*n, r.Rows))
	}
	if i := r.Images; i != nil && i.Total > 0 {
		r.remark("%s carry %s, up to %s in one", rowsOf(i.Rows), plural(i.Total, "image"), number(i.Most))
	}
	if r.ISL.N == 0 && r.Rows > 0 {
		r.remark("lengths of prompts in tokens are not in the file: whether they fit in a context is known only when they are sent")
	}
}

func (r *Report) remark(format string, args ...any) {
	r.Remarks = append(r.Remarks, fmt.Sprintf(format, args...))
}

// number is a count with its thousands apart.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + one + "s"
}

func rowsOf(n int) string { return plural(n, "row") }

// share is a part of a whole in per cent, and never 0 % of something.
func share(part, whole int) string {
	p := 100 * float64(part) / float64(whole)
	if p < 0.1 {
		return "under 0.1 %"
	}
	return figure(p) + " %"
}

// figure is a number of three digits.
func figure(v float64) string {
	if math.Abs(v) >= 1000 {
		return number(int(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// duration is one of seconds, as people write it.
func duration(s float64) string {
	d := Duration(s)
	switch {
	case s < 0.001:
		return figure(1e6*s) + " µs"
	case s < 1:
		return figure(1000*s) + " ms"
	case s < 120:
		return figure(s) + " s"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days %d h", int(d.Hours())/24, int(d.Hours())%24)
}

// Duration is a number of seconds.
func Duration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
