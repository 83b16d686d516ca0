package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"assay/internal/wire"
)

// errNoPrompt marks a row that is well formed and asks nothing.
var errNoPrompt = errors.New("no prompt")

// row is a line of JSON of any kind: which keys it has tells which.
type row struct {
	Conversations []turn          `json:"conversations"` // ShareGPT
	URL           string          `json:"url"`           // OpenAI batch
	Body          json.RawMessage `json:"body"`          // OpenAI batch
	Prompt        *string         `json:"prompt"`
	Text          *string         `json:"text"`
	Messages      json.RawMessage `json:"messages"`

	limits
	// Names that tools give to an exact length of the answer.
	OutputLength      int `json:"output_length"`
	OutputTokens      int `json:"output_tokens"`
	OutputTokensCount int `json:"output_tokens_count"`
}

// limits bound an answer's length, under OpenAI's two names.
type limits struct {
	MaxTokens           int `json:"max_tokens"`
	MaxCompletionTokens int `json:"max_completion_tokens"`
}

func (l limits) tokens() int { return max(l.MaxTokens, l.MaxCompletionTokens) }

type turn struct {
	From  string `json:"from"`
	Value string `json:"value"`
}

// parseRow reads one row of a kind, or of the kind that its keys tell where
// none is given, and says which it was.
func parseRow(raw []byte, kind, api string) (Prompt, string, error) {
	if kind == PlainText {
		return Prompt{Text: string(raw)}, kind, nil
	}
	var r row
	if err := json.Unmarshal(raw, &r); err != nil {
		return Prompt{}, kind, rowError(err)
	}
	if kind == "" {
		kind = r.kind()
	}
	var p Prompt
	var err error
	switch kind {
	case ShareGPT:
		p, err = r.shareGPT()
	case OpenAIBatch:
		p, err = r.batch(api)
	default:
		p, err = r.plain(api)
	}
	return p, kind, err
}

func (r row) kind() string {
	switch {
	case r.Conversations != nil:
		return ShareGPT
	case r.Body != nil:
		return OpenAIBatch
	}
	return JSONLines
}

// rowError says that a row was cut off, or what in it is wrong.
func rowError(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && strings.Contains(syntax.Error(), "unexpected end") || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the row is cut off in the middle: the rows before it are whole")
	}
	return fmt.Errorf("not a row of JSON: %w", err)
}

// shareGPT takes the first human turn; what another spoke before it is left out.
func (r row) shareGPT() (Prompt, error) {
	for _, t := range r.Conversations {
		switch strings.ToLower(t.From) {
		case "human", "user":
			if strings.TrimSpace(t.Value) == "" {
				return Prompt{}, errNoPrompt
			}
			return Prompt{Text: t.Value}, nil
		}
	}
	return Prompt{}, errNoPrompt
}

// batch replays a request as it stands.
func (r row) batch(api string) (Prompt, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(r.Body), []byte("{")) {
		return Prompt{}, errors.New(`a row of an OpenAI batch needs a "body" that is an object`)
	}
	if want := endpoint(api); want != "" && r.URL != "" && !pathEnds(r.URL, want) {
		return Prompt{}, fmt.Errorf("the request is for %s, but the %s API is benchmarked: give a file for /v1/%s or choose the other API", r.URL, api, want)
	}
	var own limits
	if err := json.Unmarshal(r.Body, &own); err != nil {
		return Prompt{}, fmt.Errorf("the request's body: %w", err)
	}
	return Prompt{Body: r.Body, MaxTokens: max(0, own.tokens())}, nil
}

func endpoint(api string) string {
	switch api {
	case wire.Chat:
		return "chat/completions"
	case wire.Completions:
		return "completions"
	}
	return ""
}

// pathEnds says whether a URL's path is that of an endpoint below its version:
// /v1/chat/completions does not end in completions.
func pathEnds(url, endpoint string) bool {
	rest, ok := strings.CutSuffix(strings.TrimRight(url, "/"), endpoint)
	return ok && !strings.HasSuffix(rest, "chat/")
}

// plain takes a prompt, a text or a list of messages.
func (r row) plain(api string) (Prompt, error) {
	p := Prompt{MaxTokens: r.tokens()}
	if exact := max(r.OutputLength, r.OutputTokens, r.OutputTokensCount); exact > 0 {
		p.MaxTokens, p.MinTokens = exact, exact
	}
	if p.MaxTokens < 0 {
		return Prompt{}, fmt.Errorf("an answer of %d tokens: must be above 0", p.MaxTokens)
	}
	switch {
	case r.Messages != nil:
		body, err := messagesBody(r.Messages, api)
		p.Body = body
		return p, err
	case r.Prompt != nil:
		p.Text = *r.Prompt
	case r.Text != nil:
		p.Text = *r.Text
	default:
		return Prompt{}, errors.New(`the row has none of "prompt", "text", "messages", "conversations" and "body"`)
	}
	if strings.TrimSpace(p.Text) == "" {
		return Prompt{}, errNoPrompt
	}
	return p, nil
}

// messagesBody is the request body of a conversation.
func messagesBody(messages json.RawMessage, api string) (json.RawMessage, error) {
	if api == wire.Completions {
		return nil, errors.New(`"messages" cannot be sent to the completions API: choose the chat API, or give "prompt"`)
	}
	var list []struct {
		Role string `json:"role"`
	}
	if err := json.Unmarshal(messages, &list); err != nil {
		return nil, fmt.Errorf(`"messages" is not a list of messages: %w`, err)
	}
	if len(list) == 0 {
		return nil, errNoPrompt
	}
	for i, m := range list {
		if m.Role == "" {
			return nil, fmt.Errorf(`message %d has no "role"`, i+1)
		}
	}
	return json.Marshal(map[string]json.RawMessage{"messages": messages})
}
