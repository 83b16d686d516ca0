package httpd

import (
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// guard marks every answer and, with a key, lets nobody without it into /v1 and
// into what vLLM does not have.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", serverName)
		guarded := strings.HasPrefix(r.URL.Path, "/v1") || strings.HasPrefix(r.URL.Path, "/admin")
		if s.opt.APIKey != "" && guarded && !s.authorized(r) {
			writeJSON(w, http.StatusUnauthorized, struct {
				Error string `json:"error"`
			}{"Unauthorized"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) authorized(r *http.Request) bool {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "bearer") && subtle.ConstantTimeCompare([]byte(key), []byte(s.opt.APIKey)) == 1
}

func (s *Server) health(http.ResponseWriter, *http.Request) {} // 200, empty

func (s *Server) version(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, struct {
		Version string `json:"version"`
	}{Version})
}

// load is what vLLM answers with --enable-server-load-tracking.
func (s *Server) load(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	n := len(s.open)
	s.mu.Unlock()
	writeJSON(w, http.StatusOK, struct {
		Load int `json:"server_load"`
	}{n})
}

func (s *Server) exposition(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", metricsType)
	_, _ = w.Write(s.metrics.expose(s.opt.ServedModel, s.cfg, s.Late())) // the client may have left
}

type modelPermission struct {
	ID                 string  `json:"id"`
	Object             string  `json:"object"`
	Created            int64   `json:"created"`
	AllowCreateEngine  bool    `json:"allow_create_engine"`
	AllowSampling      bool    `json:"allow_sampling"`
	AllowLogprobs      bool    `json:"allow_logprobs"`
	AllowSearchIndices bool    `json:"allow_search_indices"`
	AllowView          bool    `json:"allow_view"`
	AllowFineTuning    bool    `json:"allow_fine_tuning"`
	Organization       string  `json:"organization"`
	Group              *string `json:"group"`
	IsBlocking         bool    `json:"is_blocking"`
}

type modelCard struct {
	ID          string            `json:"id"`
	Object      string            `json:"object"`
	Created     int64             `json:"created"`
	OwnedBy     string            `json:"owned_by"`
	Root        string            `json:"root"`
	Parent      *string           `json:"parent"`
	MaxModelLen int               `json:"max_model_len"`
	Permission  []modelPermission `json:"permission"`
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	created := s.started.Unix()
	root := s.cfg.Model.Repo
	if root == "" {
		root = s.cfg.Model.Name
	}
	writeJSON(w, http.StatusOK, struct {
		Object string      `json:"object"`
		Data   []modelCard `json:"data"`
	}{"list", []modelCard{{
		ID: s.opt.ServedModel, Object: "model", Created: created, OwnedBy: "vllm", Root: root, MaxModelLen: s.cfg.MaxModelLen,
		Permission: []modelPermission{{
			ID: "modelperm-" + serverName, Object: "model_permission", Created: created,
			AllowSampling: true, AllowLogprobs: true, AllowView: true, Organization: "*",
		}},
	}}})
}

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
