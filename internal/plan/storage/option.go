package storage

import (
	"encoding/json"
	"math"

	"assay/internal/facts"
	"assay/internal/figure"
)

// Verdict says whether a place meets the need.
type Verdict string

// Verdicts: for certain, within the error bar, no.
const (
	Meets Verdict = "meets"
	May   Verdict = "may meet"
	Fails Verdict = "does not meet"
)

// Option is one place, provisioned for the need as far as it can be.
type Option struct {
	ID      Kind     `json:"id"`
	Name    string   `json:"name"`
	Verdict Verdict  `json:"verdict"`
	Why     []string `json:"why_not"` // what it misses, or leaves open

	Provision []Setting `json:"provision"`
	Copies    int       `json:"copies"` // one for each node where only one node can mount it

	Reader  figure.Range  `json:"reader_bytes_per_s"`
	All     figure.Range  `json:"all_bytes_per_s"`
	Write   *figure.Range `json:"write_bytes_per_s"` // all writers together; null: not known
	Bounds  []Bound       `json:"bounds"`
	Binding string        `json:"binds_first"`
	Load    figure.Range  `json:"load_s"` // until each reader has read what is its own

	AccessModes []string `json:"access_modes"`
	Zones       string   `json:"zones"`
	Durability  string   `json:"durability"`
	Cache       bool     `json:"cache"` // the data needs a home elsewhere
	Notes       []string `json:"notes"`

	Total    *figure.Range   `json:"total_usd_per_month"` // null: a price is not known
	Sum      *Sum            `json:"total"`               // the same with its unit
	Parts    []Part          `json:"parts"`
	Figures  []figure.Figure `json:"figures"`
	Sources  []facts.Source  `json:"sources"`
	posix    bool            // files can be renamed, changed and locked
	shared   bool            // all readers mount one copy
	durable  bool
	zones    bool
	reach    float64 // the share of the need that it reaches; 1 and more: all
	tooSmall string  // why the data does not fit; "": it does
	unsure   string  // what has to be granted first; "": nothing
}

// MarshalJSON writes what is not known, as of a place that cannot hold the data, as
// null and not as 0.
func (o Option) MarshalJSON() ([]byte, error) {
	type plain Option
	return json.Marshal(struct {
		plain
		Reader *figure.Range `json:"reader_bytes_per_s"`
		All    *figure.Range `json:"all_bytes_per_s"`
		Load   *figure.Range `json:"load_s"`
	}{plain(o), known(o.Reader), known(o.All), known(o.Load)})
}

func known(r figure.Range) *figure.Range {
	if r == (figure.Range{}) {
		return nil
	}
	return &r
}

// Sum is a total with its unit beside it.
type Sum struct {
	figure.Range
	Unit string `json:"unit"`
}

// Setting is one thing to provision, in the words of the API or the driver.
type Setting struct {
	Name  string  `json:"name"`
	Value string  `json:"value,omitempty"` // a word; else Number and Unit
	Count float64 `json:"count,omitempty"`
	Unit  string  `json:"unit,omitempty"`
}

// Part is one line of a month's bill.
type Part struct {
	Name   string        `json:"name"`
	USD    *figure.Range `json:"usd_per_month"` // null: the price is not known
	Amount float64       `json:"amount"`
	Unit   string        `json:"unit"`
	Source facts.Source  `json:"source,omitzero"`
}

// priced is a line of so much at a price.
func priced(name string, amount float64, unit string, price facts.Number) Part {
	usd := figure.Exactly(amount * price.Value)
	return Part{Name: name, USD: &usd, Amount: amount, Unit: unit, Source: price.Source}
}

// unpriced is a line whose price is not known.
func unpriced(name string, amount float64, unit string) Part {
	return Part{Name: name, Amount: amount, Unit: unit}
}

// gb counts bytes as most bills do; S3 counts otherwise.
func gb(bytes float64) float64 { return bytes / 1e9 }

// gib counts bytes as volumes are sold, rounded up.
func gib(bytes float64) int64 { return int64(ceil(bytes / facts.GiB)) }

// ceil rounds up, but for what arithmetic left behind.
func ceil(v float64) float64 { return math.Ceil(v - 1e-6) }

// freeSpace is what a volume or a file system of fixed size has beyond the data.
const freeSpace = 1.1

// capacity is a size with room to spare.
func capacity(size int64) float64 { return freeSpace * float64(size) }
