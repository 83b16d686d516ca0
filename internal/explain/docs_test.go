package explain

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/facts"
)

var update = flag.Bool("update", false, "write docs/xid.md")

// docs/xid.md is made from facts, so that it says what the program goes by.
func TestXIDPageOfTheDocs(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "xid.md")
	got := xidDocs()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("docs/xid.md (-want +got; go test ./internal/explain -update writes it):\n%s", diff)
	}
}

func xidDocs() []byte {
	var b bytes.Buffer
	source, eks := facts.XIDs[79].Source, facts.XIDs[79].EKSSource
	fmt.Fprintf(&b, `# XID codes

What NVIDIA's driver logs as `+"`NVRM: Xid (…): 79`"+`, and DCGM publishes as the last code
seen. Made from `+"`internal/facts`"+`; `+"`assay explain xid 79`"+` says more of each.

Severity is Assay's judgement: **page**, the GPU is of no use until it is reset or
replaced; **ticket**, a process was lost or the hardware gets worse; **info**. *Fit* says
whether a measurement on the GPU may be trusted afterwards. *EKS* is what the node
monitoring agent makes of it: a **condition** (`+"`AcceleratedHardwareReady`"+` is false with
reason `+"`NvidiaXID79Error`"+`, node auto repair acts after 10 minutes) or an event
(`+"`NvidiaXID13Warning`"+`), after which nothing is repaired.

Sources: [%s](%s) and [%s](%s), as of %s.

| XID | meaning | on | NVIDIA's action | severity | fit | EKS |
|---|---|---|---|---|---|---|
`, source.Title, source.URL, eks.Title, eks.URL, source.Date)
	var unused []string
	for _, x := range facts.XIDs[1:] {
		if x.Applies == "none" {
			unused = append(unused, fmt.Sprint(x.Code))
			continue
		}
		meaning := x.Meaning
		if x.Older != "" {
			meaning += "; before Ampere: " + x.Older
		}
		eks := "event"
		if x.Condition {
			eks = "**condition**"
		}
		fit := map[bool]string{true: "no", false: "yes"}[x.Fatal]
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s | %s |\n", x.Code, meaning, x.Applies, strings.ReplaceAll(x.Action, "_", `\_`), x.Severity, fit, eks)
	}
	fmt.Fprintf(&b, "\nNot used on Ampere and newer GPUs: %s.\n`assay explain` says what they mean on older ones.\n", strings.Join(unused, ", "))
	return b.Bytes()
}
