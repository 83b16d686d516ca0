package lint

import (
	"cmp"
	"maps"
	"slices"
)

// result puts what was found in order and takes out what is said twice, suppressed or
// of before.
func (r *runner) result() Result {
	res := Result{Files: r.total.files, Objects: r.total.objects, Rules: r.Rules}
	all := specific(inOrder(r.total.findings))
	all, res.Suppressed = r.suppress(all)
	all, ignored := ignore(all, r.Ignore, r.Now)
	all, before := r.Baseline.without(inOrder(all))
	res.Suppressed = append(append(res.Suppressed, ignored...), before...)
	slices.SortStableFunc(res.Suppressed, func(a, b Suppressed) int { return compare(a.Finding, b.Finding) })
	res.Findings = all
	if res.Findings == nil {
		res.Findings = []Finding{}
	}
	res.Summary = Summary{Pass: r.total.pass, Suppressed: len(res.Suppressed)}
	for _, f := range res.Findings {
		if f.Status == Fail {
			res.Summary.Fail++
		} else {
			res.Summary.Unknown++
		}
	}
	return res
}

func compare(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.ID, b.ID), cmp.Compare(a.Object.Kind, b.Object.Kind), cmp.Compare(a.Object.Name, b.Object.Name), cmp.Compare(a.Message, b.Message))
}

// inOrder sorts by place, and leaves out what is found twice, as where two overlays
// share a base.
func inOrder(all []Finding) []Finding {
	slices.SortStableFunc(all, compare)
	return slices.CompactFunc(all, func(a, b Finding) bool { return compare(a, b) == 0 && a.Status == b.Status })
}

// unsetValue is the rule about marks: what stands in the place of a value.
const unsetValue = "unset-value"

// specific leaves one finding of several that have one cause: a value that was never
// set is not wrong besides, and what a schema says of a line yields to a practice
// that knows what was meant. Findings are in order.
func specific(all []Finding) []Finding {
	var kept []Finding
	for begin := 0; begin < len(all); {
		end := begin + 1
		for end < len(all) && all[end].File == all[begin].File && all[end].Line == all[begin].Line {
			end++
		}
		kept = append(kept, ofLine(all[begin:end])...)
		begin = end
	}
	return kept
}

func ofLine(line []Finding) []Finding {
	if len(line) == 1 {
		return line
	}
	var kept []Finding
	for _, f := range line {
		silent := slices.ContainsFunc(line, func(other Finding) bool {
			unset := other.ID == unsetValue && f.ID != unsetValue && other.Column == f.Column
			return unset || f.general && !other.general && other.Severity.rank() >= f.Severity.rank()
		})
		if !silent {
			kept = append(kept, f)
		}
	}
	return kept
}

func sortedKeys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
