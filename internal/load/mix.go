package load

import (
	"math/rand/v2"
	"slices"

	"assay/internal/spec"
)

// Mix is a Source that draws the model of each prompt, or of each session, by
// its weight.
type Mix struct {
	source Source
	models []spec.ModelShare
	draw   []float64 // cumulative weights
}

var _ Source = (*Mix)(nil)

// NewMix has prompts ask for the models in proportion to their weights, which
// are above 0.
func NewMix(s Source, models []spec.ModelShare) *Mix {
	m := &Mix{source: s, models: models}
	sum := 0.0
	for _, share := range models {
		sum += share.Weight
		m.draw = append(m.draw, sum)
	}
	return m
}

// Next draws a prompt and the model that it asks for.
func (m *Mix) Next(rng *rand.Rand) (Prompt, error) {
	p, err := m.source.Next(rng)
	if err != nil {
		return p, err
	}
	i, _ := slices.BinarySearch(m.draw, rng.Float64()*m.draw[len(m.draw)-1])
	p.Model = m.models[min(i, len(m.models)-1)].Model
	return p, nil
}
