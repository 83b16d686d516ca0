package rules

import (
	"errors"
	"strings"

	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/lint"
	"assay/internal/memory"
	"assay/internal/model"
)

func beyondInstance(pass *lint.Pass, p *lint.Pod) {
	n, at, ok := asked(p, gpuResource)
	on, pinned := instancesOf(p)
	if !ok || n == 0 || !pinned {
		return
	}
	most := 0
	for _, t := range on.Types {
		if t.Fractional() {
			return
		}
		most = max(most, t.Count)
	}
	if n > most {
		pass.Fail(at, "%d GPUs are asked for, and %s has %d", n, names(on.Types), most)
	}
}

// fit is the account of a server on each instance type that its pod is pinned to, as
// configurations of package memory; ok is false where any of them is not known.
func fit(s *lint.Server) (all []memory.Config, types []facts.Instance, ok bool) {
	a, _, known := modelOf(s)
	l, placed := layoutOf(s)
	on, pinned := instancesOf(s.Container.Pod)
	gpus, _, counted := s.Container.GPUs()
	if !known || !placed || !pinned || !counted || gpus == 0 {
		return nil, nil, false
	}
	f, formatted := formatOf(s, a)
	engine, err := engineOf(s)
	if !formatted || err != nil {
		return nil, nil, false
	}
	for _, t := range on.Types {
		chip, is := t.Chip()
		if !is {
			return nil, nil, false
		}
		all = append(all, memory.Config{Model: a, Format: f, Chip: chip, TP: l.TP, PP: l.PP, Engine: engine})
	}
	return all, on.Types, true
}

func weightsFit(p *lint.Pass, s *lint.Server) {
	all, types, ok := fit(s)
	if !ok {
		return
	}
	gpus, _, _ := s.Container.GPUs()
	util := utilization(s)
	for _, c := range all {
		shared := max(c.TP*c.PP, gpus)
		if each := c.Model.WeightBytes(c.Format) / int64(shared); float64(each) <= float64(c.Chip.Usable)*util(c.Engine) {
			return
		}
	}
	c := all[0]
	_, at, _ := modelOf(s)
	shared := max(c.TP*c.PP, gpus)
	gib := func(n int64) float64 { return float64(n) / facts.GiB }
	p.Fail(at.At, "%s has %.0f GiB of weights in %s, %.1f GiB for each of %d GPUs, and an engine may take %.1f GiB of a %s of %s",
		c.Model.Name, gib(c.Model.WeightBytes(c.Format)), formatName(c.Format), gib(c.Model.WeightBytes(c.Format)/int64(shared)), shared,
		gib(c.Chip.Usable)*util(c.Engine), c.Chip.Name, names(types))
}

func formatName(f model.Format) string {
	if f.Name == "" {
		return "bf16"
	}
	return f.Name
}

// utilization is the share of a GPU that a server takes.
func utilization(s *lint.Server) func(memory.Engine) float64 {
	a, given := s.Arg("--gpu-memory-utilization")
	v, ok := share(a)
	return func(e memory.Engine) float64 {
		if !given || !ok || v <= 0 || v > 1 {
			return e.Utilization()
		}
		return v
	}
}

// doubt is how much more than there is must be needed before it is said, bytes: peaks of
// activations and graphs are estimates.
const doubt = facts.GiB

func contextFits(p *lint.Pass, s *lint.Server) {
	all, types, ok := fit(s)
	if !ok || s.Has("--kv-cache-memory-bytes") || s.Has("--kv-cache-memory") || s.Has("--block-size") || s.Has("--decode-context-parallel-size") || s.Has("-dcp") {
		return
	}
	asked, given := s.Arg("--max-model-len")
	tokens, counted := length(asked.Text)
	kv, _ := s.Arg("--kv-cache-dtype")
	format, err := memory.KVFormatNamed(kvName(kv.Text))
	if given && !counted || err != nil {
		return
	}
	util := utilization(s)
	var small *memory.TooSmallError
	for _, c := range all {
		c.MaxModelLen, c.KV, c.Utilization = tokens, format, util(c.Engine)
		_, err := memory.Of(c)
		var e *memory.TooSmallError
		if !errors.As(err, &e) || e.Length == 0 || e.Need < e.Have+doubt {
			return
		}
		small = e
	}
	at := asked.At
	if !given {
		at = whereArgs(s.Container)
	}
	p.Fail(at, "a request of %d tokens needs %.1f GiB of KV cache in each GPU of %s, and some %.1f GiB are left beside the weights: at most some %d tokens fit",
		small.Length, float64(small.Need)/facts.GiB, names(types), max(0, float64(small.Have)/facts.GiB), small.MaxModelLen)
}

// kvName is --kv-cache-dtype as package memory names it.
func kvName(flag string) string {
	if flag == "" {
		return "auto"
	}
	if strings.HasPrefix(flag, "fp8") {
		return "fp8"
	}
	return flag
}

// leastHost is the host memory of one rank without weights: measured of vLLM 0.32.
const leastHost = 1_700_000_000

func memoryLimit(p *lint.Pass, s *lint.Server) {
	v := s.Container.Get("resources", "limits", "memory")
	limit, ok := karpenter.Quantity(v.Text())
	n, _, counted := s.Container.GPUs()
	if v.Text() == "" || !ok || !counted || n == 0 || limit >= leastHost*float64(n) {
		return
	}
	p.Fail(v, "a memory limit of %s for %d GPU(s): each rank's process takes 1.7 GB and more", v.Text(), n)
}
