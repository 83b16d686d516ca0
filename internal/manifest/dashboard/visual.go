package dashboard

import (
	"maps"
	"slices"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	sdk "github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	grid "github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// visual is the panel without its queries: what it looks like.
func (p panel) visual() (sdk.Panel, error) {
	switch p.kind {
	case tile:
		return p.tile()
	case heat:
		return p.heat()
	case table:
		return p.table()
	case timeline:
		return p.timeline()
	default:
		return p.series()
	}
}

func (p panel) tile() (sdk.Panel, error) {
	mode, behind := common.BigValueColorModeNone, plain
	if len(p.judge) > 0 {
		mode, behind = common.BigValueColorModeBackground, grey
	}
	none := p.none
	if none == "" {
		none = "No traffic"
	}
	return stat.NewPanelBuilder().
		GraphMode(common.BigValueGraphModeNone).ColorMode(mode).
		TextMode(common.BigValueTextModeAuto).Orientation(common.VizOrientationAuto).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"})).
		Thresholds(thresholds(p.judge, plain)).
		ColorScheme(sdk.NewFieldColorBuilder().Mode(sdk.FieldColorModeIdThresholds)).
		Mappings(append(p.mappings(), nothing(none, behind))).NoValue(none).
		Build()
}

// series draws lines; where the panel judges, the steps are lines too.
func (p panel) series() (sdk.Panel, error) {
	style := common.GraphThresholdsStyleModeOff
	if len(p.judge) > 0 {
		style = common.GraphThresholdsStyleModeDashed
	}
	b := timeseries.NewPanelBuilder().
		DrawStyle(common.GraphDrawStyleLine).LineWidth(1).ShowPoints(common.VisibilityModeNever).
		Legend(common.NewVizLegendOptionsBuilder().
			DisplayMode(common.LegendDisplayModeList).Placement(common.LegendPlacementBottom).ShowLegend(true)).
		Tooltip(common.NewVizTooltipOptionsBuilder().
			Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending)).
		Thresholds(thresholds(p.judge, unpainted)).
		ThresholdsStyle(common.NewGraphThresholdsStyleConfigBuilder().Mode(style)).
		ColorScheme(sdk.NewFieldColorBuilder().Mode(sdk.FieldColorModeIdPaletteClassic)).
		Min(0)
	if p.top > 0 {
		b.Max(p.top)
	}
	if p.kind == stack {
		b.FillOpacity(40).Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal).Group("A"))
	}
	for _, q := range p.queries {
		if q.limit {
			b.OverrideByName(q.legend, []sdk.DynamicConfigValue{
				{Id: "custom.lineStyle", Value: map[string]any{"fill": "dash", "dash": []int{10, 10}}},
				{Id: "color", Value: map[string]any{"mode": "fixed", "fixedColor": plain}},
			})
		}
	}
	return b.Build()
}

func (p panel) heat() (sdk.Panel, error) {
	return heatmap.NewPanelBuilder().
		Calculate(false).CellGap(1).ShowLegend().
		Color(heatmap.NewHeatmapColorOptionsBuilder().
			Mode(heatmap.HeatmapColorModeScheme).Scheme("Blues").Steps(64)).
		YAxis(heatmap.NewYAxisConfigBuilder().Unit(p.unit).AxisPlacement(common.AxisPlacementLeft)).
		Tooltip(heatmap.NewHeatmapTooltipBuilder().Mode(common.TooltipDisplayModeSingle)).
		Unit(p.unit).
		Build()
}

func (p panel) timeline() (sdk.Panel, error) {
	return statetimeline.NewPanelBuilder().
		ShowValue(common.VisibilityModeNever).MergeValues(true).RowHeight(0.8).
		Legend(common.NewVizLegendOptionsBuilder().
			DisplayMode(common.LegendDisplayModeList).Placement(common.LegendPlacementBottom).ShowLegend(true)).
		Tooltip(common.NewVizTooltipOptionsBuilder().
			Mode(common.TooltipDisplayModeSingle).Sort(common.SortOrderNone)).
		Thresholds(thresholds(p.judge, plain)).
		ColorScheme(sdk.NewFieldColorBuilder().Mode(sdk.FieldColorModeIdThresholds)).
		Mappings(p.mappings()).
		Build()
}

// table joins the answers of its queries by their labels.
func (p panel) table() (sdk.Panel, error) {
	hide, names := map[string]any{"Time": true}, map[string]any{}
	b := grid.NewPanelBuilder().
		ShowHeader(true).CellHeight(common.TableCellHeightSm).
		Footer(common.NewTableFooterOptionsBuilder().Show(false).Reducer([]string{})).
		Thresholds(thresholds(p.judge, unpainted)).
		ColorScheme(sdk.NewFieldColorBuilder().Mode(sdk.FieldColorModeIdThresholds)).
		Mappings(append(p.mappings(), nothing("–", unpainted)))
	titles := map[string]string{}
	for i, q := range p.queries {
		field := "Value"
		if len(p.queries) > 1 {
			field += " #" + string(rune('A'+i))
		}
		titles[q.legend], names[field] = field, q.legend
	}
	for _, field := range slices.Sorted(maps.Keys(p.cols)) {
		c := p.cols[field]
		title := field
		switch _, figure := titles[field]; {
		case c.hide:
			hide[field] = true
			continue
		case !figure && c.title != "":
			title, names[field] = c.title, c.title
		}
		if set := c.settings(); len(set) > 0 {
			b.OverrideByName(title, set)
		}
	}
	b.WithTransformation(sdk.DataTransformerConfig{Id: "merge", Options: map[string]any{}})
	b.WithTransformation(sdk.DataTransformerConfig{Id: "organize", Options: map[string]any{
		"excludeByName": hide, "indexByName": map[string]any{}, "renameByName": names,
	}})
	return b.Build()
}

func (c column) settings() []sdk.DynamicConfigValue {
	var set []sdk.DynamicConfigValue
	if c.unit != "" {
		set = append(set, sdk.DynamicConfigValue{Id: "unit", Value: c.unit})
	}
	if len(c.judge) > 0 {
		steps, _ := thresholds(c.judge, plain).Build()
		set = append(set, sdk.DynamicConfigValue{Id: "thresholds", Value: steps})
	}
	if len(c.judge) > 0 || c.paint {
		set = append(set, sdk.DynamicConfigValue{Id: "custom.cellOptions", Value: map[string]any{"type": "color-background"}})
	}
	if c.link != "" {
		set = append(set, sdk.DynamicConfigValue{Id: "links", Value: []map[string]any{{
			"title": "Show it", "url": "/d/" + c.link + "?${datasource:queryparam}&var-namespace=${__data.fields.Namespace}&var-model=${__data.fields.Model}&${__url_time_range}",
		}}})
	}
	return set
}

// thresholds are the steps of a judgement, or one colour for what is not judged.
func thresholds(steps []step, neutral string) *sdk.ThresholdsConfigBuilder {
	if len(steps) == 0 {
		steps = []step{{color: neutral}}
	}
	made := make([]sdk.Threshold, len(steps))
	for i, s := range steps {
		made[i] = sdk.Threshold{Color: s.color}
		if i > 0 { // the first holds from minus infinity
			made[i].Value = &s.from
		}
	}
	return sdk.NewThresholdsConfigBuilder().Mode(sdk.ThresholdsModeAbsolute).Steps(made)
}

func (p panel) mappings() []sdk.ValueMapping {
	if len(p.words) == 0 {
		return nil
	}
	options := map[string]sdk.ValueMappingResult{}
	for value, w := range p.words {
		r := sdk.ValueMappingResult{Text: &w.text}
		if w.color != "" {
			r.Color = &w.color
		}
		options[value] = r
	}
	return []sdk.ValueMapping{{ValueMap: &sdk.ValueMap{Type: sdk.MappingTypeValueToText, Options: options}}}
}

// nothing is what stands where a quotient has no denominator.
func nothing(text, color string) sdk.ValueMapping {
	return sdk.ValueMapping{SpecialValueMap: &sdk.SpecialValueMap{
		Type: sdk.MappingTypeSpecialValue,
		Options: sdk.DashboardSpecialValueMapOptions{
			Match:  sdk.SpecialValueMatchNullAndNan,
			Result: sdk.ValueMappingResult{Text: &text, Color: &color},
		},
	}}
}
