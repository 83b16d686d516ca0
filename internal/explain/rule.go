package explain

import (
	"assay/internal/lint"
	"assay/internal/lint/rules"
)

func ruleTopics() []topic {
	var all []topic
	for _, r := range append(rules.All(), lint.RuleFailed) {
		all = append(all, topic{name: r.ID, kind: Rule, page: func() Page { return rulePage(r) }})
	}
	return all
}

// OwnRule is the page of a rule that a user wrote.
func OwnRule(r *lint.Rule) Page { return rulePage(r) }

func rulePage(r *lint.Rule) Page {
	p := Page{Topic: r.ID, Kind: Rule, Title: r.ID, Is: r.Title, Example: rules.Example(r.ID), Do: steps(r.Fix)}
	p.fact("why", r.Why)
	p.fact("severity", string(r.Severity))
	p.fact("subject", string(r.Subject))
	if r.Fixable {
		p.fact("--fix", "mends what is mechanical of it")
	}
	for _, s := range r.Sources {
		p.Sources = append(p.Sources, Source{s.Title, s.URL, s.Date})
	}
	return p
}
