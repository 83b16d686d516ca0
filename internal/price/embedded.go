package price

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"assay/internal/facts"
)

//go:embed ondemand-us-east-1.json
var onDemandJSON []byte

// table is the embedded file, which tools/prices writes.
type table struct {
	Source  string             `json:"source"`
	URL     string             `json:"url"`
	Version string             `json:"version"`
	Date    string             `json:"date"`
	Region  string             `json:"region"`
	Unit    string             `json:"unit"`
	Prices  map[string]float64 `json:"prices"`
}

// Embedded is the book that ships with Assay: on-demand prices of us-east-1.
func Embedded() *Book {
	var t table
	if err := json.Unmarshal(onDemandJSON, &t); err != nil {
		panic(fmt.Sprintf("ondemand-us-east-1.json: %v", err)) // embedded, and read in a test
	}
	b := &Book{}
	b.open()
	source := facts.Source{Title: t.Source + " " + t.Version, URL: t.URL, Date: t.Date}
	for instance, usd := range t.Prices {
		b.onDemand[key{instance, t.Region}] = Price{PerHour: usd, Region: t.Region, AsOf: t.Date, Source: source}
	}
	return b
}
