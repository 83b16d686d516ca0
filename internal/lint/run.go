package lint

import (
	"context"
	"fmt"
	"iter"
	"time"

	"assay/internal/lint/source"
	"assay/internal/practice"
)

// Options are what a run of rules goes by.
type Options struct {
	Rules    []*Rule
	Enable   []string            // only these rules, where there are any
	Disable  []string            // not these
	Severity map[string]Severity // of a rule, in place of its own
	Ignore   []Ignore            // findings that a configuration leaves out
	Baseline *Baseline           // findings that were there before; nil: none
	Measured *practice.Measured  // nil: no run was given
	Now      time.Time           // by which suppressions end; zero: the clock's
	Workers  int                 // 0: one a processor
	Effort   uint64              // what rules that users write may cost in all, in CEL's units; 0: mostEffort
}

// Summary counts what rules said: an object that a rule looked at and found right is
// one pass.
type Summary struct {
	Fail       int `json:"fail"`
	Unknown    int `json:"unknown"`
	Pass       int `json:"pass"`
	Suppressed int `json:"suppressed"`
}

// Result is what was found, in the order of files and lines.
type Result struct {
	Findings   []Finding    `json:"findings"`
	Summary    Summary      `json:"summary"`
	Files      int          `json:"files"`
	Objects    int          `json:"objects"`
	Suppressed []Suppressed `json:"suppressed,omitempty"`

	// Rules are those that ran, for what is written about them.
	Rules []*Rule `json:"-"`
}

// Reading is what is read, file by file, each with what of it could not be.
type Reading = iter.Seq2[*source.File, []source.Problem]

// Run judges files while they are read, by several workers; what comes out does not
// depend on their number. The error is that of the options, of the context, or of rules
// that users write and that cost too much.
func Run(ctx context.Context, input Reading, opt Options) (Result, error) {
	r, err := newRunner(opt)
	if err != nil {
		return Result{}, err
	}
	r.effort = newEffort(ctx, r.Effort)
	defer r.effort.stop(nil)
	r.judge(r.effort.ctx, input)
	if err := r.effort.err(); err != nil {
		return Result{}, err
	}
	r.across()
	if err := r.effort.err(); err != nil {
		return Result{}, err
	}
	return r.result(), nil
}

// Files judges files that were read. Options that Run would refuse panic.
func Files(files []*source.File, opt Options) Result {
	res, err := Run(context.Background(), func(yield func(*source.File, []source.Problem) bool) {
		for _, f := range files {
			if !yield(f, nil) {
				return
			}
		}
	}, opt)
	if err != nil {
		panic(fmt.Sprintf("lint.Files: %v", err))
	}
	return res
}

// Failed says that something failed at or above a severity.
func (r Result) Failed(least Severity) bool {
	for _, f := range r.Findings {
		if f.Status == Fail && f.Severity.AtLeast(least) {
			return true
		}
	}
	return false
}
