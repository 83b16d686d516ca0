package memory

import (
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"assay/internal/plan"
	"assay/test/vllm"
)

// tiny is the model that vllm.sh makes.
const tiny = `{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "torch_dtype": "bfloat16",
	"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1,
	"head_dim": 32, "vocab_size": 2048, "max_position_embeddings": 8192, "tie_word_embeddings": false}`

var cacheInfo = regexp.MustCompile(`vllm:cache_config_info\{[^}]*block_size="(\d+)"[^}]*num_gpu_blocks="(\d+)"`)

// TestPlansFlagsStartVLLM starts a real vLLM with the flags of a plan and holds its KV
// cache against the one that the plan printed.
func TestPlansFlagsStartVLLM(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(config, []byte(tiny), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := plan.Serve(plan.Request{Asked: plan.Asked{
		Model: config, Context: 4096, Concurrency: 8, ISL: 500, OSL: 100, Engine: "vllm@0.32", Instances: []string{"g6.xlarge"},
		KVBytes: 96 << 20, BlockSize: 32, MaxNumSeqs: 16, MaxBatchedTokens: 1024,
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Options) == 0 {
		t.Fatalf("the plan has no option: %+v", r.Verdict)
	}
	o := r.Options[0]
	url := vllm.Start(t, o.Flags...)
	res, err := http.Get(url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	m := cacheInfo.FindSubmatch(text)
	if m == nil {
		t.Fatalf("no vllm:cache_config_info with block_size and num_gpu_blocks in %s/metrics", url)
	}
	block, _ := strconv.Atoi(string(m[1]))
	blocks, _ := strconv.Atoi(string(m[2]))
	if got := float64(block * blocks); block != o.BlockSize || math.Abs(got/float64(o.KVTokens)-1) > 0.05 {
		t.Errorf("with %q vLLM keeps %d blocks of %d tokens; the plan printed %d tokens in blocks of %d", o.Flags, blocks, block, o.KVTokens, o.BlockSize)
	}
}
