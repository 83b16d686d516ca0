package storage

import (
	"fmt"
	"math"

	"assay/internal/facts"
	"assay/internal/figure"
)

var lustreKinds = []Kind{Scratch2, Persistent1, Persistent2}

// lustreOption is FSx for Lustre on SSD, of the throughput tier that meets the need
// for least, and where prices are not known with the least capacity.
func lustreOption(kind Kind, r Request) Option {
	l := lustre(kind)
	tiers := l.PerTiB
	if tiers == nil {
		tiers = []int{0}
	}
	best, found := Option{}, false
	for _, tier := range tiers {
		o := lustreTier(kind, l, tier, r)
		if !found || cheaper(o, best) {
			best, found = o, true
		}
	}
	return best
}

// cheaper compares two tiers of a deployment: by price, or by capacity where it is
// not known.
func cheaper(a, b Option) bool {
	if a.Total != nil && b.Total != nil {
		return a.Total.Mid < b.Total.Mid
	}
	return a.Provision[0].Count < b.Provision[0].Count
}

func lustreTier(kind Kind, l facts.Lustre, tier int, r Request) Option {
	size := lustreSize(l, tier, r)
	o := Option{
		ID: kind, Name: "FSx for Lustre " + l.Deployment, Copies: 1, posix: true, shared: true, durable: l.Durable,
		AccessModes: []string{"ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce"}, Zones: "one", Durability: "replicated in its zone",
		Provision: []Setting{{Name: "storageCapacity", Count: float64(size), Unit: "GiB"}, {Name: "deploymentType", Value: l.Deployment}},
	}
	if tier > 0 {
		o.Name += fmt.Sprintf(", %d MB/s/TiB", tier)
		o.Provision = append(o.Provision, Setting{Name: "perUnitStorageThroughput", Count: float64(tier), Unit: "MB/s/TiB"})
	}
	if !l.Durable {
		o.Durability = "not replicated: a file server that fails takes its part of the data"
	}
	o.flow(kind, Given{PerTiB: tier, GiB: size}, r)
	write := figure.Exactly(l.DiskWrite[tier] * tib(size))
	o.Write = &write
	if float64(size) > facts.LustreQuotaGiB.Value {
		o.unsure = fmt.Sprintf("%d GiB are above the default quota of %.0f GiB an account", size, facts.LustreQuotaGiB.Value)
	}
	o.Notes = lustreNotes(l, size, r)
	name := "storage with its throughput"
	if price, ok := facts.LustrePrice(l.Deployment, tier); ok {
		o.Parts = []Part{priced(name, float64(size), "GB-month", price)}
	} else {
		o.Parts = []Part{unpriced(name, float64(size), "GB-month")}
	}
	o.add()
	return o
}

// lustreSize is the capacity in GiB that holds the data and is fast enough: one
// step, two, then steps of 2,400 GiB.
func lustreSize(l facts.Lustre, tier int, r Request) int64 {
	need := float64(gib(capacity(r.Size)))
	if rate := l.DiskRead[tier]; rate > 0 {
		need = math.Max(need, 1000*r.all()/rate)
	}
	if rate := l.DiskWrite[tier]; rate > 0 {
		need = math.Max(need, 1000*r.WriteRate/rate)
	}
	// Each target of 1.2 TiB serves one client at 5 Gbit/s.
	if reader := math.Min(r.reader(), facts.LustreClient.Value); reader > 0 {
		need = math.Max(need, 1200*ceil(reader/facts.LustrePerTarget.Value))
	}
	if need <= float64(l.SmallestGiB) {
		return l.SmallestGiB
	}
	return l.Step * int64(ceil(need/float64(l.Step)))
}

func lustreNotes(l facts.Lustre, size int64, r Request) []string {
	var notes []string
	if l.S3ImportPath {
		notes = append(notes, "s3ImportPath links it to a bucket; blocks come from S3 at their first read")
	} else {
		notes = append(notes, "a bucket is linked by a data repository association, not by s3ImportPath, which this deployment refuses; blocks come from S3 at their first read")
	}
	if l.Deployment == "PERSISTENT_2" && r.Instance != nil && r.Instance.EFA > 0 {
		notes = append(notes, fmt.Sprintf("created with EFA and a metadata configuration, it gives a client up to %.0f Gbit/s; its throughput is then fixed", 8*facts.LustreClientEFA.Value/1e9))
	}
	return notes
}

// tieringOption is FSx for Lustre Intelligent-Tiering, whose throughput is bought
// apart from its size.
func tieringOption(r Request) Option {
	step := facts.LustreTieringStep.Value
	throughput := step * math.Max(1, ceil(math.Max(r.all(), r.WriteRate)/step))
	o := Option{
		ID: Tiering, Name: "FSx for Lustre Intelligent-Tiering", Copies: 1, posix: true, shared: true, durable: true,
		AccessModes: []string{"ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce"}, Zones: "one, data kept in several", Durability: "kept over several zones",
		Provision: []Setting{{Name: "storageType", Value: "INTELLIGENT_TIERING"}, {Name: "throughputCapacity", Count: throughput / 1e6, Unit: "MB/s"}},
		Notes:     []string{"as fast as this from its SSD read cache only: provision one of the size that is read; the rest comes at tens of milliseconds and is charged by request"},
	}
	o.flow(Tiering, Given{Throughput: throughput}, r)
	o.Parts = []Part{unpriced("storage", gb(float64(r.Size)), "GB-month"), unpriced("throughput capacity", throughput/1e6, "MB/s-month"), unpriced("requests", 0, "requests")}
	return o
}
