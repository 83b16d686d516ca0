package model

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

// configs are config.json files of known models, written by hand from public
// facts: the fields that matter, with _repo, _aliases, _source and _date.
//
//go:embed configs/*.json
var configs embed.FS

// preset is a known model, parsed when it is asked for.
type preset struct {
	name  string
	repo  string
	names []string // normal forms that find it
	arch  func() Arch
}

// presets are read once, when a name is first looked up: start-up pays nothing.
var presets = sync.OnceValue(func() []preset {
	var out []preset
	for _, f := range configFiles() {
		out = append(out, newPreset(f))
	}
	return out
})

func newPreset(file string) preset {
	data, err := configs.ReadFile(path.Join("configs", file))
	var head struct {
		Repo    string   `json:"_repo"`
		Aliases []string `json:"_aliases"`
	}
	if err == nil {
		err = json.Unmarshal(data, &head)
	}
	if err != nil {
		panic(fmt.Sprintf("%s: %v", file, err)) // a test parses each
	}
	p := preset{name: strings.TrimSuffix(file, ".json"), repo: head.Repo}
	for _, n := range append([]string{p.name, p.repo}, head.Aliases...) {
		p.names = append(p.names, normal(n))
	}
	p.arch = sync.OnceValue(func() Arch {
		a, err := Parse(p.name, data)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", file, err))
		}
		a.Repo, a.Aliases = head.Repo, head.Aliases
		return a
	})
	return p
}

// Presets returns the known models, smallest first.
func Presets() []Arch {
	var out []Arch
	for _, p := range presets() {
		out = append(out, p.arch())
	}
	slices.SortStableFunc(out, func(a, b Arch) int { return cmp.Compare(a.Parameters(), b.Parameters()) })
	return out
}

// PresetNames are the names of the known models, in the order of the alphabet.
// It reads none of them: help lists them at each start.
func PresetNames() []string {
	var out []string
	for _, f := range configFiles() {
		out = append(out, strings.TrimSuffix(f, ".json"))
	}
	return out
}

func configFiles() []string {
	files, err := configs.ReadDir("configs")
	if err != nil {
		panic(err) // embedded
	}
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = f.Name()
	}
	return out
}

// Named finds a known model by its name, an alias or a repository of any
// organisation, whatever the case. A suffix that says how a checkpoint is
// quantised, such as -FP8 or -NVFP4, chooses its Format. The error names those
// that are near.
func Named(name string) (Arch, error) {
	want := normal(name)
	if a, ok := find(want); ok {
		return a, nil
	}
	// The longest name that is left when suffixes are taken off is meant.
	precision := ""
	for rest := want; ; {
		suffix, format, ok := suffixOf(rest)
		if !ok {
			break
		}
		rest = strings.TrimSuffix(rest, suffix)
		if precision == "" {
			precision = format
		}
		a, ok := find(rest)
		if !ok {
			continue
		}
		if precision == "" {
			return a, nil
		}
		f, err := a.Quantised(precision)
		if err != nil {
			return Arch{}, err
		}
		a.Format = f
		return a, nil
	}
	return Arch{}, fmt.Errorf("unknown model %q: near it %s; a config.json or a directory that holds one also names a model", name, strings.Join(near(want), ", "))
}

func find(want string) (Arch, bool) {
	for _, p := range presets() {
		if slices.Contains(p.names, want) {
			return p.arch(), true
		}
	}
	return Arch{}, false
}

// Served is the architecture that a served name stands for; nil where it is not
// one of the presets.
func Served(name string) *Arch {
	if a, err := Named(name); err == nil {
		return &a
	}
	return nil
}

// normal is a name in small letters without its organisation.
func normal(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	return strings.ReplaceAll(name, "_", "-")
}

// suffixes that repositories add to a model's name, with the precision that they
// stand for; empty: none. Longer ones stand before those that they end in.
var suffixes = []struct{ suffix, format string }{
	{"-nvfp4-fp8", "nvfp4"}, {"-quantized.w4a16", "int4"}, {"-quantized.w8a8", "int8"}, {"-w4a16", "int4"}, {"-w8a8", "int8"},
	{"-gptq-int4", "gptq"}, {"-gptq-int8", "int8"}, {"-awq-int4", "awq"}, {"-gptq", "gptq"}, {"-awq", "awq"},
	{"-bnb-4bit", "int4"}, {"-int4", "int4"}, {"-int8", "int8"},
	{"-fp8-dynamic", "fp8"}, {"-fp8-kv", "fp8"}, {"-fp8-block", "fp8"}, {"-block", ""}, {"-fp8", "fp8"},
	{"-mxfp8", "fp8"}, {"-nvfp4", "nvfp4"}, {"-mxfp4", "mxfp4"}, {"-fp4", "nvfp4"},
	{"-bf16", "bf16"}, {"-fp16", "bf16"},
	{"-instruct", ""}, {"-chat", ""}, {"-hf", ""}, {"-it", ""}, {"-base", ""}, {"-pt", ""}, {"-unsloth", ""},
	{"-v1", ""}, {"-v2", ""}, {"-preview", ""}, {"-kv", ""}, {"-dynamic", ""}, {"-thinking", ""}, {"-gguf", ""}, {"-mtp", ""}, {"-ptpc", ""},
}

func suffixOf(name string) (suffix, format string, ok bool) {
	for _, s := range suffixes {
		if strings.HasSuffix(name, s.suffix) && len(name) > len(s.suffix) {
			return s.suffix, s.format, true
		}
	}
	return "", "", false
}

// near are the five known names that share the most with one.
func near(want string) []string {
	names := PresetNames()
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(likeness(b, want), likeness(a, want)) })
	return names[:min(5, len(names))]
}

// likeness counts the pairs of letters that two names share.
func likeness(a, b string) float64 {
	pairs := map[string]int{}
	for i := 0; i+1 < len(a); i++ {
		pairs[a[i:i+2]]++
	}
	shared := 0
	for i := 0; i+1 < len(b); i++ {
		if pairs[b[i:i+2]] > 0 {
			pairs[b[i:i+2]]--
			shared++
		}
	}
	return 2 * float64(shared) / float64(len(a)+len(b))
}
