package price

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"assay/internal/facts"
)

//go:embed ondemand-us-east-1.json
var onDemandJSON []byte

// Home is the region whose on-demand prices ship with the tool.
const Home = "us-east-1"

// Table is the embedded file, as tools/prices writes it.
type Table struct {
	Source  string             `json:"source"`
	URL     string             `json:"url"`
	Version string             `json:"version"`
	Date    string             `json:"date"` // YYYY-MM-DD
	Region  string             `json:"region"`
	Unit    string             `json:"unit"`
	Prices  map[string]float64 `json:"prices"` // by instance type
}

// Embedded is the book that ships with Assay: on-demand prices of Home.
func Embedded() *Book {
	var t Table
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
