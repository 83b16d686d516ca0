package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/spec"
)

// Plan is the levels of a run before anything is sent.
type Plan struct {
	Levels  []PlannedLevel `json:"levels"`
	Refine  int            `json:"refine"` // levels that may come on top
	SLO     []string       `json:"slo"`
	Seed    uint64         `json:"seed"`
	Options PlanOptions    `json:"options"`
}

// PlanOptions are the settings that hold for all levels.
type PlanOptions struct {
	API       string        `json:"api"`
	Timeout   time.Duration `json:"timeout_ns"`
	Stall     time.Duration `json:"stall_timeout_ns"`
	MaxErrors float64       `json:"max_errors"`
	// Template is how many tokens the chat template puts around a prompt, once the
	// target has been asked; 0: not known.
	Template   int  `json:"template_tokens,omitempty"`
	ResetCache bool `json:"reset_cache,omitempty"`
	// Thresholds are those of the diagnosis that are not its defaults.
	Thresholds map[string]float64 `json:"thresholds,omitempty"`
}

// PlannedLevel is one level to hold. Load.Value is 0 for the production
// scenario until the operating point is known.
type PlannedLevel struct {
	ID       string        `json:"id"`
	Pass     string        `json:"pass"`
	Load     record.Load   `json:"load"`
	Prompt   spec.Lengths  `json:"prompt_length"`
	Output   spec.Lengths  `json:"max_tokens"`
	Scenario spec.Scenario `json:"scenario"`
	// Blocks: prompts share blocks as the trace's hash ids say.
	Blocks bool `json:"blocks,omitempty"`
	// Repeat is 1 to N where the load is held N times; 0: once.
	Repeat int `json:"repeat,omitempty"`
	// place is the load's among those of its scenario.
	place int
}

// NewPlan lays out the levels of the scenarios in order. A production scenario
// without a rate must come after one that finds an operating point.
func NewPlan(opt Options) (Plan, error) {
	p := Plan{
		Refine: opt.Refine, Seed: opt.Seed,
		Options: PlanOptions{API: opt.API, Timeout: opt.Timeout, Stall: opt.Stall, MaxErrors: opt.MaxErrors, ResetCache: opt.ResetCache, Thresholds: opt.Thresholds.Changed()},
	}
	for _, c := range opt.SLO {
		p.SLO = append(p.SLO, c.String())
	}
	if err := fitConditions(opt.API, opt.SLO); err != nil {
		return Plan{}, err
	}
	knee := false
	seen := map[string]bool{}
	for _, s := range opt.Scenarios {
		if seen[s.Name] {
			return Plan{}, fmt.Errorf("scenario %s is named twice", s.Name)
		}
		seen[s.Name] = true
		if err := s.Check(); err != nil {
			return Plan{}, err
		}
		if inOnePiece(opt.API) {
			s.Output = spec.Lengths{}
		}
		if needsRate(s) && !knee {
			return Plan{}, fmt.Errorf("scenario %s alone has no operating point to take its rate from: "+
				"run `assay bench saturation %s`, or give --request-rate", s.Name, s.Name)
		}
		knee = knee || s.LooksForKnee()
		p.Levels = append(p.Levels, repeated(levelsOf(s), s.Repeat)...)
	}
	if len(p.Levels) == 0 {
		return Plan{}, fmt.Errorf("no scenario to run; the built-in ones are %s", strings.Join(spec.BuiltinScenarios, ", "))
	}
	if !knee {
		p.Refine = 0
	}
	return p, nil
}

// needsRate reports a scenario whose rate comes from the operating point.
func needsRate(s spec.Scenario) bool {
	return s.Name == spec.Production && len(s.RequestRate) == 0 && len(s.Concurrency) == 0 && !s.Timed()
}

func levelsOf(s spec.Scenario) []PlannedLevel {
	if s.Timed() {
		return replaysOf(s)
	}
	var out []PlannedLevel
	prompts := []spec.Lengths{s.Prompt}
	if len(s.PromptSet) > 0 {
		prompts = nil
		for _, n := range s.PromptSet {
			prompts = append(prompts, spec.Fixed(n))
		}
	}
	loads := slices.Clone(s.RequestRate)
	kind := record.ByRate
	if len(s.Concurrency) > 0 {
		kind, loads = record.ByConcurrency, nil
		for _, c := range s.Concurrency {
			loads = append(loads, float64(c))
		}
	}
	if needsRate(s) {
		loads = []float64{0}
	}
	for _, prompt := range prompts {
		for _, load := range loads {
			l := newLevel(s, kind, load)
			l.Prompt = prompt
			if len(s.PromptSet) > 0 {
				l.ID += fmt.Sprintf("-in%d", int(prompt.Mean))
			}
			if slices.ContainsFunc(out, func(o PlannedLevel) bool { return o.ID == l.ID }) {
				continue // the same load asked for twice
			}
			out = append(out, l)
		}
	}
	return out
}

// repeated is the levels n times over: pass by pass, not level by level, so that
// what drifts over a run, such as a GPU that warms up, stands between the
// repeats of a load and is seen as their spread.
func repeated(levels []PlannedLevel, n int) []PlannedLevel {
	for i := range levels {
		levels[i].place = i
	}
	if n < 2 {
		return levels
	}
	var out []PlannedLevel
	for pass := 1; pass <= n; pass++ {
		for _, l := range levels {
			out = append(out, l.repeat(pass))
		}
	}
	return out
}

// repeat is the n-th level that holds the same load.
func (l PlannedLevel) repeat(n int) PlannedLevel {
	l.ID, l.Repeat = record.RepeatID(l.ID, n), n
	return l
}

// newLevel is one level of a scenario at a load.
func newLevel(s spec.Scenario, kind string, load float64) PlannedLevel {
	l := PlannedLevel{
		Pass: record.PassGrid, Scenario: s, Prompt: s.Prompt, Output: s.Output,
		Load: record.Load{Kind: kind, Value: load, Requests: s.NumRequests},
	}
	if kind == record.ByRate {
		l.Load.Arrival, l.Load.Burstiness = cmp.Or(s.Arrival, "poisson"), s.Burstiness
	}
	l.Load.Sessions = s.InSessions()
	l.ID = levelID(s.Name, kind, load)
	return l
}

func levelID(scenario, kind string, load float64) string {
	switch {
	case kind == record.ByConcurrency:
		return fmt.Sprintf("%s-c%g", scenario, load)
	case load == 0:
		return scenario
	default:
		return fmt.Sprintf("%s-r%.4g", scenario, load)
	}
}

// Tokens is what a level will spend at most: prompt and output tokens of its
// measured and warm-up requests. known is false for a level held by time.
func (l PlannedLevel) Tokens() (prompt, output int64, known bool) {
	n := l.Load.Requests
	if n == 0 || l.Scenario.DatasetPath != "" {
		return 0, 0, false
	}
	total := float64(n + l.warmups())
	prompts := l.Prompt.Expected()
	if t := l.Scenario.Turns; !t.IsZero() {
		// Each turn repeats all that was said in those before it.
		prompts += (t.Expected() - 1) / 2 * (l.turnPrompt().Expected() + l.Output.Expected())
	}
	return int64(total * prompts), int64(total * l.Output.Expected()), true
}

// warmups is how many requests come on top of the measured ones: the first
// wave of a closed loop. An open loop's depends on how long an answer takes.
func (l PlannedLevel) warmups() int {
	switch {
	case l.Scenario.Warmup > 0:
		return l.Scenario.Warmup
	case l.Scenario.Warmup == 0 && l.Load.Kind == record.ByConcurrency:
		return load.WarmupTurns(int(l.Load.Value), int(l.Scenario.Turns.Expected()))
	}
	return 0
}

// turnPrompt is what each turn of a synthetic session adds after the first.
func (l PlannedLevel) turnPrompt() spec.Lengths {
	if l.Scenario.TurnPrompt.IsZero() {
		return l.Prompt
	}
	return l.Scenario.TurnPrompt
}

// Longest is an upper bound on a level's time, for a server that answers each
// request just before its timeout.
func (l PlannedLevel) Longest(timeout time.Duration) time.Duration {
	s := l.Scenario
	var longest time.Duration
	switch {
	case l.Load.Requests > 0 && l.Load.Kind == record.ByConcurrency:
		waves := math.Ceil(float64(l.Load.Requests+l.warmups()) / l.Load.Value)
		longest = time.Duration(min(waves*float64(timeout+s.ThinkTime), math.MaxInt64/4))
	case l.Load.Requests > 0 && l.Load.Value > 0:
		longest = time.Duration(float64(l.Load.Requests)/l.Load.Value*float64(time.Second)) + 2*timeout
	case l.Load.Requests > 0:
		longest = math.MaxInt64 / 4
	}
	if s.Duration > 0 {
		longest = max(longest, s.Duration+2*timeout)
	}
	if !s.Exact && s.Duration == 0 && s.Budget > 0 {
		// Warm-up, the budget, then what is in flight.
		longest = min(longest, s.Budget+2*timeout)
	}
	return longest
}
