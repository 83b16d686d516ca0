package hostile

import "assay/internal/wire"

// voice is how one API says the same few things, as bodies.
type voice struct {
	api    string
	kind   string // content type
	begin  string // of a good stream, without a token
	token  string
	rest   string // a second token, the finish and the counts: 5 and 2
	broken string // an error in mid-stream
	garble string // an event that cannot be read
}

const (
	sseType    = "text/event-stream"
	ndjsonType = "application/x-ndjson"
)

// voices are the streaming APIs beside chat.
var voices = []voice{
	{
		api: wire.Completions, kind: sseType,
		begin:  ": hello\n\n",
		token:  "data: {\"choices\":[{\"index\":0,\"text\":\" a\"}]}\n\n",
		rest:   "data: {\"choices\":[{\"index\":0,\"text\":\" b\",\"finish_reason\":\"length\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
		broken: "data: {\"error\":{\"message\":\"engine died\"}}\n\ndata: [DONE]\n\n",
		garble: "data: {\"choices\":[{]}\n\n",
	},
	{
		api: wire.Responses, kind: sseType,
		begin:  "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"status\":\"in_progress\"}}\n\n",
		token:  "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\" a\"}\n\n",
		rest:   "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\" b\"}\n\nevent: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"usage\":{\"input_tokens\":5,\"output_tokens\":2}}}\n\n",
		broken: "event: response.failed\ndata: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"engine died\"}}}\n\n",
		garble: "event: response.output_text.delta\ndata: {\"type\":\n\n",
	},
	{
		api: wire.Messages, kind: sseType,
		begin:  "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":5,\"output_tokens\":0}}}\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n",
		token:  "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" a\"}}\n\n",
		rest:   "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" b\"}}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"},\"usage\":{\"output_tokens\":2}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
		broken: "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"engine died\"}}\n\n",
		garble: "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",]\n\n",
	},
	{
		api: wire.OllamaChat, kind: ndjsonType,
		token:  "{\"message\":{\"role\":\"assistant\",\"content\":\" a\"},\"done\":false}\n",
		rest:   "{\"message\":{\"role\":\"assistant\",\"content\":\" b\"},\"done\":false}\n{\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"length\",\"prompt_eval_count\":5,\"eval_count\":2}\n",
		broken: "{\"error\":\"engine died\"}\n",
		garble: "{\"message\":}\n",
	},
	{
		api: wire.OllamaGenerate, kind: ndjsonType,
		token:  "{\"response\":\" a\",\"done\":false}\n",
		rest:   "{\"response\":\" b\",\"done\":false}\n{\"response\":\"\",\"done\":true,\"done_reason\":\"length\",\"prompt_eval_count\":5,\"eval_count\":2}\n",
		broken: "{\"error\":\"engine died\"}\n",
		garble: "{\"response\":}\n",
	},
	{
		api: wire.TGI, kind: sseType,
		begin:  ": hello\n\n",
		token:  "data:{\"index\":1,\"token\":{\"id\":1,\"text\":\" a\",\"special\":false},\"generated_text\":null,\"details\":null}\n\n",
		rest:   "data:{\"index\":2,\"token\":{\"id\":2,\"text\":\" b\",\"special\":false},\"generated_text\":\" a b\",\"details\":{\"finish_reason\":\"length\",\"generated_tokens\":2,\"input_length\":5}}\n\n",
		broken: "data:{\"error\":\"engine died\",\"error_type\":\"generation\"}\n\n",
		garble: "data:{\"token\":\n\n",
	},
}

func (v voice) head() string {
	return "HTTP/1.1 200 OK\r\nContent-Type: " + v.kind + "\r\nTransfer-Encoding: chunked\r\n\r\n"
}

func (v voice) behaviours() []behaviour {
	first := v.head()
	if v.begin != "" {
		first += chunk(v.begin)
	}
	list := []behaviour{
		{name: "a good stream", serve: answering(first, chunk(v.token), chunk(v.rest), end), tokens: 2},
		{name: "a good stream, a byte a chunk", serve: answering(v.head(), bytewise(v.begin+v.token+v.rest), end), tokens: 2},
		{name: "an error behind a token", serve: answering(first, chunk(v.token), chunk(v.broken), end), want: wire.KindStreamError, also: wire.KindOverloaded, says: "engine died"},
		{name: "an error before a token", serve: answering(first, chunk(v.broken), end), want: wire.KindStreamError, also: wire.KindOverloaded, says: "engine died"},
		{name: "an error as the whole of a 200", serve: answering(asJSON("200 OK", `{"error":{"message":"engine died"}}`)), want: wire.KindStreamError, says: "engine died"},
		{name: "an error behind a status", serve: answering(asJSON("500 Internal Server Error", `{"error":"engine died"}`)), want: wire.KindHTTP, says: "engine died"},
		{name: "an event that cannot be read", serve: answering(first, chunk(v.token), chunk(v.garble), chunk(v.rest), end), want: wire.KindMalformed},
		{name: "an end behind a token", serve: answering(first, chunk(v.token), end), want: wire.KindTruncated},
		{name: "a cut behind a token", serve: answering(first, chunk(v.token)), want: wire.KindTruncated},
		{name: "a stall behind a token", serve: then((*peer).hang, first, chunk(v.token)), want: wire.KindStall},
		{name: "a web page", serve: answering(plain("200 OK", "text/html", "<html><body>Sign in</body></html>")), want: wire.KindNotAStream},
		{name: "nothing", serve: answering(v.head(), end), want: wire.KindTruncated, also: wire.KindNotAStream},
		{name: "a line without end", serve: then(func(p *peer) { p.forever(chunk(kilobyte)) }, first, chunk(v.token[:len(v.token)/2])), want: wire.KindMalformed, ever: true},
		{name: "tokens without end", serve: then(func(p *peer) { p.forever(chunk(v.token)) }, first), want: wire.KindTimeout, also: runaway, ever: true},
	}
	for i := range list {
		list[i].api = v.api
	}
	return list
}

// runaway is a stream far beyond the length that was asked for.
const runaway = wire.KindOverrun

func bytewise(s string) string {
	out := ""
	for i := range len(s) {
		out += chunk(s[i : i+1])
	}
	return out
}

// whole answers come in one piece: an embedding or a ranking.
var wholeAnswers = []struct{ api, good, empty string }{
	{wire.Embeddings, `{"data":[{"index":0,"embedding":[0.1,0.2]}],"usage":{"prompt_tokens":5,"total_tokens":5}}`, `{"data":[],"usage":{"prompt_tokens":5,"total_tokens":5}}`},
	{wire.Rerank, `{"results":[{"index":0,"relevance_score":0.5}],"usage":{"total_tokens":5}}`, `{"results":[],"usage":{"total_tokens":5}}`},
}

// inOnePiece are the behaviours of servers that do not stream.
func inOnePiece() (list []behaviour) {
	for _, a := range wholeAnswers {
		for _, b := range []behaviour{
			{name: "an error as a 200", serve: answering(asJSON("200 OK", `{"error":{"message":"engine died"}}`)), want: wire.KindStreamError, says: "engine died"},
			{name: "half of an answer", serve: answering("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n" + a.good[:20]), want: wire.KindTruncated, also: wire.KindReset},
			{name: "half of an answer that says it is whole", serve: answering(asJSON("200 OK", a.good[:20])), want: wire.KindTruncated},
			{name: "a stall in mid-answer", serve: then((*peer).hang, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"+a.good[:20]), want: wire.KindStall},
			{name: "a web page", serve: answering(plain("200 OK", "text/html", "<html></html>")), want: wire.KindNotAStream, also: wire.KindMalformed},
			{name: "nothing in the list", serve: answering(asJSON("200 OK", a.empty)), want: wire.KindIncomplete},
			{name: "nothing at all", serve: answering(asJSON("200 OK", "")), want: wire.KindTruncated, also: wire.KindMalformed},
			{name: "an answer without end", serve: then(func(p *peer) { p.forever(`0.1,`) }, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"+a.good[:20]), want: wire.KindMalformed, ever: true},
			{name: "a stream in place of one answer", serve: answering(whole), want: wire.KindMalformed, also: wire.KindNotAStream},
			{name: "a refusal", serve: answering(asJSON("429 Too Many Requests", `{"error":"slow down"}`, "Retry-After: 2")), want: wire.KindRateLimited, says: "slow down"},
		} {
			b.api = a.api
			list = append(list, b)
		}
	}
	return list
}

// otherAPIs are the behaviours of servers with other protocols than chat.
var otherAPIs = func() []behaviour {
	list := inOnePiece()
	for _, v := range voices {
		list = append(list, v.behaviours()...)
	}
	return list
}()
