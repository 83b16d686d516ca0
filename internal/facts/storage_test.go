package facts

import (
	"strings"
	"testing"
	"time"
)

func sourced(t *testing.T, what string, s Source) {
	t.Helper()
	if _, err := time.Parse(time.DateOnly, s.Date); err != nil || s.Title == "" || !strings.HasPrefix(s.URL, "https://") {
		t.Errorf("%s: source %+v", what, s)
	}
}

func TestStorageFactsAreSourced(t *testing.T) {
	for name, n := range map[string]Number{
		"EFSBaseline": EFSBaseline, "EFSBurst": EFSBurst, "EFSReadCost": EFSReadCost, "EFSMostMiBs": EFSMostMiBs,
		"LustreTieringStep": LustreTieringStep, "LustreClient": LustreClient, "LustrePerTarget": LustrePerTarget,
		"LustreClientEFA": LustreClientEFA, "LustreQuotaGiB": LustreQuotaGiB, "S3GetsPerPrefix": S3GetsPerPrefix,
		"S3ExpressGets": S3ExpressGets, "S3Client": S3Client, "MountpointPart": MountpointPart,
		"GP3Storage": GP3Storage, "GP3IOPS": GP3IOPS, "GP3Throughput": GP3Throughput, "IO2Storage": IO2Storage, "EFSStorage": EFSStorage, "EFSRead": EFSRead,
		"EFSWrite": EFSWrite, "EFSThroughput": EFSThroughput, "EFSIncludedMBs": EFSIncludedMBs, "S3Storage": S3Storage, "S3Get": S3Get, "S3Put": S3Put,
		"S3ExpressStorage": S3ExpressStorage, "S3ExpressGet": S3ExpressGet, "S3ExpressPut": S3ExpressPut, "S3ExpressRead": S3ExpressRead, "S3ExpressWrite": S3ExpressWrite,
	} {
		if n.Value <= 0 || n.Unit == "" {
			t.Errorf("%s: %+v", name, n)
		}
		sourced(t, name, n.Source)
	}
	for name, s := range map[string]Spread{
		"S3OfNetwork": S3OfNetwork, "EFSOneReader": EFSOneReader, "InstanceStore": InstanceStore, "HydrationDefault": HydrationDefault,
	} {
		if !(s.Low > 0 && s.Low <= s.Mid && s.Mid <= s.High) || s.Unit == "" {
			t.Errorf("%s: %+v", name, s)
		}
		sourced(t, name, s.Source)
	}
	sourced(t, "gp3", GP3.Source)
	sourced(t, "io2", IO2.Source)
}

func TestLustreTiersAreWhole(t *testing.T) {
	for _, l := range Lustres {
		sourced(t, l.Deployment, l.Source)
		tiers := l.PerTiB
		if tiers == nil {
			tiers = []int{0}
		}
		for _, tier := range tiers {
			if l.DiskRead[tier] <= 0 || l.DiskWrite[tier] <= 0 {
				t.Errorf("%s %d: disk %g, write %g", l.Deployment, tier, l.DiskRead[tier], l.DiskWrite[tier])
			}
			if price, ok := LustrePrice(l.Deployment, tier); ok {
				sourced(t, l.Deployment, price.Source)
			} else if l.Deployment != "PERSISTENT_1" {
				t.Errorf("no price of %s %d", l.Deployment, tier)
			}
		}
		// The S3ImportPath of the driver and PERSISTENT_2 exclude each other.
		if l.S3ImportPath == (l.Deployment == "PERSISTENT_2") {
			t.Errorf("%s: s3ImportPath %v", l.Deployment, l.S3ImportPath)
		}
	}
}

// The price of a tier of PERSISTENT_2 that was read nowhere is on the line of the others.
func TestLustrePricesLieOnALine(t *testing.T) {
	at := func(tier int) float64 { p, _ := LustrePrice("PERSISTENT_2", tier); return p.Value }
	slope := (at(1000) - at(125)) / 875
	for _, tier := range []int{250, 500} {
		if got, want := at(tier), at(125)+slope*float64(tier-125); got < want-0.0005 || got > want+0.0005 {
			t.Errorf("tier %d costs %g, the line says %g", tier, got, want)
		}
	}
}
