package manifest

import "strings"

// Rules writes all rules as one file for a Prometheus without the operator.
func Rules(opt Options) ([]byte, error) {
	gs, err := groups(opt)
	if err != nil {
		return nil, err
	}
	return ruleGroups(gs, opt).marshal(rulesHead)
}

const rulesHead = "Rules and alerts of an inference service. Name this file in rule_files of prometheus.yml.\nWritten by `assay render monitoring`: change its flags and write it again, rather than this file."

// ruleGroups is what Prometheus's rule file and the operator's PrometheusRule
// have in common.
func ruleGroups(gs []Group, opt Options) object {
	var all []object
	for _, g := range gs {
		var rules []object
		for _, r := range g.Records {
			rules = append(rules, object{{"record", r.Name, r.Why}, {"expr", r.Expr, ""}})
		}
		for _, a := range g.Alerts {
			if a.Asks == "" {
				rules = append(rules, a.rule(opt))
			}
		}
		all = append(all, object{{"name", g.Name, ""}, {"interval", g.Interval, ""}, {"rules", rules, ""}})
	}
	return object{{"groups", all, ""}}
}

func (a Alert) rule(opt Options) object {
	runbook := ""
	if opt.RunbookURL != "" {
		runbook = literal(strings.TrimSuffix(opt.RunbookURL, "/")) + "/" + a.Name
	}
	return object{
		{"alert", a.Name, "level: " + a.Level},
		{"expr", a.Expr, ""},
		{"for", a.For, ""},
		{"labels", object{{"severity", a.Severity, ""}}, ""},
		{"annotations", object{
			{"summary", a.Summary, ""},
			{"description", a.Description, ""},
			{"runbook", "assay explain " + a.Name, ""},
			{"runbook_url", runbook, ""},
		}, ""},
	}
}
