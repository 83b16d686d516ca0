package plan

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"assay/internal/facts"
	"assay/internal/memory"
)

var update = flag.Bool("update", false, "write the generated table of docs/plan.md")

// documented are the rows of the instance table that people hand around, and whether
// they hold.
var documented = []struct {
	says      string
	model     string
	precision string
	instance  string
	tp        int
	holds     bool
	remark    string
}{
	{"7B in FP16 on g5.xlarge", "7B", "fp16", "g5.xlarge", 1, true, "The host has 16 GiB of memory for 14 GB of weights: give the engine's process room, or take g5.2xlarge."},
	{"7B in FP16 on g5.2xlarge", "7B", "fp16", "g5.2xlarge", 1, true, ""},
	{"13B in FP16 (26 GB) on g5.2xlarge", "13B", "fp16", "g5.2xlarge", 1, false, "One A10G of 24 GB (22.06 GiB usable) does not hold 24.2 GiB. Two do (g5.12xlarge with TP 2), or one in FP8 or INT4."},
	{"30B in FP16 on g5.12xlarge with TP 4", "30B", "fp16", "g5.12xlarge", 4, true, ""},
	{"30–70B (140 GB) on g5.12xlarge", "70B", "fp16", "g5.12xlarge", 4, false, "140 GB are more than the 88 GiB of four A10Gs. 30B in FP16 fits, 70B in INT4 does: say the precision."},
	{"70B in INT4 on g5.12xlarge", "70B", "int4", "g5.12xlarge", 4, true, ""},
	{"70B on p4d.24xlarge", "70B", "fp16", "p4d.24xlarge", 8, true, "TP 4 holds it too, with room for fewer requests."},
	{"70B on p5.48xlarge", "70B", "fp16", "p5.48xlarge", 8, true, "TP 2 holds it in FP8."},
}

// what the remarks on those rows claim besides.
var claimed = []struct {
	model, precision, instance string
	tp                         int
}{
	{"13B", "fp16", "g5.12xlarge", 2}, {"13B", "fp8", "g5.2xlarge", 1}, {"13B", "int4", "g5.2xlarge", 1},
	{"70B", "fp16", "p4d.24xlarge", 4}, {"70B", "fp8", "p5.48xlarge", 2},
}

const documentedContext = 4096

// holding is the account of a model on an instance, or why it does not fit.
func holding(t *testing.T, model, precision, instance string, tp int) (*planner, memory.Account, *Rejection) {
	t.Helper()
	p := asked(t, func(r *Request) {
		r.Model, r.Precision, r.Instances = model, precision, []string{instance}
		r.Context, r.ISL, r.OSL, r.Concurrency = documentedContext, 1000, 300, 1
	})
	chip, ok := p.instances[0].Chip()
	if !ok {
		t.Fatalf("%s has no known chip", instance)
	}
	a, no := p.hold(p.instances[0], chip, layout{tp, 1, 1, 1})
	return p, a, no
}

func TestDocumentedInstances(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "| the document | holds | of each GPU: weights, KV cache | KV tokens | requests of %d | |\n|:--|:--|--:|--:|--:|:--|\n", documentedContext)
	for _, d := range documented {
		p, a, no := holding(t, d.model, d.precision, d.instance, d.tp)
		if holds := no == nil; holds != d.holds {
			t.Errorf("%s: holds %v, want %v (%+v)", d.says, holds, d.holds, no)
			continue
		}
		if no != nil {
			chip, _ := p.instances[0].Chip()
			each := float64(p.weights()) / float64(d.tp) / facts.GiB
			fmt.Fprintf(&b, "| %s | **no** | %.1f GiB of %.2f usable | – | – | %s |\n", d.says, each, float64(chip.Usable)/facts.GiB, d.remark)
			continue
		}
		fmt.Fprintf(&b, "| %s | yes | %.0f, %.0f GiB | %s thousand | %s | %s |\n", d.says, float64(a.Weights)/facts.GiB, float64(a.KV)/facts.GiB, twoDigits(a.KVTokens), twoDigits(int(1000*a.MaxConcurrency)), d.remark)
	}
	section(t, "documented", b.String())
	for _, c := range claimed {
		if _, _, no := holding(t, c.model, c.precision, c.instance, c.tp); no != nil {
			t.Errorf("%s in %s on %s, TP %d: %s", c.model, c.precision, c.instance, c.tp, no.Reason)
		}
	}
}

// section holds a generated part of docs/plan.md against what it should be, or
// writes it.
func section(t *testing.T, name, want string) {
	t.Helper()
	const path = "../../docs/plan.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := []byte("<!-- "+name+": generated -->\n"), []byte("<!-- end of "+name+" -->")
	i, j := bytes.Index(page, begin), bytes.Index(page, end)
	if i < 0 || j < i {
		t.Fatalf("docs/plan.md has no section %s", name)
	}
	i += len(begin)
	if string(page[i:j]) == want {
		return
	}
	if !*update {
		t.Fatalf("docs/plan.md is not what the code says; run go test ./internal/plan -update. %s is now:\n%s", name, want)
	}
	page = append(append(append([]byte{}, page[:i]...), want...), page[j:]...)
	if err := os.WriteFile(path, page, 0o644); err != nil {
		t.Fatal(err)
	}
}

// twoDigits is a number of thousands to two digits: the table shows magnitudes.
func twoDigits(n int) string {
	x, _ := strconv.ParseFloat(fmt.Sprintf("%.1e", float64(n)/1000), 64)
	return strconv.FormatFloat(x, 'f', -1, 64)
}
