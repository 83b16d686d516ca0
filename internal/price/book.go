package price

import (
	"maps"
	"slices"

	"assay/internal/facts"
)

// Price is what one instance costs.
type Price struct {
	PerHour float64      `json:"per_hour"` // US dollars
	Region  string       `json:"region"`
	AsOf    string       `json:"as_of"` // YYYY-MM-DD
	Source  facts.Source `json:"source"`
}

// SpotRange is between which prices Spot instances were sold, over the zones and the
// time that a file covers.
type SpotRange struct {
	Low    float64      `json:"low"`
	High   float64      `json:"high"`
	Region string       `json:"region"`
	From   string       `json:"from,omitempty"` // YYYY-MM-DD, the first price; empty: not said
	AsOf   string       `json:"as_of"`          // YYYY-MM-DD, the last
	Zones  int          `json:"zones,omitempty"`
	Source facts.Source `json:"source"`
}

// Book is prices by instance type and region. The zero Book knows none.
type Book struct {
	onDemand map[key]Price
	blocks   map[key]Price
	spot     map[key]spot
}

type key struct{ instance, region string }

// spot keeps the zones' names, so that ranges of several files can be joined.
type spot struct {
	SpotRange
	zones map[string]bool
}

// OnDemand is the price of an instance type in a region; false: not known.
func (b *Book) OnDemand(instance, region string) (Price, bool) {
	p, ok := b.onDemand[key{instance, region}]
	return p, ok
}

// CapacityBlock is the price an hour of an instance in a Capacity Block for ML; false:
// not known. No table of them ships with Assay: they change with demand.
func (b *Book) CapacityBlock(instance, region string) (Price, bool) {
	p, ok := b.blocks[key{instance, region}]
	return p, ok
}

// Spot is the range of Spot prices of an instance type in a region; false: not known.
func (b *Book) Spot(instance, region string) (SpotRange, bool) {
	s, ok := b.spot[key{instance, region}]
	return s.SpotRange, ok
}

// Regions are those of which any price is known, sorted.
func (b *Book) Regions() []string {
	all := map[string]bool{}
	for k := range b.onDemand {
		all[k.region] = true
	}
	for k := range b.blocks {
		all[k.region] = true
	}
	for k := range b.spot {
		all[k.region] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// Merge takes the prices of another book: on-demand and block prices replace those
// that stand here, Spot ranges of the same type and region are joined.
func (b *Book) Merge(other *Book) {
	b.open()
	maps.Copy(b.onDemand, other.onDemand)
	maps.Copy(b.blocks, other.blocks)
	for k, s := range other.spot {
		b.addSpot(k, s)
	}
}

func (b *Book) open() {
	if b.onDemand == nil {
		b.onDemand, b.blocks, b.spot = map[key]Price{}, map[key]Price{}, map[key]spot{}
	}
}

func (b *Book) addSpot(k key, s spot) {
	old, ok := b.spot[k]
	if !ok {
		s.zones = maps.Clone(s.zones)
		b.spot[k] = s
		return
	}
	old.Low, old.High = min(old.Low, s.Low), max(old.High, s.High)
	// Dates sort as text. A range whose beginning one file does not say has none.
	if old.From == "" || s.From == "" {
		old.From = ""
	} else {
		old.From = min(old.From, s.From)
	}
	if s.AsOf > old.AsOf {
		old.AsOf, old.Source = s.AsOf, s.Source
	}
	for z := range s.zones {
		if old.zones == nil {
			old.zones = map[string]bool{}
		}
		old.zones[z] = true
	}
	old.Zones = len(old.zones)
	b.spot[k] = old
}

func (b *Book) empty() bool { return len(b.onDemand)+len(b.blocks)+len(b.spot) == 0 }
