package practice

import "testing"

func TestImage(t *testing.T) {
	const digest = "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for _, c := range []struct {
		reference    string
		tag          string
		moves, valid bool
	}{
		{"vllm/vllm-openai:v0.32.0", "v0.32.0", false, true},
		{"vllm/vllm-openai", "", true, true},
		{"vllm/vllm-openai:latest", "latest", true, true},
		{"vllm/vllm-openai:latest" + digest, "latest", false, true},
		{"vllm/vllm-openai" + digest, "", false, true},
		{"localhost:5000/vllm", "", true, true},
		{"localhost:5000/vllm:nightly-x86_64", "nightly-x86_64", true, true},
		{"example.com/a/b_c/d:1.2-main", "1.2-main", false, true},
		{"111122223333.dkr.ecr.eu-central-1.amazonaws.com/vllm:0.32", "0.32", false, true},
		{"https://example.com/vllm:1", "1", false, false},
		{"example.com/Vllm:1", "1", false, false},
		{"vllm :1", "1", false, false},
		{"vllm:1:2", "2", false, false},
	} {
		i := ImageOf(c.reference)
		if i.Tag != c.tag || i.Moves() != c.moves || ValidImage(c.reference) != c.valid {
			t.Errorf("%s: tag %q, moves %v, valid %v; want %q, %v, %v", c.reference, i.Tag, i.Moves(), ValidImage(c.reference), c.tag, c.moves, c.valid)
		}
	}
}
