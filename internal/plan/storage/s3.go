package storage

import (
	"fmt"
	"math"

	"assay/internal/facts"
)

// bucket is S3 mounted by Mountpoint, or read by a streaming loader: Standard, or
// Express in one zone.
func bucket(kind Kind, r Request) Option {
	o := Option{
		ID: kind, Name: "S3 with Mountpoint", Copies: 1, shared: true, durable: true, zones: true,
		AccessModes: []string{"ReadOnlyMany", "ReadWriteMany"}, Zones: "several", Durability: "eleven nines, over three zones",
		Provision: []Setting{{Name: "bucket", Value: "general purpose"}, {Name: "volume", Value: "static PersistentVolume, storageClassName \"\""}},
		Notes: []string{
			"a static PersistentVolume only; new files, written in order; no rename, no change in place, no locks",
			"a client uses one network interface; made for large objects read in order, small files cost a request each",
		},
	}
	if kind == S3Express {
		o.Name, o.zones, o.Zones, o.Durability = "S3 Express One Zone with Mountpoint", false, "one", "eleven nines in its zone, lost with it"
		o.Provision[0].Value = "directory bucket in the nodes' zone"
		o.Notes[0] = "a static PersistentVolume only; new files, written in order; no change in place, no locks"
	}
	o.flow(kind, Given{}, r)
	o.Notes = append(o.Notes, requestNote(kind, o, r)...)
	o.Parts = bucketParts(kind, r)
	return o
}

// requestNote says when reads of that rate come near what one prefix allows.
func requestNote(kind Kind, o Option, r Request) []string {
	if kind == S3Express || o.All.High == 0 {
		return nil
	}
	rate := math.Max(r.all(), 0) / facts.MountpointPart.Value
	if limit := facts.S3GetsPerPrefix.Value; rate > limit {
		return []string{fmt.Sprintf("%.0f requests/s of %.0f MiB: spread the objects over %.0f prefixes", rate, facts.MountpointPart.Value/facts.MiB, math.Ceil(rate/limit))}
	}
	return nil
}

// billed counts bytes as S3's bills do, whose GB is of 2³⁰ bytes: the S3 FAQ bills 10 TB
// of 10,995,116,277,760 bytes for 240 hours as 3,303.77 GB-months, read 2026-11-30.
func billed(bytes float64) float64 { return bytes / facts.GiB }

func bucketParts(kind Kind, r Request) []Part {
	stored := billed(float64(r.Size))
	read := r.own() * float64(r.Readers) * r.Loads
	gets, puts := read/facts.MountpointPart.Value, float64(r.Size)/facts.MountpointPart.Value
	if kind == S3Express {
		return []Part{
			priced("storage", stored, "GB-month", facts.S3ExpressStorage), priced("GET requests", gets, "requests", facts.S3ExpressGet),
			priced("data read", billed(read), "GB", facts.S3ExpressRead), priced("PUT requests of one write", puts, "requests", facts.S3ExpressPut),
			priced("data of one write", stored, "GB", facts.S3ExpressWrite),
		}
	}
	return []Part{
		priced("storage", stored, "GB-month", facts.S3Storage), priced("GET requests", gets, "requests", facts.S3Get), priced("PUT requests of one write", puts, "requests", facts.S3Put),
	}
}
