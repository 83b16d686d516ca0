package model

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/models.md")

const modelsDoc = "../../docs/models.md"

const modelsHead = `# Models known by name

Written by ` + "`go test ./internal/model -run ModelsDoc -update`" + ` from the files in
internal/model/configs, which were written by hand from public facts.

A name is found in any case, with any organisation before it, and with the suffixes that
repositories add: ` + "`-Instruct`, `-FP8`, `-NVFP4`, `-AWQ`, `-GPTQ-Int4`" + ` and the like; those of a
precision choose the format. Any other model is given by its config.json, a directory that
holds one, a GGUF or a safetensors file. An architecture, an attention or a quantisation
without a rule is refused with its name.

Parameters are those that are loaded, without the layers of multi-token prediction; active ones
take part in one token's matrix products, with the output projection and without the embedding.
KV is what one token adds in 16 bits while every window still holds it, over all layers, before
anything is divided over GPUs; state is what one request holds whatever its length.

| name | repository | parameters | active | layers | KV bytes a token | state | context | format | weights |
|---|---|---|---|---|---|---|---|---|---|
`

func TestModelsDoc(t *testing.T) {
	var b strings.Builder
	b.WriteString(modelsHead)
	for _, a := range Presets() {
		b.WriteString(docRow(a))
	}
	if *update {
		if err := os.WriteFile(modelsDoc, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(modelsDoc)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("docs/models.md is not what the code knows; run with -update (-file +code):\n%s", diff)
	}
}

func docRow(a Arch) string {
	state := "-"
	if n := a.StateBytes(2); n > 0 {
		state = fmt.Sprintf("%.1f MiB", n/(1<<20))
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %d | %s | %d | %s | %.1f GiB |\n",
		a.Name, a.Repo, billions(a.Parameters()), billions(a.ActiveParameters()), a.Kinds(), a.KVBytesPerToken(2), state,
		a.Context, a.Format.Name, float64(a.WeightBytes(a.Format))/(1<<30))
}

func billions(n int64) string { return fmt.Sprintf("%.2f B", float64(n)/1e9) }
