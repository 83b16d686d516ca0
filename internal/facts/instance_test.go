package facts

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestInstancesAreSane(t *testing.T) {
	all := Instances()
	if len(all) != 83 {
		t.Errorf("%d types, not 83", len(all))
	}
	seen := map[string]bool{}
	for _, i := range all {
		if seen[i.Name] {
			t.Errorf("%s twice", i.Name)
		}
		seen[i.Name] = true
		if i.Family == "" || i.Size == "" || i.VCPU < 2 || i.Memory < 4*GiB || i.Accelerator == "" || i.Network <= 0 || i.EBS <= 0 || i.Pods < 1 {
			t.Errorf("%+v: incomplete", i)
		}
		// From 1 Gbit/s to 6.4 Tbit/s, from 3 to 100 Gbit/s.
		if i.Network < 1e9/8 || i.Network > 6400e9/8 || i.EBS < 3e9/8 || i.EBS > 100e9/8 {
			t.Errorf("%s: network %g, EBS %g bytes/s", i.Name, i.Network, i.EBS)
		}
		if i.Fractional() != (strings.HasPrefix(i.Family, "g6f") || strings.HasPrefix(i.Family, "gr6f")) {
			t.Errorf("%s: %d accelerators", i.Name, i.Count)
		}
		c, ok := i.Chip()
		if ok == i.Fractional() {
			t.Errorf("%s: chip %q, known %v", i.Name, c.Name, ok)
		}
		if i.Fractional() {
			continue
		}
		// What the type is sold with is what the table of chips says, give or take
		// decimal and binary gigabytes.
		if ratio := float64(i.ChipMemory) / float64(c.Nominal); i.ChipMemory > 0 && (ratio < 0.93 || ratio > 1.08) {
			t.Errorf("%s: %d bytes on each %s of %d", i.Name, i.ChipMemory, c.Name, c.Nominal)
		}
		if c.Usable > i.ChipMemory && i.ChipMemory > 0 {
			t.Errorf("%s: %s has %d usable bytes of %d", i.Name, c.Name, c.Usable, i.ChipMemory)
		}
		// No type has more hosts' worth of cards than the largest has.
		if i.Count > 16 || i.EFA > 32 {
			t.Errorf("%s: %d accelerators, %d EFA", i.Name, i.Count, i.EFA)
		}
		if _, ok := Quota(i, OnDemand); !ok {
			t.Errorf("%s: no on-demand quota", i.Name)
		}
		if _, ok := Quota(i, Spot); ok == strings.HasPrefix(i.Family, "p6") {
			t.Errorf("%s: spot quota known: %v", i.Name, ok)
		}
	}
	if s := InstanceSource(); s.Title == "" || !strings.HasPrefix(s.URL, "https://") {
		t.Errorf("source %+v", s)
	} else if _, err := time.Parse(time.DateOnly, s.Date); err != nil {
		t.Error(err)
	}
}

// Rows that AWS's own pages give, checked against the file.
func TestInstanceRows(t *testing.T) {
	for _, test := range []struct {
		name  string
		chip  string
		count int
		gbit  float64
		efa   int
	}{
		{"g5.12xlarge", "A10G", 4, 40, 1},
		{"g6e.48xlarge", "L40S", 8, 400, 4},
		{"g7e.24xlarge", "RTX-PRO-6000", 4, 800, 2},
		{"p4d.24xlarge", "A100-40", 8, 400, 4},
		{"p4de.24xlarge", "A100-80", 8, 400, 4},
		{"p5.48xlarge", "H100", 8, 3200, 32},
		{"P5EN.48xlarge", "H200", 8, 3200, 16},
		{"p6-b300.48xlarge", "B300", 8, 6400, 16},
		{"inf2.48xlarge", "Inferentia2", 12, 100, 0},
		{"trn2.48xlarge", "Trainium2", 16, 3200, 16},
	} {
		i, err := InstanceNamed(test.name)
		if err != nil {
			t.Error(err)
			continue
		}
		c, _ := i.Chip()
		if c.Name != test.chip || i.Count != test.count || i.Network*8/1e9 != test.gbit || i.EFA != test.efa {
			t.Errorf("%s: %d x %s, %g Gbit/s, %d EFA", test.name, i.Count, c.Name, i.Network*8/1e9, i.EFA)
		}
	}
}

func TestInstanceNamedRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"g5.12xl":     "g5.12xlarge",
		"p5.24xlarge": "p5.48xlarge",
		"g5_xlarge":   "g5.xlarge",
		"m5.xlarge":   "g5.xlarge",
	} {
		if _, err := InstanceNamed(name); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("InstanceNamed(%q): %v; want %s", name, err, want)
		}
	}
	var part *FractionalError
	if _, err := InstanceNamed("gr6f.4xlarge"); !errors.As(err, &part) || !strings.Contains(err.Error(), "g6.xlarge") || !strings.Contains(err.Error(), "11444 MiB") {
		t.Errorf("gr6f.4xlarge: %v", err)
	}
}

func TestQuota(t *testing.T) {
	g5, _ := InstanceNamed("g5.12xlarge")
	p5, _ := InstanceNamed("p5.48xlarge")
	got := []VCPUQuota{}
	for _, q := range []struct {
		i        Instance
		capacity string
	}{{g5, OnDemand}, {g5, Spot}, {p5, OnDemand}, {p5, Spot}} {
		v, ok := Quota(q.i, q.capacity)
		if !ok {
			t.Fatalf("%s %s", q.i.Name, q.capacity)
		}
		got = append(got, v)
	}
	codes := []string{got[0].Code, got[1].Code, got[2].Code, got[3].Code}
	if want := []string{"L-DB2E81BA", "L-3819A6DF", "L-417A185B", "L-C4BD4855"}; !slices.Equal(codes, want) || got[0].VCPU != 48 || got[3].VCPU != 192 {
		t.Errorf("%+v", got)
	}
	if _, ok := Quota(g5, "reserved"); ok {
		t.Error("a quota of reserved capacity")
	}
}

// Rows of Karpenter's reference: m5d.xlarge, m5d.12xlarge, m5d.24xlarge.
func TestAllocatable(t *testing.T) {
	for _, row := range []struct{ memory, pods, want int }{{16384, 58, 14162}, {196608, 234, 178933}, {393216, 737, 355262}} {
		i := Instance{Memory: int64(row.memory) * MiB, Pods: row.pods}
		if got := float64(i.Allocatable()) / MiB; got < float64(row.want)-1 || got > float64(row.want)+1 {
			t.Errorf("%d MiB and %d pods: %.0f MiB, want %d", row.memory, row.pods, got, row.want)
		}
	}
	for _, i := range Instances() {
		if a := i.Allocatable(); a <= i.Memory*8/10 || a >= i.Memory {
			t.Errorf("%s: %d of %d bytes", i.Name, a, i.Memory)
		}
	}
}
