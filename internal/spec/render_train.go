package spec

import (
	"regexp"
	"time"

	"go.yaml.in/yaml/v4"
)

// Kinds of training jobs.
const (
	KindJobSet     = "jobset"
	KindPyTorchJob = "pytorchjob"
)

// RenderTrain is the section render.train: a job that trains on nodes of one type.
type RenderTrain struct {
	Kind     string   // jobset, pytorchjob; empty: jobset
	Image    string   // with the trainer in it
	Command  []string // what torchrun starts on each GPU: a script, or -m and a module, and its arguments
	Instance string   // empty: the training plan's
	Nodes    int      // 0: the plan's
	Capacity string   // on-demand, spot, reserved; empty: the plan's, or on-demand

	HugePages string // auto (also when empty): with EFA; never

	Checkpoints string // a claim that all nodes write to; empty: that of render.storage for checkpoints
	Path        string // where it is mounted; empty: /checkpoints
	Dataset     string // a claim that is read; empty: that of render.storage for data, if any

	Queue    string        // of Kueue, through which the job starts as a whole; empty: none
	Quota    int           // nodes that the queue's ClusterQueue holds; 0: the queue is there already
	Restarts int           // of the whole job; -1: none; 0: 3
	Keep     time.Duration // the job is kept after its end; 0: a day
	Deadline time.Duration // of one run; 0: none
}

var mountPath = form{regexp.MustCompile(`^/[A-Za-z0-9._/-]{1,254}$`), "an absolute path, such as /checkpoints"}

func (r *reader) renderTrain(n *yaml.Node, t *RenderTrain) {
	const at = "render.train."
	r.mapping(n, "render.train", fields{
		"kind":  func(v *yaml.Node) { t.Kind = r.oneOf(v, at+"kind", []string{KindJobSet, KindPyTorchJob}) },
		"image": func(v *yaml.Node) { t.Image = r.matching(v, at+"image", imageName) },
		"command": func(v *yaml.Node) {
			each(v, func(item *yaml.Node) { t.Command = append(t.Command, r.str(item, at+"command")) })
		},
		"instance":    func(v *yaml.Node) { t.Instance = r.matching(v, at+"instance", instance) },
		"nodes":       func(v *yaml.Node) { t.Nodes = r.integer(v, at+"nodes", 1) },
		"capacity":    func(v *yaml.Node) { t.Capacity = r.oneOf(v, at+"capacity", Capacities) },
		"hugepages":   func(v *yaml.Node) { t.HugePages = r.oneOf(v, at+"hugepages", []string{Auto, Never}) },
		"checkpoints": func(v *yaml.Node) { t.Checkpoints = r.label(v, at+"checkpoints", mostLabel) },
		"path":        func(v *yaml.Node) { t.Path = r.matching(v, at+"path", mountPath) },
		"dataset":     func(v *yaml.Node) { t.Dataset = r.label(v, at+"dataset", mostLabel) },
		"queue":       func(v *yaml.Node) { t.Queue = r.label(v, at+"queue", mostLabel) },
		"quota":       func(v *yaml.Node) { t.Quota = r.integer(v, at+"quota", 1) },
		"restarts":    func(v *yaml.Node) { t.Restarts = noneIsMinus(r.integer(v, at+"restarts", 0)) },
		"keep":        func(v *yaml.Node) { t.Keep = r.duration(v, at+"keep") },
		"deadline":    func(v *yaml.Node) { t.Deadline = r.duration(v, at+"deadline") },
	})
	if t.Quota > 0 && t.Queue == "" {
		r.errorf(n, "render.train.quota is of a queue: name it, queue: team")
	}
	if t.Quota > 0 && t.Nodes > t.Quota {
		r.errorf(n, "render.train.nodes %d are more than the queue's quota of %d: the job would wait for ever", t.Nodes, t.Quota)
	}
}
