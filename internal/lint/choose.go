package lint

import (
	"fmt"
	"maps"
	"slices"

	"assay/internal/spelling"
)

// choose are the rules that run, with the severities that are asked for.
func choose(opt Options) ([]*Rule, error) {
	ids := make([]string, len(opt.Rules))
	for i, r := range opt.Rules {
		ids[i] = r.ID
	}
	named := slices.Concat(opt.Enable, opt.Disable, slices.Sorted(maps.Keys(opt.Severity)))
	for _, i := range opt.Ignore {
		named = append(named, i.Rule)
	}
	for _, id := range named {
		if !slices.Contains(ids, id) {
			return nil, unknownRule(id, ids)
		}
	}
	var chosen []*Rule
	for _, r := range opt.Rules {
		if len(opt.Enable) > 0 && !slices.Contains(opt.Enable, r.ID) || slices.Contains(opt.Disable, r.ID) {
			continue
		}
		if s, ok := opt.Severity[r.ID]; ok {
			as := *r
			as.Severity = s
			r = &as
		}
		chosen = append(chosen, r)
	}
	return chosen, nil
}

func unknownRule(id string, ids []string) error {
	if near := spelling.Nearest(id, ids, max(2, len(id)/3)+1); near != "" {
		return fmt.Errorf("no rule is called %q; nearest: %s", id, near)
	}
	return fmt.Errorf("no rule is called %q; assay explain lists all", id)
}
