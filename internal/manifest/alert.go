package manifest

import (
	"fmt"
	"regexp"
	"strings"
)

// Severities of an alert, as kube-prometheus-stack routes them.
const (
	Critical = "critical" // somebody has to act now
	Warning  = "warning"  // somebody has to act, within days
	Info     = "info"     // worth knowing, nothing to do
)

// Alert is one alerting rule and what there is to know of it.
type Alert struct {
	Name     string
	Group    string
	Expr     string // PromQL
	For      string // as Prometheus writes it; empty: at once
	Severity string
	// Summary and Description are Prometheus's templates. The description says the
	// value and where it was seen.
	Summary, Description string

	Meaning string   // what is going on, and what it is not
	Steps   []string // what to do, in order
	// Needs are the metrics that are not published without being asked for;
	// telemetry's catalogue says how.
	Needs []string
	// Level says where the number in Expr comes from.
	Level string
	// Asks says what has to be given before the alert is written; empty: nothing.
	Asks string
}

// Record is one recording rule.
type Record struct {
	Name string // level:metric:operations
	Expr string
	Why  string
}

// Group is a set of rules on one subject that are evaluated together, its
// recordings before its alerts.
type Group struct {
	Name     string
	Interval string // how often; empty: as the Prometheus server does
	Records  []Record
	Alerts   []Alert
}

// Alerts are all alerts at the default levels, in the order in which they are
// written.
var Alerts = func() []Alert {
	groups, err := groups(Options{})
	if err != nil {
		panic("manifest: " + err.Error())
	}
	var all []Alert
	for _, g := range groups {
		all = append(all, g.Alerts...)
	}
	return all
}()

// AlertOf finds an alert by its name.
func AlertOf(name string) (Alert, bool) {
	for _, a := range Alerts {
		if strings.EqualFold(a.Name, name) {
			return a, true
		}
	}
	return Alert{}, false
}

// groups are all rules at the levels of the options.
func groups(opt Options) ([]Group, error) {
	opt = opt.withDefaults()
	if opt.Knee < 0 {
		return nil, fmt.Errorf("--knee %g: it is a number of requests in flight, above 0", opt.Knee)
	}
	slo, err := sloGroups(opt)
	if err != nil {
		return nil, err
	}
	all := append(slo,
		servingGroup(opt), gpuGroup(), gpuLongGroup(), gpuFaultGroup(), networkGroup(), neuronGroup(), scrapeGroup(opt))
	for i := range all {
		for j := range all[i].Records {
			all[i].Records[j].Expr = opt.selected(all[i].Records[j].Expr)
		}
		for j := range all[i].Alerts {
			a := &all[i].Alerts[j]
			a.Group, a.Expr = all[i].Name, opt.selected(a.Expr)
		}
	}
	return all, nil
}

// An expression marks the place of the matchers that the options ask for: {@} and
// {@, where there are more, for an engine's metrics; {#} and {#, for metrics
// without the model's name.
var marks = regexp.MustCompile(`\{([@#])(,?)(\})?`)

// selected puts the matchers in.
func (o Options) selected(expr string) string {
	engine, any := o.matchers()
	return marks.ReplaceAllStringFunc(strings.TrimSpace(expr), func(mark string) string {
		m := any
		if mark[1] == '@' {
			m = engine
		}
		switch {
		case strings.HasSuffix(mark, "}") && m == "":
			return ""
		case strings.HasSuffix(mark, "}"):
			return "{" + m + "}"
		case m == "":
			return "{"
		}
		return "{" + m + ","
	})
}

// text joins the lines of a sentence written over several.
func text(lines ...string) string { return strings.Join(lines, " ") }

// literal keeps a user's text from being a template where it stands in one.
func literal(s string) string { return strings.ReplaceAll(s, "{{", `{{"{{"}}`) }
