package lint

import (
	"fmt"
	"slices"

	"assay/internal/lint/source"
)

// batch judges what stands by itself in a batch.
func (r *runner) batch(b batch) part {
	w := &worker{runner: r, part: part{n: b.n, files: b.read}}
	for _, p := range b.problems {
		w.problem(p)
	}
	for _, f := range b.files {
		w.file(f)
	}
	for _, c := range b.docs {
		w.document(c)
	}
	return w.part
}

// worker judges documents one after another.
type worker struct {
	*runner
	part
	kinds map[string][]*Rule
}

func (w *worker) document(c source.Chunk) {
	var objects []*Object
	w.guarded(&Pass{Rule: unread, File: c.File}, func() {
		doc, problems := c.Parse()
		for _, p := range problems {
			w.problem(p)
		}
		objects = ObjectsOf(doc)
	})
	for _, o := range objects {
		w.object(o)
	}
	w.suppressions = append(w.suppressions, suppressionsOf(c, objects)...)
}

func (w *worker) object(o *Object) {
	w.objects++
	w.guarded(&Pass{Rule: unread, Object: o, File: o.File}, func() { w.index.add(o) })
	pods := PodsOf(o)
	var containers []*Container
	for _, pod := range pods {
		containers = append(containers, pod.Containers()...)
	}
	for _, rule := range w.rulesOf(o.Kind) {
		p := &Pass{Rule: rule, Object: o, File: o.File, Measured: w.Measured, effort: w.effort}
		w.guarded(p, func() {
			if rule.Object != nil {
				rule.Object(p, o)
			}
			for _, pod := range pods {
				if rule.Pod != nil {
					rule.Pod(p, pod)
				}
			}
			for _, c := range containers {
				if rule.Container != nil {
					rule.Container(p, c)
				}
			}
		})
		w.take(p, rule.Object != nil || len(pods) > 0)
	}
}

// rulesOf are those that look at objects of a kind.
func (w *worker) rulesOf(kind string) []*Rule {
	if of, ok := w.kinds[kind]; ok {
		return of
	}
	var of []*Rule
	_, holds := holders[kind]
	for _, r := range w.Rules {
		looks := r.Object != nil || holds && (r.Pod != nil || r.Container != nil)
		if looks && (len(r.Kinds) == 0 || slices.Contains(r.Kinds, kind)) {
			of = append(of, r)
		}
	}
	if w.kinds == nil {
		w.kinds = map[string][]*Rule{}
	}
	w.kinds[kind] = of
	return of
}

func (w *worker) file(f *source.File) {
	for _, rule := range w.Rules {
		if rule.File == nil {
			continue
		}
		p := &Pass{Rule: rule, File: f, Measured: w.Measured, effort: w.effort}
		w.guarded(p, func() { rule.File(p) })
		w.take(p, true)
	}
	w.suppressions = append(w.suppressions, commentsOf(f, f.Body, 1, Ref{})...)
}

// problem is what could not be read, as the rule of its name says it.
func (w *worker) problem(problem source.Problem) {
	rule, ok := w.byID[problem.ID]
	if !ok {
		return
	}
	p := &Pass{Rule: rule, File: &source.File{Name: problem.Place.File}}
	status := Fail
	if problem.Unknown {
		status = Unknown
	}
	f := p.add(status, problem.Place, problem.Message)
	f.Text = hideLine(problem.Text, problem.Secret)
	if problem.Way != "" {
		f.Fix = problem.Way
	}
	w.take(p, true)
}

func (w *worker) take(p *Pass, looked bool) {
	if looked && len(p.findings) == 0 {
		w.pass++
	}
	for _, f := range p.findings {
		w.findings = append(w.findings, *f)
	}
}

// across judges all objects together, when all were read.
func (r *runner) across() {
	w := &worker{runner: r}
	for _, rule := range r.Rules {
		if rule.Across != nil {
			p := &Pass{Rule: rule, Measured: r.Measured, effort: r.effort}
			w.guarded(p, func() { rule.Across(p, &r.total.index) })
			w.take(p, true)
		}
	}
	r.total.join(w.part)
}

// unread stands for what is done with a document beside rules.
var unread = &Rule{ID: "reading"}

// guarded keeps a mistake in a rule, met with an odd object, from ending the run: what
// the rule would say of it is not known.
func (w *worker) guarded(p *Pass, judge func()) {
	defer func() {
		if mistake := recover(); mistake != nil {
			failed := &Pass{Rule: RuleFailed, Object: p.Object, File: p.File}
			message := fmt.Sprintf("%s could not be done here: %v", p.Rule.ID, mistake)
			switch {
			case p.Object != nil:
				failed.Unknown(p.Object.Root, "%s", message)
			case p.File != nil:
				failed.add(Unknown, source.Place{File: p.File.Name, Line: 1, Column: 1}, message)
			default:
				failed.add(Unknown, source.Place{}, message)
			}
			w.take(failed, false)
		}
	}()
	judge()
}

// RuleFailed is a mistake in Assay itself, met with an object that nobody thought of.
var RuleFailed = &Rule{
	ID: "rule-failed", Severity: Info, Subject: Input,
	Title: "A rule could not judge an object",
	Why:   "The object has a form that the rule does not expect: what the rule would say of it is not known. All other rules judged it.",
	Fix:   "Report the object, without what is secret in it, to the project; --disable leaves the rule out.",
}
