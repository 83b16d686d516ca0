package httpd

import (
	"net/http"
	"time"
)

func (s *Server) health(http.ResponseWriter, *http.Request) {} // 200, empty

// resetCache is vLLM's in development mode: 200 whether or not it could reset,
// and it cannot while requests run.
func (s *Server) resetCache(http.ResponseWriter, *http.Request) { s.loop.forget() }

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

// scraped answers a scrape, unless its faults withhold it.
func (s *Server) scraped(kind string, down func(Faults) bool, text func() []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f := s.currentFaults()
		if f.ScrapeMS > 0 && !pause(r, time.Duration(f.ScrapeMS)*time.Millisecond) {
			return
		}
		if down(f) {
			http.Error(w, "the exporter is down: a fault", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(text()) // the client may have left
	}
}

func (s *Server) exposition() []byte {
	_, c := s.loop.counters()
	return s.metrics.expose(s.opt, s.cfg, c, s.Late())
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
	base := modelCard{
		ID: s.opt.ServedModel, Object: "model", Created: created, OwnedBy: "vllm", Root: root, MaxModelLen: s.cfg.MaxModelLen,
		Permission: []modelPermission{{
			ID: "modelperm-" + serverName, Object: "model_permission", Created: created,
			AllowSampling: true, AllowLogprobs: true, AllowView: true, Organization: "*",
		}},
	}
	cards := []modelCard{base}
	for _, name := range s.opt.Adapters {
		adapter := base
		adapter.ID, adapter.Root, adapter.Parent = name, name, &base.ID
		cards = append(cards, adapter)
	}
	writeJSON(w, http.StatusOK, struct {
		Object string      `json:"object"`
		Data   []modelCard `json:"data"`
	}{"list", cards})
}
