package diagnose

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"assay/internal/diagnose/lab"
	"assay/internal/record"
)

// graded is a system of the laboratory with what is said of it.
type graded struct {
	system lab.System
	truth  lab.Truth
	bound  record.Bound
	seen   bool // GPU activity was measured
}

func (g graded) right() bool { return g.truth.Right(g.bound.Verdict) }

// truly is the class that a system counts as: its verdict where that is one of the
// right answers, else the strongest.
func (g graded) truly() string {
	if g.right() {
		return g.bound.Verdict
	}
	return g.truth.Bounds[0]
}

// grade leaves out systems of which the laboratory itself cannot tell what binds.
func grade(systems []lab.System) []graded {
	out := make([]graded, len(systems))
	var wait sync.WaitGroup
	gate := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, s := range systems {
		wait.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			m := s.Measure()
			b := Bound(Evidence{Levels: m.Levels, Saturation: m.Saturation, Platform: m.Platform, Chip: m.Chip})
			g := m.Levels[len(m.Levels)-1].GPU
			out[i] = graded{s, s.Truth(), b, g != nil && g.TensorActive != nil}
		})
	}
	wait.Wait()
	return slices.DeleteFunc(out, func(g graded) bool { return len(g.truth.Bounds) == 0 })
}

// tally counts what was said of some systems.
type tally struct{ all, right, unknown, wrong, sure, surelyWrong int }

// sure is the confidence from which a wrong verdict is a defect.
const sure = 0.8

func count(all []graded, of func(graded) bool) tally {
	var t tally
	for _, g := range all {
		if !of(g) {
			continue
		}
		t.all++
		switch {
		case g.right():
			t.right++
		case g.bound.Verdict == record.BoundUnknown:
			t.unknown++
		default:
			t.wrong++
		}
		if g.bound.Confidence >= sure {
			t.sure++
			if !g.right() {
				t.surelyWrong++
			}
		}
	}
	return t
}

func share(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(of))
}

func everything(graded) bool { return true }

func matrix(all []graded) string {
	var b strings.Builder
	table(&b, all)
	b.WriteString("\n| systems | | right | unknown | wrong | sure (0.8 or more) | surely wrong |\n|---|---|---|---|---|---|---|\n")
	for _, row := range []struct {
		name string
		of   func(graded) bool
	}{
		{"all", everything},
		{"as the rules model them", func(g graded) bool { return !g.system.Varied }},
		{"varied in ways that they do not", func(g graded) bool { return g.system.Varied }},
		{"no clear-cut answer", func(g graded) bool { return !g.truth.Clear }},
		{"with the GPUs' activity", func(g graded) bool { return g.seen }},
		{"without it", func(g graded) bool { return !g.seen }},
	} {
		t := count(all, row.of)
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %d | %d |\n", row.name, t.all, share(t.right, t.all), share(t.unknown, t.all), share(t.wrong, t.all), t.sure, t.surelyWrong)
	}
	b.WriteString("\n| confidence | verdicts | right |\n|---|---|---|\n")
	for _, band := range [][2]float64{{0.8, 1}, {0.6, 0.8}, {0.4, 0.6}, {0.01, 0.4}} {
		t := count(all, func(g graded) bool { return g.bound.Confidence >= band[0] && g.bound.Confidence < band[1] })
		fmt.Fprintf(&b, "| %g to %g | %d | %s |\n", band[0], band[1], t.all, share(t.right, t.all))
	}
	return b.String() + "\n"
}

// table is the confusion matrix: a row for what binds, a column for what was said.
func table(b *strings.Builder, all []graded) {
	var rows, columns []string
	cell := map[[2]string]int{}
	for _, g := range all {
		cell[[2]string{g.truly(), g.bound.Verdict}]++
	}
	for _, v := range verdicts {
		if slices.ContainsFunc(all, func(g graded) bool { return g.truly() == v }) {
			rows = append(rows, v)
		}
		if slices.ContainsFunc(all, func(g graded) bool { return g.bound.Verdict == v }) {
			columns = append(columns, v)
		}
	}
	fmt.Fprintf(b, "\n| binds \\ said | %s | right |\n|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)+1))
	for _, r := range rows {
		fmt.Fprintf(b, "| **%s** |", r)
		for _, c := range columns {
			if n := cell[[2]string{r, c}]; n > 0 {
				fmt.Fprintf(b, " %d |", n)
			} else {
				b.WriteString("  |")
			}
		}
		t := count(all, func(g graded) bool { return g.truly() == r })
		fmt.Fprintf(b, " %s |\n", share(t.right, t.all))
	}
}
