package storage

import (
	"math"

	"assay/internal/facts"
	"assay/internal/figure"
)

var efsNames = map[Kind]string{
	EFSElastic: "EFS, elastic throughput", EFSProvisioned: "EFS, provisioned throughput", EFSBursting: "EFS, bursting throughput", EFSOneZone: "EFS One Zone, provisioned throughput",
}

// network file system, in one of its throughput modes.
func efsOption(kind Kind, r Request) Option {
	fs := efs(kind)
	o := Option{
		ID: kind, Name: efsNames[kind], Copies: 1, posix: true, shared: true, durable: true, zones: fs.Zones,
		AccessModes: []string{"ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce"}, Zones: "several", Durability: "eleven nines, over three zones",
		Provision: []Setting{{Name: "throughputMode", Value: efsMode(kind)}},
		Notes:     []string{"it grows by itself: no size to provision"},
	}
	if !fs.Zones {
		o.Zones, o.Durability = "one", "eleven nines in its zone, lost with it"
	}
	given := Given{Stored: r.Size}
	if kind == EFSProvisioned || kind == EFSOneZone {
		given.Throughput = efsThroughput(fs, r)
		o.Provision = append(o.Provision, Setting{Name: "provisionedThroughput", Count: given.Throughput / facts.MiB, Unit: "MiB/s"})
		if given.Throughput == facts.EFSMostMiBs.Value {
			o.Notes = append(o.Notes, "3,414 MiB/s is the most that can be provisioned, in the largest regions")
		}
	}
	if fs.Client > 600*facts.MiB {
		o.Notes = append(o.Notes, "1,500 MiB/s a client needs the EFS CSI driver or efs-utils 2; others get 500 MiB/s")
	}
	o.flow(kind, given, r)
	write := figure.Range{Low: fs.WriteLow, Mid: (fs.WriteLow + fs.WriteHigh) / 2, High: fs.WriteHigh}
	switch kind {
	case EFSProvisioned, EFSOneZone:
		write = write.Min(figure.Exactly(given.Throughput))
	case EFSBursting:
		base, burst := efsEarned(r.Size)
		cost := facts.EFSReadCost.Value
		write = write.Min(figure.Range{Low: base * cost, Mid: base * cost, High: burst * cost})
	}
	o.Write = &write
	o.Parts = efsParts(kind, given.Throughput, r)
	return o
}

func efsMode(kind Kind) string {
	switch kind {
	case EFSElastic:
		return "elastic"
	case EFSBursting:
		return "bursting"
	}
	return "provisioned"
}

// efsThroughput is what to provision, in bytes/s: what is read counts a third.
func efsThroughput(fs facts.FileSystem, r Request) float64 {
	need := math.Max(r.all()*facts.EFSReadCost.Value, r.WriteRate)
	need = math.Min(need, fs.ReadHigh*facts.EFSReadCost.Value)
	if need == 0 {
		need = 100 * facts.MiB
	}
	return facts.MiB * math.Min(ceil(need/facts.MiB), facts.EFSMostMiBs.Value/facts.MiB)
}

func efsParts(kind Kind, throughput float64, r Request) []Part {
	stored := gb(float64(r.Size))
	if kind == EFSOneZone {
		return []Part{unpriced("storage", stored, "GB-month"), unpriced("throughput", throughput/1e6, "MB/s-month")}
	}
	parts := []Part{priced("storage", stored, "GB-month", facts.EFSStorage)}
	switch kind {
	case EFSElastic:
		parts = append(parts, priced("reads", gb(r.own()*float64(r.Readers)*r.Loads), "GB", facts.EFSRead), priced("one write of the data", stored, "GB", facts.EFSWrite))
	case EFSProvisioned:
		included := facts.EFSIncludedMBs.Value * stored
		parts = append(parts, priced("throughput above what the size includes", math.Max(0, throughput/1e6-included), "MB/s-month", facts.EFSThroughput))
	}
	return parts
}
