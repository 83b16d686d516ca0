package storage

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"assay/internal/facts"
	"assay/internal/figure"
)

func node(t testing.TB, name string) *facts.Instance {
	t.Helper()
	i, err := facts.InstanceNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return &i
}

func plan(t testing.TB, r Request) Result {
	t.Helper()
	result, err := Plan(r)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func option(t testing.TB, r Result, id Kind) Option {
	t.Helper()
	for _, o := range r.Options {
		if o.ID == id {
			return o
		}
	}
	t.Fatalf("no option %s", id)
	return Option{}
}

func setting(o Option, name string) float64 {
	for _, s := range o.Provision {
		if s.Name == name {
			return s.Count
		}
	}
	return 0
}

func TestRecommendation(t *testing.T) {
	g6e := node(t, "g6e.12xlarge")
	for name, c := range map[string]struct {
		need  Request
		want  Kind // "": nothing
		fails map[Kind]string
	}{
		"a dataset that many read": {
			Request{Size: 12e12, Readers: 16, ReadRate: 2e9, Instance: node(t, "p5.48xlarge")}, S3,
			map[Kind]string{EFSElastic: "1.57 GB/s of 2 GB/s: the limit for one client", EFSBursting: "baseline and burst"},
		},
		"weights in a minute": {
			Request{Size: 140e9, Readers: 8, LoadWithin: time.Minute, Use: Weights, Instance: g6e}, S3,
			map[Kind]string{GP3: "2.1 GB/s of 2.33 GB/s: the throughput of the volume"},
		},
		"checkpoints are renamed, which S3 cannot": {
			Request{Size: 2e12, Readers: 4, WriteRate: 5e9, Use: Checkpoint}, Persistent2,
			map[Kind]string{S3: "renamed", Scratch2: "outlive", Local: "outlive"},
		},
		"an instance's EBS bandwidth binds before the volume": {
			Request{Size: 100e9, ReadRate: 0.6e9, POSIX: true, Instance: node(t, "g5.xlarge")}, "",
			map[Kind]string{GP3: "438 MB/s of 600 MB/s: the EBS bandwidth of g5.xlarge", EFSElastic: "network of g5.xlarge"},
		},
		"several zones": {
			Request{Size: 100e9, Readers: 3, Shared: true, Zones: true, POSIX: true}, EFSBursting,
			map[Kind]string{GP3: "one node mounts it at a time", Persistent2: "one zone", S3Express: "one zone"},
		},
		"an archive": {Request{Size: 20e12, Use: Archive}, S3, nil},
		"nothing is as fast as that": {
			Request{Size: 1e12, ReadRate: 100e9, Instance: g6e}, "", map[Kind]string{S3: "network of g6e.12xlarge", Persistent2: "Lustre client"},
		},
		"more than a volume holds":   {Request{Size: 90e12, POSIX: true, ReadRate: 1e6}, Scratch2, map[Kind]string{GP3: "at most 64 TiB"}},
		"what an instance store has": {Request{Size: 9e12, Use: Weights, ReadRate: 1e6, Instance: g6e}, S3, map[Kind]string{Local: "3800 GB"}},
	} {
		r := plan(t, c.need)
		switch {
		case c.want == "" && r.Recommended != nil:
			t.Errorf("%s: recommends %s", name, *r.Recommended)
		case c.want != "" && (r.Recommended == nil || *r.Recommended != c.want):
			t.Errorf("%s: %s; want %s", name, r.Say, c.want)
		case c.want == "" && (r.Nearest == nil || !strings.HasPrefix(r.Say, "nothing meets the need; nearest is")):
			t.Errorf("%s: no nearest: %s", name, r.Say)
		}
		for id, why := range c.fails {
			o := option(t, r, id)
			if o.Verdict != Fails || !strings.Contains(strings.Join(o.Why, "; "), why) {
				t.Errorf("%s: %s is %q because %q; want %q", name, id, o.Verdict, o.Why, why)
			}
		}
	}
}

func TestProvision(t *testing.T) {
	for name, c := range map[string]struct {
		need Request
		id   Kind
		want map[string]float64
		usd  float64
	}{
		"the base of gp3 is included":       {Request{Size: 100 * facts.GiB}, GP3, map[string]float64{"size": 110, "iops": 3000, "throughput": 125}, 110 * 0.08},
		"600 MiB/s need no more IOPS":       {Request{Size: 100 * facts.GiB, ReadRate: 600 * facts.MiB}, GP3, map[string]float64{"iops": 3000, "throughput": 600}, 110*0.08 + 475*0.04},
		"2,000 MiB/s need 8,000 IOPS":       {Request{Size: 100 * facts.GiB, ReadRate: 2000 * facts.MiB}, GP3, map[string]float64{"iops": 8000, "throughput": 2000}, 110*0.08 + 5000*0.005 + 1875*0.04},
		"a small volume grows for its IOPS": {Request{Size: 1 * facts.GiB, ReadRate: 2000 * facts.MiB}, GP3, map[string]float64{"size": 16, "iops": 8000}, 16*0.08 + 25 + 75},
		"a volume for each of three":        {Request{Size: 100 * facts.GiB, Readers: 3, Use: Weights, ReadRate: 1}, GP3, map[string]float64{"size": 110}, 3 * 110 * 0.08},
		"io2 buys IOPS in tiers":            {Request{Size: 100 * facts.GiB, ReadRate: 4000 * facts.MiB, IO2: true}, IO2, map[string]float64{"iops": 15625}, 110*0.125 + 15625*0.065},
		"the smallest Lustre":               {Request{Size: 100e9}, Persistent2, map[string]float64{"storageCapacity": 1200, "perUnitStorageThroughput": 125}, 1200 * 0.145},
		"Lustre doubles, then steps":        {Request{Size: 3e12}, Persistent2, map[string]float64{"storageCapacity": 4800}, 4800 * 0.145},
		// 4 GB/s: 32,000 GiB of the lowest tier are more than 4,800 GiB of the highest;
		// 4 targets of 5 Gbit/s would do for one reader's 1 GB/s.
		"Lustre takes the tier that costs least": {Request{Size: 1e12, Readers: 4, ReadRate: 1e9, Shared: true}, Persistent2, map[string]float64{"storageCapacity": 4800, "perUnitStorageThroughput": 1000}, 4800 * 0.6},
		"a client reaches 5 Gbit/s a target":     {Request{Size: 100e9, ReadRate: 1.2e9}, Persistent2, map[string]float64{"storageCapacity": 2400, "perUnitStorageThroughput": 500}, 2400 * 0.34},
		"what EFS reads counts a third":          {Request{Size: 1e12, Readers: 4, ReadRate: 262144000}, EFSProvisioned, map[string]float64{"provisionedThroughput": 334}, 300 + 6*(334*1.048576-50)},
		"Intelligent-Tiering in steps":           {Request{Size: 1e12, Readers: 5, ReadRate: 1e9}, Tiering, map[string]float64{"throughputCapacity": 8000}, -1},
		"S3 by size and request":                 {Request{Size: 1e12, Loads: 10, Use: Weights, Readers: 2, ReadRate: 1}, S3, nil, 1e12/facts.GiB*0.023 + 2e13/8388608*0.0004/1000 + 1e12/8388608*0.005/1000},
	} {
		o := option(t, plan(t, c.need), c.id)
		for key, want := range c.want {
			if got := setting(o, key); math.Abs(got-want) > 0.5 {
				t.Errorf("%s: %s %g, want %g", name, key, got, want)
			}
		}
		switch {
		case c.usd < 0:
			if o.Total != nil {
				t.Errorf("%s: $%g, and a price is not known", name, o.Total.Mid)
			}
		case o.Total == nil || math.Abs(o.Total.Mid-c.usd) > 0.01:
			t.Errorf("%s: %+v, want $%.2f", name, o.Total, c.usd)
		}
	}
}

func TestAQuotaLeavesItOpen(t *testing.T) {
	r := plan(t, Request{Size: 200e12, Readers: 100, ReadRate: 1e9, Shared: true, POSIX: true})
	if o := option(t, r, Persistent2); o.Verdict != May || !strings.Contains(o.Why[0], "default quota of 100800 GiB") {
		t.Errorf("200 TB: %q because %q", o.Verdict, o.Why)
	}
}

func TestSizeBands(t *testing.T) {
	for _, c := range []struct {
		size int64
		want Kind
	}{{499e9, GP3}, {500e9, EFSElastic}, {10e12, EFSElastic}, {11e12, Persistent2}} {
		r := plan(t, Request{Size: c.size})
		if r.Recommended == nil || *r.Recommended != c.want || r.Band.Overruled {
			t.Errorf("%d bytes and no rate: %s, overruled %v; the band says %s", c.size, r.Say, r.Band.Overruled, c.want)
		}
	}
	r := plan(t, Request{Size: 894 * facts.GiB, Readers: 2, LoadWithin: 5 * time.Minute, Use: Weights, Instance: node(t, "p5en.48xlarge")})
	if !r.Band.Overruled || !strings.Contains(r.Band.Why, "limit for one client") {
		t.Errorf("894 GiB in five minutes: overruled %v because %q", r.Band.Overruled, r.Band.Why)
	}
	// As measured: 894 GiB over EFS Elastic took 43 minutes.
	efs := option(t, r, EFSElastic)
	if took := 43.0 * 60; took < efs.Load.Low || took > 1.01*efs.Load.High {
		t.Errorf("894 GiB over EFS: %.0f to %.0f s; measured %.0f", efs.Load.Low, efs.Load.High, took)
	}
}

func TestOtherRegionsHaveNoPrice(t *testing.T) {
	for _, o := range plan(t, Request{Size: 1e12, Region: "eu-west-1"}).Options {
		if o.Total != nil && !o.Cache {
			t.Errorf("%s costs $%g in eu-west-1, where no price is known", o.ID, o.Total.Mid)
		}
	}
}

func TestBadRequests(t *testing.T) {
	for name, r := range map[string]Request{
		"no size": {}, "less than none": {Size: -1}, "both rates": {Size: 1, ReadRate: 1, LoadWithin: 1}, "unknown use": {Size: 1, Use: "music"},
		"readers below none": {Size: 1, Readers: -2}, "crowds": {Size: 1, Readers: 1e6}, "negative rate": {Size: 1, ReadRate: -1},
		"NaN loads": {Size: 1, Loads: math.NaN()}, "endless loads": {Size: 1, Loads: math.Inf(1)}, "region": {Size: 1, Region: "\x1b[31m"},
	} {
		if _, err := Plan(r); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// What is said to meet a rate does so at the low end of its range, and what fails
// does not at the high end; nothing that fails is recommended; money is not negative.
func TestVerdictsHold(t *testing.T) {
	instances := facts.Instances()
	rapid.Check(t, func(t *rapid.T) {
		r := Request{
			Size: rapid.Int64Range(1, 1e15).Draw(t, "size"), Readers: rapid.IntRange(1, 500).Draw(t, "readers"),
			ReadRate: rapid.Float64Range(0, 2e10).Draw(t, "rate"), WriteRate: rapid.Float64Range(0, 2e10).Draw(t, "write"),
			Shared: rapid.Bool().Draw(t, "shared"), Durable: rapid.Bool().Draw(t, "durable"), POSIX: rapid.Bool().Draw(t, "posix"), Zones: rapid.Bool().Draw(t, "zones"),
			Use: rapid.SampledFrom(Uses).Draw(t, "use"), IO2: true,
		}
		if rapid.Bool().Draw(t, "named") {
			i := rapid.SampledFrom(instances).Draw(t, "instance")
			r.Instance = &i
		}
		result, err := Plan(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range result.Options {
			if o.Verdict == Meets && o.Reader.Low < 0.99*r.ReadRate {
				t.Fatalf("%s meets %g with %g", o.ID, r.ReadRate, o.Reader.Low)
			}
			if o.Verdict != Meets && len(o.Why) == 0 {
				t.Fatalf("%s is %q and does not say why", o.ID, o.Verdict)
			}
			if o.Total != nil && !(o.Total.Low >= 0 && o.Total.Low <= o.Total.Mid && o.Total.Mid <= o.Total.High) {
				t.Fatalf("%s costs %+v", o.ID, *o.Total)
			}
			if !(o.Reader.Low <= o.Reader.Mid && o.Reader.Mid <= o.Reader.High) || !(o.Load.Low <= o.Load.Mid && o.Load.Mid <= o.Load.High) {
				t.Fatalf("%s: reader %+v, load %+v", o.ID, o.Reader, o.Load)
			}
		}
		if result.Recommended != nil && (result.Options[0].ID != *result.Recommended || result.Options[0].Verdict == Fails) {
			t.Fatalf("recommends %s", *result.Recommended)
		}
	})
}

// A file system shared by more readers gives each of them no more.
func TestMoreReadersGetNoMoreEach(t *testing.T) {
	i := node(t, "g6e.48xlarge")
	given := Given{Throughput: 4e9, PerTiB: 250, GiB: 4800, Stored: 2e12}
	for _, kind := range []Kind{GP3, EFSElastic, EFSProvisioned, EFSBursting, EFSOneZone, Persistent2, Tiering, S3, Local} {
		last := math.Inf(1)
		for readers := 1; readers < 64; readers *= 2 {
			f, err := Read(kind, given, i, readers)
			if err != nil {
				t.Fatal(err)
			}
			if f.Reader.Mid > last || f.Binding == "" {
				t.Errorf("%s: %d readers get %g each, fewer got %g; binds %q", kind, readers, f.Reader.Mid, last, f.Binding)
			}
			last = f.Reader.Mid
		}
	}
}

// What is not known is null: a script that sorts by time must not take it for the fastest.
func TestWhatIsNotKnownIsNull(t *testing.T) {
	result, err := Plan(Request{Size: 12e12, Readers: 16, ReadRate: 2e9})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range result.Options {
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if null := strings.Contains(string(text), `"load_s":null`); null != (o.Load == figure.Range{}) || null != strings.Contains(string(text), `"reader_bytes_per_s":null`) {
			t.Errorf("%s: %+v a load, as %.600s", o.ID, o.Load, text)
		}
		if o.ID == "instance-store" && !strings.Contains(string(text), `"load_s":null`) {
			t.Errorf("disks that are not there load in %+v", o.Load)
		}
	}
}
