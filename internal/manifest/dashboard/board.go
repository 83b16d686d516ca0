package dashboard

import (
	"errors"
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	sdk "github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// board is one dashboard as its file writes it.
type board struct {
	name, title string
	about       string // a sentence
	asks        []ask
	rows        []row
}

// row is a titled line of panels, or several.
type row struct {
	title  string
	panels []panel
}

// ask is a variable that the reader sets: the values of a label, or what a
// pattern finds in a query's answer.
type ask struct {
	name, label string
	query       string
	pattern     string
	seen        bool // all stands for the values that there are, not for any
}

func (b board) queries() []query {
	var all []query
	for _, r := range b.rows {
		for _, p := range r.panels {
			all = append(all, p.queries...)
		}
	}
	return all
}

const tag = "assay"

// classic is a dashboard in the model that files, sidecars and imports of every
// Grafana take; the second one is of its own API alone.
//
//lint:ignore SA1019 see above
type classic = sdk.Dashboard

// columns is the width of Grafana's grid.
const columns = 24

// build makes the dashboard as Grafana knows it.
func (b board) build() (classic, error) {
	//lint:ignore SA1019 see classic
	d := sdk.NewDashboardBuilder(b.title).
		Uid(b.name).Description(b.about).Tags([]string{tag, "vllm", "llm"}).
		Time("now-1h", "now").Refresh("30s").Timezone("browser").
		Tooltip(sdk.DashboardCursorSyncCrosshair).Editable().
		Annotation(annotations()).
		Link(sdk.NewDashboardLinkBuilder("Assay").Type(sdk.DashboardLinkTypeDashboards).
			Tags([]string{tag}).IncludeVars(true).KeepTime(true)).
		WithVariable(sdk.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus"))
	for _, a := range b.asks {
		d.WithVariable(a.variable())
	}
	built, err := d.Build()
	if err != nil {
		return classic{}, err
	}
	built.Panels, err = b.place()
	if err != nil {
		return classic{}, err
	}
	return built, built.Validate()
}

// place draws the panels and gives each its cells: from left to right, on the
// next line where there is no room.
func (b board) place() ([]sdk.PanelOrRowPanel, error) {
	var (
		placed []sdk.PanelOrRowPanel
		errs   []error
		id     uint32
		y      uint32
	)
	next := func() *uint32 { id++; n := id; return &n }
	for _, r := range b.rows {
		placed = append(placed, heading(r.title, *next(), y))
		y++
		x, height := uint32(0), uint32(0)
		for _, p := range r.panels {
			drawn, err := p.draw()
			if err != nil {
				errs = append(errs, fmt.Errorf("panel %q: %w", p.title, err))
				continue
			}
			if x+p.w > columns {
				x, y, height = 0, y+height, 0
			}
			drawn.Id, drawn.GridPos = next(), &sdk.GridPos{X: x, Y: y, W: p.w, H: p.h}
			placed = append(placed, sdk.PanelOrRowPanel{Panel: &drawn})
			x, height = x+p.w, max(height, p.h)
		}
		y += height
	}
	return placed, errors.Join(errs...)
}

func heading(title string, id, y uint32) sdk.PanelOrRowPanel {
	return sdk.PanelOrRowPanel{RowPanel: &sdk.RowPanel{
		Type: "row", Title: &title, Id: id, Panels: []sdk.Panel{},
		GridPos: &sdk.GridPos{X: 0, Y: y, W: columns, H: 1},
	}}
}

func (a ask) variable() *sdk.QueryVariableBuilder {
	all := sdk.VariableOption{
		Text:  sdk.StringOrArrayOfString{ArrayOfString: []string{"All"}},
		Value: sdk.StringOrArrayOfString{ArrayOfString: []string{"$__all"}},
	}
	v := sdk.NewQueryVariableBuilder(a.name).Label(a.label).Datasource(source).
		Query(sdk.StringOrMap{String: &a.query}).Definition(a.query).
		Refresh(sdk.VariableRefreshOnTimeRangeChanged).Sort(sdk.VariableSortNaturalAsc).
		Multi(true).IncludeAll(true).Current(all)
	if a.pattern != "" {
		v.Regex(a.pattern)
	}
	if !a.seen {
		v.AllValue(".*") // series without the label too
	}
	return v
}

// annotations are Grafana's own, as each of its exports has them.
func annotations() *sdk.AnnotationQueryBuilder {
	return sdk.NewAnnotationQueryBuilder().Name("Annotations & Alerts").Type("dashboard").BuiltIn(1).
		Enable(true).Hide(true).IconColor("rgba(0, 211, 255, 1)").Datasource(builtIn)
}

var builtIn = func() common.DataSourceRef {
	kind, uid := "grafana", "-- Grafana --"
	return common.DataSourceRef{Type: &kind, Uid: &uid}
}()

func ref(uid string) common.DataSourceRef {
	kind := "prometheus"
	return common.DataSourceRef{Type: &kind, Uid: &uid}
}
