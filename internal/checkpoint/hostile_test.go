package checkpoint

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// header is a safetensors header of that text.
func header(text string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
}

func TestSafetensorsIsRefused(t *testing.T) {
	one := `{"a":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]}}`
	for name, c := range map[string]struct {
		header []byte
		data   int64 // bytes after the header
		want   string
	}{
		"empty":                  {nil, 0, "not a safetensors file"},
		"short":                  {[]byte("abc"), 0, "not a safetensors file"},
		"text":                   {[]byte("version https://git-lfs.github.com/spec/v1\n"), 90, "git lfs pull"},
		"header past the file":   {binary.LittleEndian.AppendUint64(nil, 1000), 10, "cut short"},
		"header past the bound":  {binary.LittleEndian.AppendUint64(nil, 1<<63), 10, "the format allows"},
		"not JSON":               {header(`[1, 2]`), 0, "not a JSON object"},
		"half of JSON":           {header(`{"a":{"dtype":"BF16"`), 0, "tensor"},
		"no tensors":             {header(`{"__metadata__":{"format":"pt"}}`), 0, "holds no tensors"},
		"truncated":              {header(one), 4, "cut short"},
		"twice":                  {header(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}}`), 8, "twice"},
		"overlap":                {header(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}}`), 6, "overlap"},
		"gap":                    {header(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[6,10]}}`), 10, "gap"},
		"negative shape":         {header(`{"a":{"dtype":"U8","shape":[-4],"data_offsets":[0,4]}}`), 4, `"a"`},
		"offsets of 2^63":        {header(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[9223372036854775808,9223372036854775812]}}`), 4, "cut short"},
		"offsets past uint64":    {header(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,1e30]}}`), 4, `"a"`},
		"end before begin":       {header(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[4,0]}}`), 4, "begin and an end"},
		"one offset":             {header(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[4]}}`), 4, "begin and an end"},
		"shape that overflows":   {header(`{"a":{"dtype":"U8","shape":[4294967296,4294967296,2],"data_offsets":[0,4]}}`), 4, "larger than any file"},
		"nine dimensions":        {header(`{"a":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]}}`), 1, "9 dimensions"},
		"shape against bytes":    {header(`{"a":{"dtype":"BF16","shape":[4],"data_offsets":[0,4]}}`), 4, "takes 8 bytes"},
		"a long name":            {header(fmt.Sprintf(`{"%s":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, strings.Repeat("a", 2000))), 1, "a name of 2000 bytes"},
		"deep metadata":          {header(`{"__metadata__":` + strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000) + "}"), 0, "__metadata__"},
		"a number as a tensor":   {header(`{"a":1}`), 0, `"a"`},
		"bytes after the object": {header(one + "   "), 8, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, filepath.Join(t.TempDir(), "m.safetensors"), c.header, int64(len(c.header))+c.data)
			_, err := Open(path)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("%v, want it read: writers pad headers", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path)):
				t.Errorf("%v, want the path and %q", err, c.want)
			case err != nil && len(err.Error()) > 600:
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}

// A header may hold as many tensors as there are experts.
func TestManyTensorsAreRead(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	const n = 20_000
	for i := range n {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `"model.layers.%d.mlp.experts.%d.up_proj.weight":{"dtype":"U8","shape":[2],"data_offsets":[%d,%d]}`, i/1000, i%1000, 2*i, 2*i+2)
	}
	b.WriteString("}")
	c, err := Open(write(t, filepath.Join(t.TempDir(), "m.safetensors"), header(b.String()), int64(8+b.Len()+2*n)))
	if err != nil || c.Stored.Tensors != n || c.Stored.Total() != 2*n {
		t.Errorf("%+v, %v", c.Stored, err)
	}
}

func TestIndexIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"not JSON":    {`{"weight_map"`, "not an index"},
		"no map":      {`{"metadata":{"total_size":5}}`, "no weight_map"},
		"outside":     {`{"weight_map":{"a":"../../etc/passwd"}}`, "outside its folder"},
		"absolute":    {`{"weight_map":{"a":"/etc/passwd"}}`, "outside its folder"},
		"the parent":  {`{"weight_map":{"a":".."}}`, "outside its folder"},
		"negative":    {`{"metadata":{"total_size":-5},"weight_map":{"a":"b"}}`, "no size of weights"},
		"absurd":      {`{"metadata":{"total_size":1e300},"weight_map":{"a":"b"}}`, "no size of weights"},
		"nothing":     {`{"weight_map":{"a":"b.safetensors"}}`, "no total_size"},
		"many shards": {manyShards(), "names 5000 files"},
	} {
		path := filepath.Join(t.TempDir(), indexFile)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func manyShards() string {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, `,"t%d":"s%d.safetensors"`, i, i)
	}
	return `{"weight_map":{` + b.String()[1:] + `}}`
}

func TestWhatIsNoModel(t *testing.T) {
	dir := t.TempDir()
	folder := func(name string, files ...string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(path, f), []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Skip(err)
	}
	gone := folder("gone")
	if err := os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(gone, "model.safetensors")); err != nil {
		t.Fatal(err)
	}
	cache := folder("models--a--b")
	if err := os.Mkdir(filepath.Join(cache, "snapshots"), 0o700); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{
		"":                                       "give config.json",
		"  ":                                     "give config.json",
		filepath.Join(dir, "no.gguf"):            "is not there",
		"./llama-3.1-8b":                         "is not there",
		"gpt-17":                                 "a count such as 30B",
		loop:                                     "leads back to itself",
		gone:                                     "not there",
		folder("empty"):                          "is empty",
		folder("notes", "README.md"):             "holds no model",
		folder("lora", "adapter_config.json"):    "adapter",
		folder("pickle", "pytorch_model.bin"):    "pickles are not read",
		folder("native", "params.json", "c.pth"): "params.json",
		cache:                                    "snapshots",
		folder("config", "config.json"):          "config.json",
		folder("two", "a.gguf", "b.gguf"):        "give one file",
		filepath.Join(folder("t", "notes.txt"), "notes.txt"): "config.json describes no model",
	} {
		if _, err := Open(ref); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", ref, err, want)
		}
	}
}

func FuzzSafetensors(f *testing.F) {
	t := &testing.T{}
	b, _ := safetensors(t, tinyTensors("F8_E4M3")...)
	f.Add(b, int64(1<<20))
	f.Add(header(`{"a":{"dtype":"F4","shape":[2,3],"data_offsets":[0,3]},"__metadata__":null}`), int64(100))
	f.Fuzz(func(t *testing.T, b []byte, size int64) {
		tensors, err := parseSafetensors(strings.NewReader(string(b)), size)
		if err != nil {
			return
		}
		s, sum := store(tensors), int64(0)
		for _, t := range tensors {
			sum += t.bytes
		}
		all := s.Other
		for _, n := range s.Bytes {
			all += n
		}
		if all != sum || sum > size || s.Elements < 0 {
			t.Errorf("%d bytes by part of %d in tensors, a file of %d; %d elements", all, sum, size, s.Elements)
		}
	})
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"metadata":{"total_size":16060522496},"weight_map":{"model.layers.61.eh_proj.weight":"model-00001-of-00001.safetensors"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := parseIndex(b)
		if err != nil {
			return
		}
		x.draft()
		for _, s := range x.shards {
			if filepath.Base(s) != s {
				t.Errorf("a shard called %q leads out of its folder", s)
			}
		}
	})
}

func FuzzGGUF(f *testing.F) {
	b, size := tinyGGUF().bytes()
	f.Add(b, size)
	b, size = (&ggufWriter{}).set("general.architecture", "gemma3").set("gemma3.attention.sliding_window_pattern", []bool{true}).tensor("a", q4_0, 32).bytes()
	f.Add(b, size)
	f.Fuzz(func(t *testing.T, b []byte, size int64) {
		g, err := parseGGUF(strings.NewReader(string(b)), size)
		if err != nil {
			return
		}
		sum := int64(0)
		for _, t := range g.tensors {
			sum += t.bytes
		}
		if sum < 0 || len(g.tensors) > 0 && sum > size {
			t.Errorf("%d bytes of tensors in a file of %d", sum, size)
		}
		g.format()
		if a, err := g.arch("fuzz"); err == nil && a.Parameters() < 0 {
			t.Errorf("%d parameters", a.Parameters())
		}
	})
}
