package lint

import (
	"cmp"
	"slices"

	"assay/internal/lint/source"
	"assay/internal/practice"
)

// Options are what a run of rules goes by.
type Options struct {
	Rules    []*Rule
	Measured *practice.Measured // nil: no run was given
}

// Summary counts what rules said: an object that a rule looked at and found right is
// one pass.
type Summary struct {
	Fail    int `json:"fail"`
	Unknown int `json:"unknown"`
	Pass    int `json:"pass"`
}

// Result is what was found, in the order of files and lines.
type Result struct {
	Findings []Finding `json:"findings"`
	Summary  Summary   `json:"summary"`
	Objects  int       `json:"objects"`
}

// Files judges files that were read.
func Files(files []*source.File, opt Options) Result {
	var r runner
	r.Options = opt
	for _, f := range files {
		for _, c := range f.Chunks() {
			doc, problems := c.Parse()
			for _, p := range problems {
				r.problem(p)
			}
			for _, o := range ObjectsOf(doc) {
				r.object(o)
			}
		}
	}
	r.across()
	return r.result()
}

type runner struct {
	Options
	index Index
	out   Result
}

func (r *runner) object(o *Object) {
	r.out.Objects++
	r.index.add(o)
	pods := PodsOf(o)
	for _, rule := range r.Rules {
		if len(rule.Kinds) > 0 && !slices.Contains(rule.Kinds, o.Kind) {
			continue
		}
		p := &Pass{Rule: rule, Object: o, File: o.File, Measured: r.Measured}
		if rule.Object != nil {
			rule.Object(p, o)
		}
		for _, pod := range pods {
			if rule.Pod != nil {
				rule.Pod(p, pod)
			}
			if rule.Container != nil {
				for _, c := range pod.Containers() {
					rule.Container(p, c)
				}
			}
		}
		looked := rule.Object != nil || len(pods) > 0 && (rule.Pod != nil || rule.Container != nil)
		r.take(p, looked)
	}
}

func (r *runner) across() {
	for _, rule := range r.Rules {
		if rule.Across != nil {
			p := &Pass{Rule: rule, Measured: r.Measured}
			rule.Across(p, &r.index)
			r.take(p, true)
		}
	}
}

func (r *runner) problem(problem source.Problem) {
	for _, rule := range r.Rules {
		if rule.ID == problem.ID {
			p := &Pass{Rule: rule, File: &source.File{Name: problem.Place.File}}
			status := Fail
			if problem.Unknown {
				status = Unknown
			}
			f := p.add(status, problem.Place, problem.Message)
			f.Text = problem.Text
			if problem.Way != "" {
				f.Fix = problem.Way
			}
			r.take(p, true)
		}
	}
}

func (r *runner) take(p *Pass, looked bool) {
	if looked && len(p.findings) == 0 {
		r.out.Summary.Pass++
	}
	for _, f := range p.findings {
		r.out.Findings = append(r.out.Findings, *f)
	}
}

func (r *runner) result() Result {
	slices.SortStableFunc(r.out.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.ID, b.ID))
	})
	for _, f := range r.out.Findings {
		if f.Status == Fail {
			r.out.Summary.Fail++
		} else {
			r.out.Summary.Unknown++
		}
	}
	return r.out
}
