package train

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"sync"

	"assay/internal/facts"
	"assay/internal/model"
)

//go:embed runs.csv
var runsCSV []byte

// Run is a published training run.
type Run struct {
	ID, Group string
	Chip      facts.Chip
	Method    Method
	Precision string
	GPUs      int
	Layout    Layout
	Sequence  int

	Value     float64 // as published, in Unit
	Unit      string  // tokens/s/gpu, tflops/gpu, mfu %
	MemoryGiB float64 // peak of one GPU; 0: not stated
	Note      string
	Source    facts.Source

	sizing sizing
	fabric fabric
}

// runs are the published runs that ship with the tool, so that an error in their table
// is one of the program.
var runs = sync.OnceValue(func() []Run {
	out, err := readRuns(runsCSV)
	if err != nil {
		panic(err)
	}
	return out
})

func readRuns(table []byte) ([]Run, error) {
	r := csv.NewReader(bytes.NewReader(table))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("published runs: %w", err)
	}
	var out []Run
	for _, line := range lines[1:] {
		row := runRow{cells: map[string]string{}}
		for i, name := range lines[0] {
			row.cells[name] = line[i]
		}
		run := row.run()
		if row.err != nil {
			return nil, fmt.Errorf("published run %s: %w", run.ID, row.err)
		}
		out = append(out, run)
	}
	return out, nil
}

// runRow reads the cells of one run and keeps the first error.
type runRow struct {
	cells map[string]string
	err   error
}

func (r *runRow) text(name string) string {
	s, ok := r.cells[name]
	if !ok && r.err == nil {
		r.err = fmt.Errorf("no column %s", name)
	}
	return s
}

func (r *runRow) number(name string) float64 {
	s := r.text(name)
	if s == "" {
		return 0
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s %q is no number", name, s)
	}
	return v
}

func (r *runRow) count(name string) int { return int(r.number(name)) }

func (r *runRow) run() Run {
	out := Run{
		ID: r.text("id"), Group: r.text("group"), Method: Method(r.text("method")), Precision: r.text("precision"),
		GPUs: r.count("gpus"), Sequence: r.count("sequence"), Value: r.number("value"), Unit: r.text("unit"),
		MemoryGiB: r.number("memory_gib"), Note: r.text("note"),
		Source: facts.Source{Title: r.text("group") + " (" + r.text("published") + ")", URL: r.text("source"), Date: readOn},
	}
	var err error
	if out.Chip, err = facts.ChipNamed(r.text("chip")); err != nil && r.err == nil {
		r.err = err
	}
	out.Layout = r.layout(out.GPUs)
	arch := r.arch()
	optimizer, _ := OptimizerNamed("adamw")
	out.sizing = sizing{work: workOf(arch, out.Sequence), method: out.Method, precision: out.Precision, optimizer: optimizer, chunked: r.count("chunked_loss") == 1}
	if out.Method != Full {
		out.sizing.adapters, err = Adapters{Rank: 16, Targets: []string{"attention"}}.parameters(arch)
		if err != nil && r.err == nil {
			r.err = err
		}
	}
	out.fabric = fabric{node: r.count("node"), link: out.Chip.Link, nvlink: out.Chip.NVLink, network: r.number("network_gbps") * 1e9 / 8, efa: true}
	return out
}

// layout of a run: what is left of the GPUs is data parallel, sharded or copied.
func (r *runRow) layout(gpus int) Layout {
	l := Layout{
		DP: 1, FSDP: 1, TP: r.count("tp"), PP: r.count("pp"), EP: r.count("ep"), Interleave: r.count("interleave"),
		MicroBatch: r.count("micro_batch"), Recompute: Recompute(r.text("checkpointing")), cp: r.count("cp"),
	}
	if l.TP < 1 || l.PP < 1 || l.cp < 1 || l.MicroBatch < 1 {
		if r.err == nil {
			r.err = fmt.Errorf("a degree below 1")
		}
		return l
	}
	rest := gpus / (l.TP * l.PP * l.cp)
	if r.text("sharding") == "fsdp" {
		l.FSDP = rest
	} else {
		l.DP = rest
	}
	l.Accumulation = max(1, r.count("global_batch")/(rest*l.MicroBatch))
	return l
}

// arch of a run, as far as sizes go: equal layers but for leading ones without experts.
func (r *runRow) arch() model.Arch {
	h, heads, kv, dim := r.count("hidden"), r.count("heads"), r.count("kv_heads"), r.count("head_dim")
	t := model.Attention{Kind: model.Full, Heads: heads, KVHeads: kv, HeadDim: dim, ValueDim: r.count("value_dim"), Parameters: int64(r.count("attention_parameters"))}
	if t.Parameters == 0 {
		t.Parameters = int64(2*h*heads*dim + 2*h*kv*dim)
	}
	dense := model.MLP{Matrices: r.count("matrices"), Intermediate: r.count("intermediate")}
	mlp := dense
	if n := r.count("experts"); n > 0 {
		mlp = model.MLP{
			Matrices: dense.Matrices, Experts: n, ActiveExperts: r.count("active"), ExpertIntermediate: r.count("expert_intermediate"),
			SharedIntermediate: r.count("shared_intermediate"), RouterParameters: int64(h * n),
		}
	}
	a := model.Arch{Name: r.text("model"), Hidden: h, Vocab: r.count("vocab"), TiedEmbeddings: r.count("tied") == 1}
	for i := range r.count("layers") {
		l := model.Layer{Attention: t, MLP: mlp}
		if i < r.count("dense_layers") {
			l.MLP = dense
		}
		a.Layers = append(a.Layers, l)
	}
	if len(a.Layers) == 0 && r.err == nil {
		r.err = fmt.Errorf("no layers")
	}
	return a
}

// seconds of one step, from the published figure.
func (r Run) seconds() float64 {
	tokens := r.Layout.tokens(r.Sequence) * float64(r.Layout.Accumulation)
	return tokens / float64(r.Layout.TP*r.Layout.PP) / r.rate()
}

// rate is the published figure as tokens a second for each GPU.
func (r Run) rate() float64 {
	switch r.Unit {
	case "tflops/gpu":
		return r.Value * 1e12 / r.sizing.modelFLOPs(r.Method)
	case "mfu %":
		return r.Value / 100 * r.Chip.BF16 / r.sizing.modelFLOPs(r.Method)
	}
	return r.Value
}
