package dashboard

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"assay/internal/telemetry"
)

var variable = regexp.MustCompile(`\$(\{[^}]*\}|\w+)`)

// concrete puts something that parses in the place of Grafana's variables.
func concrete(expr string) string {
	return variable.ReplaceAllStringFunc(expr, func(v string) string {
		switch v {
		case "$__rate_interval":
			return "5m"
		case "$__range":
			return "1h"
		default:
			return ".*"
		}
	})
}

// check parses an expression and gives the metrics that it reads. It fails where
// the catalogue has no such metric, or the metric no such label.
func check(expr string) (metrics []string, err error) {
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(concrete(expr))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", expr, err)
	}
	var errs []error
	seen := map[string]bool{}
	parser.Inspect(tree, func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.VectorSelector:
			seen[n.Name] = true
			errs = append(errs, checkSelector(n))
		case *parser.AggregateExpr:
			errs = append(errs, checkLabels(n.Expr, n.Grouping))
		case *parser.BinaryExpr:
			if m := n.VectorMatching; m != nil {
				errs = append(errs, checkLabels(n.LHS, m.MatchingLabels), checkLabels(n.RHS, m.MatchingLabels))
			}
		}
		return nil
	})
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("%s: %w", expr, err)
	}
	return slices.Sorted(maps.Keys(seen)), nil
}

func checkSelector(s *parser.VectorSelector) error {
	has, err := labelsOf(s.Name)
	if err != nil {
		return err
	}
	for _, m := range s.LabelMatchers {
		if m.Name != model.MetricNameLabel && !has[m.Name] {
			return fmt.Errorf("%s has no label %s", s.Name, m.Name)
		}
	}
	return nil
}

// checkLabels fails where a label is one of no metric below the expression, and
// no function there makes it.
func checkLabels(below parser.Expr, asked []string) error {
	has := map[string]bool{}
	parser.Inspect(below, func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.VectorSelector:
			own, _ := labelsOf(n.Name) // an unknown metric is reported where it is selected
			maps.Copy(has, own)
		case *parser.Call:
			if n.Func.Name == "label_replace" {
				has[n.Args[1].(*parser.StringLiteral).Val] = true
			}
		}
		return nil
	})
	for _, l := range asked {
		if !has[l] {
			return fmt.Errorf("%s has no label %s", below, l)
		}
	}
	return nil
}

// labelsOf are the labels that a series can have: its own, those that a scrape
// adds, and le of a bucket.
func labelsOf(series string) (map[string]bool, error) {
	_, name, ok := telemetry.Lookup(series)
	if !ok {
		return nil, fmt.Errorf("the catalogue has no metric %q", series)
	}
	has := map[string]bool{}
	for _, l := range slices.Concat(name.Labels, telemetry.ScrapeLabels) {
		has[l] = true
	}
	if strings.HasSuffix(series, "_bucket") {
		has["le"] = true
	}
	return has, nil
}
