package bench

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/spec"
)

// prepare does all that comes before the first level.
func (s *session) prepare(ctx context.Context) error {
	if s.opt.Target == "" {
		s.view.Note("no --target: measuring the " + embeddedName + ", with a short workload of its own")
	}
	var err error
	if s.target, err = connect(ctx, s.opt, s.start); err != nil {
		return err
	}
	s.describeTarget()
	if via := s.target.client.Via(); via != "" {
		s.note("through the proxy %s: latency includes it", via)
	}
	if s.opt.ResetCache {
		if err := s.target.client.ResetCache(ctx); err != nil {
			return &usageError{fmt.Errorf("--reset-cache: the target does not offer it: vLLM does with VLLM_SERVER_DEV_MODE=1, SGLang always: %w", err)}
		}
	}
	if err := s.openDatasets(); err != nil {
		return err
	}
	if err := s.checkImages(); err != nil {
		return err
	}
	if err := s.fitToContext(); err != nil {
		return err
	}
	if err := s.calibrate(ctx); err != nil {
		return err
	}
	s.newRun()
	if s.writer, err = record.Create(s.opt.Out, s.run); err != nil {
		return err
	}
	if len(s.target.places) > 0 || s.target.past != nil {
		s.watch = &watcher{places: s.target.places, past: s.target.past, start: s.start, emit: s.writer.Metrics}
	}
	return nil
}

func (s *session) describeTarget() {
	t := s.target
	engine := strings.TrimSpace(t.info.Engine.Name + " " + t.info.Engine.Version)
	switch {
	case t.info.Preset != "":
		engine = t.info.Preset
	case t.info.Simulated:
		engine = "a simulated engine (assay sim)"
	}
	s.view.Note(fmt.Sprintf("target: %s  model %s  %s", t.info.URL, t.info.Model, engine))
	for _, r := range t.inspection.Remarks {
		s.view.Note("the endpoint " + r)
	}
	for _, why := range t.noMetrics {
		s.note("%s", why)
	}
	s.describeMetrics()
}

// fitToContext leaves out prompts that the model's context does not hold.
func (s *session) fitToContext() error {
	limit := s.target.info.MaxLen
	if limit == 0 {
		return nil
	}
	kept := s.plan.Levels[:0:0]
	for _, l := range s.plan.Levels {
		if l.Scenario.DatasetPath != "" {
			kept = append(kept, l)
			continue
		}
		in, out := l.Prompt.Largest(), l.Output.Largest()
		if turns := l.Scenario.Turns.Largest(); turns > 1 {
			whole := in + out + (turns-1)*(l.turnPrompt().Largest()+out)
			if whole > limit {
				return &usageError{fmt.Errorf("level %s: sessions of %d turns grow to %d tokens; the model's context is %d (--turns, --isl, --turn-isl, --osl)", l.ID, turns, whole, limit)}
			}
		}
		switch {
		case in+out <= limit:
		case len(l.Scenario.PromptSet) > 0 && in > limit:
			s.note("%s is left out: the model's context is %d tokens", l.ID, limit)
			continue
		case len(l.Scenario.PromptSet) > 0:
			// The scenario asks for prompts of that size: the answer's place is taken from it.
			l.Prompt = spec.Fixed(max(1, limit-out))
			s.note("%s: prompts of %d tokens, so that %d of output fit into the model's context of %d", l.ID, limit-out, out, limit)
		default:
			return &usageError{fmt.Errorf("level %s asks for up to %d tokens in and %d out; the model's context is %d (--isl, --osl)", l.ID, in, out, limit)}
		}
		kept = append(kept, l)
	}
	if len(kept) == 0 {
		return &usageError{fmt.Errorf("no level fits into the model's context of %d tokens", limit)}
	}
	s.plan.Levels = kept
	return nil
}

// note keeps a remark for the report and shows it.
func (s *session) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.view.Note(text)
	if s.run != nil {
		s.run.Notes = append(s.run.Notes, text)
		return
	}
	s.early = append(s.early, text)
}

// calibrate covers the lengths of all levels with synthetic prompts.
func (s *session) calibrate(ctx context.Context) error {
	shortest, longest := 0, 0
	for _, l := range s.plan.Levels {
		if l.Scenario.DatasetPath != "" {
			continue
		}
		n := int(l.Prompt.Expected())
		if shortest == 0 || n < shortest {
			shortest = n
		}
		longest = max(longest, l.Prompt.Largest())
	}
	if s.lengthsOnly {
		shortest, longest = rowLengths(shortest, longest, s.target.info.MaxLen)
	}
	if longest == 0 {
		return nil
	}
	var err error
	if s.calibration, err = s.target.calibrate(ctx, shortest, longest); err != nil {
		return fmt.Errorf("calibrate prompt lengths: %w", err)
	}
	if s.calibration.Estimated {
		s.note("the server counts no tokens: prompt lengths are estimated as one token a word")
	}
	if !s.calibration.Estimated {
		s.plan.Options.Template = s.calibration.Overhead
	}
	for _, c := range s.calibration.Checks {
		if c.Off() > load.Tolerance {
			s.note("prompts of %d tokens came to %d by the server's count", c.Asked, c.Got)
		}
	}
	return nil
}

// Lengths at which prompts for a trace's rows are checked, tokens: where those
// of the public traces lie.
const (
	shortRow = 256
	longRow  = 8192
)

// rowLengths widens the lengths that are calibrated to those of a trace's rows;
// context is the model's, 0 where it is not known.
func rowLengths(shortest, longest, context int) (int, int) {
	long := longRow
	if context > 0 {
		long = min(long, context/2)
	}
	if shortest == 0 {
		shortest = shortRow
	}
	return min(shortest, shortRow), max(longest, long)
}

func (s *session) newRun() {
	nonce := make([]byte, 6)
	_, _ = rand.Read(nonce) // never fails: crypto/rand ends the program instead
	s.run = &record.Run{
		Schema: record.Schema, Tool: tool(s.opt.Version), Command: s.opt.Command, Start: s.start.UTC(),
		Host: host(), Seed: s.opt.Seed, Nonce: hex.EncodeToString(nonce), Target: s.target.info,
		Platform: platform(s.opt.Platform), Spec: mustJSON(s.plan), Inspection: s.target.inspection,
		Levels: []record.Level{}, Notes: s.early, Bound: unknownYet(), SLO: record.SLO{Given: s.opt.SLOGiven, Criteria: criteria(s.opt.SLO)},
	}
	if s.opt.Platform.PricePerHour > 0 {
		s.run.Cost = &record.Cost{PricePerHour: s.opt.Platform.PricePerHour, Source: "given by the user"}
	}
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // plans hold nothing that JSON cannot
	}
	return b
}
