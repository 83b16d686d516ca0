package coldstart

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"assay/internal/calibrate"
	"assay/internal/facts"
	"assay/internal/figure"
)

func plan(t testing.TB, r Request) Result {
	t.Helper()
	result, err := Plan(r)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func option(t testing.TB, r Result, id string) Option {
	t.Helper()
	o, ok := r.Option(id)
	if !ok {
		t.Fatalf("no option %s", id)
	}
	return o
}

func warned(o Option, words string) bool {
	return slices.ContainsFunc(o.Warnings, func(s string) bool { return strings.Contains(s, words) })
}

func TestWhereATechniqueMakesItWorse(t *testing.T) {
	g6e := node(t, "g6e.12xlarge")
	slow := plan(t, Request{Image: 12e9, Weights: 60e9, Instance: g6e})
	fast := plan(t, Request{Image: 12e9, Weights: 60e9, Instance: g6e, Root: Disk{Throughput: 1000 * facts.MiB}})
	baked := plan(t, Request{Image: 2e9, Weights: 13e9, From: Image, Instance: g6e, Root: Disk{Throughput: 1000 * facts.MiB}})
	rocket := plan(t, Request{Image: 12e9, Weights: 60e9, Instance: g6e, OS: Bottlerocket, Root: Disk{NVMe: true}})
	for name, c := range map[string]struct {
		of     Result
		id     Technique
		worse  bool
		warned string
	}{
		"parallel pull on 125 MiB/s":    {slow, Parallel, true, "below some 600"},
		"parallel pull on 1,000 MiB/s":  {fast, Parallel, false, ""},
		"lazy with the weights inside":  {baked, Lazy, true, "read whole, and lazily"},
		"a snapshot without restore":    {baked, Snapshot, true, "first read is from S3"},
		"a snapshot with it":            {baked, SnapshotFast, false, "charged by the hour"},
		"streaming what memory holds":   {baked, Stream, false, "in memory"},
		"streaming from S3":             {fast, Stream, false, ""},
		"a DaemonSet on a new node":     {fast, DaemonSet, false, "on nodes that are there before"},
		"Bottlerocket has to be tuned":  {rocket, Parallel, false, "3 downloads, 1 unpack"},
		"a faster disk is not worse":    {slow, FastDisk, false, ""},
		"a compile cache is for a pair": {slow, CompileCache, false, "same model"},
	} {
		o := option(t, c.of, string(c.id))
		if o.Worse != c.worse {
			t.Errorf("%s: worse is %v with %.0f s, the baseline takes %.0f", name, o.Worse, o.Total.Mid, c.of.Options[0].Total.Mid)
		}
		if (c.warned == "") != (len(o.Warnings) == 0) || !(c.warned == "" || warned(o, c.warned)) {
			t.Errorf("%s: warnings %q, want %q", name, o.Warnings, c.warned)
		}
	}
	if o := option(t, fast, string(DaemonSet)); *o.Saved != 0 {
		t.Errorf("a DaemonSet on a new node saves %.0f %%", *o.Saved)
	}
}

func TestSkippedTechniques(t *testing.T) {
	r := plan(t, Request{Image: 12e9, Weights: 60e9, Instance: node(t, "g6e.12xlarge"), OS: Bottlerocket, Root: Disk{NVMe: true}})
	got := map[Technique]bool{}
	for _, s := range r.Skipped {
		got[s.Technique] = s.Why != ""
	}
	for _, want := range []Technique{Decouple, Lazy, FastDisk} {
		if !got[want] {
			t.Errorf("%s is not left out with a reason: %+v", want, r.Skipped)
		}
		if _, ok := r.Option(string(want)); ok {
			t.Errorf("%s is left out and planned", want)
		}
	}
	for _, id := range []string{Best, BestWarm} {
		if o := option(t, r, id); slices.Contains(o.Techniques, Lazy) || slices.Contains(o.Techniques, Decouple) {
			t.Errorf("%s uses what cannot help: %v", id, o.Techniques)
		}
	}
}

func TestSLO(t *testing.T) {
	for slo, want := range map[time.Duration]string{time.Second: Missed, time.Hour: Met, 200 * time.Second: Undecided} {
		r := plan(t, Request{Image: 12e9, Weights: 60e9, Instance: node(t, "g6e.12xlarge"), SLO: slo})
		if got := *option(t, r, Best).SLO; got != want {
			t.Errorf("an SLO of %v: %s, want %s", slo, got, want)
		}
		if r.Met() != (want != Missed) {
			t.Errorf("an SLO of %v: met is %v", slo, r.Met())
		}
	}
}

func TestPlacesOfWeights(t *testing.T) {
	g5 := node(t, "g5.12xlarge")
	load := func(r Request) Phase {
		r.Image, r.Weights, r.Instance = 9e9, 60e9, g5
		r.Root = Disk{Throughput: 2000 * facts.MiB}
		r, err := r.check()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range r.phases(set([]Technique{Stream})) {
			if p.Name == Load {
				return p
			}
		}
		t.Fatal("no load")
		return Phase{}
	}
	for name, c := range map[string]struct {
		of    Request
		mid   float64
		binds string
	}{
		// 16 Gbit/s of EBS bandwidth are less than 2,000 MiB/s of the volume.
		"EBS bandwidth of the instance": {Request{From: EBS}, 60e9 / (0.95 * 2e9), "EBS bandwidth of g5.12xlarge"},
		"EFS's limit for one client":    {Request{From: EFS}, 60e9 / (0.95 * 900 * facts.MiB), "limit for one client"},
		// One target of 1.2 TiB gives one client 5 Gbit/s.
		"FSx of one target":  {Request{From: FSx}, 60e9 / (0.95 * 625e6), "5 Gbit/s a target"},
		"FSx shared by ten":  {Request{From: FSx, Replicas: 10}, 60e9 / (0.95 * 120e6), "disks of the file system"},
		"S3 over 40 Gbit/s":  {Request{From: S3}, 60e9 / (0.95 * 0.6 * 5e9), "network of g5.12xlarge"},
		"what the user says": {Request{From: FSx, Storage: 1e9}, 60e9 / (0.95 * 1e9), "given for the storage"},
	} {
		p := load(c.of)
		if math.Abs(p.Seconds.Mid-c.mid) > 0.01*c.mid || !strings.Contains(p.Binding, c.binds) {
			t.Errorf("%s: %.1f s, bound by %q; want %.1f s by %q", name, p.Seconds.Mid, p.Binding, c.mid, c.binds)
		}
	}
}

func TestLogReplacesEstimates(t *testing.T) {
	log := calibrate.Log{Readings: map[calibrate.Quantity]calibrate.Reading{
		calibrate.LoadModel: {Value: 33, Unit: "s"}, calibrate.CompileTotal: {Value: 52, Unit: "s"}, calibrate.GraphTime: {Value: 54, Unit: "s"}, calibrate.InitEngine: {Value: 180, Unit: "s"},
	}}
	r := plan(t, Request{Image: 9e9, Weights: 16e9, Instance: node(t, "g6e.12xlarge"), Log: &log})
	base := option(t, r, Baseline)
	want := map[string]figure.Range{
		Load: figure.Exactly(33), Compile: figure.Exactly(52), Graphs: figure.Exactly(54),
		Init: {Low: 74 + facts.EngineProcess.Low, Mid: 74 + facts.EngineProcess.Mid, High: 74 + facts.EngineProcess.High},
	}
	for _, p := range base.Phases {
		if w, ok := want[p.Name]; ok && p.Seconds != w {
			t.Errorf("%s: %+v, the log says %+v", p.Name, p.Seconds, w)
		}
	}
	for _, p := range option(t, r, string(CompileCache)).Phases {
		if p.Name == Compile && p.Kind == figure.Measured {
			t.Error("a log without a compile cache is no measurement of one with it")
		}
	}
	for _, p := range option(t, r, string(Stream)).Phases {
		if p.Name == Load && p.Kind == figure.Measured {
			t.Error("a log of the default loader is no measurement of another")
		}
	}
}

func TestALogThatBeatsTheRooflineIsRefused(t *testing.T) {
	log := calibrate.Log{Readings: map[calibrate.Quantity]calibrate.Reading{calibrate.LoadModel: {Value: 33, Unit: "s"}}}
	r := Request{Image: 9e9, Weights: 16e9, Instance: node(t, "g6e.xlarge"), Log: &log}
	// 0.48 GB/s do not come over 2.5 Gbit/s.
	if _, err := Plan(r); err == nil || !strings.Contains(err.Error(), "485 MB/s") {
		t.Errorf("33 s over 2.5 Gbit/s: %v", err)
	}
	r.From = NVMe // read from memory after the fetch
	if _, err := Plan(r); err != nil {
		t.Error(err)
	}
}

func TestBadRequests(t *testing.T) {
	g6e := node(t, "g6e.12xlarge")
	good := Request{Image: 1e9, Weights: 1e9, Instance: g6e}
	if _, err := Plan(good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Request){
		"no image":             func(r *Request) { r.Image = 0 },
		"no weights":           func(r *Request) { r.Weights = 0 },
		"unpacks to less":      func(r *Request) { r.Unpacked = 1 },
		"no instance":          func(r *Request) { r.Instance = facts.Instance{} },
		"from nowhere":         func(r *Request) { r.From = "usb" },
		"another system":       func(r *Request) { r.OS = "windows" },
		"another engine":       func(r *Request) { r.Engine = "sglang@0.5" },
		"no instance store":    func(r *Request) { r.Instance, r.From = node(t, "inf2.xlarge"), NVMe },
		"too large for it":     func(r *Request) { r.From, r.Weights = NVMe, 9e12 },
		"too fast a volume":    func(r *Request) { r.Root.Throughput = 1e12 },
		"unknown technique":    func(r *Request) { r.Chosen = []Technique{"prayer"} },
		"two ways of an image": func(r *Request) { r.Chosen = []Technique{Lazy, Parallel} },
		"a crowd":              func(r *Request) { r.Replicas = 1e6 },
	} {
		r := good
		change(&r)
		if _, err := Plan(r); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Totals are the sums of their phases and keep their order; what remains without the
// longest phase is the rest; the best is no slower than any single technique.
func TestStartsAddUp(t *testing.T) {
	var instances []facts.Instance
	for _, i := range facts.Instances() {
		if i.NVMe > 0 && i.EBS > 0 && i.Network > 0 {
			instances = append(instances, i)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		r := Request{
			Image: rapid.Int64Range(1e6, 1e11).Draw(t, "image"), Weights: rapid.Int64Range(1e6, 1e11).Draw(t, "weights"),
			Instance: rapid.SampledFrom(instances).Draw(t, "instance"), From: rapid.SampledFrom(Places).Draw(t, "from"),
			OS: rapid.SampledFrom([]OS{AL2023, Bottlerocket}).Draw(t, "os"), Replicas: rapid.IntRange(1, 40).Draw(t, "replicas"),
			Root: Disk{NVMe: rapid.Bool().Draw(t, "nvme"), Throughput: float64(rapid.IntRange(125, 2000).Draw(t, "throughput")) * facts.MiB},
		}
		if r.From == NVMe && r.Weights > r.Instance.NVMe {
			t.Skip("does not fit")
		}
		result, err := Plan(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range result.Options {
			total := figure.Range{}
			for _, p := range o.Phases {
				if !(p.Seconds.Low >= 0 && p.Seconds.Low <= p.Seconds.Mid && p.Seconds.Mid <= p.Seconds.High) || !p.Seconds.Known() {
					t.Fatalf("%s, %s: %+v", o.ID, p.Name, p.Seconds)
				}
				if p.Source.Title == "" {
					t.Fatalf("%s, %s has no source", o.ID, p.Name)
				}
				total = total.Plus(p.Seconds)
			}
			if total != o.Total {
				t.Fatalf("%s: phases add up to %+v, the total is %+v", o.ID, total, o.Total)
			}
			if rest := o.Total.Mid - o.Next.Seconds.Mid; math.Abs(rest-o.Next.Remaining.Mid) > 1e-6*o.Total.Mid {
				t.Fatalf("%s: %g remain, the rest is %g", o.ID, o.Next.Remaining.Mid, rest)
			}
		}
		score := func(o Option) float64 { return (o.Total.Mid + o.Total.High) / 2 }
		best, _ := result.Option(Best)
		warm, _ := result.Option(BestWarm)
		for _, o := range result.Options {
			against := best
			if slices.Contains(o.Techniques, WarmNode) {
				against = warm
			}
			if score(against) > score(o)+1 {
				t.Fatalf("%s takes %.1f, %s alone %.1f", against.ID, score(against), o.ID, score(o))
			}
		}
	})
}

// The ranges of the facts are ranges, and are sourced.
func TestFacts(t *testing.T) {
	for name, s := range map[string]facts.Spread{
		"NodeAL2023": facts.NodeAL2023, "NodeBottlerocket": facts.NodeBottlerocket, "ContainerdDownload": facts.ContainerdDownload, "ContainerdUnpack": facts.ContainerdUnpack,
		"ParallelDownload": facts.ParallelDownload, "ParallelUnpack": facts.ParallelUnpack, "ParallelSlow": facts.ParallelSlow, "LazyMount": facts.LazyMount, "LazyShare": facts.LazyShare,
		"LazySmall": facts.LazySmall, "LazyLarge": facts.LazyLarge, "ImageUnpacked": facts.ImageUnpacked, "MultiStage": facts.MultiStage, "DefaultLoader": facts.DefaultLoader,
		"CachedLoader": facts.CachedLoader, "StreamLoader": facts.StreamLoader, "StreamShare": facts.StreamShare, "EngineInit": facts.EngineInit, "EngineCompile": facts.EngineCompile,
		"EngineGraphs": facts.EngineGraphs, "CachedInit": facts.CachedInit, "CachedCompile": facts.CachedCompile, "CachedGraphs": facts.CachedGraphs, "EngineProcess": facts.EngineProcess,
	} {
		if !(s.Low > 0 && s.Low <= s.Mid && s.Mid <= s.High) || s.Unit == "" || !strings.HasPrefix(s.Source.URL, "https://") || s.Source.Date == "" {
			t.Errorf("%s: %+v", name, s)
		}
	}
	for id, m := range facts.ColdStarts {
		if m.Seconds <= 0 || m.Name == "" || !strings.HasPrefix(m.Source.URL, "https://") {
			t.Errorf("%s: %+v", id, m)
		}
	}
}

// Each promise is judged with what was measured and what it saves here.
func TestClaims(t *testing.T) {
	r := plan(t, Request{Image: 12e9, Weights: 60e9, From: Image, Instance: node(t, "g6e.12xlarge")})
	want := map[string][]float64{string(Parallel): {70, 82, -66}, string(SnapshotFast): {}, string(Decouple): {54}, string(MultiStage): {54}, Best: {93, 72}}
	for _, c := range r.Claims {
		if c.Here == nil || len(c.Sources) == 0 || c.Verdict == "" {
			t.Errorf("%s: %+v", c.Name, c)
		}
		measured, ok := want[c.Name]
		if !ok || len(measured) != len(c.Measured) {
			t.Fatalf("%s: measured %+v, want %v", c.Name, c.Measured, measured)
		}
		for i, m := range c.Measured {
			if math.Round(m.Pct) != measured[i] {
				t.Errorf("%s: %.1f %% (%s), want %g", c.Name, m.Pct, m.What, measured[i])
			}
		}
	}
	if len(r.Claims) != len(want) {
		t.Errorf("%d claims, want %d", len(r.Claims), len(want))
	}
}
