package storage

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"assay/internal/facts"
	"assay/internal/figure"
)

var update = flag.Bool("update", false, "write the generated parts of docs")

const page = "../../../docs/storage.md"

// Every row of the choice by size, with what is asked of it in practice.
func TestTheChoiceBySize(t *testing.T) {
	g6e, p5, p5en := node(t, "g6e.12xlarge"), node(t, "p5.48xlarge"), node(t, "p5en.48xlarge")
	var b strings.Builder
	b.WriteString("| asked | by size | does it hold | recommended | a load | $/month |\n|:--|:--|:--|:--|:--|--:|\n")
	for _, c := range []struct {
		asked string
		need  Request
		holds bool
	}{
		{"140 GB of weights, one node, nothing else", Request{Size: 140e9, Use: Weights, Instance: g6e}, true},
		{"the same for 8 nodes, in 60 s", Request{Size: 140e9, Readers: 8, LoadWithin: time.Minute, Use: Weights, Instance: g6e}, false},
		{"300 GB that 4 nodes share", Request{Size: 300e9, Readers: 4, Shared: true, POSIX: true, Instance: g6e}, false},
		{"894 GiB of weights, 2 nodes, nothing else", Request{Size: 894 * facts.GiB, Readers: 2, Use: Weights, Instance: p5en}, true},
		{"the same in 5 minutes", Request{Size: 894 * facts.GiB, Readers: 2, LoadWithin: 5 * time.Minute, Use: Weights, Instance: p5en}, false},
		{"2 TB of checkpoints, 4 nodes, written at 5 GB/s", Request{Size: 2e12, Readers: 4, WriteRate: 5e9, Use: Checkpoint, Instance: p5}, false},
		{"12 TB for 16 nodes, nothing else", Request{Size: 12e12, Readers: 16, Instance: p5}, true},
		{"the same at 2 GB/s each", Request{Size: 12e12, Readers: 16, ReadRate: 2e9, Instance: p5}, false},
		{"the same, renamed and changed in place", Request{Size: 12e12, Readers: 16, ReadRate: 2e9, Shared: true, POSIX: true, Instance: p5}, true},
		{"20 TB to keep, seldom read", Request{Size: 20e12, Use: Archive}, false},
	} {
		r := plan(t, c.need)
		if r.Recommended == nil || r.Band.Overruled == c.holds {
			t.Errorf("%s: %s; overruled %v (%s)", c.asked, r.Say, r.Band.Overruled, r.Band.Why)
			continue
		}
		first, holds := r.Options[0], "yes"
		if r.Band.Overruled {
			holds = "no: " + r.Band.Why
		}
		_, choice, _ := strings.Cut(r.Band.Text, ": ")
		usd := "not known"
		if first.Total != nil {
			usd = fmt.Sprintf("%.0f", first.Total.Mid)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", c.asked, choice, holds, first.Name, loadText(first.Load), usd)
	}
	golden(t, "bands", b.String())
}

func loadText(r figure.Range) string {
	switch {
	case r.Low == r.High && r.High < 600:
		return fmt.Sprintf("%.0f s", r.High)
	case r.Low == r.High:
		return fmt.Sprintf("%.0f min", r.High/60)
	case r.High < 600:
		return fmt.Sprintf("%.0f to %.0f s", r.Low, r.High)
	}
	return fmt.Sprintf("%.0f to %.0f min", r.Low/60, r.High/60)
}

// What each place gives, from the facts.
func TestPlacesInTheDocs(t *testing.T) {
	var b strings.Builder
	b.WriteString("| place | reads | writes | mounted by | zones | source |\n|:--|:--|:--|:--|:--|:--|\n")
	row := func(place, reads, writes, mounted, zones string, s facts.Source) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | [%s](%s), %s |\n", place, reads, writes, mounted, zones, s.Title, s.URL, s.Date)
	}
	mib := func(v float64) string { return fmt.Sprintf("%.0f MiB/s", v/facts.MiB) }
	for _, v := range []struct {
		name string
		facts.Volume
	}{{"EBS gp3", facts.GP3}, {"EBS io2 Block Express", facts.IO2}} {
		base := ""
		if v.BaseThroughput > 0 {
			base = mib(v.BaseThroughput) + " to "
		}
		row(v.name, fmt.Sprintf("%s%s, %g MiB/s an IOPS, to %d TiB", base, mib(v.MostThroughput), v.ThroughputPerIOPS/facts.MiB, v.MostSize>>40), "as reads", "one node", "one", v.Source)
	}
	for _, k := range []Kind{EFSElastic, EFSProvisioned, EFSBursting, EFSOneZone} {
		fs, zones := efs(k), "one"
		if fs.Zones {
			zones = "several"
		}
		span := func(low, high float64) string {
			if low == high {
				return fmt.Sprintf("%.3g GiB/s", low/facts.GiB)
			}
			return fmt.Sprintf("%.3g to %.3g GiB/s", low/facts.GiB, high/facts.GiB)
		}
		row(efsNames[k], span(fs.ReadLow, fs.ReadHigh)+", a client "+mib(fs.Client), span(fs.WriteLow, fs.WriteHigh), "all", zones, fs.Source)
	}
	for _, l := range facts.Lustres {
		tiers := l.PerTiB
		if tiers == nil {
			tiers = []int{0}
		}
		var reads, writes []string
		for _, tier := range tiers {
			reads = append(reads, fmt.Sprintf("%.0f", l.DiskRead[tier]/1e6))
			writes = append(writes, fmt.Sprintf("%.0f", l.DiskWrite[tier]/1e6))
		}
		row("FSx for Lustre "+l.Deployment, strings.Join(reads, ", ")+" MB/s/TiB from disk", strings.Join(writes, ", ")+" MB/s/TiB", "all", "one", l.Source)
	}
	tiering := facts.LustreTieringStep
	row("FSx for Lustre Intelligent-Tiering", fmt.Sprintf("steps of %.0f MB/s, from the SSD cache", tiering.Value/1e6), "the same steps", "all", "one, data in several", tiering.Source)
	row("S3 with Mountpoint", fmt.Sprintf("%.0f GETs/s a prefix, of %.0f MiB", facts.S3GetsPerPrefix.Value, facts.MountpointPart.Value/facts.MiB), "new files, in order", "all", "several", facts.S3GetsPerPrefix.Source)
	row("S3 Express One Zone", fmt.Sprintf("%.0f GETs/s a bucket", facts.S3ExpressGets.Value), "new files, in order", "all", "one", facts.S3ExpressGets.Source)
	of := facts.InstanceStore
	row("instance store", fmt.Sprintf("%.1f to %.0f GB/s a TB, estimated", of.Low*1e3, of.High*1e3), "half of that", "its node", "lost with its node", of.Source)
	golden(t, "places", b.String())
}

// golden holds a generated part of the page, between its marks.
func golden(t *testing.T, mark, text string) {
	t.Helper()
	doc, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- begin "+mark+" -->\n", "<!-- end "+mark+" -->"
	i, j := strings.Index(string(doc), begin), strings.Index(string(doc), end)
	if i < 0 || j < i {
		t.Fatalf("%s has no marks for %s", page, mark)
	}
	i += len(begin)
	if *update {
		if err := os.WriteFile(page, []byte(string(doc[:i])+text+string(doc[j:])), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := string(doc[i:j]); got != text {
		t.Errorf("%s: %s is not what the code says (run with -update):\n%s", page, mark, text)
	}
}
