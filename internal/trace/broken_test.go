package trace

import (
	"strings"
	"testing"
)

// A file that is cut off or broken gives what was whole, and says where and why.
func TestBrokenFiles(t *testing.T) {
	azure := "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n"
	moon := `{"timestamp": 0, "input_length": 10, "output_length": 1, "hash_ids": [0]}` + "\n"
	for _, c := range []struct {
		name, content string
		kind          string
		before        int // rows that can be used; -1: the file is refused
		want          string
	}{
		{"lines cut off", moon + `{"timestamp": 0, "inp`, "", 1, "data:2: the row is cut off"},
		{"a length below 0", moon + `{"input_length": -5}`, "", 1, "data:2: input_length is -5"},
		{"a length beyond reason", moon + `{"input_length": 2000000000}`, "", 1, "data:2: input_length is 2000000000"},
		{"a block id that is a text", moon + `{"input_length": 5, "hash_ids": ["x"]}`, "", 1, `data:2: not a row of JSON: block id "\"x\"" is not`},
		{"a time beyond reason", moon + `{"input_length": 5, "timestamp": 1e300}`, "", 1, "data:2: timestamp is 1e+300: out of range"},
		{"a row of another kind", moon + `{"prompt": "x"}`, "", 1, `data:2: the row has none of "input_length"`},
		{"Azure cut off in a row", azure + "2023-11-16 18:17:04.0319600,31", "", 1, "data:3: 2 columns, and the header has 3: the row is cut off"},
		{"Azure without a time", azure + "yesterday,3,4\n", "", 1, `data:3: time stamp "yesterday" is not of the form`},
		{"Azure in no year", azure + "9999-11-16 18:17:04,3,4\n", "", 1, "data:3: time stamp 9999-11-16T18:17:04Z is out of range"},
		{"Azure with a text for a number", azure + "2023-11-16 18:17:04,many,4\n", "", 1, `data:3: ContextTokens is "many": want a whole number`},
		{"Azure with half a token", azure + "2023-11-16 18:17:04,1.5,4\n", "", 1, `data:3: ContextTokens is "1.5": want a whole number`},
		{"CSV with a stray quote", azure + "2023-11-16 18:17:04,\"a\"b,4\n", "", 1, "data:3: "},
		{"BurstGPT without a number", "Timestamp,Model,Request tokens,Response tokens\nx,m,1,2\n", "", 0, `data:2: Timestamp is "x"`},
		{"gzip cut off", zipped(t, strings.Repeat(moon, 50_000))[:4000], "", -2, "the compressed file is cut off"},
		{"gzip broken", "\x1f\x8b\x08", "", -1, "compressed with gzip, and its header is broken"},
		{"zstd broken", "\x28\xb5\x2f\xfd rest", "", -1, "the compressed data is broken"},
		{"xz", "\xfd7zXZ\x00 rest", "", -1, "unxz"},
		{"parquet", "PAR1\x15\x04", "", -1, "Parquet file: convert it"},
		{"Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:44\n", "", -1, "git lfs pull"},
		{"binary", "abc\x00", "", -1, "binary"},
		{"text as Mooncake", "hello", Mooncake, -1, `does not begin as JSON: it is not of kind "mooncake"`},
		{"JSON as Azure", moon, Azure, -1, `does not begin with the header of a CSV file: it is not of kind "azure"`},
		{"a kind of nobody", moon, "nobody", -1, `format "nobody" is not one of bailian, mooncake, azure`},
		{"spans cut off", `{"spans": [{"attributes": {"gen_ai.usage.input_tokens": 3}}, {"attr`, "", 1, "cut off after span 1"},
		{"spans of rubbish", `{"spans": [{"attributes": {"gen_ai.usage.input_tokens": 3}}, 7]}`, "", 1, "span 2"},
		{"spans that are not closed", `{"spans": [{"attributes": {"gen_ai.usage.input_tokens": 3}}]`, "", 1, "cut off after span 1"},
		{"messages that are none", `{"spans": [{"attributes": {"gen_ai.input.messages": "[3]"}}]}`, "", 0, "gen_ai.input.messages is not a list"},
		{"a conversation cut off", wekaSample + wekaSample[:300], "", 4, "cut off in item 2"},
		{"blocks of no size", `{"id":"c","block_size":-1,"requests":[]}`, "", 0, "block_size is -1"},
		{"agents without end", strings.Repeat(`{"block_size":1,"type":"subagent","requests":[`, 40) + strings.Repeat("]}", 40), "", 0, "nested more than 16 deep"},
		{"audio", `{"text": "a", "timestamp": 1, "audio": "x.wav"}`, "", 0, "holds audio or video"},
		{"an image on disk", `{"text": "a", "image": "/a/b.png"}`, "", 0, `image "/a/b.png" is a file`},
		{"texts that are none", `{"texts": [3]}`, "", 0, `"texts" holds 3`},
		{"turn without end", `{"turns": [{"text": "a"}, {"text": "b", "output_length": -1}]}`, "", 0, "turn 2: output_length is -1"},
		{"extra that is no object", `{"text": "a", "extra": [1]}`, "", 0, `"extra" is not an object`},
		{"a payload that is no object", `{"payload": [1]}`, "", 0, "body is not an object"},
		{"WildChat at no time", `{"conversation_hash":"h","conversation":[{"role":"user","content":"q"}],"timestamp":[]}`, "", 0, "neither a text nor a number"},
		{"GuideLLM with a text for a number", `{"prompt": "a", "output_tokens_count": "x"}`, "", 0, `the answer's length is "x"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Open(write(t, c.content), Options{Kind: c.kind})
			var got []Row
			if err == nil {
				defer r.Close()
				got, err = all(r)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
			if (r == nil) != (c.before == -1) {
				t.Errorf("opened: %v", r != nil)
			}
			if c.before >= 0 && len(got) != c.before || c.before == -2 && len(got) == 0 {
				t.Errorf("%d rows before the error, want %d", len(got), c.before)
			}
		})
	}
}
