package hostile

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"assay/internal/wire"
)

// message is one of AWS's event stream, with headers as name, value, ….
func message(payload string, headers ...string) string {
	m := eventstream.Message{Payload: []byte(payload)}
	for i := 0; i+1 < len(headers); i += 2 {
		m.Headers.Set(headers[i], eventstream.StringValue(headers[i+1]))
	}
	var b bytes.Buffer
	if err := eventstream.NewEncoder().Encode(&b, m); err != nil {
		panic(err) // only the suite's own mistake
	}
	return b.String()
}

func converse(name, payload string) string {
	return message(payload, ":message-type", "event", ":event-type", name)
}

func exception(name, words string) string {
	return message(`{"message":"`+words+`"}`, ":message-type", "exception", ":exception-type", name)
}

// prelude is the beginning of a message of such lengths, with a right checksum.
func prelude(size, headers uint32) string {
	b := binary.BigEndian.AppendUint32(nil, size)
	b = binary.BigEndian.AppendUint32(b, headers)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

// spoiled is a message with one byte changed, counted from its end.
func spoiled(message string, fromEnd int) string {
	b := []byte(message)
	b[len(b)-fromEnd] ^= 1
	return string(b)
}

const awsHead = "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.amazon.eventstream\r\nTransfer-Encoding: chunked\r\n\r\n"

// The messages of a good ConverseStream answer.
var (
	converseBegin = converse("messageStart", `{"role":"assistant"}`)
	converseToken = converse("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":" a"}}`)
	converseStop  = converse("messageStop", `{"stopReason":"max_tokens"}`)
	converseUsage = converse("metadata", `{"usage":{"inputTokens":5,"outputTokens":2}}`)
	converseWhole = converseBegin + converseToken + converseToken + converseStop + converseUsage
)

// part is a piece of a container's own stream.
func part(payload string) string { return converse("PayloadPart", payload) }

// framesOfAWS are the behaviours of servers of AWS's event stream.
var framesOfAWS = append(of(wire.BedrockConverse, []behaviour{
	{name: "a good stream", serve: answering(awsHead, chunk(converseWhole), end), tokens: 2},
	{name: "a good stream, a byte a chunk", serve: answering(awsHead, bytewise(converseWhole), end), tokens: 2},
	{name: "a wrong checksum of a prelude", serve: answering(awsHead, chunk(converseBegin), chunk(spoiled(converseToken, len(converseToken)-9)), end), want: wire.KindMalformed},
	{name: "a wrong checksum of a message", serve: answering(awsHead, chunk(converseBegin+converseToken+spoiled(converseToken, 1)), end), want: wire.KindMalformed},
	{name: "a payload changed on the way", serve: answering(awsHead, chunk(converseBegin+converseToken+spoiled(converseToken, 8)), end), want: wire.KindMalformed},
	{name: "a message of 15 MiB", serve: then(func(p *peer) { p.forever(chunk(kilobyte)) }, awsHead, chunk(prelude(15<<20, 0))), want: wire.KindMalformed},
	{name: "a message shorter than its prelude", serve: answering(awsHead, chunk(prelude(8, 0)), end), want: wire.KindMalformed},
	{name: "headers longer than their message", serve: answering(awsHead, chunk(prelude(64, 63)), end), want: wire.KindMalformed},
	{name: "headers that are none", serve: answering(awsHead, chunk(unheaded()), end), want: wire.KindMalformed},
	{name: "a cut within a message", serve: answering(awsHead, chunk(converseBegin+converseToken+converseToken[:20])), want: wire.KindTruncated},
	{name: "an end within a message", serve: answering(awsHead, chunk(converseBegin+converseToken+converseToken[:20]), end), want: wire.KindTruncated},
	{name: "an end behind a token", serve: answering(awsHead, chunk(converseBegin+converseToken), end), want: wire.KindTruncated},
	{name: "a stall within a message", serve: then((*peer).hang, awsHead, chunk(converseBegin+converseToken+converseToken[:20])), want: wire.KindStall},
	{name: "throttling behind a token", serve: answering(awsHead, chunk(converseBegin+converseToken+exception("throttlingException", "slow down")), end), want: wire.KindRateLimited, says: "slow down"},
	{name: "an exception that quotes the key", serve: answering(awsHead, chunk(exception("modelStreamErrorException", secret)), end), want: wire.KindStreamError},
	{name: "a type that nobody knows", serve: answering(awsHead, chunk(message("{}", ":message-type", "surprise")), end), want: wire.KindMalformed},
	{name: "a payload that is no JSON", serve: answering(awsHead, chunk(converseBegin+converse("contentBlockDelta", `{"delta":`)), end), want: wire.KindMalformed},
	{name: "events that nobody knows, without end", serve: then(func(p *peer) { p.forever(chunk(converse("surprise", "{}"))) }, awsHead), want: wire.KindTimeout, ever: true},
	{name: "tokens without end", serve: then(func(p *peer) { p.forever(chunk(converseToken)) }, awsHead), want: wire.KindOverrun, ever: true},
	{name: "server-sent events in their place", serve: answering(whole), want: wire.KindNotAStream},
	{name: "an error in JSON behind 200", serve: answering(asJSON("200 OK", `{"error":{"message":"engine died"}}`)), want: wire.KindStreamError, says: "engine died"},
	{name: "an error with AWS's status", serve: answering(asJSON("400 Bad Request", `{"message":"no such model"}`)), want: wire.KindBadRequest, says: "no such model"},
	{name: "nothing", serve: answering(awsHead, end), want: wire.KindTruncated},
}), of(wire.SageMaker, []behaviour{
	{name: "a good stream in pieces", serve: answering(awsHead, inParts(bare, 7), end), tokens: 2},
	{name: "white space without end", serve: then(func(p *peer) { p.forever(chunk(part(strings.Repeat(" \n", 32<<10)))) }, awsHead), want: wire.KindTimeout, ever: true},
	{name: "a line without end", serve: then(func(p *peer) { p.forever(chunk(part(kilobyte))) }, awsHead, chunk(part("data: "))), want: wire.KindMalformed, ever: true},
	{name: "a failure of the model", serve: answering(awsHead, inParts(bare[:behindToken], 40), chunk(exception("ModelStreamError", "it died")), end), want: wire.KindStreamError, says: "it died"},
	{name: "an end behind a token", serve: answering(awsHead, chunk(part(bare[:behindToken])), end), want: wire.KindTruncated},
	{name: "a web page in parts", serve: answering(awsHead, inParts("<html><body>502</body></html>\n", 10), end), want: wire.KindMalformed, also: wire.KindTruncated},
})...)

func of(api string, list []behaviour) []behaviour {
	for i := range list {
		list[i].api = api
	}
	return list
}

// bare is the body of a good chat stream.
const bare = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}` + "\n\n" +
	`data: {"choices":[{"index":0,"delta":{"content":" a"}}]}` + "\n\n" +
	`data: {"choices":[{"index":0,"delta":{"content":" b"},"finish_reason":"length"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}` + "\n\ndata: [DONE]\n\n"

// behindToken is where its first token has been said.
var behindToken = strings.Index(bare, " a") + len(` a"}}]}`+"\n\n")

func inParts(stream string, n int) string {
	out := ""
	for len(stream) > 0 {
		n := min(n, len(stream))
		out += chunk(part(stream[:n]))
		stream = stream[n:]
	}
	return out
}

// unheaded is a message with right checksums whose headers are nonsense.
func unheaded() string {
	b := []byte(prelude(12+3+4, 3))
	b = append(b, 0xff, 0xff, 0xff)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}
