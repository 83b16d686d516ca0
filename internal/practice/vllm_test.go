package practice

import "testing"

func TestVLLMImage(t *testing.T) {
	for image, want := range map[string]string{
		"vllm/vllm-openai:v0.32.0":                                                                 "0.32.0",
		"vllm/vllm-openai:v0.11.0-cu129":                                                           "0.11.0",
		"vllm/vllm-openai:v0.10.1.1":                                                               "",
		"111122223333.dkr.ecr.eu-west-1.amazonaws.com/vllm-openai:v0.9.2":                          "0.9.2",
		"localhost:5000/vllm/vllm-openai:v0.20.1@sha256:" + "ab":                                   "0.20.1",
		"public.ecr.aws/deep-learning-containers/vllm:0.11.2-gpu-py312-cu129-ubuntu22.04-ec2-v1.0": "0.11.2",
		"vllm/vllm-openai:v0.8.5.post1":                                                            "0.8.5",
		"vllm/vllm-openai:v0.12.0rc1":                                                              "",
		"vllm/vllm-openai:latest":                                                                  "",
		"vllm/vllm-openai@sha256:abcdef":                                                           "",
		"vllm/vllm-openai":                                                                         "",
		"ghcr.io/llm-d/llm-d-cuda:v0.3.0":                                                          "",
		"rocm/vllm:rocm6.4.1_vllm_0.9.1":                                                           "",
		"":                                                                                         "",
	} {
		v, ok := VLLMImage(image)
		got := ""
		if ok {
			got = v.String()
		}
		if got != want {
			t.Errorf("VLLMImage(%q) = %q, want %q", image, got, want)
		}
	}
}

func TestVLLMFlag(t *testing.T) {
	for _, c := range []struct {
		version VLLM
		flag    string
		want    Presence
		at      VLLM
	}{
		{VLLM{0, 32, 0}, "--tensor-parallel-size", Present, VLLM{0, 6, 0}},
		{VLLM{0, 32, 0}, "--tensor_parallel_size", Present, VLLM{0, 6, 0}},
		{VLLM{0, 32, 0}, "--tensor-parallel", Present, VLLM{}},
		{VLLM{0, 32, 0}, "--no-enable-prefix-caching", Present, VLLM{0, 6, 0}},
		{VLLM{0, 32, 0}, "--compilation-config.mode", Present, VLLM{0, 6, 6}},
		{VLLM{0, 32, 0}, "--swap-space", Removed, VLLM{0, 18, 0}},
		{VLLM{0, 17, 1}, "--swap-space", Unjudged, VLLM{}},
		{VLLM{0, 17, 0}, "--swap-space", Present, VLLM{0, 6, 0}},
		{VLLM{0, 11, 0}, "--shutdown-timeout", NotYet, VLLM{0, 18, 0}},
		{VLLM{0, 18, 1}, "--shutdown-timeout", Present, VLLM{0, 18, 0}},
		{VLLM{0, 32, 0}, "--tensor-paralel-size", Never, VLLM{}},
		{VLLM{0, 40, 0}, "--tensor-paralel-size", Unjudged, VLLM{}},
		{VLLM{0, 40, 0}, "--swap-space", Removed, VLLM{0, 18, 0}},
		{VLLM{0, 5, 0}, "--swap-space", Unjudged, VLLM{}},
		{VLLM{}, "--swap-space", Unjudged, VLLM{}},
	} {
		got, at := VLLMFlag(c.version, c.flag)
		if got != c.want || at != c.at {
			t.Errorf("VLLMFlag(%v, %s) = %d, %v; want %d, %v", c.version, c.flag, got, at, c.want, c.at)
		}
	}
	if got := VLLMNear(VLLM{0, 32, 0}, "--tensor-paralel-size"); got != "--tensor-parallel-size" {
		t.Errorf("near --tensor-paralel-size is %q", got)
	}
}

// TestVLLMTable holds what the table must be for its questions to be answered.
func TestVLLMTable(t *testing.T) {
	table := vllm()
	if len(table.read) < 30 || len(table.flags) < 300 {
		t.Fatalf("%d versions, %d flags", len(table.read), len(table.flags))
	}
	for i, v := range table.read[1:] {
		if v.Compare(table.read[i]) <= 0 {
			t.Errorf("version %v stands after %v", v, table.read[i])
		}
	}
	for name, spans := range table.spans {
		for i, s := range spans {
			if s.Until.Known() && s.Until.Compare(s.Since) <= 0 || i > 0 && s.Since.Compare(spans[i-1].Until) <= 0 {
				t.Errorf("%s: spans %v", name, spans)
			}
		}
	}
	for name := range vllmInstead {
		if p, _ := VLLMHas(table.read[len(table.read)-1], name); p != Removed {
			t.Errorf("something is said to stand in for %s, which was not removed", name)
		}
	}
}
