package coldstart

import (
	"math"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/plan/storage"
)

// place is where a node reads the weights from, and how fast.
type place struct {
	rate    figure.Range
	binding string
	source  facts.Source
	cached  bool // in the node's memory already, as far as that holds them
}

// kinds are the storages that the places are.
var kinds = map[From]storage.Kind{S3: storage.S3, EFS: storage.EFSElastic, FSx: storage.Persistent2, EBS: storage.GP3, NVMe: storage.Local}

// place is where the weights are read from with a set of techniques.
func (r Request) place(w with) place {
	from := r.From
	if from == Image && w[Decouple] {
		from = S3
	}
	if from == Image {
		return r.inImage(w)
	}
	given := storage.Given{Throughput: r.Root.Throughput}
	if from == FSx {
		given.GiB, given.PerTiB = lustreFor(r.Weights)
	}
	f, err := storage.Read(kinds[from], given, &r.Instance, r.Replicas)
	if from == EBS || from == NVMe {
		f, err = storage.Read(kinds[from], given, &r.Instance, 1)
	}
	if err != nil {
		panic(err) // check has refused what cannot be
	}
	p := place{rate: f.Reader, binding: f.Binding, source: f.Bounds[0].Source}
	if r.Storage > 0 && from != NVMe {
		p.rate, p.binding = figure.Exactly(r.Storage), "the rate given for the storage"
	}
	p.cached = from == NVMe && r.fits()
	return p
}

// lustreFor is the file system that is supposed for weights: the smallest that holds
// them, of the fastest tier.
func lustreFor(weights int64) (gib int64, perTiB int) {
	gib = 1200
	if need := float64(weights) / facts.GiB; need > 1200 {
		gib = 2400 * int64(math.Ceil(need/2400))
	}
	return gib, 1000
}

// inImage is reading weights out of the image: of what was just unpacked, of a volume
// from a snapshot, or from the registry.
func (r Request) inImage(w with) place {
	disk, binding, source := r.disk(w)
	switch {
	case w[Lazy]:
		return place{rate: figure.Between(facts.LazyLarge), binding: "lazy reads of a large file", source: facts.LazyLarge.Source}
	case w[Snapshot] && !(w[WarmNode] && w[DaemonSet]):
		return place{rate: r.hydration(w), binding: "first reads of a volume from a snapshot", source: facts.HydrationDefault.Source}
	case w[SnapshotFast]:
		return place{rate: r.hydration(w), binding: binding, source: source}
	case w[WarmNode] && w[DaemonSet]:
		return place{rate: disk, binding: binding, source: source}
	}
	return place{rate: disk, binding: binding, source: source, cached: r.fits()}
}

// fits says whether the host's memory keeps the weights after they were written.
func (r Request) fits() bool { return float64(r.Weights) < 0.7*float64(r.Instance.Memory) }

// loadPhases read the weights into the GPUs.
func (r Request) loadPhases(w with) []Phase {
	var phases []Phase
	if r.From == NVMe {
		phases = append(phases, r.fetch())
	}
	if s, ok := r.measured(w, Load); ok {
		return append(phases, s)
	}
	p := r.place(w)
	loader, name := facts.DefaultLoader, "the default loader"
	switch {
	case p.cached && w[Stream]:
		return append(phases, r.streamCached(p))
	case p.cached:
		loader, name, p.rate = facts.CachedLoader, "the default loader, from the page cache", figure.Between(facts.CachedLoader)
	case w[Stream]:
		loader, name = facts.StreamLoader, "the streaming loader"
		p.rate = times(p.rate, figure.Between(facts.StreamShare))
	}
	at := p.rate.Min(figure.Between(loader))
	return append(phases, Phase{Name: Load, Seconds: over(bytes(r.Weights), at), Kind: figure.Estimated, Formula: "weights / the slower of the storage and the loader",
		Binding: bound(p.rate.Mid < loader.Mid, p.binding, name), Source: loader.Source,
		inputs: []figure.Input{amount("weights", bytes(r.Weights)), rate(p.binding, p.rate, p.source), rate(name, figure.Between(loader), loader.Source)}})
}

// streamCached reads what memory holds already: a loader that asks the disk anew
// (direct reads) is as slow or as fast as the disk, another gains little.
func (r Request) streamCached(p place) Phase {
	at := figure.Range{Low: math.Min(p.rate.Low, facts.CachedLoader.Mid), Mid: facts.CachedLoader.Mid, High: math.Max(p.rate.High, facts.CachedLoader.High)}
	return Phase{Name: Load, Seconds: over(bytes(r.Weights), at), Kind: figure.Estimated, Formula: "weights / page cache, or / disk where the loader reads around it",
		Binding: p.binding, Source: facts.CachedLoader.Source,
		inputs: []figure.Input{amount("weights", bytes(r.Weights)), rate("page cache", figure.Between(facts.CachedLoader), facts.CachedLoader.Source), rate(p.binding, p.rate, p.source)}}
}

// fetch copies the weights from S3 to the node's own disks, which write half as fast
// as they read.
func (r Request) fetch() Phase {
	from := r.card()
	if r.Storage > 0 {
		from = figure.Exactly(r.Storage)
	}
	disk := figure.Between(facts.InstanceStore).Scale(float64(r.Instance.NVMe) / 2)
	return Phase{Name: Fetch, Seconds: over(bytes(r.Weights), from.Min(disk)), Kind: figure.Estimated, Formula: "weights / the slower of S3 and the node's disks",
		Binding: bound(disk.Mid < from.Mid, "writes to the instance store", "network from S3"), Source: facts.S3OfNetwork.Source,
		inputs: []figure.Input{amount("weights", bytes(r.Weights)), rate("S3", from, facts.S3OfNetwork.Source), rate("disks", disk, facts.InstanceStore.Source)}}
}
