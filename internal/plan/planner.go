package plan

import (
	"errors"
	"fmt"
	"math"

	"assay/internal/calibrate"
	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/memory"
	"assay/internal/model"
	"assay/internal/predict"
	"assay/internal/price"
)

// planner holds what a request was resolved to, and what was computed for it.
type planner struct {
	asked     Asked
	arch      model.Arch // that decides; of a bare count the middle of others
	others    []model.Arch
	format    model.Format
	stored    *model.Counts // bytes by part, as the checkpoint's headers say; nil: by the format
	quantize  string        // the engine's --quantization, where it has to be said
	half      bool          // fp16 does as well as bf16
	fp16      bool          // and was asked for
	kv        memory.KVFormat
	engine    memory.Engine
	prices    *price.Book
	budget    float64 // US dollars an hour; 0: none
	pools     []karpenter.NodePool
	measured  *calibrate.Bound // what replaces estimates; nil: nothing
	instances []facts.Instance

	parameters int64
	from       string // what kind of reference the model is
	served     string // what an engine is given to load; empty: not known
	exact      bool   // stored was summed from headers
	remarks    []string
	refusal    error // of the calibration, met on the way

	at          func(predict.System, predict.Load) (predict.Prediction, error)
	accounts    map[placed]held
	predictions map[asking]answered
	curves      map[placed]predict.Curve
	run         func(*planner, sized) *simulation // through the engine
	simulations map[asking]*simulation
}

func newPlanner() *planner {
	return &planner{at: predict.At, run: (*planner).runEngine, accounts: map[placed]held{}, predictions: map[asking]answered{}, curves: map[placed]predict.Curve{}, simulations: map[asking]*simulation{}}
}

// system is what predict takes of a candidate: one replica.
func (p *planner) system(a model.Arch, c candidate) predict.System {
	limits := c.account.Config
	return predict.System{
		Model: a, Format: p.format, KVWidth: p.kv.Width(), Chip: c.chip, GPUsPerNode: c.layout.perNode(),
		TP: c.layout.tp, PP: c.layout.pp, DP: c.layout.dp, EP: c.layout.ep,
		Engine: p.engine.Name, Version: fmt.Sprintf("%d.%d", p.engine.Major, p.engine.Minor),
		MaxNumSeqs: limits.MaxNumSeqs, MaxBatchedTokens: limits.MaxBatchedTokens, MaxModelLen: limits.MaxModelLen, KVTokens: c.account.KVTokens,
	}
}

// weights are the bytes of the whole model.
func (p *planner) weights() int64 {
	if p.stored == nil {
		return p.arch.WeightBytes(p.format)
	}
	var total int64
	for part, n := range p.stored {
		if model.Part(part) != model.Draft {
			total += n
		}
	}
	return total
}

// outcome is what became of all layouts.
type outcome struct {
	options  []found // in order of cost
	misses   []found // that hold the model and miss the SLO, in order of by how much
	dear     int     // layouts left out for the budget
	slow     int     // layouts that do not keep up with the rate with all the replicas allowed
	fits     int     // layouts that hold the model
	rejected []Rejection
}

// look tries every layout of every instance.
func (p *planner) look() outcome {
	fit, rejected := p.candidates()
	out := outcome{rejected: rejected, fits: len(fit)}
	var over *predict.OverloadError
	for _, c := range fit {
		most := p.mostReplicas(c)
		hourly, priced := p.cost(c.instance)
		if p.budget > 0 && !priced {
			out.reject(c, tooDear, "its price is not known, so it cannot be held against the budget")
			continue
		}
		if most < 1 {
			out.dear++
			out.reject(c, tooDear, "%s at least, above the budget", dollars(hourly*float64(c.nodes())))
			continue
		}
		s, ok, err := p.size(c, most)
		switch {
		case errors.As(err, &over):
			out.slow++
			if most < p.unboundReplicas() {
				out.dear++
			}
			out.reject(c, tooMuch, "%s, %.3g requests/s come to each, and it does %.3g", p.withMost(most), over.Rate, over.Most)
		case err != nil:
			out.reject(c, noForecast, "%v", err)
		case ok:
			if why := room(s.pools, s.instance, s.instances(s.replicas)); why != "" {
				out.reject(c, noPool, "%s", why)
				continue
			}
			out.options = append(out.options, p.found(s))
		default:
			p.miss(&out, s, most)
		}
	}
	p.sorted(out.options)
	p.settle(&out)
	out.options = p.withSure(out.options)
	sortMisses(out.misses)
	return out
}

// miss notes a candidate that does not bear the load with the most replicas.
func (p *planner) miss(out *outcome, s sized, most int) {
	out.misses = append(out.misses, p.found(s))
	if most < p.unboundReplicas() {
		out.dear++
	}
	kind := notFast
	if len(missed(s.judged)) == 0 {
		kind = tooMuch
	}
	out.reject(s.candidate, kind, "%s", p.whyNot(s, most))
}

func (o *outcome) reject(c candidate, kind, format string, args ...any) {
	o.rejected = append(o.rejected, Rejection{Instance: c.instance.Name, Layout: c.layout.String(), Reason: fmt.Sprintf(format, args...), Kind: kind})
}

func dollars(hourly float64) string { return fmt.Sprintf("$%.2f/h", math.Round(100*hourly)/100) }
