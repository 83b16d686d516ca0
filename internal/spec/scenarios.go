package spec

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Names of the built-in scenarios, in the order in which they build on another.
var BuiltinScenarios = []string{Baseline, Saturation, Production, Dataset, LongContext}

// defaultBudget bounds one level of a scenario whose count is a default: at
// concurrency 1 five hundred answers of 512 tokens would take over an hour.
const defaultBudget = 3 * time.Minute

// Default is the built-in scenario of that name, or for any other name one of
// fixed load with saturation's lengths.
func Default(name string) Scenario {
	s := Scenario{
		Name: name, NumRequests: 500, Budget: defaultBudget,
		Prompt: Fixed(256), Output: Fixed(512),
	}
	switch name {
	case Baseline:
		s.Description = "One request at a time: the latency of an idle service"
		s.Concurrency, s.NumRequests = []int{1}, 100
		s.Output = Fixed(128)
	case Saturation:
		s.Description = "Rising concurrency: the knee and the operating point"
		s.Concurrency = []int{1, 5, 10, 20, 50, 100}
	case Production:
		s.Description = "Poisson arrivals with varied lengths, at 0.8 of the operating point"
		s.Arrival = "poisson"
		s.Prompt = Lengths{Mean: 256, Stddev: 128, Min: 16, Max: 1024}
		s.Output = Lengths{Mean: 512, Stddev: 256, Min: 16, Max: 2048}
	case Dataset:
		s.Description = "Prompts from a file"
		s.Concurrency = []int{10}
	case LongContext:
		s.Description = "Long prompts, one at a time"
		s.Concurrency, s.NumRequests = []int{1}, 20
		s.PromptSet = []int{4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10}
		s.Output = Fixed(128)
	}
	return s
}

// Over is base with what s says in its place. Saying concurrency takes away
// base's rate and the other way round; saying a duration alone takes away
// base's count, so that the level is held by time. A replay by time stamps takes
// away load, default count and budget: it ends with its file.
func (s Scenario) Over(base Scenario) Scenario {
	out := base
	if len(s.Concurrency) > 0 {
		out.Concurrency, out.RequestRate, out.Arrival = s.Concurrency, nil, ""
	}
	if len(s.RequestRate) > 0 {
		out.RequestRate, out.Concurrency = s.RequestRate, nil
	}
	if s.Timed() {
		out.Concurrency, out.RequestRate, out.Arrival = s.Concurrency, s.RequestRate, s.Arrival
		out.Budget = 0
		if !base.Exact {
			out.NumRequests = 0
		}
	}
	if s.NumRequests > 0 {
		out.NumRequests, out.Exact = s.NumRequests, s.Exact
	} else if s.Duration > 0 {
		out.NumRequests, out.Exact = 0, false
	}
	if !s.Prompt.IsZero() {
		out.Prompt, out.PromptSet = s.Prompt, nil
	}
	if len(s.PromptSet) > 0 {
		out.PromptSet, out.Prompt = s.PromptSet, Lengths{}
	}
	if !s.Output.IsZero() {
		out.Output = s.Output
	}
	say(&out.Name, s.Name)
	say(&out.Description, s.Description)
	say(&out.Arrival, s.Arrival)
	say(&out.Burstiness, s.Burstiness)
	say(&out.Duration, s.Duration)
	say(&out.Budget, s.Budget)
	say(&out.Warmup, s.Warmup)
	say(&out.SharedPrefix, s.SharedPrefix)
	say(&out.Repeat, s.Repeat)
	say(&out.ConfirmKnee, s.ConfirmKnee)
	say(&out.Confirm, s.Confirm)
	say(&out.StopOversaturated, s.StopOversaturated)
	say(&out.DatasetPath, s.DatasetPath)
	say(&out.DatasetKind, s.DatasetKind)
	out.Traffic = s.Traffic.over(base.Traffic)
	return out
}

func say[T comparable](to *T, said T) {
	var unsaid T
	if said != unsaid {
		*to = said
	}
}

// Check names what makes a resolved scenario impossible to run, as an error
// with the way out.
func (s Scenario) Check() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("scenario %s: %s", s.Name, fmt.Sprintf(format, args...))
	}
	switch {
	case len(s.Concurrency) > 0 && len(s.RequestRate) > 0:
		return fail("both --concurrency and --request-rate; a level is held by one of them")
	case s.Timed() && len(s.Concurrency)+len(s.RequestRate) > 0:
		return fail("--replay timestamps sends when the trace says; leave --concurrency and --request-rate out, or give --replay lengths")
	case s.Timed() && s.Arrival != "":
		return fail("--arrival %s and --replay timestamps; the trace says when to send", s.Arrival)
	case len(s.Concurrency) == 0 && len(s.RequestRate) == 0 && s.Name != Production && !s.Timed():
		return fail("no load; give --concurrency or --request-rate")
	case s.Name == Dataset && s.DatasetPath == "":
		return fail("no file; give --dataset FILE (prompts or a trace: see assay trace --help for the formats)")
	case s.DatasetKind != "" && !slices.Contains(DatasetKinds, s.DatasetKind):
		return fail("--dataset-format %q is not one of %v", s.DatasetKind, DatasetKinds)
	case s.Arrival != "" && !slices.Contains(Arrivals, s.Arrival):
		return fail("--arrival %q is not one of %v", s.Arrival, Arrivals)
	case s.Arrival != "" && len(s.Concurrency) > 0:
		return fail("--arrival %s needs --request-rate: a closed loop has no arrivals", s.Arrival)
	case s.Burstiness != 0 && s.Arrival != "gamma":
		return fail("--burstiness needs --arrival gamma")
	case s.Burstiness != 0 && !(s.Burstiness > 0 && s.Burstiness <= 1e6):
		return fail("--burstiness %g; it must be above 0 and at most 1e6", s.Burstiness)
	case s.Repeat < 0 || s.Repeat > MostRepeats:
		return fail("--repeat %d; it must be between 1 and %d", s.Repeat, MostRepeats)
	case s.ConfirmKnee != "" && !slices.Contains(Choices, s.ConfirmKnee):
		return fail("--confirm-knee %q is not one of %v", s.ConfirmKnee, Choices)
	case s.StopOversaturated != "" && !slices.Contains(Choices, s.StopOversaturated):
		return fail("--stop-oversaturated %q is not one of %v", s.StopOversaturated, Choices)
	case s.NumRequests > math.MaxInt32:
		return fail("%d requests; at most 2^31 can be asked for", s.NumRequests)
	case s.NumRequests == 0 && s.Duration == 0 && !s.Timed():
		return fail("neither --num-requests nor --duration")
	}
	for _, c := range s.Concurrency {
		if c < 1 || c > 1e6 {
			return fail("concurrency %d; it must be at least 1 and at most a million", c)
		}
	}
	for _, rate := range s.RequestRate {
		if !(rate > 0) || rate > 1e6 {
			return fail("request rate %g; it must be above 0 and at most 1e6 a second", rate)
		}
	}
	for _, n := range s.PromptSet {
		if why := Fixed(n).validate(); why != "" {
			return fail("prompt length: %s", why)
		}
	}
	if s.DatasetPath == "" && len(s.PromptSet) == 0 {
		if why := s.Prompt.validate(); why != "" {
			return fail("prompt length: %s", why)
		}
	}
	if why := s.Output.validate(); why != "" {
		return fail("output length: %s", why)
	}
	if why := s.mistake(); why != "" {
		return fail("%s", why)
	}
	if s.SharedPrefix > 0 && s.SharedPrefix >= s.Prompt.Largest() && len(s.PromptSet) == 0 {
		return fail("a shared prefix of %d tokens leaves nothing of a prompt of %s; give a longer --isl or a shorter --shared-prefix", s.SharedPrefix, s.Prompt)
	}
	return nil
}

// LooksForKnee reports whether the scenario's levels are read as one curve.
func (s Scenario) LooksForKnee() bool {
	if s.Name == Baseline || s.Name == Production || s.Timed() {
		return false
	}
	return s.Name == Saturation || len(s.PromptSet) == 0 && max(len(s.Concurrency), len(s.RequestRate)) >= 3
}
