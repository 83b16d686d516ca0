package trace

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A file of gigabytes takes the memory of its largest row, also where it is one
// JSON document from end to end.
func TestFilesAreStreamed(t *testing.T) {
	const rows, word = 20_000, "word "
	for name, c := range map[string]struct{ head, row, tail string }{
		"spans in one document": {`{"spans": [`, `{"attributes": {"gen_ai.usage.input_tokens": 5, "gen_ai.prompt": "` + strings.Repeat(word, 200) + `"}},` + "\n", `{}]}`},
		"an array":              {"[", `{"conversations": [{"from": "human", "value": "` + strings.Repeat(word, 200) + `"}]},` + "\n", `{"conversations": []}]`},
		"CSV":                   {"prompt,output_tokens_count\n", `"` + strings.Repeat(word, 200) + `",3` + "\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data")
			file, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			w := bufio.NewWriter(file)
			io.WriteString(w, c.head)
			for range rows {
				io.WriteString(w, c.row)
			}
			io.WriteString(w, c.tail)
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			file.Close()

			r, err := Open(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			before, highest := heapBytes(), uint64(0)
			for i := range rows {
				if _, err := r.Next(); err != nil {
					t.Fatal(err)
				}
				if i%5000 == 0 {
					highest = max(highest, heapBytes())
				}
			}
			if grown := int64(highest) - int64(before); grown > rows*int64(len(c.row))/10 {
				t.Errorf("the heap grew by %d of %d bytes", grown, rows*len(c.row))
			}
		})
	}
}

func heapBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
