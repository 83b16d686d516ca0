package model

import (
	"fmt"
	"strings"
)

var kindNames = map[AttentionKind]string{
	Full: "full", Sliding: "sliding", Chunked: "chunked", Latent: "latent", Cross: "cross", Compressed: "compressed",
}

// Name is the kind of a layer in words: sliding 1024, latent sparse 2048, mamba2.
func (l Layer) Name() string {
	t := l.Attention
	name := kindNames[t.Kind]
	switch {
	case t.Kind == Sliding || t.Kind == Chunked || t.Kind == Cross:
		name = fmt.Sprintf("%s %d", name, t.Window)
	case t.Kind == Compressed:
		name = fmt.Sprintf("%s %d to 1 beside sliding %d", name, t.Compress, t.Window)
		if t.Compress == 0 {
			name = fmt.Sprintf("sliding %d", t.Window)
		}
	case t.Indexer.TopK > 0:
		name = fmt.Sprintf("%s sparse %d", name, t.Indexer.TopK)
	}
	if t.Shared {
		name += " shared"
	}
	switch {
	case l.State.Kind == "" && name == "":
		return "no attention"
	case l.State.Kind == "":
		return name
	case name == "":
		return l.State.Kind
	}
	return name + " beside " + l.State.Kind
}

// Kinds says how many layers of each kind there are, in the order in which they
// first come: 48 gated-delta, 16 full.
func (a Arch) Kinds() string {
	count := map[string]int{}
	var order []string
	for _, l := range a.Layers {
		name := l.Name()
		if count[name] == 0 {
			order = append(order, name)
		}
		count[name]++
	}
	for i, name := range order {
		order[i] = fmt.Sprintf("%d %s", count[name], name)
	}
	return strings.Join(order, ", ")
}
