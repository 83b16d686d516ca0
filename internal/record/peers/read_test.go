package peers

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/record"
)

var update = flag.Bool("update", false, "write the golden files again")

// figures of a level that a golden file holds: what a reader of another tool's
// file has to get right.
type figures struct {
	ID                       string
	Load                     record.Load
	Requests                 record.Requests
	Verdict                  string
	TTFT, TTFO, ITL, ICL, E2 [4]float64 // n, mean, p50, max; 0 where not known
	Throughput               record.Throughput
	Got                      record.Tokens
	Quoted                   map[string]float64 `json:",omitempty"`
}

type golden struct {
	Tool        record.Tool
	Target      record.Target
	Requests    int
	Notes       []string
	Levels      []figures
	Comparisons map[string]string
}

func goldenOf(f *File) golden {
	g := golden{Tool: f.Run.Tool, Target: f.Run.Target, Requests: len(f.Requests), Notes: f.Run.Notes, Comparisons: map[string]string{}}
	for i := range f.Run.Levels {
		l := &f.Run.Levels[i]
		four := func(metric string) [4]float64 {
			d := l.Metric(metric)
			return [4]float64{float64(d.N), value(d.Mean), value(d.P50), value(d.Max)}
		}
		g.Levels = append(g.Levels, figures{
			ID: l.ID, Load: l.Load, Requests: l.Requests, Verdict: l.Validity.Verdict, Quoted: l.Quoted,
			TTFT: four(ttft), TTFO: four(ttfo), ITL: four(itl), ICL: four(icl), E2: four(e2e), Throughput: l.Throughput, Got: l.Got,
		})
	}
	for _, d := range f.Run.Definitions {
		g.Comparisons[d.Metric] = d.Comparable
	}
	return g
}

// TestReadsWhatTheirToolsWrote reads files that the released tools wrote and
// compares every figure with the golden ones, which were checked by hand
// against the aggregates in the same files: see TestOursAgreeWithTheirs.
func TestReadsWhatTheirToolsWrote(t *testing.T) {
	for _, path := range samples(t) {
		t.Run(path, func(t *testing.T) {
			f, err := Open(filepath.Join("testdata", path))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(goldenOf(f), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "golden", strings.NewReplacer("/", "_", ".json", "").Replace(path)+".json")
			if *update {
				if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(strings.TrimSpace(string(want)), string(got)); d != "" {
				t.Errorf("figures (-want +got):\n%s", d)
			}
		})
	}
}

// samples are the results in testdata: files, and folders that a tool leaves.
func samples(t *testing.T) (out []string) {
	t.Helper()
	dirs, err := filepath.Glob("testdata/*-[0-9]*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		rel, err := filepath.Rel("testdata", d)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, filepath.ToSlash(rel))
	}
	if len(out) == 0 {
		t.Fatal("no samples")
	}
	return out
}

func TestUnknownFilesAreRefusedWithWhatWasLookedFor(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"empty.json": "", "list.json": "[]", "number.json": "7", "other.json": `{"completed":1,"request_throughput":2}`, "text.json": "hello",
		"deep.json": strings.Repeat("[", 10000),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		unknown, ok := err.(*UnknownError)
		if !ok {
			t.Errorf("%s: %v, want an UnknownError", name, err)
			continue
		}
		for _, f := range formats() {
			if !strings.Contains(err.Error(), f.tool) {
				t.Errorf("%s: %q does not name %s", name, err, f.tool)
			}
		}
		if unknown.Hint() == "" {
			t.Errorf("%s: no way out", name)
		}
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "neither a run folder") {
		t.Errorf("a folder without a result: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "absent")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "broken.json"), []byte(`{"completed":"x","request_throughput":1,"total_token_throughput":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(dir, "broken.json")); err == nil || !strings.Contains(err.Error(), "as a file of vllm") {
		t.Errorf("a broken file: %v", err)
	}
}

func TestNaNIsNoFigure(t *testing.T) {
	var got map[string]*float64
	text := `{"a":NaN,"b":-Infinity,"c":1,"NaN \" Infinity":2}`
	if err := decode([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	one, two := 1.0, 2.0
	if d := cmp.Diff(map[string]*float64{"a": nil, "b": nil, "c": &one, `NaN " Infinity`: &two}, got); d != "" {
		t.Errorf("figures (-want +got):\n%s", d)
	}
}
