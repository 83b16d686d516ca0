package practice

import (
	"testing"

	"assay/internal/facts"
)

func TestJudgeEFA(t *testing.T) {
	for _, c := range []struct {
		types                    []string
		interfaces, accelerators int
		want                     EFAJudgement
		most                     int
	}{
		{[]string{"p5.48xlarge"}, 32, 8, EFARight, 32},
		{[]string{"p5.48xlarge"}, 4, 8, EFATooFew, 32},
		{[]string{"p5.48xlarge"}, 16, 4, EFARight, 32}, // half a node
		{[]string{"p5.48xlarge"}, 4, 0, EFARight, 32},  // accelerators not known
		{[]string{"p4d.24xlarge"}, 4, 8, EFARight, 4},
		{[]string{"p4d.24xlarge"}, 32, 8, EFATooMany, 4},
		{[]string{"p4d.24xlarge", "p5.48xlarge"}, 4, 8, EFARight, 32}, // all of the first
		{[]string{"p5.48xlarge", "p5en.48xlarge"}, 4, 8, EFATooFew, 32},
		{[]string{"g5.2xlarge"}, 1, 1, EFAAbsent, 0},
	} {
		var types []facts.Instance
		for _, name := range c.types {
			i, err := facts.InstanceNamed(name)
			if err != nil {
				t.Fatal(err)
			}
			types = append(types, i)
		}
		if got, most := JudgeEFA(types, c.interfaces, c.accelerators); got != c.want || most != c.most {
			t.Errorf("JudgeEFA(%v, %d, %d) = %d, %d; want %d, %d", c.types, c.interfaces, c.accelerators, got, most, c.want, c.most)
		}
	}
}

func TestNetworkSetting(t *testing.T) {
	for name, want := range map[string]facts.Advice{
		"FI_PROVIDER": facts.NotNeeded, "NCCL_ALGO": facts.LeaveOut, "RDMAV_HUGEPAGES_SAFE": facts.Never, "NCCL_SOCKET_IFNAME": facts.Set,
	} {
		if s, ok := NetworkSetting(name); !ok || s.Advice != want {
			t.Errorf("%s: got %q, %v; want %q", name, s.Advice, ok, want)
		}
	}
	if s, ok := NetworkSetting("LD_LIBRARY_PATH"); ok {
		t.Errorf("LD_LIBRARY_PATH is taken for %s", s.Name)
	}
}
