package practice

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"assay/internal/facts"
	"assay/internal/spelling"
)

// VLLMNames is where the names of flags and variables by version come from.
var VLLMNames = facts.Source{Title: "vLLM, the parser of its server and envs.py, read in the packages of 34 versions", URL: "https://github.com/vllm-project/vllm/blob/main/vllm/engine/arg_utils.py", Date: "2026-11-30"}

//go:embed vllm_names.tsv
var vllmNames string

// vllmSpan is from the first version that has a name to the first later one that lacks
// it; a zero Until: the newest that was read has it.
type vllmSpan struct{ Since, Until VLLM }

type vllmTable struct {
	read  []VLLM // versions, oldest first
	spans map[string][]vllmSpan
	flags []string // all of them, sorted
}

// vllm is the table that tools/vllmflags writes. One flag or variable a line, with its
// span; a name that went and came back has two.
var vllm = sync.OnceValue(func() vllmTable {
	t := vllmTable{spans: map[string][]vllmSpan{}}
	version := func(s string) VLLM {
		v, ok := vllmOf(append(strings.Split(s, "."), "", "")[:3])
		if s != "" && !ok {
			panic(fmt.Sprintf("vllm_names.tsv: version %q", s)) // embedded, and read in a test
		}
		return v
	}
	for line := range strings.Lines(vllmNames) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if cells[0] == "# versions" {
			for _, s := range strings.Fields(cells[1]) {
				t.read = append(t.read, version(s))
			}
			continue
		}
		if len(t.spans[cells[0]]) == 0 && strings.HasPrefix(cells[0], "--") {
			t.flags = append(t.flags, cells[0])
		}
		t.spans[cells[0]] = append(t.spans[cells[0]], vllmSpan{version(cells[1]), version(cells[2])})
	}
	return t
})

// Presence is whether a version has a name.
type Presence int

// Presences of a name.
const (
	Unjudged Presence = iota // the version is not known, or lies between two that differ
	Present
	Removed // an earlier version had it
	NotYet  // a later version has it
	Never   // no version that was read has it
)

// VLLMHas says whether a version has a flag, written --with-dashes, or a variable, and
// the version since when it is so: of Removed the first without it, of NotYet the first
// that has it. A version newer than all that were read is taken for the newest of them,
// but that what is unknown there is not judged.
func VLLMHas(v VLLM, name string) (Presence, VLLM) {
	t := vllm()
	spans := t.spans[name]
	if len(spans) == 0 {
		if !v.Known() || v.Compare(t.read[len(t.read)-1]) > 0 {
			return Unjudged, VLLM{}
		}
		return Never, VLLM{}
	}
	before, after, ok := t.around(v)
	if !ok {
		return Unjudged, VLLM{}
	}
	p, at := presence(spans, before)
	if q, _ := presence(spans, after); p != q {
		return Unjudged, VLLM{}
	}
	return p, at
}

// around are the versions that were read next to one: itself twice, where it was.
func (t vllmTable) around(v VLLM) (before, after VLLM, ok bool) {
	if !v.Known() || v.Compare(t.read[0]) < 0 {
		return before, after, false
	}
	i, exact := slices.BinarySearchFunc(t.read, v, VLLM.Compare)
	switch {
	case exact:
		return v, v, true
	case i == len(t.read):
		newest := t.read[i-1]
		return newest, newest, true
	}
	return t.read[i-1], t.read[i], true
}

func presence(spans []vllmSpan, v VLLM) (Presence, VLLM) {
	for i := len(spans) - 1; i >= 0; i-- {
		s := spans[i]
		switch {
		case v.Compare(s.Since) < 0:
			continue
		case !s.Until.Known() || v.Compare(s.Until) < 0:
			return Present, s.Since
		}
		return Removed, s.Until
	}
	return NotYet, spans[0].Since
}

// VLLMFlag says whether a version takes a flag as it is written in a command: with
// underscores for dashes, with --no- before a truth value, with a key of its value after
// a dot, and cut short; where several flags begin so, it is vLLM that refuses.
func VLLMFlag(v VLLM, written string) (Presence, VLLM) {
	name, _, _ := strings.Cut(written, ".")
	name = strings.ReplaceAll(name, "_", "-")
	p, at := VLLMHas(v, name)
	if p == Present || p == Unjudged {
		return p, at
	}
	if positive, ok := strings.CutPrefix(name, "--no-"); ok {
		if q, at := VLLMHas(v, "--"+positive); q != Never {
			return q, at
		}
	}
	if name == "--help" || vllm().shortened(v, name) {
		return Present, VLLM{}
	}
	return p, at
}

func (t vllmTable) shortened(v VLLM, name string) bool {
	return slices.ContainsFunc(t.flags, func(f string) bool {
		if !strings.HasPrefix(f, name) {
			return false
		}
		p, _ := VLLMHas(v, f)
		return p == Present || p == Unjudged
	})
}

// VLLMNear is the flag that a misspelt one is nearest to, of those that a version has;
// of the newest, where it is not known. It is empty where none is near.
func VLLMNear(v VLLM, written string) string {
	t := vllm()
	if len(written) > 80 {
		return ""
	}
	if !v.Known() {
		v = t.read[len(t.read)-1]
	}
	present := slices.DeleteFunc(slices.Clone(t.flags), func(f string) bool {
		p, _ := VLLMHas(v, f)
		return p != Present
	})
	return spelling.Nearest(strings.ReplaceAll(written, "_", "-"), present, 4)
}

// VLLMInstead says what took the place of a name that was removed; empty: nothing did,
// or it is not known.
func VLLMInstead(name string) string { return vllmInstead[strings.ReplaceAll(name, "_", "-")] }

// vllmInstead is from vLLM's release notes and the deprecations of its parser, read on
// the date of VLLMNames.
var vllmInstead = map[string]string{
	"--disable-log-requests":                          "it is the default: --enable-log-requests turns the log on",
	"--guided-decoding-backend":                       "--structured-outputs-config.backend",
	"--guided-decoding-disable-fallback":              "--structured-outputs-config.disable_fallback",
	"--guided-decoding-disable-any-whitespace":        "--structured-outputs-config.disable_any_whitespace",
	"--guided-decoding-disable-additional-properties": "--structured-outputs-config.disable_additional_properties",
	"--enable-reasoning":                              "--reasoning-parser alone",
	"--swap-space":                                    "nothing: V1 preempts by computing again; --kv-offloading-size keeps KV in host memory",
	"--speculative-model":                             "--speculative-config",
	"--num-speculative-tokens":                        "--speculative-config",
	"--num-scheduler-steps":                           "nothing: V1 schedules asynchronously",
	"--use-v2-block-manager":                          "nothing: it is the only one",
	"--worker-use-ray":                                "--distributed-executor-backend=ray",
	"--engine-use-ray":                                "nothing",
	"--task":                                          "--runner and --convert",
	"--rope-scaling":                                  "--hf-overrides",
	"--rope-theta":                                    "--hf-overrides",
	"VLLM_ATTENTION_BACKEND":                          "the flag --attention-backend",
	"VLLM_USE_V1":                                     "nothing: V1 is the only engine",
}

// VLLMNewest is the newest version that was read.
func VLLMNewest() VLLM {
	read := vllm().read
	return read[len(read)-1]
}

// VLLMVariables are the environment variables that the newest version reads.
func VLLMVariables() []string {
	var all []string
	t := vllm()
	for name := range t.spans {
		if p, _ := VLLMHas(VLLMNewest(), name); p == Present && strings.HasPrefix(name, "VLLM_") {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}
