package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/nullserver"
)

// TestMain is the watcher too: run starts its own program as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 4 && os.Args[1] == "watch" {
		main()
		return
	}
	os.Exit(m.Run())
}

// A client may leave a process behind that goes on working: it is waited for
// and its time counts.
func TestUsageIsOfTheWholeTree(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the peers are measured on Linux only")
	}
	dir := t.TempDir()
	busy := `(i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done >late) & echo said; exit 3`
	u, err := run(t.Context(), client{args: []string{"sh", "-c", busy}, dir: dir, memory: true})
	if err != nil {
		t.Fatal(err)
	}
	if u.Exit != 3 {
		t.Errorf("exit status %d, want 3", u.Exit)
	}
	if _, err := os.Stat(filepath.Join(dir, "late")); err != nil {
		t.Errorf("what was left behind was not waited for: %v", err)
	}
	if u.CPUS < 0.02 { // 300,000 rounds of a shell take more on any machine
		t.Errorf("%.3f s of CPU time: the work of what was left behind is missing", u.CPUS)
	}
	if u.PeakMiB == nil || *u.PeakMiB <= 0 {
		t.Errorf("peak memory %v", u.PeakMiB)
	}
	if out, err := os.ReadFile(filepath.Join(dir, "stdout")); err != nil || string(out) != "said\n" {
		t.Errorf("stdout %q, error %v", out, err)
	}
}

func TestTruthIsOfMeasuredRequests(t *testing.T) {
	ms := time.Millisecond
	entry := func(id string, received, first, last time.Duration) nullserver.Entry {
		return nullserver.Entry{ID: id, Received: received, First: first, Last: last, Tokens: 11}
	}
	died := entry("b", 0, 60*ms, 70*ms)
	died.Failed = true
	broken := entry("d", 0, 60*ms, 70*ms)
	broken.Broken = true
	l := nullserver.Ledger{MostOpen: 2, Tokens: 44, Entries: []nullserver.Entry{
		entry("warm", 0, 500*ms, 600*ms), entry("a", 1000*ms, 1050*ms, 1150*ms), died, entry("c", 2000*ms, 2070*ms, 3000*ms), broken,
	}}
	known := truth(l, Account{byID: map[string]*float64{"a": new(51.0), "b": nil, "c": new(74.0), "d": nil}})
	want := Truth{
		Completed: 2, Failed: 1, TTFTMean: new(60.0), ITLMean: new(51.5), RequestsPerS: new(1.0),
		MostOpen: 2, Tokens: 44, Requests: 5, ErrorMean: new(2.5),
	}
	if diff := cmp.Diff(want, known); diff != "" {
		t.Errorf("by id (-want +got):\n%s", diff)
	}
	all := truth(l, Account{byID: map[string]*float64{"of another run": nil}})
	if all.Completed != 3 || all.Failed != 1 || all.ErrorMean != nil {
		t.Errorf("ids that the server never saw: got %+v, want all three answers and no comparison by request", all)
	}
}
