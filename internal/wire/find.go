package wire

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
)

// Auto leaves the choice of the API to what the endpoint has.
const Auto = "auto"

// Found is what is known of an endpoint before anything is measured.
type Found struct {
	API             string
	Models          []Model // as it lists them
	Engine, Version string  // empty: not known
}

// Find asks which models the endpoint serves, by which API and with what
// software. It sends nothing that a model must compute. asked is an API, or Auto.
// Where the models cannot be listed there is an error, and an API none the less.
//
// Where the endpoint has OpenAI's /v1/models its chat API is taken; without it
// Ollama's or TGI's own. Which models make embeddings no list says: see Instead.
func (c *Client) Find(ctx context.Context, asked string) (Found, error) {
	f := Found{API: asked, Engine: c.protocol.service}
	if asked == Auto {
		f.API = Chat // of a gateway that lists nothing
	}
	var tried []string
	for _, l := range lists {
		if asked != Auto && !l.has(asked) {
			continue
		}
		models, err := l.read(c, ctx)
		if err == nil {
			f.Models = models
			if asked == Auto {
				f.API = l.apis[0]
			}
			f.Engine, f.Version = c.Engine(ctx, models)
			return f, nil
		}
		if asked != Auto || !missing(err) {
			return f, err
		}
		var e *TargetError
		errors.As(err, &e)
		tried = append(tried, "GET "+l.path+": "+oneLine(e.Cause.Detail, 80))
	}
	return f, &TargetError{
		URL: c.URL(), Cause: &Error{Kind: KindNotFound, Detail: "no API that Assay knows is there: " + strings.Join(tried, "; ")},
		hint: "is --target the base URL, without a path such as /v1/chat/completions? An endpoint that lists no models wants --model and --api",
	}
}

// lists are the places where servers list their models, in the order in which
// they are asked, with the APIs behind each, the preferred one first.
var lists = []modelList{
	{"/v1/models", []string{Chat, Completions, Responses, Messages, Embeddings, Rerank}, (*Client).Models},
	{"/api/tags", []string{OllamaChat, OllamaGenerate}, (*Client).tags},
	{"/info", []string{TGI}, (*Client).info},
}

type modelList struct {
	path string
	apis []string
	read func(*Client, context.Context) ([]Model, error)
}

// has reports an API whose models stand in the list. The first serves those
// that have none of their own.
func (l modelList) has(api string) bool {
	for _, other := range lists[1:] {
		if slices.Contains(other.apis, api) {
			return l.path == other.path
		}
	}
	return l.path == lists[0].path
}

// missing reports an answer that says no more than that there is nothing at the
// path. Any other failure is of the endpoint itself.
func missing(err error) bool {
	var e *TargetError
	if !errors.As(err, &e) {
		return false
	}
	switch e.Cause.Kind {
	case KindNotFound, KindNotAStream, KindMalformed, KindHTTP, KindBadRequest:
		return true
	}
	return false
}

// unreachable reports a failure that the next question would meet as well.
func unreachable(err error) bool { return err != nil && !missing(err) }

// tags lists Ollama's models.
func (c *Client) tags(ctx context.Context) ([]Model, error) {
	var answer struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if _, err := c.ask(ctx, http.MethodGet, "/api/tags", nil, &answer); err != nil {
		return nil, err
	}
	if answer.Models == nil {
		return nil, c.targetError("/api/tags", &Error{Kind: KindMalformed, Detail: "HTTP 200 with no list of models"})
	}
	var models []Model
	for _, m := range answer.Models[:min(len(answer.Models), maxModels)] {
		if c.canBeAsked(m.Name) {
			models = append(models, Model{ID: m.Name})
		}
	}
	return models, nil
}

// info names TGI's only model.
func (c *Client) info(ctx context.Context) ([]Model, error) {
	var a account
	if _, err := c.ask(ctx, http.MethodGet, "/info", nil, &a); err != nil {
		return nil, err
	}
	if !a.isTGI() || !c.canBeAsked(a.ModelID) {
		return nil, c.targetError("/info", &Error{Kind: KindMalformed, Detail: "HTTP 200, and not from text-generation-inference"})
	}
	return []Model{{ID: a.ModelID, MaxModelLen: max(0, min(a.MaxTotal, maxModelLen))}}, nil
}

// Instead is the API that a model does take where it refused a request of
// another one; empty where none of those tried works. It is asked for after a
// refusal only: each try is a small request.
func (c *Client) Instead(ctx context.Context) string {
	for _, api := range []string{Embeddings, Rerank, Completions} {
		p, err := protocolOf(api)
		if err != nil || api == c.endpoint.API {
			continue
		}
		body, err := p.encode(Prompt{Model: c.endpoint.Model, Text: "hello", MaxTokens: 1}, Dialect{})
		if err != nil {
			continue
		}
		if q, ok := body.(*question); ok {
			q.Stream = false
		}
		var answer map[string]any
		if _, err := c.ask(ctx, http.MethodPost, p.path(c.endpoint.Model), body, &answer); err == nil && answer["error"] == nil {
			return api
		}
	}
	return ""
}
