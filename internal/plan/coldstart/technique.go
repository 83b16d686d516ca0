package coldstart

import (
	"fmt"
	"slices"
	"strings"
)

// Technique is one way to start sooner.
type Technique string

// Techniques.
const (
	Decouple     Technique = "decouple"
	MultiStage   Technique = "multi-stage"
	Parallel     Technique = "soci-parallel"
	Lazy         Technique = "soci-lazy"
	Snapshot     Technique = "snapshot"
	SnapshotFast Technique = "snapshot-fsr"
	DaemonSet    Technique = "daemonset"
	Stream       Technique = "stream"
	CompileCache Technique = "compile-cache"
	FastDisk     Technique = "fast-disk"
	WarmNode     Technique = "warm-node"
)

// about is what a technique is. Of those with a kind, one at most is used.
type about struct {
	ID   Technique
	Name string
	kind string
}

var techniques = []about{
	{Decouple, "weights out of the image", ""},
	{MultiStage, "multi-stage image", ""},
	{FastDisk, "images on a gp3 volume of 1,000 MiB/s", ""},
	{Parallel, "SOCI parallel pull and unpack", "image"},
	{Lazy, "SOCI lazy loading", "image"},
	{Snapshot, "image prefetched by an EBS snapshot", "image"},
	{SnapshotFast, "the same with fast snapshot restore", "image"},
	{DaemonSet, "image prefetched by a DaemonSet", "image"},
	{Stream, "weights streamed (Run:ai streamer, tensorizer, fastsafetensors)", ""},
	{CompileCache, "compile cache on a shared volume", ""},
	{WarmNode, "a node kept warm (pause pods, over-provisioning)", ""},
}

func techniqueOf(id Technique) (about, bool) {
	i := slices.IndexFunc(techniques, func(a about) bool { return a.ID == id })
	if i < 0 {
		return about{}, false
	}
	return techniques[i], true
}

// TechniqueNames are the names of all techniques.
func TechniqueNames() []string {
	names := make([]string, len(techniques))
	for i, a := range techniques {
		names[i] = string(a.ID)
	}
	return names
}

// with is a set of techniques.
type with map[Technique]bool

func set(list []Technique) with {
	w := with{}
	for _, t := range list {
		w[t] = true
	}
	return w
}

// list are the techniques in their order.
func (w with) list() []Technique {
	out := []Technique{}
	for _, a := range techniques {
		if w[a.ID] {
			out = append(out, a.ID)
		}
	}
	return out
}

// exclude refuses a set of which two shut each other out. A warm node that has the
// image by its DaemonSet is no contradiction; lazy and parallel are.
func exclude(w with) error {
	var image []string
	for _, a := range techniques {
		if a.kind == "image" && w[a.ID] {
			image = append(image, string(a.ID))
		}
	}
	if len(image) > 1 {
		return fmt.Errorf("%s shut each other out: the image comes one way", strings.Join(image, " and "))
	}
	return nil
}

// needless says why a technique changes nothing in a start, or cannot be used; "" where it can.
func (r Request) needless(t Technique) string {
	switch {
	case t == Decouple && r.From != Image:
		return "the weights come from " + string(r.From) + " already"
	case t == FastDisk && (r.Root.NVMe || r.Root.Throughput >= fastDisk):
		return "the disk is as fast already"
	case t == Lazy && r.OS == Bottlerocket:
		return "Bottlerocket does not load lazily"
	}
	return ""
}
