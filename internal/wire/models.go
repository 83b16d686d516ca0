package wire

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"unicode/utf8"
)

// maxModels bounds how many models are kept of a server's list.
const maxModels = 4096

// Model is one entry of /v1/models.
type Model struct {
	ID          string
	MaxModelLen int // tokens; 0: not said, or not a length
	OwnedBy     string
}

// Models asks which models the endpoint serves. One whose name is no printable
// line of at most 200 bytes cannot be asked for, and is left out.
func (c *Client) Models(ctx context.Context) ([]Model, error) {
	var answer struct {
		Data []json.RawMessage `json:"data"`
	}
	if _, err := c.ask(ctx, http.MethodGet, "/v1/models", nil, &answer); err != nil {
		return nil, err
	}
	var models []Model
	for _, raw := range answer.Data {
		m, ok := c.model(raw)
		// The model that is asked for must be found, wherever it stands.
		if ok && (len(models) < maxModels || m.ID == c.endpoint.Model) {
			models = append(models, m)
		}
	}
	return models, nil
}

// model reads one entry. What else stands in it must not fail the list.
func (c *Client) model(raw json.RawMessage) (m Model, ok bool) {
	var fields struct {
		ID          json.RawMessage `json:"id"`
		MaxModelLen json.RawMessage `json:"max_model_len"`
		OwnedBy     json.RawMessage `json:"owned_by"`
	}
	if json.Unmarshal(raw, &fields) != nil || json.Unmarshal(fields.ID, &m.ID) != nil || !c.canBeAsked(m.ID) {
		return m, false
	}
	var owner string
	if json.Unmarshal(fields.OwnedBy, &owner) == nil {
		m.OwnedBy = c.shown(owner, maxName)
	}
	var length float64
	if json.Unmarshal(fields.MaxModelLen, &length) == nil && length == math.Trunc(length) && length > 0 && length <= maxModelLen {
		m.MaxModelLen = int(length)
	}
	return m, true
}

// maxModelLen is a longer context than any model has, tokens.
const maxModelLen = 1_000_000_000

// shortKey is the length of keys that are no secret, such as "test": a model
// may be called so.
const shortKey = 8

// canBeAsked reports a name that is the same when it is shown.
func (c *Client) canBeAsked(id string) bool {
	return id != "" && !strings.ContainsRune(id, utf8.RuneError) && c.longVeil.shown(id, maxName) == id
}
