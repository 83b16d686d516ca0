// Package lab is the laboratory of the diagnosis: services in virtual time whose
// bound is known, and what a bench would record of them. It knows engines, the
// way to them and clients; it knows no rule and no threshold of the diagnosis,
// so that neither is graded by its own maker.
//
// The truth about a system is an experiment, not an opinion: each resource is
// relaxed by itself, and the one that moves the throughput of the highest load
// most is what binds (relax.go). Half of the systems vary in ways that rules do
// not model.
//
//	for _, s := range lab.Held() {
//		m, truth := s.Measure(), s.Truth()
//	}
package lab
