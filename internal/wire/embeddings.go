package wire

import (
	"fmt"

	"github.com/valyala/fastjson"
)

// Embeddings is OpenAI's API for vectors, /v1/embeddings. Its answer comes in one
// piece: it has no first token.
const Embeddings = "embeddings"

var embeddingsProtocol = &protocol{
	path:    fixed("/v1/embeddings"),
	accept:  jsonType,
	encode:  encodeEmbeddings,
	framing: newWhole,
	meaning: func(request []byte) meaning { return embeddings{inputsIn(request)} },
	whole:   true,
}

type embeddingsQuestion struct {
	Model string `json:"model"`
	Input string `json:"input,omitempty"`
}

func encodeEmbeddings(p Prompt, _ Dialect) (any, error) {
	return &embeddingsQuestion{Model: p.Model, Input: p.plain()}, noImages(p)
}

// inputsIn is how many vectors a request asks for; 0: it cannot be said.
func inputsIn(request []byte) int {
	v, err := fastjson.ParseBytes(request)
	if err != nil {
		return 0
	}
	input := v.Get("input")
	if input == nil {
		return 0
	}
	list, err := input.Array()
	if err != nil || len(list) == 0 || list[0].Type() == fastjson.TypeNumber { // a text, or its tokens
		return 1
	}
	return len(list)
}

// embeddings reads an answer that must hold as many vectors as were asked for.
type embeddings struct{ asked int }

func (m embeddings) read(p *fastjson.Parser, f frame) (event, error) {
	v, err := parseObject(p, f.data)
	if err != nil {
		return event{}, err
	}
	e := event{ended: true, finish: wholeFinish}
	data := v.GetArray("data")
	if e.failure = failureOf(v, len(data) == 0); e.failure != "" {
		return e, nil
	}
	e.usage, e.hasUsage = usageOf(v.Get("usage"))
	if len(data) == 0 || m.asked > 0 && len(data) != m.asked {
		e.kind, e.failure = KindIncomplete, fmt.Sprintf("%d vectors came, %d were asked for", len(data), max(1, m.asked))
		return e, nil
	}
	for i, d := range data {
		if !isVector(d.Get("embedding")) {
			e.kind, e.failure = KindIncomplete, fmt.Sprintf("the vector %d of %d is empty or holds no numbers", i+1, len(data))
			break
		}
	}
	return e, nil
}

// wholeFinish stands for the finish_reason of an answer in one piece.
const wholeFinish = "whole"

// isVector reports numbers, or their base64.
func isVector(v *fastjson.Value) bool {
	if v == nil {
		return false
	}
	if v.Type() == fastjson.TypeString {
		return len(v.GetStringBytes()) > 0
	}
	numbers, err := v.Array()
	if err != nil || len(numbers) == 0 {
		return false
	}
	for _, n := range numbers {
		if n.Type() != fastjson.TypeNumber {
			return false
		}
	}
	return true
}
