package contract

import (
	"context"
	"flag"
	"testing"

	"assay/internal/engine"
	"assay/internal/engine/httpd"
	"assay/test/vllm"
)

var record = flag.Bool("record", false, "write what the real vLLM answers to testdata, instead of comparing")

// served is the name of the model in every exchange: that of test/vllm/vllm.sh.
const served = "tiny"

// contextLength is the model's, in tokens. Histograms of token counts end with it.
const contextLength = 8192

// suite is the whole contract, against one server that nothing else loads.
func suite(t *testing.T, url string) {
	t.Run("Exchanges", func(t *testing.T) { testExchanges(t, url) })
	t.Run("Streams", func(t *testing.T) { testStreams(t, url) })
	t.Run("OutputLength", func(t *testing.T) { testOutputLength(t, url) })
	t.Run("ContinuousUsage", func(t *testing.T) { testContinuousUsage(t, url) })
	t.Run("EndOfSequence", func(t *testing.T) { testEndOfSequence(t, url) })
	t.Run("Tokenize", func(t *testing.T) { testTokenize(t, url) })
	t.Run("PrefixCache", func(t *testing.T) { testPrefixCache(t, url) })
	t.Run("MetricFamilies", func(t *testing.T) { testMetricFamilies(t, url) })
	t.Run("Counters", func(t *testing.T) { testCounters(t, url) })
}

func TestVLLM(t *testing.T) {
	suite(t, vllm.URL(t))
}

func TestSim(t *testing.T) {
	if *record {
		t.Skip("the record is the real server's")
	}
	suite(t, startSim(t, httpd.Options{}).URL())
}

// startSim serves a simulated engine that presents itself as the tiny model,
// with the flags that vllm.sh gives the real server.
func startSim(t *testing.T, opt httpd.Options) *httpd.Server {
	t.Helper()
	cfg := engine.Demo()
	cfg.MaxModelLen = contextLength
	opt.ServedModel = served
	opt.PromptTokensDetails = true
	server, err := httpd.Start(cfg, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Shutdown(context.Background()); err != nil { // the test's context has ended
			t.Errorf("shut down: %v", err)
		}
	})
	return server
}
