package httpd

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

func (s *Server) tokenize(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Prompt   *string   `json:"prompt"`
		Messages []message `json:"messages"`
		Texts    bool      `json:"return_token_strs"`
	}
	if bad := decode(w, r, &ask); bad != nil {
		writeError(w, bad)
		return
	}
	var ids []uint32
	switch {
	case ask.Messages != nil:
		ids = s.tokenizer.chat(ask.Messages)
		for _, m := range ask.Messages {
			s.tokenizer.remember(m.text)
		}
	case ask.Prompt != nil:
		ids = s.tokenizer.encode([]uint32{}, *ask.Prompt)
		s.tokenizer.remember(*ask.Prompt)
	default:
		writeError(w, invalid("body.prompt", "{'type': 'missing', 'loc': 'body.prompt', 'msg': 'Field required'}"))
		return
	}
	var texts []string
	if ask.Texts {
		for _, id := range ids {
			texts = append(texts, s.tokenizer.text(id))
		}
	}
	writeJSON(w, http.StatusOK, struct {
		Count       int      `json:"count"`
		MaxModelLen int      `json:"max_model_len"`
		Tokens      []uint32 `json:"tokens"`
		Texts       []string `json:"token_strs"`
	}{len(ids), s.cfg.MaxModelLen, ids, texts})
}

// detokenize knows the words that the engine writes and whatever /tokenize has
// been asked about; ids are hashes, so others have no text.
func (s *Server) detokenize(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Tokens []uint32 `json:"tokens"`
	}
	if bad := decode(w, r, &ask); bad != nil {
		writeError(w, bad)
		return
	}
	var text strings.Builder
	for _, id := range ask.Tokens {
		text.WriteString(s.tokenizer.text(id))
	}
	writeJSON(w, http.StatusOK, struct {
		Prompt string `json:"prompt"`
	}{text.String()})
}

func decode(w http.ResponseWriter, r *http.Request, into any) *apiError {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return invalid("body", "%v", err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return unreadable(err)
	}
	return nil
}
