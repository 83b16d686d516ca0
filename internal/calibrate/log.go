package calibrate

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Log is what vLLM's start-up log says, of the last start in it. Of several ranks
// each reading is of the one that binds: the most of what is taken, the least of
// what is left.
type Log struct {
	Path    string // of the file; empty: not of one
	Engine  string // vllm
	Version string // as logged; empty: not known
	Model   string // name or folder, as given to the engine
	Device  string // cuda, cpu, rocm; empty: not known

	Args     map[string]string // of the engine, as its configuration says: tensor_parallel_size
	Readings map[Quantity]Reading
	Lines    int
}

// Quantity is what a reading is of. Memory is of one GPU.
type Quantity string

// Quantities of a log.
const (
	TotalMemory Quantity = "total memory"     // that the device reports
	Requested   Quantity = "requested memory" // total x utilisation
	Utilization Quantity = "gpu_memory_utilization"
	Weights     Quantity = "weights"
	NonTorch    Quantity = "non-torch memory"
	Consumed    Quantity = "weights and non-torch memory" // where the log gives their sum
	Activation  Quantity = "peak activation"
	GraphMemory Quantity = "CUDA graphs"
	KVMemory    Quantity = "KV cache"
	KVTokens    Quantity = "KV cache in tokens"
	Blocks      Quantity = "blocks of the KV cache"
	Concurrency Quantity = "largest concurrency"
	ModelLen    Quantity = "max_model_len"
	MostBatched Quantity = "max_num_batched_tokens"

	LoadWeights  Quantity = "weights read"
	LoadModel    Quantity = "model loaded"
	Profile      Quantity = "memory profiling"
	Dynamo       Quantity = "Dynamo"
	Compile      Quantity = "graphs compiled"
	FromCache    Quantity = "graphs from the cache"
	CompileTotal Quantity = "torch.compile"
	GraphTime    Quantity = "CUDA graphs captured"
	InitEngine   Quantity = "engine initialised"
)

// Reading is one number of a log.
type Reading struct {
	Value float64
	Unit  string // bytes, s, tokens, blocks, or none
	Line  int    // from 1
}

// Of is a reading's value; false where the log does not have it.
func (l Log) Of(q Quantity) (float64, bool) {
	r, ok := l.Readings[q]
	return r.Value, ok
}

// Arg is a whole number of the engine's configuration; 0 where it is not logged.
func (l Log) Arg(name string) int {
	n, _ := strconv.Atoi(l.Args[name])
	return n
}

// Bounds on a log. A start takes some hundred lines; the longest hold the whole
// configuration.
const (
	mostLogBytes = 64 << 20
	mostLine     = 64 << 10 // what is beyond is not looked at
	mostArgs     = 512
	mostArgBytes = 512
)

// ErrNoLog is of a text that is no start-up log of vLLM.
var ErrNoLog = errors.New("not a start-up log of vLLM: it has none of its lines, such as \"Model loading took\" or \"GPU KV cache size\"")

// ReadLog reads vLLM's start-up log, versions 0.6 to 0.32, whatever stands before
// each line: ranks, times of docker or kubectl, colours. The error is ErrNoLog
// where it finds nothing.
func ReadLog(r io.Reader) (Log, error) {
	l := newLog()
	limited := &io.LimitedReader{R: r, N: mostLogBytes + 1}
	b := bufio.NewReaderSize(limited, mostLine)
	for n := 1; ; n++ {
		line, err := b.ReadSlice('\n')
		if len(line) > 0 {
			l = l.read(string(bytes.ToValidUTF8(line, nil)), n)
			l.Lines = n
		}
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a line that is too long
			_, err = b.ReadSlice('\n')
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Log{}, err
		}
	}
	if limited.N <= 0 {
		return Log{}, fmt.Errorf("the log is larger than %d MiB: give the part with the start of the engine", mostLogBytes>>20)
	}
	if len(l.Readings) == 0 {
		return Log{}, ErrNoLog
	}
	return l, nil
}

func newLog() Log {
	return Log{Engine: "vllm", Args: map[string]string{}, Readings: map[Quantity]Reading{}}
}

// read takes what one line says. The first line of another start begins anew.
func (l Log) read(line string, n int) Log {
	line = colours.ReplaceAllString(line, "")
	if m := banner.FindStringSubmatch(line); m != nil {
		if _, started := l.Readings[InitEngine]; started || len(l.Readings) > 0 && l.Version != "" && l.Version != m[1] {
			l = newLog()
		}
		l.Version = m[1]
	}
	if m := initializing.FindStringSubmatch(line); m != nil {
		l.Version = m[1]
		l.arguments(m[2])
	}
	if m := nonDefault.FindStringSubmatch(line); m != nil {
		l.arguments(m[1])
	}
	if m := detected.FindStringSubmatch(line); m != nil {
		l.Device = m[1]
	}
	if name := l.Args["model"]; name != "" {
		l.Model = name
	}
	if device := l.Args["device_config"]; l.Device == "" && device != "" {
		l.Device = device
	}
	for _, p := range phrases {
		if !strings.Contains(line, p.holds) {
			continue
		}
		if m := p.form.FindStringSubmatch(line); m != nil {
			for i, w := range p.what {
				l.take(w, m[i+1], n)
			}
		}
	}
	return l
}

// take keeps a reading, of several ranks the one that binds.
func (l Log) take(w what, text string, line int) {
	if text == "" {
		return
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x < 0 || x > 1e18 {
		return
	}
	r := Reading{Value: x * w.scale(), Unit: w.unit.name(), Line: line}
	old, known := l.Readings[w.of]
	switch {
	case !known:
	case w.least && old.Value <= r.Value, !w.least && !w.sum && old.Value >= r.Value:
		return
	case w.sum:
		r.Value += old.Value
	}
	l.Readings[w.of] = r
}

// arguments reads name=value and 'name': value pairs of a configuration line.
func (l Log) arguments(text string) {
	for _, m := range argument.FindAllStringSubmatch(text, mostArgs) {
		name, value := m[1]+m[3], strings.Trim(m[2]+m[4], `'"`)
		if len(value) <= mostArgBytes && len(l.Args) < mostArgs && l.Args[name] == "" {
			l.Args[name] = value
		}
	}
}
