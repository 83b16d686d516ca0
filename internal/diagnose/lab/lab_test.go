package lab

import (
	"math"
	"testing"

	"assay/internal/record"

	"github.com/google/go-cmp/cmp"
)

// A seed beside another's gives other systems: what was chosen on one is graded on
// the other.
func TestNeighbouringSeedsShareNoSystem(t *testing.T) {
	seeds := map[uint64]bool{}
	for _, s := range append(Systems(1, 30), Systems(2, 30)...) {
		if seeds[s.Seed] {
			t.Fatalf("both have the system of seed %d", s.Seed)
		}
		seeds[s.Seed] = true
	}
}

// A GPU with errors is what binds, however little they cost of the throughput.
func TestTruthOfAFault(t *testing.T) {
	for _, s := range Development()[:52] {
		if !s.rig.fault.on() {
			continue
		}
		if truth := s.Truth(); len(truth.Bounds) != 1 || truth.Bounds[0] != record.BoundFault {
			t.Errorf("%s: %+v", s.Name, truth)
		}
	}
}

func TestHalvesAreApartAndWhole(t *testing.T) {
	seeds := map[uint64]bool{}
	dev, held := Development(), Held()
	for _, s := range append(dev, held...) {
		if seeds[s.Seed] {
			t.Errorf("the system of seed %d is in both halves, or twice", s.Seed)
		}
		seeds[s.Seed] = true
	}
	if n := len(seeds); n < 240 {
		t.Errorf("%d systems, want at least 240", n)
	}
	if len(dev) < 110 || len(held) < 110 {
		t.Errorf("%d and %d systems: no halves", len(dev), len(held))
	}
}

// Each class is in both halves as it was meant, plain and varied.
func TestEachHalfHasEachClass(t *testing.T) {
	for name, systems := range map[string][]System{"development": Development(), "held": Held()} {
		plain, varied := map[string]int{}, map[string]int{}
		for _, s := range systems {
			if s.Varied {
				varied[s.Meant]++
			} else {
				plain[s.Meant]++
			}
		}
		for _, c := range classes {
			if plain[c.bound] < 4 || varied[c.bound] < 4 {
				t.Errorf("%s: %d plain and %d varied systems of %s", name, plain[c.bound], varied[c.bound], c.bound)
			}
		}
	}
}

// What was built to bind does bind, by experiment, in nearly all plain systems.
func TestWhatWasMeantBinds(t *testing.T) {
	right, all := 0, 0
	for i, s := range Development() {
		if s.Varied || i%4 != 0 {
			continue
		}
		all++
		truth := s.Truth()
		if truth.Right(s.Meant) {
			right++
		} else {
			t.Logf("%s, meant to be %s, is %v: gains %v", s.Name, s.Meant, truth.Bounds, truth.Gains)
		}
		if len(truth.Bounds) == 0 {
			t.Errorf("%s: nothing binds: %v", s.Name, truth.Gains)
		}
	}
	if all < 12 || float64(right) < 0.9*float64(all) {
		t.Errorf("%d of %d systems are what they were built to be, want nine in ten", right, all)
	}
}

// find is the first plain system that was meant to be of a class.
func find(t *testing.T, bound string) System {
	t.Helper()
	for _, s := range Development() {
		if s.Meant == bound && !s.Varied {
			return s
		}
	}
	t.Fatalf("no system of %s", bound)
	return System{}
}

// Twice the sequences that may run give twice the throughput while steps are as
// long, and nothing else does.
func TestTruthOfALimit(t *testing.T) {
	truth := find(t, record.BoundAdmission).Truth()
	if !truth.Clear || truth.Bounds[0] != record.BoundAdmission || truth.Gains[record.BoundAdmission] < 0.6 {
		t.Errorf("%+v", truth)
	}
	if g := truth.Gains[record.BoundKVCache]; g > 0.05 {
		t.Errorf("more KV cache gives %.2f to a server that max_num_seqs holds", g)
	}
}

func TestTheSameSystemMeasuresTheSame(t *testing.T) {
	s := Held()[3]
	if diff := cmp.Diff(s.Measure(), s.Measure()); diff != "" {
		t.Errorf("two measurements differ:\n%s", diff)
	}
}

// A measurement is one that a bench could have recorded.
func TestMeasurementsAreConsistent(t *testing.T) {
	silent, blind, unlimited := 0, 0, 0
	for i, s := range Development() {
		if i%4 != 0 {
			continue
		}
		m := s.Measure()
		if m.Saturation == nil || len(m.Levels) < 3 {
			t.Fatalf("%s: %d levels, saturation %v", s.Name, len(m.Levels), m.Saturation)
		}
		for _, l := range m.Levels {
			checkLevel(t, s, l)
		}
		last := m.Levels[len(m.Levels)-1]
		if last.GPU == nil {
			silent++
		} else if last.GPU.DRAMActive == nil {
			blind++
		}
		if last.Server != nil && last.Server.MaxNumSeqs == nil {
			unlimited++
		}
	}
	if silent == 0 || blind == 0 || unlimited == 0 {
		t.Errorf("%d systems without DCGM, %d without profiling counters, %d without published limits: want some of each", silent, blind, unlimited)
	}
}

// A client without CPU time is seen as bench would see it, if not at every latency.
func TestASlowClientSpoilsItsLevels(t *testing.T) {
	all, spoiled := 0, 0
	for _, s := range Development() {
		if s.Meant != record.BoundClient || s.Varied {
			continue
		}
		all++
		m := s.Measure()
		last := m.Levels[len(m.Levels)-1]
		if last.Validity.Verdict == record.ClientLimited {
			spoiled++
		}
		if last.Client.CPU < 0.9 {
			t.Errorf("%s: %g cores", s.Name, last.Client.CPU)
		}
		if last.Server == nil || last.Server.RunningMean == nil {
			continue
		}
		if running := *last.Server.RunningMean; running > 0.8*last.Client.InFlight.Mean {
			t.Errorf("%s: the engine runs %v of %g in flight: it should wait for its client", s.Name, running, last.Client.InFlight.Mean)
		}
	}
	if all < 4 || spoiled == 0 {
		t.Errorf("%d of %d levels are limited by the client", spoiled, all)
	}
}

// Among open loops there are rates that a server keeps up with and rates that it does not.
func TestOpenLoopsShowOverload(t *testing.T) {
	steady, over := 0, 0
	for _, s := range append(Development(), Held()...) {
		if s.loads[0].rate == 0 {
			continue
		}
		for _, l := range s.Measure().Levels {
			if l.Oversaturated.Verdict == record.Oversaturated {
				over++
			} else if l.Validity.Verdict == record.Valid {
				steady++
			}
		}
	}
	if steady < 20 || over < 10 {
		t.Errorf("%d levels are steady and %d oversaturated", steady, over)
	}
}

func checkLevel(t *testing.T, s System, l record.Level) {
	t.Helper()
	if l.Validity.Verdict == record.Valid && l.Load.Kind == record.ByConcurrency {
		// Little's law over the window; a request at its edges is in one of both.
		product := l.Throughput.RequestsPerS * *l.E2E.Mean / 1000
		if n := l.Client.InFlight.Mean; math.Abs(product-n) > 0.25*n+1 {
			t.Errorf("%s %s: %.2f in flight, %.2f by Little's law", s.Name, l.ID, n, product)
		}
	}
	a := l.Server
	if a == nil || a.Changed != "" {
		return
	}
	if a.RunningMean != nil && *a.RunningMean+*a.WaitingMean > 1.1*l.Client.InFlight.Mean+1.5 && l.Load.Kind == record.ByConcurrency {
		t.Errorf("%s %s: %g running and %g waiting of %g in flight", s.Name, l.ID, *a.RunningMean, *a.WaitingMean, l.Client.InFlight.Mean)
	}
	if l.Requests.Completed > 0 && *l.Anatomy.Network < -1e-6 {
		t.Errorf("%s %s: the server's TTFT of %g ms is above the client's %g", s.Name, l.ID, *a.TTFTMean, *l.TTFT.Mean)
	}
	shares := map[string]*float64{"KV usage": a.KVUsageMax, "waiting": a.WaitingShare}
	if g := l.GPU; g != nil {
		shares["engine"], shares["SM"], shares["tensor"], shares["DRAM"] = g.EngineActive, g.SMActive, g.TensorActive, g.DRAMActive
	}
	for what, v := range shares {
		if v != nil && !(*v >= 0 && *v <= 1) {
			t.Errorf("%s %s: %s %g", s.Name, l.ID, what, *v)
		}
	}
}
