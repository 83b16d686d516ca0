package peers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/internal/record"
)

// Written are the formats that Write knows.
var Written = []string{VLLM, AIPerf, GuideLLM, InferencePerf, LLMD}

// Output is one file to write. Name is relative to the folder that the user
// names.
type Output struct {
	Name string
	Data []byte
}

// Write gives a run in another tool's format and in that tool's definitions, of
// the measured requests alone. level is the id of one level, empty for all.
// vllm and guidellm put all levels into one file; of the others each level has
// files of its own.
func Write(tool string, folder *record.Folder, level string) ([]Output, error) {
	write, ok := map[string]func(*record.Run, []heldLevel) ([]Output, error){
		VLLM: writeVLLM, AIPerf: writeAIPerf, GuideLLM: writeGuideLLM, InferencePerf: writeInferencePerf, LLMD: writeLLMD,
	}[tool]
	if !ok {
		return nil, fmt.Errorf("no format %q to write; there are %s", tool, strings.Join(Written, ", "))
	}
	levels, err := levelsOf(folder, level)
	if err != nil {
		return nil, err
	}
	return write(&folder.Run, levels)
}

// heldLevel is a level with its requests in the order of sending.
type heldLevel struct {
	record.Level
	index    int
	start    time.Time // of the run
	requests []record.Request
}

func levelsOf(folder *record.Folder, id string) ([]heldLevel, error) {
	var out []heldLevel
	at := map[string]int{}
	var ids []string
	for _, l := range folder.Run.Levels {
		ids = append(ids, l.ID)
		if id == "" || id == l.ID {
			at[l.ID] = len(out)
			out = append(out, heldLevel{Level: l, index: len(out), start: folder.Run.Start})
		}
	}
	if len(out) == 0 && id != "" {
		return nil, fmt.Errorf("the run has no level %q; it has %s", id, strings.Join(ids, ", "))
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the run has no level that ended")
	}
	err := folder.EachRequest(func(r record.Request) error {
		if i, ok := at[r.Level]; ok && r.Phase == record.Measured && !r.NotSent {
			out[i].requests = append(out[i].requests, r)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, l := range out {
		if len(l.requests) == 0 {
			return nil, fmt.Errorf("level %s has no requests in %s: other tools' formats are made from them", l.ID, record.RequestsFile)
		}
		slices.SortStableFunc(l.requests, func(a, b record.Request) int { return cmp.Compare(a.SentUS, b.SentUS) })
	}
	return out, nil
}

// succeeded are the requests that did.
func (l *heldLevel) succeeded() []*record.Request {
	var out []*record.Request
	for i := range l.requests {
		if l.requests[i].OK() {
			out = append(out, &l.requests[i])
		}
	}
	return out
}

// span is from the first send to the last end, seconds: the time that the other
// tools divide by, ramp and drain included; a microsecond at least.
func (l *heldLevel) span() float64 {
	first, last := l.requests[0].SentUS, int64(0)
	for i := range l.requests {
		last = max(last, l.requests[i].EndUS)
	}
	return seconds(max(last-first, 1)) // it is divided by
}

// epoch is a moment of the run in seconds since 1970.
func (l *heldLevel) epoch(us int64) float64 {
	return float64(l.start.UnixMicro()+us) / 1e6
}

func seconds(us int64) float64 { return float64(us) / 1e6 }

// lastToken is when the last token came, microseconds since the send, or the
// end of the stream where none is known to have come.
func lastToken(r *record.Request) int64 {
	if n := len(r.ChunkUS); n > 0 {
		return r.ChunkUS[n-1]
	}
	return r.EndUS - r.SentUS
}

// outputOf is the number of output tokens, or of chunks where no one counted.
func outputOf(r *record.Request) int {
	if r.OutputTokens != nil {
		return *r.OutputTokens
	}
	return len(r.ChunkUS)
}

// promptOf is the number of prompt tokens, what was asked for where no one
// counted.
func promptOf(r *record.Request) int {
	if r.PromptTokens != nil {
		return *r.PromptTokens
	}
	return r.AskedPrompt
}

// each collects a measure of the requests for which it is defined.
func each(requests []*record.Request, measure func(*record.Request) (float64, bool)) []float64 {
	var out []float64
	for _, r := range requests {
		if x, ok := measure(r); ok {
			out = append(out, x)
		}
	}
	return out
}

// Measures of a request in seconds, as the other tools have them.

func firstTokenS(r *record.Request) (float64, bool) {
	if len(r.ChunkUS) == 0 {
		return 0, false
	}
	return seconds(r.ChunkUS[0]), true
}

// perTokenS is (last token - first token) / (tokens - 1): none of the other
// tools knows how many tokens the first chunk held.
func perTokenS(r *record.Request) (float64, bool) {
	n := outputOf(r)
	if n < 2 || len(r.ChunkUS) < 2 {
		return 0, false
	}
	return seconds(lastToken(r)-r.ChunkUS[0]) / float64(n-1), true
}

func lastTokenS(r *record.Request) (float64, bool) { return seconds(lastToken(r)), true }

func wholeS(r *record.Request) (float64, bool) { return seconds(r.EndUS - r.SentUS), true }

// gapsS are the gaps between chunks, pooled.
func gapsS(requests []*record.Request) []float64 {
	var out []float64
	for _, r := range requests {
		r.ICLs(func(ms float64) { out = append(out, ms/1000) })
	}
	return out
}

// object is a JSON object whose keys keep their order.
type object []member

type member struct {
	key   string
	value any
}

func (o *object) add(key string, value any) { *o = append(*o, member{key, value}) }

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		k, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		v, err := json.Marshal(m.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.key, err)
		}
		b.Write(k)
		b.WriteByte(':')
		b.Write(v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// list is a slice that is never null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// jsonFile is one file of indented JSON.
func jsonFile(name string, v any) (Output, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	return Output{Name: name, Data: append(b, '\n')}, err
}

// writer says in a file who wrote it.
func writer(run *record.Run) string { return strings.TrimSpace(byAssay + " " + run.Tool.Version) }

// levelFolder is where a level's files go: the folder itself where there is one
// level alone.
func levelFolder(levels []heldLevel, l *heldLevel) string {
	if len(levels) == 1 {
		return ""
	}
	return fileName(l.ID) + "/"
}

// fileName is an id as a name of a file: run.json may hold any.
func fileName(id string) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, id)
	if strings.HasPrefix(name, ".") || name == "" {
		return "level" + name
	}
	return name
}
