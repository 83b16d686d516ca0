package storage

import (
	"fmt"
	"math"

	"assay/internal/facts"
	"assay/internal/figure"
)

// Kind is a place to keep data.
type Kind string

// Kinds.
const (
	GP3            Kind = "ebs-gp3"
	IO2            Kind = "ebs-io2"
	EFSElastic     Kind = "efs-elastic"
	EFSProvisioned Kind = "efs-provisioned"
	EFSBursting    Kind = "efs-bursting"
	EFSOneZone     Kind = "efs-one-zone"
	Scratch2       Kind = "fsx-scratch-2"
	Persistent1    Kind = "fsx-persistent-1"
	Persistent2    Kind = "fsx-persistent-2"
	Tiering        Kind = "fsx-intelligent-tiering"
	S3             Kind = "s3-mountpoint"
	S3Express      Kind = "s3-express"
	Local          Kind = "instance-store"
)

// Given is what a place was provisioned with.
type Given struct {
	Throughput float64 // bytes/s: of the volume, of EFS's provisioned mode, of Intelligent-Tiering
	PerTiB     int     // MB/s/TiB of Lustre; 0 for SCRATCH_2
	GiB        int64   // capacity of Lustre
	Stored     int64   // bytes kept there
}

// Bound is one limit on the way from a place to one reader, all readers reading at
// once.
type Bound struct {
	Name   string       `json:"name"`
	Rate   figure.Range `json:"bytes_per_s"`
	Source facts.Source `json:"source"`
}

// Flow is how fast one reader reads.
type Flow struct {
	Reader  figure.Range // bytes/s: the least of the bounds
	Bounds  []Bound
	Binding string // the bound that binds first
}

// Read says how fast each of so many readers reads from a place. Without an instance
// the limits of the node are left out.
func Read(kind Kind, given Given, node *facts.Instance, readers int) (Flow, error) {
	bounds, err := bounds(kind, given, node, float64(max(readers, 1)))
	if err != nil {
		return Flow{}, err
	}
	return flowOf(bounds), nil
}

func bounds(kind Kind, given Given, node *facts.Instance, readers float64) ([]Bound, error) {
	switch kind {
	case GP3, IO2:
		return volumeBounds(kind, given, node), nil
	case EFSElastic, EFSProvisioned, EFSBursting, EFSOneZone:
		return efsBounds(kind, given, node, readers), nil
	case Scratch2, Persistent1, Persistent2:
		return lustreBounds(kind, given, node, readers), nil
	case Tiering:
		return tieringBounds(given, node, readers), nil
	case S3, S3Express:
		return s3Bounds(kind, node), nil
	case Local:
		return localBounds(node)
	}
	return nil, fmt.Errorf("storage %q is not known", kind)
}

// flowOf takes the least of the bounds. The one whose middle is least binds.
func flowOf(bounds []Bound) Flow {
	f := Flow{Bounds: bounds}
	for i, b := range bounds {
		if i == 0 {
			f.Reader, f.Binding = b.Rate, b.Name
			continue
		}
		if b.Rate.Mid < f.Reader.Mid {
			f.Binding = b.Name
		}
		f.Reader = f.Reader.Min(b.Rate)
	}
	return f
}

// card is the rate of one of a node's network cards: what a client that uses one
// interface can reach. The table has the sum; each EFA interface is one card.
func card(node *facts.Instance) float64 {
	return node.Network / float64(max(node.EFA, 1))
}

// network is the bound of the node's network for a client on one interface.
func network(node *facts.Instance) []Bound {
	if node == nil || node.Network == 0 {
		return nil
	}
	name := "network of " + node.Name
	if node.EFA > 1 {
		name = fmt.Sprintf("one of %d network cards of %s", node.EFA, node.Name)
	}
	return []Bound{{name, figure.Exactly(card(node)), facts.InstanceSource()}}
}

func volumeBounds(kind Kind, given Given, node *facts.Instance) []Bound {
	source := facts.GP3.Source
	if kind == IO2 {
		source = facts.IO2.Source
	}
	bounds := []Bound{{"throughput of the volume", figure.Exactly(given.Throughput), source}}
	if node != nil && node.EBS > 0 {
		bounds = append(bounds, Bound{"EBS bandwidth of " + node.Name, figure.Exactly(node.EBS), facts.InstanceSource()})
	}
	return bounds
}

// efs is what AWS says of an EFS kind.
func efs(kind Kind) facts.FileSystem {
	switch kind {
	case EFSProvisioned:
		return facts.EFSProvisioned
	case EFSBursting:
		return facts.EFSBursting
	case EFSOneZone:
		return facts.EFSOneZone
	}
	return facts.EFSElastic
}

func efsBounds(kind Kind, given Given, node *facts.Instance, readers float64) []Bound {
	fs := efs(kind)
	seen := facts.EFSOneReader
	bounds := []Bound{
		{"limit for one client", figure.Between(seen).Min(figure.Exactly(fs.Client)), seen.Source},
		{"limit of the file system, by region", figure.Range{Low: fs.ReadLow, Mid: (fs.ReadLow + fs.ReadHigh) / 2, High: fs.ReadHigh}.Scale(1 / readers), fs.Source},
	}
	switch kind {
	case EFSProvisioned:
		bounds = append(bounds, Bound{"provisioned throughput", figure.Exactly(given.Throughput / facts.EFSReadCost.Value / readers), facts.EFSThroughput.Source})
	case EFSBursting:
		base, burst := efsEarned(given.Stored)
		bounds = append(bounds, Bound{"baseline and burst of the stored size", figure.Range{Low: base, Mid: base, High: burst}.Scale(1 / readers), facts.EFSBaseline.Source})
	}
	return append(bounds, network(node)...)
}

// efsEarned is what reads of a stored size may reach in bursting mode: for ever, and
// while there are credits. A small file system may burst to 100 MiB/s, reads 300.
func efsEarned(stored int64) (base, burst float64) {
	read := 1 / facts.EFSReadCost.Value
	base = math.Max(facts.EFSBaseline.Value*float64(stored), facts.MiB) * read
	burst = math.Max(facts.EFSBurst.Value*float64(stored), 100*facts.MiB) * read
	return base, math.Max(base, burst)
}

// lustre is what AWS says of a deployment.
func lustre(kind Kind) facts.Lustre {
	want := map[Kind]string{Scratch2: "SCRATCH_2", Persistent1: "PERSISTENT_1", Persistent2: "PERSISTENT_2"}[kind]
	for _, l := range facts.Lustres {
		if l.Deployment == want {
			return l
		}
	}
	panic("no deployment " + string(kind))
}

// tib counts a capacity as AWS does: 1,200 GiB are 1.2 TiB.
func tib(gib int64) float64 { return float64(gib) / 1000 }

func lustreBounds(kind Kind, given Given, node *facts.Instance, readers float64) []Bound {
	l := lustre(kind)
	disk := l.DiskRead[given.PerTiB] * tib(given.GiB)
	top := math.Max(disk, l.BurstRead[given.PerTiB]*tib(given.GiB))
	bounds := []Bound{{"disks of the file system", figure.Range{Low: disk, Mid: disk, High: top}.Scale(1 / readers), l.Source}}
	return append(append(bounds, lustreClient(given.GiB, node)...), network(node)...)
}

// lustreClient is the limit of one client without EFA: of the client, and of the
// targets that its files are striped over, each of 1.2 TiB.
func lustreClient(gib int64, node *facts.Instance) []Bound {
	targets := math.Max(1, math.Floor(tib(gib)/1.2+0.01))
	rate := math.Min(facts.LustreClient.Value, targets*facts.LustrePerTarget.Value)
	return []Bound{{"one Lustre client without EFA, 5 Gbit/s a target", figure.Exactly(rate), facts.LustrePerTarget.Source}}
}

func tieringBounds(given Given, node *facts.Instance, readers float64) []Bound {
	rate := figure.Exactly(given.Throughput / readers)
	bounds := []Bound{
		{"throughput capacity, read from the SSD cache", rate, facts.LustreTieringStep.Source},
		{"one Lustre client without EFA", figure.Exactly(facts.LustreClient.Value), facts.LustreClient.Source},
	}
	return append(bounds, network(node)...)
}

func s3Bounds(kind Kind, node *facts.Instance) []Bound {
	share := facts.S3OfNetwork
	if node == nil || node.Network == 0 {
		// What one card of the fastest nodes reaches; a node's own is not known.
		rate := facts.S3Client.Value
		return []Bound{{"a network card of 100 Gbit/s (name the instance for its own)", figure.Range{Low: 0.05 * rate, Mid: share.Mid * rate, High: share.High * rate}, share.Source}}
	}
	rate := math.Min(card(node), facts.S3Client.Value)
	name := network(node)[0].Name + ", as far as parallel reads of S3 fill it"
	return []Bound{{name, figure.Between(share).Scale(rate), share.Source}}
}

func localBounds(node *facts.Instance) ([]Bound, error) {
	if node == nil {
		return nil, fmt.Errorf("instance store belongs to an instance: name it")
	}
	if node.NVMe == 0 {
		return nil, fmt.Errorf("%s has no instance store", node.Name)
	}
	of, size := facts.InstanceStore, float64(node.NVMe)
	return []Bound{{"local NVMe of " + node.Name, figure.Between(of).Scale(size), of.Source}}, nil
}
