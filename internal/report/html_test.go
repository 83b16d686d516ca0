package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"assay/internal/record"
)

// keep leaves the pages of all fixtures in a folder, to be looked at in a browser.
var keep = flag.String("keep", "", "write the HTML reports of the fixtures into this folder")

func htmlOf(t *testing.T, in Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func parse(t *testing.T, page string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// all are the elements for which is holds, in the order of the document.
func all(doc *html.Node, is func(*html.Node) bool) []*html.Node {
	var out []*html.Node
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && is(n) {
			out = append(out, n)
		}
	}
	return out
}

func tags(name string) func(*html.Node) bool {
	return func(n *html.Node) bool { return n.Data == name }
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasClass(class string) func(*html.Node) bool {
	return func(n *html.Node) bool { return slices.Contains(strings.Fields(attr(n, "class")), class) }
}

func content(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func headings(doc *html.Node) []string {
	var out []string
	for _, h := range all(doc, tags("h2")) {
		out = append(out, content(h))
	}
	return out
}

func TestHTMLSections(t *testing.T) {
	always := []string{"Repeat it", "Raw data"}
	full := []string{"Throughput against latency", "What limits", "Levels", "Where the time goes", "Distributions", "Timelines", "What the server said", "How the client did", "Cost", "Repeat it", "Raw data"}
	want := map[string][]string{
		"saturation":     full,
		"simulated":      full,
		"client-limited": full,
		"many":           full,
		"refuted":        full,
		"tried":          full,
		"unsaturated":    slices.DeleteFunc(slices.Clone(full), func(s string) bool { return s == "Cost" }),
		"repeated":       slices.DeleteFunc(slices.Clone(full), func(s string) bool { return s == "Cost" }),
		"rate":           slices.DeleteFunc(slices.Clone(full), func(s string) bool { return s == "Cost" }),
		"baseline":       slices.DeleteFunc(slices.Clone(full), func(s string) bool { return s == "Cost" || strings.HasPrefix(s, "Throughput") }),
		"long-context": append([]string{"Latency by length of prompt"},
			slices.DeleteFunc(slices.Clone(full), func(s string) bool { return s == "Cost" || strings.HasPrefix(s, "Throughput") })...),
		"few": append([]string{"Latency by length of prompt"},
			slices.DeleteFunc(slices.Clone(full), func(s string) bool { return s == "Cost" || strings.HasPrefix(s, "Throughput") })...),
		"failed": append([]string{"What limits", "Levels", "Timelines", "What the server said", "How the client did"}, always...),
		"empty":  append([]string{"What limits"}, always...),
	}
	for name, f := range fixtures {
		t.Run(name, func(t *testing.T) {
			page := htmlOf(t, f().input())
			if *keep != "" {
				if err := os.WriteFile(filepath.Join(*keep, name+".html"), []byte(page), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			doc := parse(t, page)
			if d := cmp.Diff(want[name], headings(doc)); d != "" {
				t.Errorf("sections, -want +got:\n%s", d)
			}
			for _, svg := range all(doc, hasClass("chart")) {
				if attr(svg, "role") != "img" || attr(svg, "aria-label") == "" {
					t.Error("a chart without role or label")
				}
			}
			if strings.Contains(page, "ZgotmplZ") {
				t.Error("the template refused a value")
			}
		})
	}
}

// visible is what of the page a reader sees: without style, script and the
// files in base64, in which any letters may stand.
func visible(page string) string {
	_, page, _ = strings.Cut(page, "<main>")
	page, _, _ = strings.Cut(page, `<section class="files">`)
	return page
}

func TestHTMLIsDeterministic(t *testing.T) {
	a, b := htmlOf(t, clientLimitedRun().input()), htmlOf(t, clientLimitedRun().input())
	if a != b {
		t.Error("the same run gave two different pages")
	}
}

func TestHTMLNeedsNoNetwork(t *testing.T) {
	doc := parse(t, htmlOf(t, saturationRun().input()))
	for _, n := range all(doc, func(*html.Node) bool { return true }) {
		for _, a := range n.Attr {
			if (a.Key == "src" || a.Key == "href") && !strings.HasPrefix(a.Val, "data:") && !strings.HasPrefix(a.Val, "#") {
				t.Errorf("<%s %s=%q> leaves the page", n.Data, a.Key, a.Val)
			}
		}
	}
}

func TestHTMLEscapesServerStrings(t *testing.T) {
	doc := parse(t, htmlOf(t, hostile()))
	if n := len(all(doc, tags("script"))); n != 1 {
		t.Fatalf("%d script elements, want our one", n)
	}
	if s := content(all(doc, tags("script"))[0]); strings.Contains(s, "alert") {
		t.Error("a server's string reached the script")
	}
	if !strings.Contains(content(all(doc, hasClass("subject"))[0]), "alert(1)") {
		t.Error("the model's name is not shown as text")
	}
	for _, n := range all(doc, func(*html.Node) bool { return true }) {
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") {
				t.Errorf("<%s> has a handler %s", n.Data, a.Key)
			}
		}
	}
}

func TestHTMLShowsWhatToDoAndWhatTheGPUsSaid(t *testing.T) {
	doc := parse(t, htmlOf(t, triedRun().input()))
	act := all(doc, hasClass("act"))
	if len(act) != 1 {
		t.Fatalf("%d cards of what to do", len(act))
	}
	got := content(act[0])
	for _, want := range []string{"--max-num-seqs 56", "now 28", "✓ supported", "running requests became", "Raise --max-num-seqs to 64"} {
		if !strings.Contains(got, want) {
			t.Errorf("the card lacks %q: %s", want, got)
		}
	}
	var names []string
	for _, s := range all(doc, hasClass("series")) {
		if values := attr(s, "data-values"); strings.Trim(values, ",") != "" {
			names = append(names, attr(s, "data-name"))
		}
	}
	for _, want := range []string{"SM", "DRAM", "clock of the worst", "power of the worst"} {
		if !slices.Contains(names, want) {
			t.Errorf("no timeline of %s among %v", want, names)
		}
	}
	if slices.Contains(names, "tensor") {
		t.Error("a timeline of what no line says")
	}
	if text := content(doc); !strings.Contains(text, "Its GPUs") || !strings.Contains(text, "1 × L40S") || !strings.Contains(text, "Its node") {
		t.Error("no table of the GPUs or of the node")
	}
	if text := content(parse(t, htmlOf(t, saturationRun().input()))); strings.Contains(text, "Its GPUs") {
		t.Error("a table of GPUs that said nothing")
	}
}

func TestHTMLDrawsMeansWhereNoPercentileIsSupported(t *testing.T) {
	page := htmlOf(t, fewRun().input())
	doc := parse(t, page)
	hero := all(doc, func(n *html.Node) bool { return hasClass("chart")(n) && hasClass("wide")(n) })[0]
	if n := len(all(hero, hasClass("pt"))); n != 3 {
		t.Errorf("%d levels on the curve, want 3", n)
	}
	if s := content(hero); !strings.Contains(s, "TTFT mean, ms") {
		t.Errorf("the axis does not say that the points are means: %s", s)
	}
	if !strings.Contains(page, "the point is their mean") {
		t.Error("the chart's lead does not say that the points are means")
	}
	// A level with a percentile beside one without: each point says its own.
	in := fewRun().input()
	in.Run.Levels[2].TTFT.P50 = in.Run.Levels[2].TTFT.Mean
	doc = parse(t, htmlOf(t, in))
	s := content(all(doc, func(n *html.Node) bool { return hasClass("chart")(n) && hasClass("wide")(n) })[0])
	if !strings.Contains(s, " mean") || !strings.Contains(s, " p50") {
		t.Errorf("the points do not say which is a mean: %s", s)
	}
}

func TestHTMLTableIsInOrderOfLoadAndMarksValidity(t *testing.T) {
	doc := parse(t, htmlOf(t, clientLimitedRun().input()))
	var got []string
	for _, row := range all(all(doc, hasClass("sortable"))[0], tags("tr"))[1:] {
		cells := all(row, tags("td"))
		got = append(got, content(cells[0])+" "+content(cells[len(cells)-1]))
	}
	want := []string{"1 ✓ valid", "5 ✓ valid", "10 ✓ valid", "20 ✓ valid", "24 ✓ valid", "28 ✓ valid", "35 ✓ valid", "50 ◇ unstable", "100 △ client-limited"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("levels, -want +got:\n%s", d)
	}
}

func TestHTMLHeroShowsKneeOperatingPointAndSLO(t *testing.T) {
	doc := parse(t, htmlOf(t, saturationRun().input()))
	hero := all(doc, func(n *html.Node) bool { return hasClass("chart")(n) && hasClass("wide")(n) })[0]
	for _, class := range []string{"knee", "slo", "chosen"} {
		if len(all(hero, hasClass(class))) == 0 {
			t.Errorf("the curve has no %s", class)
		}
	}
	if n := len(all(hero, hasClass("pt"))); n != 9 {
		t.Errorf("%d levels on the curve, want 9", n)
	}
	empty := parse(t, htmlOf(t, unsaturatedRun().input()))
	if n := len(all(empty, hasClass("knee"))); n != 0 {
		t.Error("a knee is drawn where none was reached")
	}
}

func link(t *testing.T, doc *html.Node, name string) string {
	t.Helper()
	for _, a := range all(doc, tags("a")) {
		if attr(a, "download") == name {
			_, data, _ := strings.Cut(attr(a, "href"), ",")
			b, err := base64.StdEncoding.DecodeString(data)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
	}
	t.Fatalf("no link to %s", name)
	return ""
}

func TestHTMLCarriesTheRawData(t *testing.T) {
	f := saturationRun()
	doc := parse(t, htmlOf(t, f.input()))
	var got record.Run
	if err := json.Unmarshal([]byte(link(t, doc, "run.json")), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Levels) != len(f.run.Levels) || got.Seed != f.run.Seed {
		t.Errorf("run.json has %d levels and seed %d, want %d and %d", len(got.Levels), got.Seed, len(f.run.Levels), f.run.Seed)
	}
	if n := strings.Count(link(t, doc, "requests.csv"), "\n"); n != len(f.requests)+1 {
		t.Errorf("requests.csv has %d lines, want %d", n, len(f.requests)+1)
	}
}

func TestHTMLIsBounded(t *testing.T) {
	const most = 4 << 20
	in := manyLevelsRun().input()
	few := in.Requests
	in.Requests = func(each func(record.Request) error) error {
		for i := range 8 {
			if err := few(func(r record.Request) error { r.ID = fmt.Sprintf("%s-%d", r.ID, i); return each(r) }); err != nil {
				return err
			}
		}
		return nil
	}
	page := htmlOf(t, in)
	if len(page) > most {
		t.Errorf("the page has %d bytes, more than %d", len(page), most)
	}
	if !strings.Contains(page, "th of ") {
		t.Error("the page does not say that its requests are a sample")
	}
}

func TestHTMLFailsWithItsInput(t *testing.T) {
	in := saturationRun().input()
	broken := fmt.Errorf("requests.jsonl:3: unexpected end")
	in.Requests = func(func(record.Request) error) error { return broken }
	err := HTML(&bytes.Buffer{}, in)
	if err == nil || !strings.Contains(err.Error(), broken.Error()) {
		t.Errorf("got %v, want the reader's error", err)
	}
}
