package predict

import (
	"fmt"
	"math"
)

// point is one measurement, as the fit takes it.
type point struct {
	site site
	flow flow
	key  key
	row  int // among the rows given

	itl, ttft float64 // logarithms of seconds, measured
	twins     float64 // rows with the same two latencies, itself with them
}

// pointsOf reads rows that hold measurements.
func pointsOf(rows []Row) ([]point, error) {
	var out []point
	twins := map[[2]float64]float64{}
	for i, r := range rows {
		if !(r.TTFT > 0) || !(r.TPOT > 0) {
			continue
		}
		s, err := Resolver{}.resolve(r)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		out = append(out, point{site: s, flow: flowOf(s), key: keyOf(s), row: i, itl: math.Log(r.TPOT / 1e3), ttft: math.Log(r.TTFT / 1e3)})
		twins[[2]float64{r.TTFT, r.TPOT}]++
	}
	for i := range out {
		r := rows[out[i].row]
		out[i].twins = twins[[2]float64{r.TTFT, r.TPOT}]
	}
	return out, nil
}

// How the coefficients are held: a weak prior at their starts, a stronger one
// between engines and between generations, so that what one model shows of one
// engine moves the others too.
const (
	priorAtStart  = 1.0
	priorTogether = 2.0
	ttftWeight    = 0.4 // of a TTFT's residual beside an ITL's: it scatters by so much more
	robust        = 0.15
	robustTTFT    = 0.3 // where TTFT is fitted alone
	furthest      = 2.5 // logarithm: how far a coefficient may go from its start
)

// fitCoefficients finds the coefficients for points: all of them by both latencies,
// then those of serving once more by TTFT alone, whose scatter asks for a loss of
// its own.
func fitCoefficients(points []point) []float64 {
	p := newProblem(points)
	x := p.fit(startingPoint())
	p.itl, p.ttft, p.robust = 0, 1, robustTTFT
	for i, q := range parameters {
		p.fixed[i] = !q.serving
	}
	return p.fit(x)
}

// fit is damped least squares (Levenberg 1944, Marquardt 1963) on logarithms, with a
// loss that grows linearly for residuals beyond robust.
func (p *problem) fit(x []float64) []float64 {
	r := p.residuals(x)
	cost, damping := squares(r), 1e-2
	for range 40 {
		j := p.jacobian(x, r)
		better := false
		for range 6 {
			step, ok := dampedStep(j, r, damping)
			if !ok {
				damping *= 4
				continue
			}
			next := p.bounded(x, step)
			rn := p.residuals(next)
			if c := squares(rn); c < cost {
				better = cost-c > 1e-5*cost
				x, r, cost, damping = next, rn, c, damping/3
				break
			}
			damping *= 4
		}
		if !better {
			break
		}
	}
	return x
}

type problem struct {
	points  []point
	weights []float64
	groups  map[string][]int

	itl, ttft float64 // weights of the two latencies
	robust    float64
	fixed     []bool // parameters that stay where they are
}

func newProblem(points []point) *problem {
	p := &problem{points: points, groups: map[string][]int{}, itl: 1, ttft: ttftWeight, robust: robust, fixed: make([]bool, len(parameters))}
	sizes := map[string]float64{}
	for _, q := range points {
		sizes[q.key.group()] += 1 / q.twins
	}
	total := 0.0
	for _, q := range points {
		// Systems that were measured often count more, though not in proportion.
		w := 1 / q.twins / math.Sqrt(math.Sqrt(sizes[q.key.group()]))
		p.weights = append(p.weights, w)
		total += w
	}
	for i := range p.weights {
		p.weights[i] = math.Sqrt(p.weights[i] / total * float64(len(points)))
	}
	for i, q := range parameters {
		p.groups[q.name] = append(p.groups[q.name], i)
	}
	return p
}

func (p *problem) residuals(x []float64) []float64 {
	m := modelOf(x)
	out := make([]float64, 0, 2*len(p.points)+2*len(x))
	for i := range p.points {
		q := &p.points[i]
		s := m.seconds(&q.flow, q.site.Engine, q.site.Chip)
		out = append(out, p.itl*p.weights[i]*soft(math.Log(s.itl)-q.itl, p.robust), p.ttft*p.weights[i]*soft(math.Log(s.ttft)-q.ttft, p.robust))
	}
	start := startingPoint()
	for i := range x {
		out = append(out, priorAtStart*(x[i]-start[i]))
	}
	for i, q := range parameters {
		mean := 0.0
		for _, j := range p.groups[q.name] {
			mean += x[j] / float64(len(p.groups[q.name]))
		}
		out = append(out, priorTogether*(x[i]-mean))
	}
	return out
}

// soft is a residual whose square grows linearly beyond robust.
func soft(r, robust float64) float64 {
	return math.Copysign(robust*math.Sqrt(2*(math.Sqrt(1+(r/robust)*(r/robust))-1)), r)
}

func (p *problem) jacobian(x, r []float64) [][]float64 {
	const h = 1e-4
	out := make([][]float64, len(x)) // by parameter
	for i := range x {
		if p.fixed[i] {
			out[i] = make([]float64, len(r))
			continue
		}
		moved := append([]float64(nil), x...)
		moved[i] += h
		column := p.residuals(moved)
		for k := range column {
			column[k] = (column[k] - r[k]) / h
		}
		out[i] = column
	}
	return out
}

// tiny keeps the equations of parameters that stay where they are solvable.
const tiny = 1e-12

// dampedStep solves (JᵀJ + λ diag JᵀJ) d = -Jᵀr.
func dampedStep(j [][]float64, r []float64, damping float64) ([]float64, bool) {
	n := len(j)
	a := newSquare(n)
	b := make([]float64, n)
	for i := range n {
		for k := range i + 1 {
			s := 0.0
			for t := range r {
				s += j[i][t] * j[k][t]
			}
			a[i][k] = s
		}
		for t := range r {
			b[i] -= j[i][t] * r[t]
		}
		a[i][i] = a[i][i]*(1+damping) + tiny
	}
	if !cholesky(a) {
		return nil, false
	}
	solve(a, b)
	return b, true
}

func (p *problem) bounded(x, step []float64) []float64 {
	start := startingPoint()
	out := make([]float64, len(x))
	for i := range x {
		if p.fixed[i] {
			out[i] = x[i]
			continue
		}
		out[i] = min(max(x[i]+step[i], start[i]-furthest), start[i]+furthest)
		if most := parameters[i].most; most > 0 {
			out[i] = min(out[i], math.Log(most))
		}
	}
	return out
}

func squares(r []float64) float64 {
	s := 0.0
	for _, v := range r {
		s += v * v
	}
	return s
}
