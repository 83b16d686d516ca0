package rules

import "assay/internal/lint"

// lwsServiceName looks for Services of a LeaderWorkerSet's name that do not do what the
// controller's own would.
func lwsServiceName(p *lint.Pass, x *lint.Index) {
	for _, s := range x.Services {
		if s.Early || s.Selector.Empty() || s.At.Object.Name == "" {
			continue
		}
		for _, w := range x.Workloads {
			if w.Group && w.At.Object.Name == s.At.Object.Name && lint.SameNamespace(w.At.Object, s.At.Object) {
				p.FailAt(s.At, "%s needs a headless Service %s of its own: with this one its workers find no leader", w.Named(), s.At.Object.Name)
				break
			}
		}
	}
}
