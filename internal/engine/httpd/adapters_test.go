package httpd

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func TestAdaptersAreServedBesideTheModel(t *testing.T) {
	s := serve(t, quick(), Options{ServedModel: "base", Adapters: []string{"a", "b"}, PromptTokensDetails: true})
	var list struct {
		Data []struct {
			ID     string
			Parent *string
		}
	}
	resp, err := http.Get(s.URL() + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	if len(list.Data) != 3 || list.Data[0].Parent != nil || list.Data[2].ID != "b" || *list.Data[2].Parent != "base" {
		t.Errorf("models %+v", list.Data)
	}
	prompt := strings.Repeat("one two three four ", 40)
	ask := func(model string) (status, cached int, served string) {
		body, _ := json.Marshal(map[string]any{"model": model, "prompt": prompt, "max_tokens": 4})
		resp, err := http.Post(s.URL()+"/v1/completions", "application/json", strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var answer struct {
			Model string
			Usage struct {
				Details struct {
					Cached int `json:"cached_tokens"`
				} `json:"prompt_tokens_details"`
			}
		}
		_ = json.NewDecoder(resp.Body).Decode(&answer)
		return resp.StatusCode, answer.Usage.Details.Cached, answer.Model
	}
	for _, c := range []struct {
		model  string
		status int
		cached bool
	}{{"base", 200, false}, {"a", 200, false}, {"a", 200, true}, {"b", 200, false}, {"base", 200, true}, {"c", 404, false}} {
		status, cached, served := ask(c.model)
		if status != c.status || cached > 0 != c.cached || status == 200 && served != c.model {
			t.Errorf("%s: status %d, %d tokens cached, served by %q; want %d, cached %t", c.model, status, cached, served, c.status, c.cached)
		}
	}
}
