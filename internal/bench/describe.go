package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"assay/internal/record"
	"assay/internal/saturate"
	"assay/internal/wire"
)

// Description is a plan in numbers, for --dry-run.
type Description struct {
	Target   string             `json:"target"` // "embedded simulated engine" without one
	Levels   []LevelDescription `json:"levels"`
	Refine   int                `json:"refine_at_most"`
	SLO      []string           `json:"slo"`
	Prompt   int64              `json:"prompt_tokens"`
	Output   int64              `json:"output_tokens"`
	AllKnown bool               `json:"all_known"` // false: some levels' tokens cannot be told before
	LongestS float64            `json:"longest_s"` // null-free: +Inf is written as -1
	Notes    []string           `json:"notes,omitempty"`
}

// LevelDescription is one planned level in numbers.
type LevelDescription struct {
	ID       string  `json:"id"`
	Load     string  `json:"load"`
	Requests int     `json:"requests"` // measured; 0: by time
	Warmup   int     `json:"warmup"`
	Lengths  string  `json:"lengths"`
	Prompt   int64   `json:"prompt_tokens"`
	Output   int64   `json:"output_tokens"`
	Known    bool    `json:"known"`
	LongestS float64 `json:"longest_s"`
}

// unbounded stands in JSON for a level whose time has no bound yet.
const unbounded = -1

// Describe counts what the plan will spend at most.
func (p Plan) Describe(opt Options) Description {
	d := Description{Target: wire.ShownURL(opt.Target), Refine: p.refineLevels(), SLO: p.SLO, AllKnown: true}
	if opt.Target == "" {
		d.Target = embeddedName
	}
	refineLongest := 0.0
	for _, l := range p.Levels {
		prompt, output, known := l.Tokens()
		longest := l.Longest(opt.Timeout).Seconds()
		if l.Load.Kind == record.ByRate && l.Load.Value == 0 && (l.Scenario.Exact || l.Scenario.Budget == 0) {
			longest = unbounded
		}
		requests := l.Load.Requests
		if l.Load.Arrival == record.ArrivalTrace {
			e, err := extentOf(l)
			if err != nil {
				d.Notes = append(d.Notes, fmt.Sprintf("%s: %v", l.ID, err))
			}
			requests, prompt, output, known = e.rows, e.prompt, e.output, e.known && err == nil
			longest = (time.Duration(float64(e.span)/l.Load.Speed) + 2*opt.Timeout).Seconds()
		}
		d.Levels = append(d.Levels, LevelDescription{
			ID: l.ID, Load: l.loadInWords(), Requests: requests, Warmup: l.warmups(),
			Lengths: l.lengthsInWords(),
			Prompt:  prompt, Output: output, Known: known, LongestS: longest,
		})
		d.Prompt, d.Output, d.AllKnown = d.Prompt+prompt, d.Output+output, d.AllKnown && known
		d.LongestS = addBounded(d.LongestS, longest)
		if l.Scenario.LooksForKnee() {
			refineLongest = math.Max(refineLongest, longest)
		}
	}
	for range p.refineLevels() {
		d.LongestS = addBounded(d.LongestS, refineLongest)
	}
	if n := p.refineLevels(); n > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("up to %d more levels like these may follow, around the knee and the SLO crossing; their time is in the total, their tokens are not", n))
	}
	if n := p.confirmLevels(); n > 0 {
		for range n {
			d.LongestS = addBounded(d.LongestS, refineLongest)
		}
		d.Notes = append(d.Notes, fmt.Sprintf("up to %d open-loop levels may follow below the knee, each no longer than the longest level before (--confirm-knee never leaves them out)", n))
	}
	if l, ok := p.triable(); ok {
		d.LongestS = addBounded(d.LongestS, l.Longest(opt.Timeout).Seconds())
		d.Notes = append(d.Notes, "one more level may follow that would refute the verdict on what limits, no longer than those of its scenario (--confirm)")
	}
	d.Notes = append(d.Notes, fmt.Sprintf("the times are bounds, not forecasts: of a server that answers each request just before its timeout of %s (--timeout)", opt.Timeout))
	if slices.ContainsFunc(p.Levels, func(l PlannedLevel) bool { return l.Scenario.ThinkTime > 0 }) {
		d.Notes = append(d.Notes, "users who think are taken to think for their mean time")
	}
	d.Notes = append(d.Notes, "the inspection and the calibration of prompt lengths send a few short requests before the first level")
	return d
}

// refineLevels is how many levels may come on top, each repeat counted.
func (p Plan) refineLevels() int {
	n := p.Refine
	for _, l := range p.Levels {
		if l.Scenario.LooksForKnee() && p.Refine > 0 {
			n = max(n, p.Refine*l.Scenario.Repeat)
		}
	}
	return n
}

// confirmLevels is how many open-loop levels may test the knee.
func (p Plan) confirmLevels() int {
	if slices.ContainsFunc(p.Levels, func(l PlannedLevel) bool { return confirmable(l.Scenario) }) {
		return len(saturate.ConfirmShares)
	}
	return 0
}

func addBounded(sum, x float64) float64 {
	if sum == unbounded || x == unbounded {
		return unbounded
	}
	return sum + x
}

func (l PlannedLevel) loadInWords() string {
	switch {
	case l.Load.Arrival == record.ArrivalTrace:
		return fmt.Sprintf("as recorded, at %gx", l.Load.Speed)
	case l.Load.Kind == record.ByConcurrency && l.Load.Sessions:
		return fmt.Sprintf("%g sessions in progress", l.Load.Value)
	case l.Load.Kind == record.ByConcurrency:
		return fmt.Sprintf("%g in flight", l.Load.Value)
	case l.Load.Sessions && l.Load.Value > 0:
		return fmt.Sprintf("%s sessions, %g requests/s", l.Load.Arrival, l.Load.Value)
	case l.Load.Value == 0:
		return fmt.Sprintf("%s at %g of the operating point", l.Load.Arrival, ProductionShare)
	default:
		return fmt.Sprintf("%s, %g requests/s", l.Load.Arrival, l.Load.Value)
	}
}

func (l PlannedLevel) lengthsInWords() string {
	if l.Scenario.DatasetPath != "" {
		return fmt.Sprintf("prompts of %s; %s out where it does not say", l.Scenario.DatasetPath, l.Output)
	}
	if t := l.Scenario.Turns; !t.IsZero() {
		return fmt.Sprintf("%s turns, %s and then %s more in, %s out", t, l.Prompt, l.turnPrompt(), l.Output)
	}
	return fmt.Sprintf("%s in, %s out", l.Prompt, l.Output)
}

// Text prints the description as a table.
func (d Description) Text(w io.Writer) {
	fmt.Fprintf(w, "target: %s (nothing is sent)\n\n", d.Target)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "LEVEL\tLOAD\tREQUESTS\tWARM-UP\tLENGTHS\tTOKENS IN\tTOKENS OUT\tAT MOST")
	for _, l := range d.Levels {
		requests, in, out := fmt.Sprint(l.Requests), fmt.Sprint(l.Prompt), fmt.Sprint(l.Output)
		if l.Requests == 0 {
			requests = "by time"
		}
		if !l.Known {
			in, out = "not known", "not known"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t+%d\t%s\t%s\t%s\t%s\n", l.ID, l.Load, requests, l.Warmup, l.Lengths, in, out, inWords(l.LongestS))
	}
	tw.Flush()
	total := fmt.Sprintf("%d tokens in, %d out", d.Prompt, d.Output)
	switch {
	case d.Prompt == 0:
		total = "tokens not known"
	case !d.AllKnown:
		total += " and what the other levels take"
	}
	fmt.Fprintf(w, "\ntotal: %s; at most %s\nSLO: %s\n", total, inWords(d.LongestS), strings.Join(d.SLO, ", "))
	for _, n := range d.Notes {
		fmt.Fprintf(w, "- %s\n", n)
	}
}

func inWords(seconds float64) string {
	if seconds == unbounded {
		return "not known"
	}
	if seconds > 1000*3600 {
		return "over 1000h"
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}
