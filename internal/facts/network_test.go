package facts

import (
	"strings"
	"testing"
	"time"
)

func TestNetworkSettingsAreSourced(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range NetworkSettings() {
		if seen[s.Name] {
			t.Errorf("%s twice", s.Name)
		}
		seen[s.Name] = true
		if _, err := time.Parse(time.DateOnly, s.Source.Date); err != nil || s.Source.Title == "" || !strings.HasPrefix(s.Source.URL, "https://") || s.Reason == "" {
			t.Errorf("%s: reason %q, source %+v", s.Name, s.Reason, s.Source)
		}
		if s.Advice == Set && s.Value == "" {
			t.Errorf("%s is to be set, to nothing", s.Name)
		}
	}
	// What old guides set and current versions do not need, or are harmed by.
	for name, want := range map[string]Advice{"FI_PROVIDER": NotNeeded, "FI_EFA_USE_DEVICE_RDMA": NotNeeded, "NCCL_ALGO": LeaveOut, "NCCL_SOCKET_IFNAME": Set, "RDMAV_FORK_SAFE": Never} {
		for _, s := range NetworkSettings() {
			if s.Name == name && s.Advice != want {
				t.Errorf("%s: %s, want %s", name, s.Advice, want)
			}
		}
		if !seen[name] {
			t.Errorf("nothing is said of %s", name)
		}
	}
}

func TestCapacityBlockDays(t *testing.T) {
	for need, want := range map[float64]int{0: 1, 0.2: 1, 1: 1, 1.1: 2, 14: 14, 14.5: 21, 21: 21, 22: 28, 182: 182, 183: 0} {
		if got := CapacityBlocks().Days(need); got != want {
			t.Errorf("Days(%g) = %d, want %d", need, got, want)
		}
	}
}

func TestPlacements(t *testing.T) {
	all := Placements()
	for i, name := range []string{"cluster", "spread", "partition"} {
		if p := all[i]; p.Strategy != name || p.For == "" || p.Limits == "" || !strings.Contains(p.Create[0], "--strategy "+name) {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
