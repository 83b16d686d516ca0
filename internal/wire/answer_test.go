package wire

import "testing"

// What a session repeats of an answer must not hold what the model thought.
func TestAnswerIsWithoutThoughts(t *testing.T) {
	thought := `{"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}`
	both := `{"choices":[{"index":0,"delta":{"reasoning_content":"hm","content":"so"}}]}`
	for name, c := range map[string]struct {
		events []string
		want   string
	}{
		"no thoughts":                {[]string{piece("Hello"), piece(" you")}, "Hello you"},
		"thoughts in a field":        {[]string{thought, thought, piece("yes"), piece(".")}, "yes."},
		"thought and answer in one":  {[]string{thought, both, piece(".")}, "so."},
		"thoughts in tags":           {[]string{piece("<think>"), piece("hm"), piece("</think>"), piece("yes"), piece(".")}, "yes."},
		"end of thoughts and answer": {[]string{piece("<think>hm"), piece("m</think> yes")}, " yes"},
		"what only began like a tag": {[]string{piece("<"), piece("b>")}, "<b>"},
		"nothing but thoughts":       {[]string{thought, thought}, ""},
	} {
		out := Outcome{AnswerAt: -1}
		var facts Facts
		d := newDecoder(chatProtocol, nil, &out, &facts, true)
		for _, e := range append(c.events, "[DONE]") {
			_ = d.Feed([]byte("data: "+e+"\n\n"), 0)
		}
		d.Finish()
		if out.Answer != c.want {
			t.Errorf("%s: the answer is %q, want %q", name, out.Answer, c.want)
		}
	}
}
