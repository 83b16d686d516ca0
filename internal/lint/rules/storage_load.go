package rules

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"strings"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/karpenter"
	"assay/internal/lint"
	"assay/internal/model"
	"assay/internal/plan/storage"
	"assay/internal/practice"
)

// weightsSlow judges what a vLLM server reads at each start against what the class of its
// claim gives. Where the weights' size is not known, a disk that could not be read in
// time is unknown: of a file system that many share the claim says nothing of them.
func weightsSlow(p *lint.Pass, x *lint.Index) {
	for _, w := range x.Workloads {
		for _, load := range w.Loads {
			c, ok := claimOf(x, w, load.Claim)
			if !ok || c.Volume != "" {
				continue
			}
			class, ok := classOfClaim(x, c)
			if !ok {
				continue
			}
			size, _ := karpenter.Quantity(c.Size)
			kind, given, ok := practice.ClassFlow(class.Driver, class.Parameters, int64(math.Ceil(size/facts.GiB)))
			if !ok {
				continue
			}
			judgeLoad(p, w, load, class, kind, given, size)
		}
	}
}

func judgeLoad(p *lint.Pass, w lint.Workload, load lint.Load, class lint.StorageClass, kind storage.Kind, given storage.Given, size float64) {
	readers := 1
	disk := kind == storage.GP3 || kind == storage.IO2
	if !disk && w.Counted {
		readers = max(1, w.Replicas)
	}
	bytes, name, known := weightsNamed(load)
	if !known {
		bytes = int64(size)
	}
	flow, took, err := practice.Load(bytes, kind, given, nil, readers)
	switch {
	case err != nil || !practice.Slow(took):
	case known:
		p.FailAt(class.RateAt, "%s loads the %.0f GB of %s at %s%s from the claim %s: %s at each start", w.Named(), float64(bytes)/1e9, name, storage.Rate(flow.Reader.Mid), each(readers), load.Claim, minutes(took))
	case disk:
		p.UnknownAt(class.RateAt, "%s loads its weights at %s from the claim %s; how large they are is not known: above %.0f GB a start takes longer than five minutes", w.Named(), storage.Rate(flow.Reader.Mid), load.Claim, flow.Reader.Mid*practice.SlowLoad.Seconds()/1e9)
	}
}

func each(readers int) string {
	if readers == 1 {
		return ""
	}
	return fmt.Sprintf(" for each of %d pods", readers)
}

func minutes(took figure.Range) string { return fmt.Sprintf("%.0f minutes", took.Mid/60) }

// classOfClaim is the StorageClass that makes a claim's volume, if it was read.
func classOfClaim(x *lint.Index, c lint.Claim) (lint.StorageClass, bool) {
	if c.Class == "" || boundByClass(x, c) {
		return lint.StorageClass{}, false
	}
	for _, s := range x.StorageClasses {
		if s.At.Object.Name == c.Class {
			return s, s.Parameters != nil
		}
	}
	return lint.StorageClass{}, false
}

// weightsNamed are the bytes of a model by its name: that of the hub, or the end of a
// path.
func weightsNamed(load lint.Load) (bytes int64, name string, ok bool) {
	parts := strings.Split(strings.Trim(load.Model, "/"), "/")
	tail := parts[max(0, len(parts)-2):]
	arch, err := model.Named(path.Join(tail...))
	if err != nil && len(tail) == 2 {
		arch, err = model.Named(tail[1])
	}
	if err != nil {
		return 0, "", false
	}
	f := arch.Format
	if q := load.Quantization; q != "" && f.Name == "" {
		// vLLM quantises to FP8 as it loads: what is read is the checkpoint as it is.
		if q != "fp8" {
			return 0, "", false
		}
	}
	return arch.WeightBytes(f), cmp.Or(arch.Name, load.Model), true
}
