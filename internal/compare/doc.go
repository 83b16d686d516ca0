// Package compare holds two runs beside each other: for each level that both
// held and each figure of it the change, an interval for it and a verdict.
//
// It is a pure function of what two runs recorded and measures nothing. What may
// not be compared is not: each such figure says why. Changes are in per cent of
// the base (points for shares), intervals are 95 % each by itself, and a verdict
// takes into account how many figures were looked at (see judge.go).
//
//	c, err := compare.Runs(
//		compare.Side{Name: "main", Run: base, Requests: baseFolder.EachRequest},
//		compare.Side{Name: "pr", Run: next, Requests: nextFolder.EachRequest},
//		compare.Options{})
package compare
