package plan

import "slices"

// cheapestSure is the cheapest option whose error bars lie within the SLO's limits:
// one of those that are found, or one of their layouts with more replicas, which make
// it quicker. False where none does at any number of replicas that is allowed.
func (p *planner) cheapestSure(options []found) (best found, ok bool) {
	for _, f := range options {
		if ok && !before(f, best) {
			break // the rest are no cheaper
		}
		more, sure := f, f.option.Meets == Met
		if !sure {
			more, sure = p.surer(f, best, ok)
		}
		if sure && (!ok || before(more, best)) {
			best, ok = more, true
		}
	}
	return best, ok
}

// surer is an option with the fewest more replicas at which its error bars lie within
// the limits, where that is cheaper than what is known already.
func (p *planner) surer(f, best found, known bool) (found, bool) {
	c := f.sized.candidate
	most := p.mostReplicas(c)
	if each, priced := p.order(c.instance); known && priced == best.priced {
		for most > f.sized.replicas && each*float64(c.instances(most)) > best.hourly {
			most--
		}
	}
	met := func(n int) (sized, bool) {
		s, err := p.with(c, n)
		return s, err == nil && p.bears(s) && overall(s.judged) == Met && room(s.pools, s.instance, s.instances(n)) == ""
	}
	if most <= f.sized.replicas {
		return found{}, false
	}
	s, ok := met(most)
	if !ok {
		return found{}, false
	}
	for low, high := f.sized.replicas, most; high-low > 1; {
		middle := (low + high) / 2
		if at, enough := met(middle); enough {
			high, s = middle, at
		} else {
			low = middle
		}
	}
	return p.found(s), true
}

// withSure adds the cheapest option that is sure, by the engine too, to the others,
// where it is not one of them.
func (p *planner) withSure(options []found) []found {
	if len(p.asked.SLO) == 0 {
		return options
	}
	left := slices.Clone(options)
	for range mostSettled {
		best, ok := p.cheapestSure(left)
		if !ok {
			break
		}
		if !best.settled {
			best = p.found(p.overruled(best.sized))
			best.settled = true
		}
		if best.option.Meets == Met && p.bears(best.sized) {
			options = slices.DeleteFunc(options, func(f found) bool { return f.option.ID == best.option.ID })
			options = append(options, best)
			p.sorted(options)
			break
		}
		left = slices.DeleteFunc(left, func(f found) bool {
			return f.sized.instance.Name == best.sized.instance.Name && f.sized.layout == best.sized.layout
		})
	}
	return options
}
