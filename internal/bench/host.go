package bench

import (
	"bufio"
	"os"
	"runtime"
	"strconv"
	"strings"

	"assay/internal/record"
	"assay/internal/spec"
)

func tool(version string) record.Tool {
	return record.Tool{Name: "assay", Version: version, Go: runtime.Version()}
}

// host describes the client's machine. It names no machine or user.
func host() record.Host {
	h := record.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU()}
	h.CPUModel = procField("/proc/cpuinfo", "model name")
	if kib, _, ok := strings.Cut(procField("/proc/meminfo", "MemTotal"), " "); ok {
		if n, err := strconv.ParseInt(kib, 10, 64); err == nil {
			h.MemBytes = n << 10
		}
	}
	return h
}

// procField is the first value of a key in a file of "key : value" lines;
// empty where there is none, as on systems without /proc.
func procField(path, key string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		k, v, ok := strings.Cut(lines.Text(), ":")
		if ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

func platform(p spec.Platform) record.Platform {
	return record.Platform{
		Instance: known(p.Instance), GPU: known(p.GPU), Region: known(p.Region), Count: known(p.Count), TP: known(p.TP),
	}
}

// known is nil for a zero value, which stands for "not known".
func known[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
