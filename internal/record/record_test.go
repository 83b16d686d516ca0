package record

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func newRun() *Run {
	return &Run{
		Schema: Schema, Start: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), Spec: json.RawMessage(`{"seed":1}`),
		Levels: []Level{}, Bound: Bound{Verdict: BoundUnknown},
	}
}

func request(id string) Request {
	n := 3
	return Request{ID: id, Level: "l", Phase: Measured, SentUS: 10, EndUS: 99, ChunkUS: []int64{5, 7}, ChunkTokens: []int{1, 2}, OutputTokens: &n}
}

func TestWriterRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	run := newRun()
	w, err := Create(dir, run)
	if err != nil {
		t.Fatal(err)
	}
	want := []Request{request("a"), request("b")}
	for _, r := range want {
		w.Request(r)
	}
	w.Client(ClientSample{AtUS: 1, Level: "l", InFlight: 2})
	w.Metrics(MetricsSample{AtUS: 1, Values: map[string]float64{"x": 1}})
	run.Complete = true
	if err := w.SaveRun(run); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Requests()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("requests (-want +got):\n%s", d)
	}
	if !f.Run.Complete {
		t.Error("run.json was not replaced")
	}
	samples, err := f.ClientSamples()
	if err != nil || len(samples) != 1 || samples[0].InFlight != 2 {
		t.Errorf("client samples = %v, %v", samples, err)
	}
	metrics, err := f.MetricsSamples()
	if err != nil || len(metrics) != 1 || metrics[0].Values["x"] != 1 {
		t.Errorf("metrics samples = %v, %v", metrics, err)
	}
}

func TestLinesReachTheDiskWithoutClose(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir, newRun())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.Request(request("a"))
	deadline := time.Now().Add(10 * time.Second)
	for {
		b, err := os.ReadFile(filepath.Join(dir, RequestsFile))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(string(b), "\n") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the line was not flushed")
		}
		time.Sleep(flushEvery / 10)
	}
}

func TestCreateRefusesAFolderThatHoldsARun(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir, newRun())
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := Create(dir, newRun()); err == nil || !strings.Contains(err.Error(), "already holds a run") {
		t.Errorf("second Create: %v", err)
	}
}

func TestReaderLeavesOutACutLine(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir, newRun())
	if err != nil {
		t.Fatal(err)
	}
	w.Request(request("a"))
	w.Close()
	f, err := os.OpenFile(filepath.Join(dir, RequestsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"id":"b","level":"l","chu`)
	f.Close()
	folder, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := folder.Requests()
	if err != nil || len(got) != 1 || got[0].ID != "a" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestReaderNamesABrokenLine(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir, newRun())
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	os.WriteFile(filepath.Join(dir, RequestsFile), []byte("{}\nnonsense\n{}\n"), 0o644)
	folder, _ := Open(dir)
	for name, err := range map[string]error{"Requests": second(folder.Requests()), "Check": folder.Check()} {
		if err == nil || !strings.Contains(err.Error(), RequestsFile+":2") {
			t.Errorf("%s: error = %v, want its line", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestOpenSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "not a run folder") {
		t.Errorf("empty folder: %v", err)
	}
	file := filepath.Join(dir, "result.json")
	os.WriteFile(file, []byte(`{}`), 0o644)
	if _, err := Open(file); err == nil || !strings.Contains(err.Error(), "not a run folder") {
		t.Errorf("a file: %v", err)
	}
	os.WriteFile(filepath.Join(dir, RunFile), []byte(`{"schema":"other/v9"}`), 0o644)
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "other/v9") {
		t.Errorf("other schema: %v", err)
	}
	for _, text := range []string{`{"schema":"assay.run/v1"}`, `{"schema":"assay.run/v1","spec":null}`} {
		os.WriteFile(filepath.Join(dir, RunFile), []byte(text), 0o644)
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "spec") {
			t.Errorf("cut short without a spec: %v", err)
		}
	}
	os.WriteFile(filepath.Join(dir, RunFile), []byte(`{"schema":"assay.run/v1","end":"2026-11-30T09:00:00Z"}`), 0o644)
	if _, err := Open(dir); err != nil {
		t.Errorf("ended, without a spec: %v", err)
	}
}

func TestWriteErrorSticks(t *testing.T) {
	w, err := Create(t.TempDir(), newRun())
	if err != nil {
		t.Fatal(err)
	}
	w.files[0].f.Close() // what a vanished or full disk looks like to a write
	w.Request(request("a"))
	<-w.Failed()
	if err := w.Err(); err == nil || !strings.Contains(err.Error(), "write run folder") {
		t.Errorf("Err = %v", err)
	}
	w.Close()
}

func FuzzEachLine(f *testing.F) {
	f.Add([]byte("{\"id\":\"a\"}\n{}\n"))
	f.Add([]byte("{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), RequestsFile)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		lines := 0
		err := eachLine(path, func(Request) error { lines++; return nil })
		if err == nil && lines > strings.Count(string(data), "\n") {
			t.Errorf("%d requests from %d lines", lines, strings.Count(string(data), "\n"))
		}
	})
}
