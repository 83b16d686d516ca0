package trace

import (
	"fmt"
	"slices"
	"strings"
)

// Kinds of trace and dataset files.
const (
	Mooncake    = "mooncake"     // {"timestamp" in ms, "input_length", "output_length", "hash_ids"} a line, and AIPerf's extension of it
	Bailian     = "bailian"      // {"chat_id", "parent_chat_id", "timestamp" in s, ...} a line
	Azure       = "azure"        // CSV: TIMESTAMP,[NumImages,]ContextTokens,GeneratedTokens
	BurstGPT    = "burstgpt"     // CSV: Timestamp in s, Model, Request tokens, Response tokens, ...
	WEKA        = "weka"         // one JSON document a conversation: {"id", "block_size", "requests"}
	OTel        = "otel"         // spans with gen_ai.* attributes: {"spans"} or OTLP's {"resourceSpans"}
	ShareGPT    = "sharegpt"     // {"conversations": [{"from", "value"}]}
	LMSYS       = "lmsys"        // {"conversation_id", "conversation": [{"role", "content"}]}
	WildChat    = "wildchat"     // {"conversation_hash", "timestamp", "conversation": [{"role", "content"}]}
	OpenAIBatch = "openai-batch" // {"custom_id", "method", "url", "body"}
	SingleTurn  = "single-turn"  // AIPerf: {"text" or "texts" or "image", "timestamp" or "delay", ...}
	MultiTurn   = "multi-turn"   // AIPerf: {"session_id", "turns": [{"text", "delay"}]}
	RandomPool  = "random-pool"  // AIPerf: {"type": "random_pool", "text" or "texts"}
	SpecBench   = "spec-bench"   // {"question_id", "category", "turns": ["..."]}
	GuideLLM    = "guidellm"     // columns prompt, prefix, prompt_tokens_count, ...; JSON lines or CSV
	JSONLines   = "jsonl"        // {"prompt"}, {"text"} or {"messages"}
	PlainText   = "text"         // one prompt a line
)

// format is how one kind is told from the others, and read.
type format struct {
	kind    string
	aliases []string // what other tools call it
	layouts []layout
	// recognise says by what in a file's first row the kind is told; empty: it is
	// not this one.
	recognise func(first) string
	read      func(source) rows
}

var (
	inJSON  = []layout{inLines, inArray, inDocuments}
	onlyCSV = []layout{inCSV}
)

// formats are in the order in which they are tried.
var formats = []format{
	{Bailian, []string{"bailian-trace"}, inJSON, keys("chat_id", "parent_chat_id"), readJSON(newBailian)},
	{Mooncake, []string{"mooncake-trace", "timed-trace"}, inJSON, isMooncake, readJSON(newMooncake)},
	{Azure, []string{"azure-llm", "azure-lmm"}, onlyCSV, columns("timestamp", "contexttokens", "generatedtokens"), readCSV(newAzure)},
	{BurstGPT, []string{"burst-gpt", "burst-gpt-trace", "burstgpt-trace"}, onlyCSV, columns("timestamp", "request tokens", "response tokens"), readCSV(newBurst)},
	{WEKA, []string{"weka-trace", "cc-traces"}, inJSON, keys("requests", "block_size"), readJSON(newWEKA)},
	{OTel, []string{"otel-trace-replay", "otlp", "opentelemetry"}, inJSON, isOTel, readSpans},
	{ShareGPT, nil, inJSON, keys("conversations"), readJSON(newShareGPT)},
	{WildChat, nil, inJSON, keys("conversation", "conversation_hash"), readJSON(newConversations)},
	{LMSYS, nil, inJSON, keys("conversation"), readJSON(newConversations)},
	{OpenAIBatch, nil, inJSON, keys("body"), readJSON(newBatch)},
	{SpecBench, []string{"specbench", "mt-bench"}, inJSON, isSpecBench, readJSON(newSpecBench)},
	{MultiTurn, nil, inJSON, keys("turns"), readJSON(newMultiTurn)},
	{RandomPool, nil, inJSON, ofType("random_pool"), readJSON(newSingleTurn)},
	{SingleTurn, nil, inJSON, isSingleTurn, readJSON(newSingleTurn)},
	{GuideLLM, nil, append(onlyCSV, inJSON...), isGuideLLM, readGuideLLM},
	{JSONLines, []string{"custom", "openai", "line-by-line"}, inJSON, isJSON, readJSON(newPlain)},
	{PlainText, []string{"txt"}, []layout{inLines, inCSV}, isText, readText},
}

// Kinds are the names of the formats.
func Kinds() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.kind
	}
	return names
}

// ParseKind finds a format by its name, or by the name that another tool gives
// it. The empty name stands for "by content".
func ParseKind(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	f, err := formatOf(name)
	return f.kind, err
}

func formatOf(name string) (format, error) {
	plain := strings.ReplaceAll(strings.ToLower(name), "_", "-")
	for _, f := range formats {
		if f.kind == plain || slices.Contains(f.aliases, plain) {
			return f, nil
		}
	}
	return format{}, fmt.Errorf("format %q is not one of %s", name, strings.Join(Kinds(), ", "))
}
