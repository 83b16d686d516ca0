package storage

import (
	"fmt"
	"math"

	"assay/internal/facts"
	"assay/internal/figure"
)

// volume is an EBS volume for each node that needs one.
func volume(kind Kind, r Request) Option {
	v, name := facts.GP3, "EBS gp3"
	if kind == IO2 {
		v, name = facts.IO2, "EBS io2 Block Express"
	}
	copies := r.Readers
	if r.Shared {
		copies = 1
	}
	size := gib(capacity(r.Size))
	need := math.Max(r.reader(), r.WriteRate/float64(copies))
	throughput := math.Min(math.Max(need, v.BaseThroughput), v.MostThroughput)
	throughput = facts.MiB * ceil(throughput/facts.MiB)
	if kind == IO2 && need == 0 {
		throughput = 1000 * facts.MiB
	}
	iops := math.Min(math.Max(ceil(throughput/v.ThroughputPerIOPS), v.BaseIOPS), v.MostIOPS)
	size = max(size, int64(ceil(iops/v.IOPSPerGiB)))

	o := Option{
		ID: kind, Name: name, Copies: copies, posix: true, durable: true, shared: r.Readers == 1,
		AccessModes: []string{"ReadWriteOnce"}, Zones: "one", Durability: "99.8 to 99.9 % a year; snapshots go to S3",
		Provision: []Setting{{Name: "size", Count: float64(size), Unit: "GiB"}, {Name: "iops", Count: iops}, {Name: "throughput", Count: throughput / facts.MiB, Unit: "MiB/s"}},
	}
	if kind == IO2 {
		o.Durability = "99.999 % a year; snapshots go to S3"
		o.Provision = o.Provision[:2]
		o.Notes = append(o.Notes, fmt.Sprintf("up to %d nodes of a zone can attach it as a raw block device (ReadWriteMany, volumeMode Block), not as a file system", v.MostNodes))
	}
	if size > v.MostSize/facts.GiB {
		o.tooSmall = fmt.Sprintf("a volume holds at most %d TiB", v.MostSize>>40)
	}
	o.Notes = append(o.Notes, volumeNotes(v, size, throughput, iops, copies)...)
	o.flow(kind, Given{Throughput: throughput}, r)
	write := o.Reader.Scale(float64(copies))
	o.Write = &write
	o.Parts = volumeParts(kind, float64(size*int64(copies)), iops, throughput, float64(copies))
	return o
}

func volumeNotes(v facts.Volume, size int64, throughput, iops float64, copies int) []string {
	var notes []string
	if v.OlderSize > 0 && (size > v.OlderSize/facts.GiB || throughput > v.OlderThroughput || iops > v.OlderIOPS) {
		notes = append(notes, "above the limits before September 2025 (16 TiB, 16,000 IOPS, 1,000 MiB/s), which older EBS CSI drivers and tools still check against")
	}
	if copies > 1 {
		notes = append(notes, "a volume for each node, made from a snapshot: its blocks come from S3 at their first read, at some 60 MB/s, unless the snapshot has fast restore or the volume an initialization rate")
	}
	return notes
}

func volumeParts(kind Kind, gib, iops, throughput, copies float64) []Part {
	size := gib // EBS bills a GiB as a GB
	if kind == IO2 {
		parts := []Part{priced("storage", size, "GB-month", facts.IO2Storage)}
		from := 0.0
		for _, tier := range facts.IO2Tiers {
			if iops > from {
				n := math.Min(iops, tier.UpTo) - from
				parts = append(parts, priced(fmt.Sprintf("IOPS at $%.3f", tier.Price.Value), n*copies, "IOPS-month", tier.Price))
				from = tier.UpTo
			}
		}
		return parts
	}
	parts := []Part{priced("storage", size, "GB-month", facts.GP3Storage)}
	if extra := iops - facts.GP3.BaseIOPS; extra > 0 {
		parts = append(parts, priced("IOPS above 3,000", extra*copies, "IOPS-month", facts.GP3IOPS))
	}
	if extra := (throughput - facts.GP3.BaseThroughput) / facts.MiB; extra > 0 {
		parts = append(parts, priced("throughput above 125 MiB/s", extra*copies, "MiB/s-month", facts.GP3Throughput))
	}
	return parts
}

// flow fills in how fast readers read from a place, and how long a load takes.
func (o *Option) flow(kind Kind, given Given, r Request) {
	readers := r.Readers
	if o.Copies > 1 {
		readers = 1
	}
	f, err := Read(kind, given, r.Instance, readers)
	if err != nil {
		o.tooSmall = err.Error()
		return
	}
	o.Reader, o.Bounds, o.Binding = f.Reader, f.Bounds, f.Binding
	o.All = f.Reader.Scale(float64(r.Readers))
	o.Load = f.Reader.Inverse(r.own())
	o.Figures = append(o.Figures, figure.Figure{
		Name: "read rate of one reader, " + o.Name, Value: f.Reader.Mid, Unit: "bytes/s", Range: ranged(f.Reader), Kind: figure.Estimated,
		Formula: "the least of the bounds; binds first: " + f.Binding, Inputs: inputs(f.Bounds),
	}, figure.Figure{
		Name: "load of " + o.Name, Value: o.Load.Mid, Unit: "s", Range: ranged(o.Load), Kind: figure.Estimated,
		Formula: "bytes of one reader / its read rate", Inputs: []figure.Input{{Name: "bytes of one reader", Value: r.own(), Unit: "bytes"}},
	})
}

// ranged is a figure's range; nil where it is one number.
func ranged(r figure.Range) *figure.Range {
	if r.Low == r.High {
		return nil
	}
	return &r
}

func inputs(bounds []Bound) []figure.Input {
	in := make([]figure.Input, len(bounds))
	for i, b := range bounds {
		in[i] = figure.Input{Name: b.Name, Value: b.Rate.Mid, Unit: "bytes/s", Source: b.Source}
	}
	return in
}
