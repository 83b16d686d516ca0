package rules

import (
	"regexp"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/telemetry"
)

const xid = "DCGM_FI_DEV_XID_ERRORS"

// growing are functions that take a counter.
var growing = map[string]bool{"rate": true, "irate": true, "increase": true}

// calledBy is the innermost function around a selector.
func calledBy(path []parser.Node) string {
	for i := len(path) - 1; i >= 0; i-- {
		if c, ok := path[i].(*parser.Call); ok {
			return c.Func.Name
		}
	}
	return ""
}

func xidSticky(p *lint.Pass, o *lint.Object) {
	for _, q := range queries(o) {
		q.selectors(func(s *parser.VectorSelector, path []parser.Node) {
			if s.Name != xid {
				return
			}
			switch f := calledBy(path); {
			case growing[f]:
				p.Fail(q.of(s), "%s() of %s, which holds the last code: the difference of two codes is no number of errors", f, xid)
			case f == "" && q.alert() != "" && aboveZero(path):
				p.Fail(q.of(s), "%s above 0 fires for ever after the first error of any kind", xid)
			}
		})
	}
}

// aboveZero says that what is looked at is compared with > 0 or != 0.
func aboveZero(path []parser.Node) bool {
	for _, n := range path {
		if b, ok := n.(*parser.BinaryExpr); ok && (b.Op == parser.GTR || b.Op == parser.NEQ) {
			if limit, ok := number(b.RHS); ok && limit == 0 {
				return true
			}
		}
	}
	return false
}

func number(e parser.Expr) (float64, bool) {
	switch e := e.(type) {
	case *parser.NumberLiteral:
		return e.Val, true
	case *parser.ParenExpr:
		return number(e.Expr)
	case *parser.UnaryExpr:
		v, ok := number(e.Expr)
		if e.Op == parser.SUB {
			v = -v
		}
		return v, ok
	}
	return 0, false
}

func rateOfGauge(p *lint.Pass, o *lint.Object) {
	for _, q := range queries(o) {
		q.selectors(func(s *parser.VectorSelector, path []parser.Node) {
			e, _, ok := telemetry.Lookup(s.Name)
			if f := calledBy(path); ok && s.Name != xid && e.Kind == telemetry.Gauge && growing[f] {
				p.Fail(q.of(s), "%s() of %s, which is a gauge: %s", f, s.Name, e.Help)
			}
		})
	}
}

func counterThreshold(p *lint.Pass, o *lint.Object) {
	for _, q := range queries(o) {
		for _, c := range q.comparisons() {
			s, ok := summed(c.value).(*parser.VectorSelector)
			if !ok || q.alert() == "" {
				continue
			}
			if e, _, known := telemetry.Lookup(s.Name); known && e.Kind == telemetry.Counter && c.limit >= 0 && (c.op == parser.GTR || c.op == parser.GTE) {
				p.Fail(q.of(s), "%s only grows: above %g it stays there", s.Name, c.limit)
			}
		}
	}
}

// comparison is one with a number at its right.
type comparison struct {
	value parser.Expr // without brackets and aggregations
	op    parser.ItemType
	limit float64
	at    parser.Expr // the number
}

// comparisons of an expression, those of its parts too.
func (q query) comparisons() []comparison {
	var all []comparison
	if q.tree == nil {
		return nil
	}
	parser.Inspect(q.tree, func(n parser.Node, _ []parser.Node) error {
		if b, ok := n.(*parser.BinaryExpr); ok && b.Op.IsComparisonOperator() {
			if limit, ok := number(b.RHS); ok {
				all = append(all, comparison{bare(b.LHS), b.Op, limit, b.RHS})
			}
		}
		return nil
	})
	return all
}

// bare takes brackets and aggregations that keep the unit from an expression.
func bare(e parser.Expr) parser.Expr {
	for {
		switch n := e.(type) {
		case *parser.ParenExpr:
			e = n.Expr
		case *parser.StepInvariantExpr:
			e = n.Expr
		case *parser.AggregateExpr:
			switch n.Op {
			case parser.AVG, parser.MAX, parser.MIN:
				e = n.Expr
			default:
				return e
			}
		case *parser.Call:
			switch n.Func.Name {
			case "avg_over_time", "max_over_time", "min_over_time", "quantile_over_time", "last_over_time":
				e = n.Args[len(n.Args)-1]
			default:
				return e
			}
		case *parser.MatrixSelector:
			e = n.VectorSelector
		default:
			return e
		}
	}
}

// summed takes sums from an expression, too: a sum of counters is one.
func summed(e parser.Expr) parser.Expr {
	for {
		a, ok := bare(e).(*parser.AggregateExpr)
		if !ok || a.Op != parser.SUM {
			return bare(e)
		}
		e = a.Expr
	}
}

// mostSeconds is more than any latency that a service's alert waits for: an hour.
const mostSeconds = 3600

func thresholdUnit(p *lint.Pass, o *lint.Object) {
	for _, q := range queries(o) {
		for _, c := range q.comparisons() {
			if c.op != parser.GTR && c.op != parser.GTE {
				continue
			}
			switch v := c.value.(type) {
			case *parser.VectorSelector:
				e, n, ok := telemetry.Lookup(v.Name)
				if ok && e.Unit == "share" && (n.Scale == 0 || n.Scale == 1) && e.Kind == telemetry.Gauge && c.limit > 1 {
					p.Fail(q.number(c), "%s goes from 0 to 1 and is never above %g: write %g", v.Name, c.limit, c.limit/100)
				}
			case *parser.Call:
				if s := quantileOf(v); s != nil && strings.HasSuffix(strings.TrimSuffix(s.Name, "_bucket"), "_seconds") && c.limit >= quantileLimit(s.Name) {
					p.Fail(q.number(c), "%s is in seconds and is never above %g: write %g", s.Name, c.limit, c.limit/1000)
				}
			}
		}
	}
}

// quantileLimit is what a quantile cannot reach: a first token or a gap of over a minute
// and a half is no objective, and a request takes less than an hour.
func quantileLimit(name string) float64 {
	if strings.Contains(name, "e2e") || strings.Contains(name, "request_") {
		return mostSeconds
	}
	return 100
}

// number is where a comparison's limit stands.
func (q query) number(c comparison) source.Value {
	r := c.at.PositionRange()
	if int(r.End) > len(q.text) || r.Start >= r.End {
		return q.at
	}
	return q.place(int(r.Start), q.text[r.Start:r.End])
}

// quantileOf is the selector below a histogram_quantile.
func quantileOf(c *parser.Call) *parser.VectorSelector {
	if c.Func.Name != "histogram_quantile" || len(c.Args) != 2 {
		return nil
	}
	var found *parser.VectorSelector
	parser.Inspect(c.Args[1], func(n parser.Node, _ []parser.Node) error {
		if s, ok := n.(*parser.VectorSelector); ok && found == nil {
			found = s
		}
		return nil
	})
	return found
}

var throttle = regexp.MustCompile(`(?i)throttl`)

func throttlingByTemperature(p *lint.Pass, o *lint.Object) {
	for _, q := range queries(o) {
		says := throttle.MatchString(q.alert())
		for _, t := range q.rule.Get("annotations").Pairs() {
			says = says || throttle.MatchString(t.Text())
		}
		if !says {
			continue
		}
		var first *parser.VectorSelector
		temperatures := true
		q.selectors(func(s *parser.VectorSelector, _ []parser.Node) {
			if s.Name != "DCGM_FI_DEV_GPU_TEMP" && s.Name != "DCGM_FI_DEV_MEMORY_TEMP" {
				temperatures = false
			} else if first == nil {
				first = s
			}
		})
		if first != nil && temperatures {
			p.Fail(q.of(first), "%s says warm, not throttled", first.Name)
		}
	}
}

func hitRatioInverted(p *lint.Pass, o *lint.Object) {
	for _, q := range queries(o) {
		if q.tree == nil {
			continue
		}
		parser.Inspect(q.tree, func(n parser.Node, _ []parser.Node) error {
			b, ok := n.(*parser.BinaryExpr)
			if !ok || b.Op != parser.DIV {
				return nil
			}
			over, under := onlySelector(b.LHS), onlySelector(b.RHS)
			if over != nil && under != nil && strings.Contains(over.Name, "cache_queries") && strings.Contains(under.Name, "cache_hits") {
				p.Fail(q.of(over), "%s over %s is the inverse of a hit rate", over.Name, under.Name)
			}
			return nil
		})
	}
}

// onlySelector is the one selector of an expression; nil where there are more or none.
func onlySelector(e parser.Expr) *parser.VectorSelector {
	var all []*parser.VectorSelector
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		if s, ok := n.(*parser.VectorSelector); ok {
			all = append(all, s)
		}
		return nil
	})
	if len(all) != 1 {
		return nil
	}
	return all[0]
}

// quantiles visits the calls of histogram_quantile.
func (q query) quantiles(visit func(c *parser.Call, path []parser.Node)) {
	if q.tree == nil {
		return
	}
	parser.Inspect(q.tree, func(n parser.Node, path []parser.Node) error {
		if c, ok := n.(*parser.Call); ok && c.Func.Name == "histogram_quantile" && len(c.Args) == 2 {
			visit(c, path)
		}
		return nil
	})
}

func quantileWithoutLE(p *lint.Pass, o *lint.Object) {
	for _, q := range queries(o) {
		q.quantiles(func(c *parser.Call, _ []parser.Node) {
			a, ok := c.Args[1].(*parser.AggregateExpr)
			if !ok {
				return
			}
			has := false
			for _, l := range a.Grouping {
				has = has || l == "le"
			}
			if s := onlySelector(a); s != nil && strings.HasSuffix(s.Name, "_bucket") && has == a.Without {
				p.Fail(q.of(s), "%s loses le, by which the buckets of %s are told apart", a.Op, s.Name)
			}
		})
	}
}

func quantileOfNoBuckets(p *lint.Pass, o *lint.Object) {
	for _, q := range queries(o) {
		q.quantiles(func(c *parser.Call, _ []parser.Node) {
			s := onlySelector(c.Args[1])
			if s == nil {
				return
			}
			if e, _, ok := telemetry.Lookup(s.Name); ok && e.Kind == telemetry.Histogram && !strings.HasSuffix(s.Name, "_bucket") {
				base := strings.TrimSuffix(strings.TrimSuffix(s.Name, "_sum"), "_count")
				p.Fail(q.of(s), "%s are no buckets: a quantile is made from %s_bucket", s.Name, base)
			}
		})
	}
}

func meanOfQuantiles(p *lint.Pass, o *lint.Object) {
	for _, q := range queries(o) {
		q.quantiles(func(c *parser.Call, path []parser.Node) {
			if len(path) == 0 {
				return
			}
			if a, ok := path[len(path)-1].(*parser.AggregateExpr); ok && (a.Op == parser.AVG || a.Op == parser.SUM) {
				p.Fail(q.place(int(a.PositionRange().Start), a.Op.String()), "%s of quantiles is no quantile of the whole", a.Op)
			}
		})
	}
}

func scrapeTimeout(p *lint.Pass, o *lint.Object) {
	for _, key := range []string{"endpoints", "podMetricsEndpoints"} {
		for _, e := range o.Get("spec", key).Items() {
			timeout, err := model.ParseDuration(e.Get("scrapeTimeout").Text())
			interval, err2 := model.ParseDuration(e.Get("interval").Text())
			if err == nil && err2 == nil && timeout > interval && interval > 0 {
				p.Fail(e.Get("scrapeTimeout"), "a timeout of %s above the interval of %s", time.Duration(timeout), time.Duration(interval))
			}
		}
	}
}
