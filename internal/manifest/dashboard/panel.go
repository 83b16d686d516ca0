package dashboard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

// kind is how a panel shows its queries.
type kind int

const (
	tile     kind = iota // the last figure, large
	lines                // over time
	stack                // over time, one upon the other
	heat                 // a histogram's buckets over time
	table                // the last figures, a row for each set of labels
	timeline             // states over time
)

// panel is one panel. What it reads is added to its description.
type panel struct {
	kind    kind
	title   string
	means   string // what it says, in a sentence or two
	unit    string // Grafana's name of it
	queries []query

	w, h  uint32            // cells of the grid, 24 to a line
	judge []step            // empty: the panel does not judge
	words map[string]word   // text in the place of a value
	none  string            // what an empty answer means; by default no traffic
	top   float64           // of the axis; 0: as the data want
	cols  map[string]column // of a table, by field
}

// tokenRate is a unit of our own: Grafana's have no tokens.
const tokenRate = "suffix: tok/s"

// query is one expression. In a table its legend is the title of its column.
type query struct {
	expr, legend string
	limit        bool // a line to hold the others against: dashed
}

// step is a colour from a value on.
type step struct {
	from  float64
	color string
}

// word stands for a value.
type word struct{ text, color string }

// column says how a table shows a field: a label, or the legend of a query.
type column struct {
	title string
	unit  string
	judge []step
	paint bool // by the words of the panel
	hide  bool
	link  string // the dashboard that a click on it leads to
}

const (
	green     = "green"
	amber     = "orange"
	red       = "red"
	plain     = "text"    // a figure that is not judged, in the colour of text
	grey      = "#6e7680" // behind a figure that there is not
	unpainted = "transparent"
)

// above judges what should be low, below what should be high.
func above(warn, bad float64) []step {
	return []step{{color: green}, {warn, amber}, {bad, red}}
}

func below(good, fair float64) []step {
	return []step{{color: red}, {fair, amber}, {good, green}}
}

// never judges what should not be at all.
func never() []step { return []step{{color: green}, {1, red}} }

var source = ref("${datasource}")

// draw makes the panel as Grafana knows it, without a place.
func (p panel) draw() (sdk.Panel, error) {
	drawn, err := p.visual()
	if err != nil {
		return sdk.Panel{}, err
	}
	drawn.Title, drawn.Datasource = &p.title, &source
	drawn.FieldConfig.Defaults.Unit = &p.unit
	var reads []string
	for i, q := range p.queries {
		metrics, err := check(q.expr)
		if err != nil {
			return sdk.Panel{}, err
		}
		reads = append(reads, metrics...)
		target, err := p.target(i, q)
		if err != nil {
			return sdk.Panel{}, err
		}
		drawn.Targets = append(drawn.Targets, target)
	}
	slices.Sort(reads)
	about := fmt.Sprintf("%s\n\nReads %s.", p.means, strings.Join(slices.Compact(reads), ", "))
	drawn.Description = &about
	return drawn, nil
}

func (p panel) target(i int, q query) (prometheus.Dataquery, error) {
	b := prometheus.NewDataqueryBuilder().
		RefId(string(rune('A' + i))).Datasource(source).Expr(q.expr).LegendFormat(q.legend)
	switch p.kind {
	case tile:
		b.Instant()
	case table:
		b.Instant().Format(prometheus.PromQueryFormatTable)
	case heat:
		b.Range().Format(prometheus.PromQueryFormatHeatmap)
	default:
		b.Range()
	}
	built, err := b.Build()
	if err != nil {
		return prometheus.Dataquery{}, err
	}
	switch built := built.(type) {
	case prometheus.Dataquery:
		return built, nil
	case *prometheus.Dataquery:
		return *built, nil
	}
	return prometheus.Dataquery{}, errors.New("the SDK built no query for Prometheus")
}
