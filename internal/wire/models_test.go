package wire

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pathServer is a client of a server that gives one answer to each path.
func pathServer(t *testing.T, key string, answers map[string]string) *Client {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, answers[r.URL.Path])
	}))
	t.Cleanup(h.Close)
	return client(t, h.URL, withKey(key))
}

// One odd entry must not fail the list, nor bring into a record what is no name.
func TestModelsThatAreOdd(t *testing.T) {
	const secret = "sk-very-secret"
	c := pathServer(t, secret, map[string]string{"/v1/models": `{"data":[
		{"id":"good","max_model_len":4096,"owned_by":"me\u001b[31m ` + secret + ` ` + strings.Repeat("x", 500) + `"},
		{"id":"a text for a length","max_model_len":"4096"}, {"id":"a negative length","max_model_len":-1},
		{"id":"an absurd length","max_model_len":1e30}, {"id":"half a length","max_model_len":0.5}, {"id":"a whole one","max_model_len":8.0},
		{"id":"an odd owner","owned_by":7},
		{"id":7}, {"id":null}, {"id":""}, {}, 7, null, "text", {"id":"two\nlines"}, {"id":"esc\u001b[2J"}, {"id":"\ud800"},
		{"id":"` + secret + `"}, {"id":"x` + secret + `y"}, {"id":"` + strings.Repeat("x", maxName+1) + `"}]}`})
	got, err := c.Models(t.Context())
	if err != nil || len(got) == 0 {
		t.Fatalf("%d models, %v", len(got), err)
	}
	owner := got[0].OwnedBy
	if len(owner) > maxName+len(cutMark) || !strings.HasPrefix(owner, "me [31m [key] xxx") {
		t.Errorf("owned by %q", owner)
	}
	got[0].OwnedBy = ""
	want := []Model{
		{ID: "good", MaxModelLen: 4096}, {ID: "a text for a length"}, {ID: "a negative length"}, {ID: "an absurd length"},
		{ID: "half a length"}, {ID: "a whole one", MaxModelLen: 8}, {ID: "an odd owner"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAShortKeyHidesNoModel(t *testing.T) {
	got, err := pathServer(t, "test", map[string]string{"/v1/models": `{"data":[{"id":"test-model"}]}`}).Models(t.Context())
	if err != nil || len(got) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

// Of an endless list a bounded part is kept, and in it the model asked for.
func TestModelsAreBounded(t *testing.T) {
	var list strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&list, `{"id":"model %d"},`, i)
	}
	got, err := pathServer(t, "", map[string]string{"/v1/models": `{"data":[` + list.String() + `{"id":"m"}]}`}).Models(t.Context())
	if err != nil || len(got) != maxModels+1 || got[maxModels].ID != "m" {
		t.Errorf("%d models, %v", len(got), err)
	}
}

func TestTheVersionIsALineWithoutTheKey(t *testing.T) {
	const secret = "sk-very-secret"
	for name, tt := range map[string]struct{ answer, want string }{
		"the key":  {`{"version":"1 ` + secret + `\n2"}`, "1 [key] 2"},
		"a cut":    {`{"version":"` + strings.Repeat("x", maxName-6) + secret + `"}`, strings.Repeat("x", maxName-6) + "[key]"},
		"a number": {`{"version":7}`, ""},
		"a page":   {"<html>", ""},
	} {
		if _, got := pathServer(t, secret, map[string]string{"/version": tt.answer}).Engine(t.Context(), nil); got != tt.want {
			t.Errorf("%s: version %q, want %q", name, got, tt.want)
		}
	}
}

func TestALongRedirectIsShortened(t *testing.T) {
	h := listen(t, once(plain("302 Found", "text/html", "come in", "Location: /"+strings.Repeat("x", 5000))))
	o := ask(client(t, h.url))
	failed(t, o, KindHTTP, "come in")
	if len(o.Err.Detail) > maxDetail+len(cutMark) {
		t.Errorf("a detail of %d bytes", len(o.Err.Detail))
	}
}
