package wire

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"pgregory.net/rapid"
)

// message is one of AWS's event stream, with string headers as name, value, ….
func message(payload string, headers ...string) string {
	m := eventstream.Message{Payload: []byte(payload)}
	for i := 0; i+1 < len(headers); i += 2 {
		m.Headers.Set(headers[i], eventstream.StringValue(headers[i+1]))
	}
	var b bytes.Buffer
	if err := eventstream.NewEncoder().Encode(&b, m); err != nil {
		panic(err) // only a test's own mistake
	}
	return b.String()
}

func awsEvent(name, payload string) string {
	return message(payload, ":message-type", "event", ":event-type", name, ":content-type", "application/json")
}

func exception(name, payload string) string {
	return message(payload, ":message-type", "exception", ":exception-type", name, ":content-type", "application/json")
}

// delta is a piece of a ConverseStream answer, padded as Bedrock pads.
func delta(inner string) string {
	return awsEvent("contentBlockDelta", `{"contentBlockIndex":0,"delta":{`+inner+`},"p":"abcdefghij"}`)
}

var (
	converseStart = awsEvent("messageStart", `{"role":"assistant","p":"abc"}`)
	converseStop  = awsEvent("contentBlockStop", `{"contentBlockIndex":0}`) + awsEvent("messageStop", `{"stopReason":"max_tokens"}`)
	converseUsage = awsEvent("metadata", `{"metrics":{"latencyMs":512},"usage":{"inputTokens":12,"outputTokens":3,"totalTokens":115,"cacheReadInputTokens":100,"cacheWriteInputTokens":0}}`)
	converse      = converseStart + delta(`"reasoningContent":{"text":"Hm"}`) + delta(`"reasoningContent":{"signature":"c2ln"}`) +
		delta(`"text":"Yes"`) + delta(`"toolUse":{"input":"{\"a\":"}`) + converseStop + converseUsage
)

// parts cuts a container's stream into messages of n bytes.
func parts(stream string, n int) string {
	var b strings.Builder
	for len(stream) > 0 {
		n := min(n, len(stream))
		b.WriteString(message(stream[:n], ":message-type", "event", ":event-type", "PayloadPart", ":content-type", "application/octet-stream"))
		stream = stream[n:]
	}
	return b.String()
}

const djlLines = `{"token": {"id": 1, "text": "Ye", "log_prob": -0.1}}` + "\n" + `{"token": {"id": 2, "text": "s", "log_prob": -0.2}, "generated_text": "Yes", "details": {"finish_reason": "length", "generated_tokens": 2}}` + "\n"

// binaryStreams are answers of the APIs that are framed by AWS, and what they come to.
var binaryStreams = []struct{ name, api, stream, want string }{
	{"bedrock", BedrockConverse, converse, `[0 0 0] "HmYes" answer@1 usage 112+3 own cached 100 role-first by reasoningContent finish max_tokens`},
	{"bedrock without usage", BedrockConverse, converseStart + delta(`"text":"Yes"`) + converseStop, `[0] "Yes" answer@0 role-first finish max_tokens`},
	{"bedrock cut", BedrockConverse, converseStart + delta(`"text":"Yes"`) + converseStop[:30], `[0] "Yes" answer@0 role-first finish - FAILED truncated: the stream ended without messageStop`},
	{"bedrock throttled", BedrockConverse, converseStart + exception("throttlingException", `{"message":"Too many tokens"}`), `[] "" role-first finish - FAILED rate-limited: throttlingException: Too many tokens`},
	{"bedrock in the middle", BedrockConverse, converseStart + delta(`"text":"Yes"`) + exception("modelStreamErrorException", `{"message":"boom","originalStatusCode":500}`), `[0] "Yes" answer@0 role-first finish - FAILED error-in-stream: modelStreamErrorException: boom`},
	{"bedrock refuses", BedrockConverse, exception("validationException", `{"message":"maxTokens"}`), `[] "" finish - FAILED bad-request: validationException: maxTokens`},
	{"bedrock is busy", BedrockConverse, exception("serviceUnavailableException", `{"message":"later"}`), `[] "" finish - FAILED overloaded: serviceUnavailableException: later`},
	{"bedrock fails within", BedrockConverse, exception("internalServerException", ``), `[] "" finish - FAILED error-in-stream: internalServerException: no words`},
	{"an unmodelled error", BedrockConverse, message("", ":message-type", "error", ":error-code", "InternalError", ":error-message", "words"), `[] "" finish - FAILED error-in-stream: InternalError: words`},
	{"a broken tool call", BedrockConverse, converseStart + awsEvent("messageStop", `{"stopReason":"malformed_tool_use"}`), `[] "" role-first finish malformed_tool_use FAILED error-in-stream: stopReason malformed_tool_use`},
	{"an event of tomorrow", BedrockConverse, awsEvent("somethingNew", `{"a":1}`) + converse, `[0 0 0] "HmYes" answer@1 usage 112+3 own cached 100 by reasoningContent finish max_tokens`},
	{"not JSON", BedrockConverse, awsEvent("contentBlockDelta", `{"delta":`), `[] "" finish - FAILED malformed: an event is not a JSON object: {"delta":`},
	{"an unknown type", BedrockConverse, message("{}", ":message-type", "greeting"), `[] "" finish - FAILED malformed: an event-stream message of type "greeting"`},
	{"nothing", BedrockConverse, "", `[] "" finish - FAILED truncated: the stream ended without a single event`},
	{"no token", BedrockConverse, converseStart + converseStop + converseUsage, `[] "" usage 112+3 own cached 100 role-first finish max_tokens FAILED no-tokens: the stream ended without a single token`},

	{"sagemaker", SageMaker, parts(role+content("Yes")+last+done, 1000), `[0 0] "Yesx" answer@0 role-first finish length`},
	{"sagemaker in pieces of 7", SageMaker, parts(role+content("Yes")+last+done, 7), `[0 0] "Yesx" answer@0 role-first finish length`},
	{"JSON lines of DJL", SageMaker, parts(djlLines, 11), `[1 1] "Yes" answer@0 usage 0+2 last-content each finish length`},
	{"the model breaks off", SageMaker, parts(role+content("Yes"), 100) + exception("ModelStreamError", `{"Message":"reset","ErrorCode":"StreamBroken"}`), `[0] "Yes" answer@0 role-first finish - FAILED error-in-stream: ModelStreamError: reset`},
	{"sagemaker breaks off", SageMaker, exception("InternalStreamFailure", `{"Message":"unknown"}`), `[] "" finish - FAILED error-in-stream: InternalStreamFailure: unknown`},
	{"an error of the container", SageMaker, parts(`data: {"error":{"message":"boom"}}`+"\n\n", 9), `[] "" finish - FAILED error-in-stream: boom`},
	{"words of the container", SageMaker, parts("Traceback (most recent call last)\n", 100), `[] "" finish - FAILED malformed: a line that is no event: Traceback (most recent call last)`},
}

func TestBinaryStreams(t *testing.T) {
	for _, tt := range binaryStreams {
		t.Run(tt.name, func(t *testing.T) {
			if got := summary(decodeAs(t, tt.api, tt.stream)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			for cut := 1; cut < len(tt.stream); cut++ {
				sameInPieces(t, tt.api, tt.stream, tt.stream[:cut], tt.stream[cut:])
			}
			rapid.Check(t, func(t *rapid.T) {
				sameInPieces(t, tt.api, tt.stream, pieces(t, tt.stream)...)
			})
		})
	}
}

// Whatever bit falls over on the way, the answer is no success.
func TestAFlippedBitIsSeen(t *testing.T) {
	for i := range len(converse) {
		for bit := range 8 {
			b := []byte(converse)
			b[i] ^= 1 << bit
			o, _ := decodeAs(t, BedrockConverse, string(b))
			if o.Err == nil || o.Err.Kind != KindMalformed || !strings.Contains(o.Err.Detail, "checksum") {
				t.Fatalf("bit %d of byte %d: %v", bit, i, o.Err)
			}
		}
	}
}

// prelude begins a message of a size with so many bytes of headers.
func prelude(size, headers uint32) string {
	b := binary.BigEndian.AppendUint32(nil, size)
	b = binary.BigEndian.AppendUint32(b, headers)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

func TestMessagesOfAnySizeAreBounded(t *testing.T) {
	for _, tt := range []struct{ stream, why string }{
		{prelude(0xffffffff, 0), "longer than 8 MiB"},
		{prelude(maxEvent+1, 0), "longer than 8 MiB"},
		{prelude(3, 0), "of 3 bytes"},
		{prelude(16, 1), "with 1 of headers"},
		{prelude(100, 0xffffffff), "of headers"},
		{withChecksum(prelude(20, 4) + "\xff\xff\xff\xff"), "headers of an event-stream message"},
	} {
		for _, whole := range []bool{true, false} {
			pieces := strings.Split(tt.stream, "")
			if whole {
				pieces = []string{tt.stream}
			}
			o, _ := decodeAs(t, BedrockConverse, pieces...)
			if o.Err == nil || o.Err.Kind != KindMalformed || !strings.Contains(o.Err.Detail, tt.why) {
				t.Errorf("%x: got %v, want malformed with %q", tt.stream, o.Err, tt.why)
			}
		}
	}
}

func withChecksum(s string) string {
	return string(binary.BigEndian.AppendUint32([]byte(s), crc32.ChecksumIEEE([]byte(s))))
}

func fuzzBinary(f *testing.F, api string) {
	for _, s := range binaryStreams {
		if s.api == api {
			f.Add([]byte(s.stream), uint8(7))
		}
	}
	f.Add([]byte(prelude(0xffffffff, 0)), uint8(1))
	fuzzAPI(f, api)
}

func FuzzBedrockConverse(f *testing.F) { fuzzBinary(f, BedrockConverse) }
func FuzzSageMaker(f *testing.F)       { fuzzBinary(f, SageMaker) }
