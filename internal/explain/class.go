package explain

import (
	"fmt"
	"strconv"

	"assay/internal/diagnose"
)

func classTopics() []topic {
	var all []topic
	for _, c := range diagnose.Classes {
		all = append(all, topic{name: c.Verdict, kind: Class, aliases: []string{c.Title}, page: func() Page { return classPage(c) }})
	}
	return all
}

func classPage(c diagnose.Class) Page {
	p := Page{Topic: c.Verdict, Kind: Class, Title: c.Title, Is: c.Meaning, Signs: c.Signs, Traps: c.Traps}
	for _, r := range c.Remedies {
		p.Do = append(p.Do, Step(r))
	}
	return p
}

func thresholdTopics() []topic {
	var all []topic
	for _, t := range diagnose.DefaultThresholds() {
		all = append(all, topic{name: t.Name, kind: Threshold, page: func() Page { return thresholdPage(t) }})
	}
	return all
}

func thresholdPage(t diagnose.Threshold) Page {
	p := Page{Topic: t.Name, Kind: Threshold, Title: "Threshold " + t.Name, Is: t.Meaning}
	value := strconv.FormatFloat(t.Value, 'g', -1, 64)
	p.fact("default", value+" "+t.Unit)
	p.fact("between", fmt.Sprintf("0 and %g", t.Most))
	p.Do = steps("set it with --threshold " + t.Name + "=" + value)
	p.Sources = []Source{{Title: t.Source}}
	return p
}
