package calibrate

import (
	"fmt"
	"math"
	"strings"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/memory"
	"assay/internal/model"
	"assay/internal/predict"
)

// Bound is a calibration taken for one model, after the checks that it must pass.
type Bound struct {
	*Calibration
	arch    model.Arch
	format  model.Format
	factors *Factors // nil of a log
	Remarks []string
}

// MismatchError is a calibration of another model than is planned.
type MismatchError struct {
	Path, Measured, Planned string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s was measured on %s, and the plan is of %s: nothing of it carries over", e.Path, e.Measured, e.Planned)
}

// mostApart is how far two counts of parameters may be for one model: names of
// one size differ in vocabularies and heads, models of two sizes by far more.
const mostApart = 0.1

// For takes a calibration for a plan of that model, with weights in that format.
// on is the platform for a run that does not say what it was measured on, as
// where one instance type is planned; nil where there is none. The error is a
// *MismatchError or a *RooflineError, or says what is not known.
func (c *Calibration) For(a model.Arch, f model.Format, on *Platform) (*Bound, error) {
	return c.bind(a, f, on, predict.At)
}

// predictor is predict.At, or what a test knows better.
type predictor func(predict.System, predict.Load) (predict.Prediction, error)

func (c *Calibration) bind(a model.Arch, f model.Format, on *Platform, at predictor) (*Bound, error) {
	b := &Bound{Calibration: c, arch: a, format: f, Remarks: append([]string(nil), c.Remarks...)}
	if known, err := model.Named(c.Model); err == nil {
		if n, m := float64(known.Parameters()), float64(a.Parameters()); math.Abs(n-m)/m > mostApart {
			return nil, &MismatchError{c.Path, known.Name, a.Name}
		}
	} else {
		b.remark("%s was measured on %q, which no known model is called: it is taken for %s", c.Path, c.Model, a.Name)
	}
	if c.Kind == FromLog {
		if err := b.roofs(on); err != nil {
			return nil, err
		}
		b.remarkChips()
		return b, nil
	}
	if err := b.settlePlatform(on); err != nil {
		return nil, err
	}
	if err := b.roofline(); err != nil {
		return nil, err
	}
	factors, err := b.fit(at)
	if err != nil {
		return nil, err
	}
	b.factors = factors
	return b, nil
}

func (b *Bound) remark(format string, args ...any) {
	b.Remarks = append(b.Remarks, fmt.Sprintf(format, args...))
}

// settlePlatform makes sure that a run's hardware is known.
func (b *Bound) settlePlatform(on *Platform) error {
	p := b.Platform
	if p.Chip.Name == "" && on != nil {
		p.Chip = on.Chip
		if p.TP == 0 {
			p.TP, p.Count = on.TP, on.Count
		}
		b.remark("%s does not say what it was measured on: it is taken for %d x %s", b.Path, max(p.TP, 1), p.Chip.Name)
	}
	if p.Chip.Name == "" {
		return fmt.Errorf("%s does not say on which GPU it was measured: give platform.gpu and platform.tp in assay.yaml when measuring (assay bench -f), or plan one --instance alone", b.Path)
	}
	p.TP = max(p.TP, 1)
	p.Count = max(p.Count, p.TP)
	c := *b.Calibration
	c.Platform = p
	b.Calibration = &c
	return nil
}

// Kind of the figures that a calibration gives.
func (b *Bound) kind() figure.Kind {
	if b.Simulated {
		return figure.Simulated
	}
	return figure.Measured
}

func (b *Bound) source() facts.Source { return facts.Source{Title: b.Kind + " " + b.Path} }

// sameChip says whether a log's GPU may be that chip, by the memory that it
// reports. A log that does not report it is taken at its word.
func (b *Bound) sameChip(c facts.Chip) bool {
	if b.Log.Device == "cpu" {
		return false
	}
	total, ok := b.Log.Of(TotalMemory)
	return !ok || math.Abs(total-float64(c.Usable)) <= mostMemoryApart*total
}

// remarkChips says which GPUs a log is taken for: it does not name its own.
func (b *Bound) remarkChips() {
	total, ok := b.Log.Of(TotalMemory)
	switch {
	case b.Log.Device == "cpu":
		b.remark("%s is of vLLM's CPU backend: its memory says nothing of a GPU's", b.Path)
	case !ok:
		b.remark("%s does not say how much memory its GPU has: it is taken for each on which what it leaves to activations is plausible", b.Path)
	default:
		var names []string
		for _, c := range facts.Chips() {
			if b.sameChip(c) {
				names = append(names, c.Name)
			}
		}
		if len(names) == 0 {
			b.remark("%s is of a GPU with %.2f GiB, which none that is known has: its memory carries over to nothing", b.Path, total/facts.GiB)
			return
		}
		b.remark("%s is of a GPU with %.2f GiB, as %s: its memory is taken for theirs at TP %d and PP %d", b.Path, total/facts.GiB, strings.Join(names, ", "), b.Platform.TP, b.Platform.PP)
	}
}

// mostMemoryApart tells chips of one nominal size apart from others: drivers take
// some percent more or less.
const mostMemoryApart = 0.04

// logged is the configuration that a log's engine ran with, on the plan's chip.
func (b *Bound) logged(c memory.Config) memory.Config {
	if n := b.Log.Arg("max_seq_len"); n > 0 {
		c.MaxModelLen = n
	} else if n := b.Log.Arg("max_model_len"); n > 0 {
		c.MaxModelLen = n
	} else if n, ok := b.Log.Of(ModelLen); ok && n < 1<<31 {
		c.MaxModelLen = int(n)
	}
	c.AutoModelLen = false
	c.MaxNumSeqs, c.MaxBatchedTokens, c.BlockSize = b.Log.Arg("max_num_seqs"), b.Log.Arg("max_num_batched_tokens"), b.Log.Arg("block_size")
	if n, ok := b.Log.Of(MostBatched); ok && n < 1<<31 {
		c.MaxBatchedTokens = int(n)
	}
	c.Utilization, c.KVBytes = 0, 0
	if u, ok := b.Log.utilization(); ok {
		c.Utilization = u
	}
	if kv, err := memory.KVFormatNamed(b.Log.Args["kv_cache_dtype"]); err == nil {
		c.KV = kv
	}
	if e, err := memory.EngineNamed(b.Engine + "@" + b.Version); err == nil {
		c.Engine = e
	}
	return c
}
