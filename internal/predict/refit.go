package predict

import (
	"strconv"
)

// kernels of the two corrections: ITL and TTFT.
var kernels = [2]Kernel{
	{Engine: .001, Version: .002, Chip: .003, Model: .03, Near: .03, Layout: .03, Noise: .003},
	{Engine: .01, Version: .005, Chip: .005, Model: .04, Near: .12, Layout: .08, Noise: .015},
}

// Refit fits a model to measurements and holds it against them by each protocol.
func Refit(rows []Row) (*Model, map[string][]Trial, error) {
	points, err := pointsOf(rows)
	if err != nil {
		return nil, nil, err
	}
	trials := map[string][]Trial{}
	for _, p := range Protocols {
		trials[p.Name] = crossValidate(points, p, kernels)
	}
	m := fit(points, kernels)
	m.Correction.round()
	m.Bars = barsOf(append(trials["points"], trials["systems"]...), trials["models"])
	return m, trials, nil
}

// round cuts weights to what is kept of them.
func (c *Correction) round() {
	for _, v := range [][]float64{c.ITL.Weight, c.TTFT.Weight, c.ITL.Noise, c.TTFT.Noise} {
		for i := range v {
			v[i], _ = strconv.ParseFloat(strconv.FormatFloat(v[i], 'g', 5, 64), 64)
		}
	}
}
