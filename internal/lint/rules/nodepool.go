package rules

import (
	"slices"
	"strings"

	"assay/internal/karpenter"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/spelling"
)

// pool is a NodePool under judgement: what Karpenter reads in it, and where.
type pool struct {
	karpenter.NodePool
	object *lint.Object
	whole  bool // nothing in it is mistaken or filled in later
}

// poolOf is the NodePool that an object is; ok is false of any other, and of one of
// another version than v1, whose fields lie elsewhere.
func poolOf(o *lint.Object) (pool, bool) {
	if !o.Is("karpenter.sh", "NodePool") || o.APIVersion != "karpenter.sh/v1" {
		return pool{}, false
	}
	return lint.Once(o, "nodepool", func() pool {
		read, errs := karpenter.Of(o.File.Name, o.Root.Node())
		return pool{read, o, len(errs) == 0 && !read.Templated()}
	}), true
}

// onPools is a rule over NodePools that can be judged as a whole.
func onPools(check func(*lint.Pass, pool)) func(*lint.Pass, *lint.Object) {
	return func(p *lint.Pass, o *lint.Object) {
		if pool, ok := poolOf(o); ok && pool.whole {
			check(p, pool)
		}
	}
}

// requirements are the items of the list.
func requirements(o *lint.Object) []source.Value {
	return o.Get("spec", "template", "spec", "requirements").Items()
}

// at is the item or label that a requirement was read from.
func (q pool) at(r karpenter.Requirement) source.Value {
	for _, item := range requirements(q.object) {
		if item.Line() == r.Place.Line && item.Column() == r.Place.Column {
			return item
		}
	}
	for k, v := range q.object.Get("spec", "template", "metadata", "labels").Pairs() {
		if k.Line() == r.Place.Line {
			return v
		}
	}
	return source.Value{}
}

// valueAt is where a requirement's values stand: the only one, else all of them, else
// the operator.
func (q pool) valueAt(r karpenter.Requirement) source.Value {
	item := q.at(r)
	if !item.IsMap() {
		return item
	}
	values := item.Get("values")
	switch items := values.Items(); {
	case len(items) == 1:
		return items[0]
	case len(items) > 1:
		return values
	}
	return item.Get("operator")
}

// nearest is the name most like a wrong one, if it is a slip of it: at most one letter in
// three, and not one that marks another of a series, such as web-1 and web-2, gpu-a and
// gpu-b, or cpu and gpu.
func nearest(name string, among []string) (string, bool) {
	name = name[:min(len(name), 80)]
	best, least := "", 1<<30
	for _, other := range among {
		if d := spelling.Distance(name, other[:min(len(other), 80)]); d < least {
			best, least = other, d
		}
	}
	return best, least > 0 && least <= 4 && least*3 <= max(len(name), len(best)) && !ofSeries(name, best)
}

// ofSeries says that two names differ in digits alone, or in one short word.
func ofSeries(a, b string) bool {
	if lettersOf(a) == lettersOf(b) {
		return true
	}
	as, bs := strings.Split(a, "-"), strings.Split(b, "-")
	if len(as) != len(bs) {
		return false
	}
	const short = 3
	differ, brief := 0, false
	for i := range as {
		if as[i] != bs[i] {
			differ++
			brief = len(as[i]) <= short && len(bs[i]) <= short
		}
	}
	return differ == 1 && brief
}

func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, s)
}

// closest is the name most like a wrong one, however unlike.
func closest(name string, among []string) string {
	if len(among) == 0 {
		return ""
	}
	name = name[:min(len(name), 80)]
	return slices.MinFunc(among, func(a, b string) int {
		return spelling.Distance(name, a[:min(len(a), 80)]) - spelling.Distance(name, b[:min(len(b), 80)])
	})
}
