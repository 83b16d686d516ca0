package predict

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"assay/internal/engine"
)

//go:embed correction.json
var correction []byte

// Record is what the fit keeps beside the coefficients of steps.
type Record struct {
	Date       string             `json:"date"`
	Points     string             `json:"points"` // SHA-256 of the measurements
	Serving    map[string]Serving `json:"serving"`
	Bars       Bars               `json:"bars"`
	Correction Correction         `json:"correction"`
}

// current is the model that ships with the tool.
var current = sync.OnceValue(func() *Model {
	m, err := load(engine.Fitted(), correction)
	if err != nil {
		panic(fmt.Sprintf("correction.json: %v", err)) // a test reads it
	}
	return m
})

func load(steps engine.Fit, data []byte) (*Model, error) {
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if r.Points != PublishedHash() || steps.Points != r.Points {
		return nil, fmt.Errorf("the coefficients were not fitted to the measurements that ship with them: run go run ./internal/predict/fit")
	}
	for _, row := range Published() {
		s, err := Resolver{}.resolve(row)
		if err != nil {
			return nil, err
		}
		r.Correction.keys = append(r.Correction.keys, keyOf(s))
	}
	if n := len(r.Correction.keys); len(r.Correction.ITL.Weight) != n || len(r.Correction.TTFT.Weight) != n {
		return nil, fmt.Errorf("%d weights for %d measurements", len(r.Correction.ITL.Weight), n)
	}
	return &Model{Steps: steps, Serving: r.Serving, Correction: &r.Correction, Bars: r.Bars}, nil
}
