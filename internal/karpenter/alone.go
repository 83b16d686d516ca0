package karpenter

// Alone says what keeps a pod from every type of the catalogue, whatever the pools: what
// it asks of types itself is more than any has.
func (p Pod) Alone() Fit {
	only := Pod{Asks: p.Asks, Requirements: keep(p.Requirements, ofTypes)}
	for _, term := range p.Terms {
		only.Terms = append(only.Terms, keep(term, ofTypes))
	}
	return NodePool{}.Fits(only)
}

func ofTypes(r Requirement) bool { return judged(r.Key) }

// PinsTypes says that the pod names types by one of their labels.
func (p Pod) PinsTypes() bool {
	for _, term := range append([][]Requirement{p.Requirements}, p.Terms...) {
		for _, r := range term {
			if judged(r.Key) && r.Key != "kubernetes.io/arch" && r.Key != "kubernetes.io/os" {
				return true
			}
		}
	}
	return false
}

// Offers says that a type of the pool has some of what only accelerated types have and
// the pod asks for.
func (p NodePool) Offers(pod Pod) bool {
	for _, i := range p.withoutLimits().Types() {
		for _, name := range Extended {
			if pod.Asks[name] > 0 && uses(i, name) > 0 {
				return true
			}
		}
	}
	return false
}

// Tolerates says that the pod is not kept away by the pool's taints.
func (p Pod) Tolerates(pool NodePool) bool {
	for _, t := range pool.Taints {
		if !p.tolerates(t) {
			return false
		}
	}
	return true
}

// Chooses says that the pod asks for a label by which the pool's own nodes are told from
// others: the pool's name, or a label that the pool adds; and for none that they lack.
func (p Pod) Chooses(pool NodePool) bool {
	terms := p.Terms
	if len(terms) == 0 {
		terms = [][]Requirement{nil}
	}
	for _, term := range terms {
		asked := append(append([]Requirement{}, p.Requirements...), term...)
		chosen, fits := false, true
		for _, r := range asked {
			if judged(r.Key) {
				continue
			}
			fits = fits && pool.gives(r, asked)
			chosen = chosen || r.Key == "karpenter.sh/nodepool" || !wellKnown(r.Key) && r.Key != capacityKey
		}
		if chosen && fits {
			return true
		}
	}
	return false
}
