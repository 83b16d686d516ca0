package trace

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// wantSpans are the requests of both forms below.
var wantSpans = []Row{
	{
		At: ms(0), Session: "t1", Model: "m", PromptTokens: new(12), OutputTokens: new(4), Latency: ms(1500),
		Messages: json.RawMessage(`[{"role":"user","content":"hello"}]`), Answer: "hi",
	},
	{
		At: ms(4000), Session: "t1", Turn: 1, Model: "m", PromptTokens: new(30), OutputTokens: new(6), MaxTokens: 100,
		Latency: ms(1000), Delay: ms(2500), TTFT: ms(250), Failed: true,
		Messages: json.RawMessage(`[{"role":"system","content":"be short"},{"role":"user","content":"look\n{\"q\":1}"},{"role":"user","content":"found"}]`),
	},
}

func TestSpans(t *testing.T) {
	for name, content := range map[string]string{
		"inference-perf": `{"schema": {"version": [1, {"x": 2}]}, "spans": [
			{"trace_id": "t1", "span_id": "a", "start_time": "2026-01-01T00:00:00Z", "end_time": "2026-01-01T00:00:01.5Z", "attributes": {
				"gen_ai.request.model": "m", "gen_ai.input.messages": "[{\"role\":\"user\",\"content\":\"hello\"}]", "gen_ai.output.text": "hi",
				"gen_ai.usage.input_tokens": 12, "gen_ai.usage.output_tokens": 4}},
			{"trace_id": "t1", "span_id": "b", "start_time": "2026-01-01T00:00:02Z", "attributes": {"gen_ai.operation.name": "execute_tool", "gen_ai.usage.input_tokens": 1}},
			{"trace_id": "t1", "span_id": "c", "attributes": {"http.method": "GET"}},
			{"trace_id": "t1", "span_id": "d", "start_time": "2026-01-01T00:00:04Z", "end_time": "2026-01-01T00:00:05Z", "status": {"code": "STATUS_CODE_ERROR"}, "attributes": {
				"gen_ai.response.model": "m", "gen_ai.usage.prompt_tokens": "30", "gen_ai.usage.completion_tokens": 6.0, "gen_ai.request.max_tokens": 100,
				"gen_ai.latency.time_to_first_token": 0.25, "gen_ai.system_instructions": "be short",
				"gen_ai.input.messages": [{"role":"user","parts":[{"type":"text","content":"look"},{"type":"tool_call","arguments":{"q":1}}]},{"role":"tool","parts":[{"type":"tool_call_response","result":"found"}]}]}}
		], "after": 3}`,
		"OTLP lines": `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"x"}}]},"scopeSpans":[{"scope":{"name":"s"},"spans":[` +
			`{"traceId":"t1","spanId":"a","startTimeUnixNano":"1767225600000000000","endTimeUnixNano":"1767225601500000000","attributes":[` +
			`{"key":"gen_ai.request.model","value":{"stringValue":"m"}},{"key":"gen_ai.prompt.0.role","value":{"stringValue":"user"}},{"key":"gen_ai.prompt.0.content","value":{"stringValue":"hello"}},` +
			`{"key":"gen_ai.completion","value":{"stringValue":"hi"}},{"key":"gen_ai.usage.prompt_tokens","value":{"intValue":"12"}},{"key":"gen_ai.usage.completion_tokens","value":{"intValue":4}}]},` +
			`{"traceId":"t1","spanId":"b","attributes":[]}]}]}]}` + "\n" +
			`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t1","spanId":"c","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"embeddings"}},{"key":"gen_ai.usage.input_tokens","value":{"intValue":"3"}}]}]},{"spans":[` +
			`{"traceId":"t1","spanId":"d","startTimeUnixNano":1767225604000000000,"endTimeUnixNano":1767225605000000000,"status":{"code":2},"attributes":[` +
			`{"key":"gen_ai.request.model","value":{"stringValue":"m"}},{"key":"gen_ai.usage.input_tokens","value":{"intValue":"30"}},{"key":"gen_ai.usage.output_tokens","value":{"intValue":"6"}},` +
			`{"key":"gen_ai.request.max_tokens","value":{"intValue":"100"}},{"key":"gen_ai.server.time_to_first_token","value":{"doubleValue":0.25}},` +
			`{"key":"gen_ai.prompt","value":{"stringValue":"[{\"role\":\"system\",\"content\":\"be short\"},{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"look\"},{\"type\":\"text\",\"text\":\"{\\\"q\\\":1}\"}]},{\"role\":\"tool\",\"content\":\"found\"}]"}}]}]}]}]}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, content, Options{})
			got, err := all(r)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(wantSpans, got, noPlace); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if r.Kind() != OTel || r.Skipped() != 2 {
				t.Errorf("kind %s, %d skipped; want otel, 2", r.Kind(), r.Skipped())
			}
		})
	}
}

func TestSpansOnePerLine(t *testing.T) {
	r := open(t, `{"traceId":"x","spanId":"a","startTimeUnixNano":"1767225600000000000","attributes":[{"key":"gen_ai.usage.input_tokens","value":{"intValue":"9"}}]}`+"\n", Options{})
	got, err := all(r)
	if err != nil {
		t.Fatal(err)
	}
	want := []Row{{At: new(time.Duration(0)), Session: "x", PromptTokens: new(9)}}
	if diff := cmp.Diff(want, got, noPlace); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
