package telemetry

import (
	"slices"
	"strconv"
	"strings"
)

// keeping is what becomes of a series that a snapshot keeps.
type keeping struct {
	series string // its name in the catalogue's spelling
	entry  *Entry
	name   *Name
}

// known are the series that a scrape is reduced to, by their names, a counter
// with and without _total.
var known = func() map[string]keeping {
	m := map[string]keeping{}
	each(func(k keeping) { m[k.series] = k })
	each(func(k keeping) {
		if k.entry.Kind != Counter {
			return
		}
		other, cut := strings.CutSuffix(k.series, "_total")
		if !cut {
			other += "_total"
		}
		if _, taken := byMetric[other]; !taken {
			m[other] = k
		}
	})
	return m
}()

// each calls f for each series of each kept quantity.
func each(f func(keeping)) {
	for i := range Catalogue {
		e := &Catalogue[i]
		if !e.Kept {
			continue
		}
		for j := range e.Names {
			n := &e.Names[j]
			for _, suffix := range suffixes(e) {
				f(keeping{n.Metric + suffix, e, n})
			}
		}
	}
}

func suffixes(e *Entry) []string {
	switch {
	case e.Kind != Histogram && e.Kind != Summary:
		return []string{""}
	case e.Buckets:
		return []string{"_sum", "_count", "_bucket"}
	default:
		return []string{"_sum", "_count"}
	}
}

// serving are the publishers that serve models.
var serving = map[string]bool{
	"vllm": true, "sglang": true, "tgi": true, "tensorrt-llm": true, "lmdeploy": true, "llama.cpp": true, "triton": true,
}

// infoLabels are the labels that are kept of an info metric.
var infoLabels = func() map[string]bool {
	m := map[string]bool{"engine": true, "model_name": true}
	for _, e := range Catalogue {
		for _, n := range e.Names {
			for _, l := range n.Product {
				m[l] = true
			}
		}
	}
	return m
}()

// kept are the labels to keep of a series, sorted. A scrape whose own pod,
// namespace and container differ from the publisher's renames the latter to
// exported_…: they are what the series is about.
func (k keeping) kept(labels []label) []label {
	if len(k.name.Product) > 0 {
		labels = slices.DeleteFunc(slices.Clone(labels), func(l label) bool { return !infoLabels[l.name] })
	}
	labels = restored(labels)
	if strings.HasSuffix(k.series, "_bucket") {
		labels = slices.Clone(labels)
		for i := range labels {
			if labels[i].name == "le" {
				labels[i].value = boundary(labels[i].value)
			}
		}
	}
	return labels
}

// restored gives labels that a scrape renamed their names back.
func restored(labels []label) []label {
	const prefix = "exported_"
	renamed := map[string]bool{}
	for _, l := range labels {
		switch own := strings.TrimPrefix(l.name, prefix); l.name {
		case "exported_pod", "exported_namespace", "exported_container":
			renamed[own] = true
		}
	}
	if len(renamed) == 0 {
		return labels
	}
	out := make([]label, 0, len(labels))
	for _, l := range labels {
		own, cut := strings.CutPrefix(l.name, prefix)
		switch {
		case cut && renamed[own]:
			out = append(out, label{own, l.value})
		case !renamed[l.name]:
			out = append(out, l)
		}
	}
	sortLabels(out)
	return out
}

// boundary is a bucket's boundary in one spelling: 1.0, 1 and 1e0 are the same.
func boundary(le string) string {
	v, err := strconv.ParseFloat(le, 64)
	if err != nil {
		return le
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// What DCGM writes for a value that it does not have, from dcgm_structs.h: blank,
// not found, not supported, not permitted.
const (
	blankInt64 = 0x7ffffffffffffff0 // and above
	blankInt32 = 0x7ffffff0         // to blankInt32+3
	blankFloat = 1 << 47            // to blankFloat+3
)

// blank reports whether a value of a publisher stands for none. Engines' counters
// of operations pass the largest integer within hours: only DCGM's are blank.
func blank(publisher string, v float64) bool {
	within := func(from float64) bool { return v >= from && v <= from+3 }
	return publisher == "dcgm" && (v >= blankInt64 || within(blankInt32) || within(blankFloat))
}
