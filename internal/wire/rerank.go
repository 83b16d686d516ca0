package wire

import (
	"fmt"
	"strings"

	"github.com/valyala/fastjson"
)

// Rerank is /v1/rerank in the form of Jina and Cohere, which vLLM, SGLang and
// others have: one query, several documents, a score for each in one piece.
const Rerank = "rerank"

var rerankProtocol = &protocol{
	path:    fixed("/v1/rerank"),
	accept:  jsonType,
	encode:  encodeRerank,
	framing: newWhole,
	meaning: func(request []byte) meaning { return rerank{scoresIn(request)} },
	whole:   true,
}

type rerankQuestion struct {
	Model     string   `json:"model"`
	Query     string   `json:"query,omitempty"`
	Documents []string `json:"documents,omitempty"`
}

// What a prompt of one text is made into. Each document begins with words of its
// own, so that the server counts the same for a word wherever it stands.
const (
	rerankDocuments = 8
	rerankQuery     = "Which of these passages is about the sea?"
)

func encodeRerank(p Prompt, _ Dialect) (any, error) {
	q := &rerankQuestion{Model: p.Model}
	if len(p.Body) == 0 {
		q.Query, q.Documents = rerankQuery, passages(p.plain())
	}
	return q, noImages(p)
}

// passages deals the words of a text out to the documents.
func passages(text string) []string {
	words := strings.Fields(text)
	docs := make([]string, rerankDocuments)
	for i := range docs {
		from, to := len(words)*i/len(docs), len(words)*(i+1)/len(docs)
		docs[i] = strings.Join(append([]string{"Passage"}, words[from:to]...), " ")
	}
	return docs
}

// scoresIn is how many scores a request asks for; 0: it cannot be said.
func scoresIn(request []byte) int {
	v, err := fastjson.ParseBytes(request)
	if err != nil {
		return 0
	}
	n := len(v.GetArray("documents"))
	if top := v.GetInt("top_n"); top > 0 {
		n = min(n, top)
	}
	return n
}

// rerank reads an answer that must hold as many scores as were asked for.
type rerank struct{ asked int }

func (m rerank) read(p *fastjson.Parser, f frame) (event, error) {
	v, err := p.ParseBytes(f.data)
	if err != nil {
		return event{}, notJSON(f.data)
	}
	e := event{ended: true, finish: wholeFinish}
	results, err := v.Array() // SGLang gives the list alone
	if err != nil {
		results = v.GetArray("results")
	}
	if e.failure = failureIn(f.data, len(results) == 0); e.failure != "" {
		return e, nil
	}
	e.usage, e.hasUsage = usageOf(v.Get("usage"))
	if !e.hasUsage { // Cohere's
		e.usage, e.hasUsage = inOutUsage(v.Get("meta", "tokens"))
	}
	if len(results) == 0 || m.asked > 0 && len(results) != m.asked {
		e.kind, e.failure = KindIncomplete, fmt.Sprintf("%d scores came, %d were asked for", len(results), max(1, m.asked))
		return e, nil
	}
	for i, r := range results {
		if !isNumber(r.Get("relevance_score")) && !isNumber(r.Get("score")) {
			e.kind, e.failure = KindIncomplete, fmt.Sprintf("the result %d of %d has no score", i+1, len(results))
			break
		}
	}
	return e, nil
}

func isNumber(v *fastjson.Value) bool { return v != nil && v.Type() == fastjson.TypeNumber }
