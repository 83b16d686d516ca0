package coldstart

import (
	"fmt"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/plan/storage"
)

// picture is the image that a node gets: its bytes in the registry and on disk.
type picture struct {
	packed, unpacked figure.Range
}

// picture is the image with a set of techniques: with the weights where they are
// baked in, which hardly compress.
func (r Request) picture(w with) picture {
	packed := bytes(r.Image)
	unpacked := bytes(r.Unpacked)
	if r.Unpacked == 0 {
		unpacked = times(packed, figure.Between(facts.ImageUnpacked))
	}
	if w[MultiStage] {
		packed, unpacked = times(packed, figure.Between(facts.MultiStage)), times(unpacked, figure.Between(facts.MultiStage))
	}
	if r.baked(w) {
		packed, unpacked = packed.Plus(bytes(r.Weights)), unpacked.Plus(bytes(r.Weights))
	}
	return picture{packed, unpacked}
}

// baked says whether the weights are in the image.
func (r Request) baked(w with) bool { return r.From == Image && !w[Decouple] }

// fastDisk is what FastDisk provisions, in bytes/s.
const fastDisk = 1000 * facts.MiB

// disk is how fast the node writes and reads what it unpacks.
func (r Request) disk(w with) (figure.Range, string, facts.Source) {
	kind := storage.GP3
	if r.Root.NVMe {
		kind = storage.Local
	}
	throughput := r.Root.Throughput
	if w[FastDisk] {
		throughput = max(throughput, fastDisk)
	}
	f, err := storage.Read(kind, storage.Given{Throughput: throughput}, &r.Instance, 1)
	if err != nil {
		panic(err) // check has refused an instance without a store
	}
	return f.Reader, f.Binding, f.Bounds[0].Source
}

// card is the network of the node for one client.
func (r Request) card() figure.Range {
	f, err := storage.Read(storage.S3, storage.Given{}, &r.Instance, 1)
	if err != nil {
		panic(err)
	}
	return f.Reader
}

// imagePhases are pull and unpack, or what takes their place.
func (r Request) imagePhases(w with) []Phase {
	p := r.picture(w)
	switch {
	case w[WarmNode] && w[DaemonSet]:
		return []Phase{taken(Pull, facts.SnapshotMount, "the node has the image already")}
	case w[Snapshot], w[SnapshotFast]:
		return append([]Phase{taken(Pull, facts.SnapshotMount, "the image comes with the node's volume")}, r.hydrated(p, w)...)
	case w[Lazy]:
		return append([]Phase{taken(Pull, facts.LazyMount, "manifest and index; the rest is read when it is asked for")}, r.lazyReads(p)...)
	case w[Parallel]:
		return []Phase{r.parallel(p, w)}
	}
	return r.containerd(p, w)
}

// containerd downloads three layers at a time and unpacks one after the other.
func (r Request) containerd(p picture, w with) []Phase {
	disk, binding, source := r.disk(w)
	down := figure.Between(facts.ContainerdDownload).Min(r.card())
	pull := over(p.packed, down).Max(over(written(p.packed), disk))
	unpack := over(p.packed, figure.Between(facts.ContainerdUnpack)).Max(over(written(p.unpacked), disk))
	return []Phase{
		{Name: Pull, Seconds: pull, Kind: figure.Estimated, Formula: "image / the slower of three downloads at once and the disk", Binding: bound(disk.Mid < down.Mid, binding, "three layers at a time"),
			Source: facts.ContainerdDownload.Source, inputs: []figure.Input{amount("image", p.packed), rate("download", down, facts.ContainerdDownload.Source), rate("disk", disk, source)}},
		{Name: Unpack, Seconds: unpack, Kind: figure.Estimated, Formula: "the longer of image / one core's unpacking and unpacked / disk", Binding: bound(p.unpacked.Mid/disk.Mid > p.packed.Mid/facts.ContainerdUnpack.Mid, binding, "one core"),
			Source: facts.ContainerdUnpack.Source, inputs: []figure.Input{amount("image", p.packed), rate("unpacking", figure.Between(facts.ContainerdUnpack), facts.ContainerdUnpack.Source), amount("unpacked", p.unpacked), rate("disk", disk, source)}},
	}
}

// written is what of an amount has reached the disk when all is there: memory may hold
// back half of it.
func written(r figure.Range) figure.Range {
	return figure.Range{Low: r.Low / 2, Mid: r.Mid, High: r.High}
}

func bound(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// parallel downloads and unpacks at once, as fast as the disk takes it. Chunks are
// kept on the disk as well.
func (r Request) parallel(p picture, w with) Phase {
	disk, binding, source := r.disk(w)
	kept := written(p.unpacked.Plus(p.packed))
	writing := over(kept, disk)
	if r.slowDisk(w) {
		writing = times(writing, figure.Between(facts.ParallelSlow))
	}
	down := figure.Between(facts.ParallelDownload).Min(r.card())
	network := over(p.packed, down).Max(over(p.packed, figure.Between(facts.ParallelUnpack)))
	return Phase{Name: Pull, Seconds: network.Max(writing), Kind: figure.Estimated,
		Formula: "the longest of image / download, image / unpacking and what is written / disk, all at once", Binding: bound(writing.Mid > network.Mid, binding, "download and unpacking"),
		Source: facts.ParallelUnpack.Source, inputs: []figure.Input{amount("image", p.packed), rate("download", down, facts.ParallelDownload.Source),
			rate("unpacking", figure.Between(facts.ParallelUnpack), facts.ParallelUnpack.Source), amount("written", kept), rate("disk", disk, source)}}
}

// slowDisk says whether the disk is below what parallel pulls need.
func (r Request) slowDisk(w with) bool {
	disk, _, _ := r.disk(w)
	return disk.High < 0.95*facts.ParallelDisk.Value // "some 600 MiB/s"
}

// hydrated is what the start reads of the image from a volume made of a snapshot.
func (r Request) hydrated(p picture, w with) []Phase {
	engine := p.unpacked
	if r.baked(w) {
		engine = engine.Plus(figure.Exactly(-float64(r.Weights)))
	}
	touched := times(engine, figure.Between(facts.LazyShare))
	from := r.hydration(w)
	return []Phase{{Name: Reads, Seconds: over(touched, from), Kind: figure.Estimated, Formula: "what a start reads of the image / first reads of a volume from a snapshot",
		Source: facts.HydrationDefault.Source, inputs: []figure.Input{amount("read", touched), rate("first reads", from, facts.HydrationDefault.Source)}}}
}

// hydration is the rate of first reads: full with fast restore, up to 1,000 MiB/s.
func (r Request) hydration(w with) figure.Range {
	disk, _, _ := r.disk(w)
	if w[SnapshotFast] {
		return disk.Min(figure.Exactly(facts.GP3.OlderThroughput))
	}
	return figure.Between(facts.HydrationDefault).Min(disk)
}

func (r Request) lazyReads(p picture) []Phase {
	engine := p.packed
	if r.From == Image {
		engine = bytes(r.Image)
	}
	touched := times(engine, figure.Between(facts.LazyShare))
	return []Phase{{Name: Reads, Seconds: over(touched, figure.Between(facts.LazySmall)), Kind: figure.Estimated, Formula: "what a start reads of the image / reads of small files from the registry",
		Source: facts.LazySmall.Source, inputs: []figure.Input{amount("read", touched), rate("lazy reads", figure.Between(facts.LazySmall), facts.LazySmall.Source)}}}
}

// imageSizes say the sizes of an image: compressed as in the registry, and on disk.
func (r Request) imageSizes(w with) string {
	p := r.picture(w)
	return fmt.Sprintf("%.3g GB in the registry, %.3g GB on disk", p.packed.Mid/1e9, p.unpacked.Mid/1e9)
}
