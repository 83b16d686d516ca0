package record

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fill makes every pointer, slice and map below v hold something, and every
// float x.
func fill(v reflect.Value, x float64) {
	switch v.Kind() {
	case reflect.Float64:
		v.SetFloat(x)
	case reflect.String:
		v.SetString("s")
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), x)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.Set(reflect.ValueOf(json.RawMessage(`{}`)))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), x)
		fill(v.Index(1), x)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		elem := reflect.New(v.Type().Elem()).Elem()
		fill(elem, x)
		v.SetMapIndex(reflect.ValueOf("k"), elem)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), x)
		}
	}
}

func TestAnyFigureThatIsNoneLeavesTheRunReadable(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		var run Run
		fill(reflect.ValueOf(&run).Elem(), x)
		run.Schema, run.Spec = Schema, json.RawMessage(`{}`)
		dir := t.TempDir()
		if err := SaveRun(dir, &run); err != nil {
			t.Fatalf("%g: %v", x, err)
		}
		f, err := Open(dir)
		if err != nil {
			t.Fatalf("%g: %v", x, err)
		}
		got := f.Run
		if len(got.Levels) != 2 || got.Levels[1].Server == nil || got.Levels[1].Server.KVTokens != nil || got.Levels[0].Throughput.RequestsPerS != 0 {
			t.Errorf("%g: the rest was not kept, or the figure was: %+v", x, got.Levels)
		}
		if note := got.Notes[len(got.Notes)-1]; !strings.Contains(note, "levels[0].") || !strings.Contains(note, "more") || len(note) > 400 {
			t.Errorf("%g: the note %q", x, note)
		}
		if run.Levels[0].Server.KVTokens == nil || len(run.Notes) != 2 {
			t.Errorf("%g: saving changed the caller's run", x)
		}
	}
}

func TestFiniteFiguresAreKept(t *testing.T) {
	var run Run
	fill(reflect.ValueOf(&run).Elem(), 1.5)
	clean, lost := finite(run)
	if d := cmp.Diff(run, clean); d != "" || len(lost) > 0 {
		t.Errorf("lost %v, -want +got:\n%s", lost, d)
	}
	if finiteRun(&run) != &run {
		t.Error("a run without such a figure was copied")
	}
}

func TestLinesLoseOnlyTheFigureThatIsNone(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir, newRun())
	if err != nil {
		t.Fatal(err)
	}
	w.Metrics(MetricsSample{AtUS: 1, Values: map[string]float64{"x": math.Inf(1), "y": 2}})
	w.Client(ClientSample{AtUS: 1, CPUCores: math.NaN(), Sent: 3})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, MetricsFile))
	if want := fmt.Sprintln(`{"at_us":1,"level":"","source":"","values":{"y":2}}`); err != nil || string(b) != want {
		t.Errorf("metrics.jsonl: %q, %v; want %q", b, err, want)
	}
	if b, err = os.ReadFile(filepath.Join(dir, ClientFile)); err != nil || !strings.Contains(string(b), `"cpu_cores":0,`) || !strings.Contains(string(b), `"sent":3`) {
		t.Errorf("client.jsonl: %q, %v", b, err)
	}
}
