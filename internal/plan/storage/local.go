package storage

import (
	"fmt"

	"assay/internal/figure"
)

// local is the instance store of the node: a cache, that each new node fills anew.
func local(r Request) Option {
	free := figure.Exactly(0)
	o := Option{
		ID: Local, Name: "instance store (local NVMe)", Copies: r.Readers, posix: true, shared: r.Readers == 1, Cache: true,
		AccessModes: []string{"ReadWriteOnce"}, Zones: "one node", Durability: "lost when the node stops",
		Provision: []Setting{{Name: "instanceStorePolicy", Value: "RAID0"}},
		Parts:     []Part{{Name: "within the price of the instance", USD: &free, Unit: "GB-month"}},
		Notes: []string{
			"a cache: each new node fills it from a home elsewhere first",
			"its speed differs much by type and size and AWS publishes it for few: measure it with fio",
		},
	}
	o.flow(Local, Given{}, r)
	if i := r.Instance; i != nil && i.NVMe > 0 {
		// Each node keeps what it reads itself.
		if need := r.own(); need > float64(i.NVMe) {
			o.tooSmall = fmt.Sprintf("%s has %.0f GB of it, and each node reads %.0f GB", i.Name, gb(float64(i.NVMe)), gb(need))
		}
		write := o.Reader.Scale(float64(r.Readers) / 2)
		o.Write = &write
	}
	return o
}
