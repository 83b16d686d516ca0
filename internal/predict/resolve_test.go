package predict

import (
	"strings"
	"testing"
)

// What benchmarks write of models and formats is predicted, and what had to be
// taken for something else is said.
func TestRowsAsBenchmarksWriteThem(t *testing.T) {
	for _, c := range []struct {
		model, precision, moe string
		arch, format, note    string
	}{
		{"llama3.1-8b", "fp8", "", "llama-3.1-8b", "fp8", ""},
		{"LLAMA3.1_8B", "", "", "llama-3.1-8b", "bf16", ""},
		{"dsr1", "fp4", "", "deepseek-r1", "nvfp4", ""},
		{"someone/DeepSeek-V3.2-Speciale", "fp8", "", "deepseek-v3.2", "fp8", ""},
		{"openai/gpt-oss-120b", "fp4", "", "gpt-oss-120b", "mxfp4", ""},
		{"deepseek-ai/DeepSeek-V4", "fp8", "", "deepseek-v4-pro", "fp8", "most alike by name"},
		{"tencent/Hunyuan-A13B-Instruct", "fp8", "", "glm-4.5-air", "fp8", "nearest in size"},
		{"meta-llama/Llama-3.1-8B", "compressed-tensors", "", "llama-3.1-8b", "bf16", `"compressed-tensors" is not known`},
		{"Qwen/Qwen3-30B-A3B", "mystery", "fp8_block", "qwen3-30b-a3b", "fp8", `"mystery" is not known`},
	} {
		s, err := Resolver{}.resolve(Row{Model: c.model, System: "h200_sxm", Precision: c.precision, MoE: c.moe, ISL: 100, OSL: 100, Concurrency: 4, TP: 8})
		if err != nil {
			t.Errorf("%s: %v", c.model, err)
			continue
		}
		format := s.Format.Name
		if format == "" {
			format = "bf16"
		}
		note := strings.Join(s.remark, "; ")
		if s.Model.Name != c.arch || format != c.format || !strings.Contains(note, c.note) || (c.note == "") != (note == "") {
			t.Errorf("%s %s %s: %s in %s, note %q; want %s in %s, %q", c.model, c.precision, c.moe, s.Model.Name, format, note, c.arch, c.format, c.note)
		}
	}
	if a, ok := spelled("phi-4-multimodal-5.6b"); ok {
		t.Errorf("a name that states another size is %s", a.Name)
	}
	if a, ok := relative("unknown-1"); ok {
		t.Errorf("unknown-1 is like %s", a.Name)
	}
}

// Weights that don't fit make no queue of their own: the row's note says that they don't,
// and more ranks are never slower for it.
func TestWeightsThatDoNotFit(t *testing.T) {
	row := Row{Model: "deepseek-ai/DeepSeek-R1", System: "h100_sxm", Precision: "fp8", ISL: 1024, OSL: 1024, Concurrency: 64, TP: 4, AttentionDP: 1}
	p, err := PredictRow(row, Resolver{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Waiting || !strings.Contains(p.Note, "weights take") {
		t.Errorf("weights of 168 GB on 80: waiting %v, note %q", p.Waiting, p.Note)
	}
	row.System = "h200_sxm"
	row.TP = 8
	fits, err := PredictRow(row, Resolver{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(fits.Note, "weights") || fits.ITL.Mid >= p.ITL.Mid {
		t.Errorf("eight H200: ITL %.1f ms, note %q; four H100: %.1f", fits.ITL.Mid, fits.Note, p.ITL.Mid)
	}
}
