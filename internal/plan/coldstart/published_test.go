package coldstart

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"assay/internal/facts"
	"assay/internal/figure"
)

var update = flag.Bool("update", false, "write the generated parts of docs")

func node(t testing.TB, name string) facts.Instance {
	t.Helper()
	i, err := facts.InstanceNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// published is one measurement, the request that describes it, and the phases that
// it is a sum of.
type published struct {
	id     string
	of     Request
	use    []Technique
	phases []string
	miss   string // why it lies outside; "": it lies inside
}

func publishedStarts(t testing.TB) []published {
	g6e, g5, fast := node(t, "g6e.12xlarge"), node(t, "g5.12xlarge"), Disk{Throughput: 1000 * facts.MiB}
	vllm := Request{Image: 9_354_342_327, Weights: 1e9, Instance: g6e, Root: fast}
	dlc := func(size int64) Request { return Request{Image: size, Weights: 1e9, Instance: g6e, Root: fast} }
	baked := Request{Image: 1.5e9, Weights: 11.5e9, From: Image, Instance: node(t, "g6e.xlarge")}
	llama := func(from From) Request {
		return Request{Image: 9e9, Weights: 15e9, From: from, Instance: g5, Root: fast}
	}
	// io2 gave what the EBS bandwidth of the instance allows.
	io2 := llama(EBS)
	io2.Storage = g5.EBS
	l40s := Request{Image: 9e9, Weights: 16e9, From: EBS, Instance: node(t, "g6e.xlarge"), Root: fast}
	fst := Request{Image: 9e9, Weights: 26e9, From: NVMe, Instance: g6e}
	engine := []string{Load, Init, Compile, Graphs}
	return []published{
		{id: "blueprints-containerd", of: vllm, phases: []string{Pull, Unpack}},
		{id: "blueprints-al2023", of: vllm, use: []Technique{Parallel}, phases: []string{Pull}},
		{id: "blueprints-bottlerocket", of: vllm, use: []Technique{Parallel}, phases: []string{Pull}},
		{id: "dlc-15", of: dlc(15e9), phases: []string{Pull, Unpack}},
		{id: "dlc-20", of: dlc(20e9), phases: []string{Pull, Unpack}},
		{id: "bento-pull", of: dlc(20.2e9), phases: []string{Pull}},
		{id: "bento-extract", of: dlc(20.2e9), phases: []string{Unpack}},
		{id: "vertexcover-before", of: baked, phases: []string{Pull, Unpack, Load, Init}},
		{id: "vertexcover-lazy", of: baked, use: []Technique{Lazy}, phases: []string{Pull, Reads, Load, Init}},
		{id: "vertexcover-after", of: baked, use: []Technique{Parallel, FastDisk}, phases: []string{Pull, Load, Init}, miss: "its layers were not compressed, and its engine is not vLLM: neither is planned for"},
		{id: "runai-gp3", of: llama(EBS), phases: []string{Load}},
		{id: "runai-gp3-stream", of: llama(EBS), use: []Technique{Stream}, phases: []string{Load}},
		{id: "runai-gp3-tensorizer", of: llama(EBS), use: []Technique{Stream}, phases: []string{Load}},
		{id: "runai-io2", of: io2, phases: []string{Load}},
		{id: "runai-io2-stream", of: io2, use: []Technique{Stream}, phases: []string{Load}},
		{id: "runai-io2-tensorizer", of: io2, use: []Technique{Stream}, phases: []string{Load}},
		{id: "runai-s3-c4", of: llama(S3), use: []Technique{Stream}, phases: []string{Load}, miss: "four requests at a time reach 0.53 GB/s, below what parallel reads are supposed to"},
		{id: "runai-s3-c16", of: llama(S3), use: []Technique{Stream}, phases: []string{Load}},
		{id: "runai-s3-c32", of: llama(S3), use: []Technique{Stream}, phases: []string{Load}},
		{id: "runai-s3-tensorizer", of: llama(S3), use: []Technique{Stream}, phases: []string{Load}, miss: "tensorizer read S3 by few connections: 0.4 GB/s"},
		{id: "fast-before", of: fst, phases: []string{Load}},
		{id: "fast-after", of: fst, use: []Technique{Stream}, phases: []string{Load}},
		{id: "tensorfuse-load", of: l40s, phases: []string{Load}},
		{id: "tensorfuse-compile", of: l40s, phases: []string{Compile}},
		{id: "tensorfuse-graphs", of: l40s, phases: []string{Graphs}},
		{id: "tensorfuse-init", of: l40s, phases: []string{Init}},
		{id: "tensorfuse-engine", of: l40s, phases: engine},
		{id: "tensorfuse-cached", of: l40s, use: []Technique{CompileCache}, phases: engine},
		{id: "modelplane-efs", of: Request{Image: 9e9, Weights: 894 * facts.GiB, From: EFS, Instance: node(t, "p5en.48xlarge"), Replicas: 2}, phases: []string{Load}},
	}
}

// sum adds up phases of a start.
func sum(t testing.TB, r Request, use []Technique, names []string) figure.Range {
	t.Helper()
	r, err := r.check()
	if err != nil {
		t.Fatal(err)
	}
	total := figure.Range{}
	for _, p := range r.phases(set(use)) {
		if slices.Contains(names, p.Name) {
			total = total.Plus(p.Seconds)
		}
	}
	return total
}

// rounding is what a published figure may lie outside by.
const rounding = 1.01

// Published cold starts lie inside the ranges, but for those that are named with the
// reason; the table stands in the docs.
func TestPublishedStarts(t *testing.T) {
	var b strings.Builder
	b.WriteString("| measured | seconds | planned, low to high | mid | | source |\n|:--|--:|:--|--:|:--|:--|\n")
	inside := 0
	starts := publishedStarts(t)
	for _, c := range starts {
		m, ok := facts.ColdStarts[c.id]
		if !ok {
			t.Fatalf("no measurement %s", c.id)
		}
		got := sum(t, c.of, c.use, c.phases)
		in := got.Low <= rounding*m.Seconds && m.Seconds <= rounding*got.High
		if in != (c.miss == "") {
			t.Errorf("%s: measured %g s, planned %.1f to %.1f s; inside is %v, the table says %q", c.id, m.Seconds, got.Low, got.High, in, c.miss)
		}
		verdict := "inside"
		if in {
			inside++
		} else {
			verdict = "outside: " + c.miss
		}
		fmt.Fprintf(&b, "| %s | %g | %s to %s | %s | %s | [%s](%s), %s |\n", m.Name, m.Seconds, tidy(got.Low), tidy(got.High), tidy(got.Mid), verdict, title(m.Source), m.Source.URL, m.Source.Date)
	}
	fmt.Fprintf(&b, "\n%d of %d lie inside.\n", inside, len(starts))
	golden(t, "../../../docs/coldstart.md", "published", b.String())
}

func tidy(v float64) string {
	if v < 100 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// title is the first words of a source's title.
func title(s facts.Source) string {
	first, _, _ := strings.Cut(s.Title, ",")
	first, _, _ = strings.Cut(first, ": ")
	return first
}

// golden holds a generated part of a page, between its marks.
func golden(t *testing.T, path, mark, text string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- begin "+mark+" -->\n", "<!-- end "+mark+" -->"
	i, j := strings.Index(string(page), begin), strings.Index(string(page), end)
	if i < 0 || j < i {
		t.Fatalf("%s has no marks for %s", path, mark)
	}
	i += len(begin)
	if *update {
		if err := os.WriteFile(path, []byte(string(page[:i])+text+string(page[j:])), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := string(page[i:j]); got != text {
		t.Errorf("%s: %s is not what the code says (run with -update):\n%s", path, mark, text)
	}
}
