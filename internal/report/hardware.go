package report

import (
	"strings"

	"assay/internal/record"
)

// gpusOf is what the exporters of GPUs said of each level.
func gpusOf(run record.Run) tableView {
	t := tableView{Heads: []headView{{"level", "", true}, {"GPUs", "", true}, {"engine", "active %", false}, {"SM", "active %", false}, {"tensor", "active %", false},
		{"DRAM", "active %", false}, {"SM clock", "worst, MHz", false}, {"power", "worst, W", false}, {"temperature", "max °C", false}, {"held back", "by heat %", false}, {"power cap", "%", false}, {"faults", "", true}}}
	for _, g := range groups(run.Levels) {
		for _, l := range g.Levels {
			if l.GPU == nil {
				continue
			}
			s := *l.GPU
			row := rowView{Class: markClass(l.Validity.Verdict), Cells: []cellView{{Text: levelName(run, g, l), Left: true}, {Text: gpuName(s), Left: true}}}
			for _, x := range []*float64{percent(s.EngineActive), percent(s.SMActive), percent(s.TensorActive), percent(s.DRAMActive)} {
				row.Cells = append(row.Cells, numberCell(x))
			}
			row.Cells = append(row.Cells, ofLimit(s.SMClockMHz, s.SMClockMaxMHz), ofLimit(s.PowerW, s.PowerLimitW))
			for _, x := range []*float64{s.TempMaxC, percent(s.ThermalShare), percent(s.PowerCapShare)} {
				row.Cells = append(row.Cells, numberCell(x))
			}
			row.Cells = append(row.Cells, cellView{Text: faultsOf(s), Left: true})
			t.Rows = append(t.Rows, row)
			if s.Coarse != "" {
				t.Note = sentence(s.Coarse)
			}
		}
	}
	return t
}

func gpuName(g record.GPU) string {
	model := strings.TrimPrefix(plain(g.Model), "NVIDIA ")
	if model == "" {
		return count(g.Count)
	}
	return count(g.Count) + " × " + model
}

// ofLimit is a value with the limit that it stands under.
func ofLimit(v, limit *float64) cellView {
	c := numberCell(v)
	if v != nil && limit != nil {
		c.Sub = "of " + short(*limit)
	}
	return c
}

// faultsOf names what is wrong with GPUs, or a dash.
func faultsOf(g record.GPU) string {
	var out []string
	for _, x := range g.XIDs {
		s := "XID " + count(x.Code)
		if x.Sticky {
			s += " (may be of before)"
		}
		if len(out) < mostKinds {
			out = append(out, s)
		}
	}
	for _, f := range []struct {
		name string
		n    *float64
	}{{"double-bit errors", g.DoubleBitErrors}, {"row remaps failed", g.RemapFailures}, {"NVLink errors", g.NVLinkErrors}} {
		if f.n != nil && *f.n > 0 {
			out = append(out, f.name+" "+short(*f.n))
		}
	}
	if len(out) == 0 {
		return none
	}
	return strings.Join(out, ", ")
}

// nodesOf is what the exporters of nodes said of each level.
func nodesOf(run record.Run) tableView {
	t := tableView{Heads: []headView{{"level", "", true}, {"CPU", "busy cores", false}, {"container", "cores", false}, {"CFS", "throttled %", false},
		{"ENA", "over allowance/s", false}, {"EFA", "retransmits/s", false}, {"EFA", "drops/s", false}, {"NeuronCore", "%", false}, {"Neuron vCPU", "%", false}}}
	for _, g := range groups(run.Levels) {
		for _, l := range g.Levels {
			if l.Node == nil {
				continue
			}
			n := *l.Node
			row := rowView{Class: markClass(l.Validity.Verdict), Cells: []cellView{{Text: levelName(run, g, l), Left: true}, ofLimit(n.CPUBusy, n.CPUs)}}
			for _, x := range []*float64{n.PodCPU, percent(n.CFSThrottled), n.AllowanceExceeded, n.EFARetransmits, n.EFADrops, percent(n.NeuronCore), percent(n.NeuronVCPU)} {
				row.Cells = append(row.Cells, numberCell(x))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}
