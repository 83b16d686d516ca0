package coldstart

import (
	"fmt"
	"strings"

	"assay/internal/facts"
)

// warnings say where a technique makes it worse, or does less than one thinks.
func (r Request) warnings(w with) []string {
	list := []string{}
	add := func(on bool, text string, args ...any) {
		if on {
			list = append(list, fmt.Sprintf(text, args...))
		}
	}
	disk, _, _ := r.disk(w)
	baked := r.baked(w)
	add(w[Parallel] && r.slowDisk(w), "the disk gives %.0f MiB/s: below some 600, parallel pulls can lose to containerd's own; raise the root volume's throughput or use the instance store", disk.Mid/facts.MiB)
	add(w[Parallel] && r.OS == Bottlerocket, "Bottlerocket's defaults are 3 downloads, 1 unpack and no chunks, no faster than containerd: set 20, 12 and 16mb")
	add(w[Lazy], "reads come from the registry while the engine starts: large files come slower than by a pull, and 13 GB with its weights took 66 %% longer")
	add(w[Lazy] && baked, "the weights are in the image: they are read whole, and lazily")
	add(w[Snapshot], "without fast restore or an initialization rate, blocks come from S3 at their first read")
	add(w[Snapshot] && baked, "the weights are in the image: their first read is from S3, block by block")
	add(w[SnapshotFast], "fast restore is charged by the hour, snapshot and zone, and credits refill at %s an hour", credits(r.picture(w).unpacked.Mid))
	add(w[DaemonSet] && !w[WarmNode], "a new node starts the DaemonSet's pod together with this one: it helps on nodes that are there before")
	add(w[Stream] && r.place(w).cached, "the weights were just written and are in memory: a loader that reads around the page cache is as slow as the disk")
	add(w[Stream] && !r.place(w).cached && r.place(w).rate.High < facts.DefaultLoader.Low, "the storage gives less than the default loader takes: streaming gains nothing")
	add(w[CompileCache], "holds for the same model, engine version, flags and GPU")
	add(w[WarmNode], "it costs an idle instance")
	return list
}

// credits is how many volumes an hour a snapshot of a size restores in full.
func credits(size float64) string {
	n := 1024 / (size / facts.GiB)
	if n > 10 {
		n = 10
	}
	return fmt.Sprintf("%.1f volumes", n)
}

func (r Request) remarks() []string {
	list := []string{}
	if r.From == FSx && r.Storage == 0 {
		gib, tier := lustreFor(r.Weights)
		list = append(list, fmt.Sprintf("FSx for Lustre is taken to be PERSISTENT_2 of %d GiB at %d MB/s/TiB; --storage-rate says what yours gives a node", gib, tier))
	}
	if r.From == EBS {
		list = append(list, "the weights' volume is taken to be as fast as the root volume, and initialized: one made from a snapshot without fast restore reads from S3 the first time")
	}
	if r.Unpacked == 0 {
		list = append(list, fmt.Sprintf("the image's size on disk is estimated, %.1f to %.1f times the compressed size; --unpacked says it", facts.ImageUnpacked.Low, facts.ImageUnpacked.High))
	}
	if name := r.Instance.Accelerator; strings.HasPrefix(name, "inferentia") || strings.HasPrefix(name, "trainium") {
		list = append(list, "phases of the engine are of NVIDIA GPUs: on Neuron a model that was not compiled before takes minutes to hours to compile, which is not planned here")
	}
	if r.Log == nil {
		list = append(list, "phases of the engine are those of others' starts; --calibrate takes them from your engine's log")
	}
	return list
}
