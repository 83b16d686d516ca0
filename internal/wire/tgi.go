package wire

import "github.com/valyala/fastjson"

// TGI is the own API of Hugging Face's text-generation-inference,
// /generate_stream. It knows no chat: turns are sent as one text.
const TGI = "tgi"

var tgiProtocol = &protocol{
	path:    fixed("/generate_stream"),
	accept:  eventStream,
	encode:  encodeTGI,
	lengths: []string{maxNewTokens},
	framing: newSSE,
	meaning: func([]byte) meaning { return tgi{} },
	closing: "details.finish_reason",
}

const maxNewTokens = "max_new_tokens"

type tgiQuestion struct {
	Inputs     string        `json:"inputs,omitempty"`
	Parameters tgiParameters `json:"parameters"`
}

// tgiParameters ask for details, which hold the counts. The length of the prompt
// is in them since 2024; decoder_input_details would give it in older versions,
// but is refused for a stream.
type tgiParameters struct {
	MaxNewTokens int  `json:"max_new_tokens,omitempty"`
	Details      bool `json:"details"`
}

func encodeTGI(p Prompt, _ Dialect) (any, error) {
	return &tgiQuestion{Inputs: p.plain(), Parameters: tgiParameters{p.MaxTokens, true}}, noImages(p)
}

// tgi reads events of one token each.
type tgi struct{}

func (tgi) read(p *fastjson.Parser, f frame) (event, error) {
	v, err := parseObject(p, f.data)
	if err != nil {
		return event{}, err
	}
	var e event
	token, details := v.Get("token"), v.Get("details")
	if e.failure = failureOf(v, token == nil && details == nil); e.failure != "" {
		e.kind = tgiKind(v.GetStringBytes("error_type"))
		return e, nil
	}
	if token != nil && token.Type() == fastjson.TypeObject {
		e.choices, e.tokens = 1, 1
		if !token.GetBool("special") { // such as the end of the sequence: a token, but no text
			e.addText(token.GetStringBytes("text"))
		}
	}
	if details == nil || details.Type() != fastjson.TypeObject {
		return e, nil
	}
	e.ended = true
	e.finish = clip(reasonOf(details.Get("finish_reason")))
	prompt, ok1 := count(details.Get("input_length"))
	completion, ok2 := count(details.Get("generated_tokens"))
	e.usage, e.hasUsage = Usage{Prompt: prompt, Completion: completion}, ok1 && ok2
	return e, nil
}

// tgiKind is the kind of a failure whose type TGI names: it tells in the stream
// what it would else tell by the status.
func tgiKind(name []byte) string {
	switch string(name) {
	case "overloaded":
		return KindRateLimited
	case "validation":
		return KindBadRequest
	}
	return KindStreamError
}
