package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// seal is a signer that shows what it was given.
type seal struct {
	secret string
	fails  error
	mu     sync.Mutex
	paths  []string
}

func (s *seal) Sign(_ context.Context, r *http.Request, body []byte) ([]string, error) {
	if s.fails != nil {
		return []string{s.secret}, s.fails
	}
	s.mu.Lock()
	s.paths = append(s.paths, r.URL.Opaque+r.URL.Path)
	s.mu.Unlock()
	r.Header.Set("Authorization", fmt.Sprintf("sealed %s %d", r.Host, len(body)))
	r.Header.Set("X-Token", s.secret)
	return []string{s.secret}, nil
}

func TestAWSRequestsAsSent(t *testing.T) {
	type request struct{ Path, Body, Accept, Authorization, Kind string }
	got := make(chan request, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- request{r.RequestURI, string(b), r.Header.Get("Accept"), r.Header.Get("Authorization"), r.Header.Get("Content-Type")}
		w.Header().Set("Content-Type", awsEventStream)
		if strings.HasPrefix(r.RequestURI, "/model") {
			io.WriteString(w, converse)
			return
		}
		io.WriteString(w, parts(role+content("a")+last+done, 50))
	}))
	defer s.Close()
	host := strings.TrimPrefix(s.URL, "http://")
	for _, tt := range []struct {
		api, model string
		prompt     Prompt
		extra      map[string]any
		path, body string
	}{
		{BedrockConverse, "anthropic.claude-3-haiku-20240307-v1:0", Prompt{Text: "Hi", MaxTokens: 5, MinTokens: 5}, map[string]any{"inferenceConfig": map[string]any{"temperature": 0.5}},
			"/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse-stream", `{"inferenceConfig":{"maxTokens":5,"temperature":0.5},"messages":[{"content":[{"text":"Hi"}],"role":"user"}]}`},
		{BedrockConverse, "arn:aws:bedrock:us-east-1:1234:inference-profile/us.x y", Prompt{Messages: []Message{{"system", "Be"}, {"user", "Hi"}}, Images: []string{"data:image/png;base64,QUJD"}}, nil,
			"/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1234%3Ainference-profile%2Fus.x%20y/converse-stream",
			`{"system":[{"text":"Be"}],"messages":[{"role":"user","content":[{"image":{"format":"png","source":{"bytes":"QUJD"}}},{"text":"Hi"}]}]}`},
		{SageMaker, "my-endpoint", Prompt{Text: "Hi", MaxTokens: 5}, nil,
			"/endpoints/my-endpoint/invocations-response-stream", `{"messages":[{"role":"user","content":"Hi"}],"stream":true,"max_tokens":5}`},
	} {
		signer := &seal{secret: "a-token-of-the-session"}
		c := client(t, s.URL, func(e *Endpoint, _ *Options) { e.API, e.Model, e.Signer, e.Extra = tt.api, tt.model, signer, tt.extra })
		body, err := c.Encode(tt.prompt, Dialect{})
		if err != nil {
			t.Fatal(err)
		}
		failed(t, c.Do(t.Context(), "id", body), "", "")
		want := request{tt.path, tt.body, awsEventStream, fmt.Sprintf("sealed %s %d", host, len(body)), "application/json"}
		if diff := cmp.Diff(want, <-got); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"//" + host + tt.path}, signer.paths); diff != "" {
			t.Errorf("what is signed is not what is sent: %s", diff)
		}
	}
}

// What the service says of a signature quotes the token of the session.
func TestWhatASignerKeepsSecretIsNotShown(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"message":"The canonical string should have been 'x-amz-security-token:%s'"}`, r.Header.Get("X-Token"))
	}))
	defer s.Close()
	signer := &seal{secret: "token+of/the=session"}
	c := client(t, s.URL, func(e *Endpoint, _ *Options) { e.Signer = signer })
	for _, secret := range []string{"token+of/the=session", "the-next/one=="} { // it changes within a run
		signer.secret = secret
		o := ask(c)
		failed(t, o, KindUnauthorized, "x-amz-security-token:[key]'")
		_, err := c.Models(t.Context())
		var target *TargetError
		if !errors.As(err, &target) || strings.Contains(err.Error(), secret) || !strings.Contains(target.Hint(), "AWS_PROFILE") {
			t.Errorf("a question: got error %v", err)
		}
	}
}

func TestARequestThatCannotBeSigned(t *testing.T) {
	h := listen(t, replying(aStream))
	c := client(t, h.url, func(e *Endpoint, _ *Options) {
		e.Signer = &seal{secret: "the-secret", fails: errors.New("no AWS credentials: the-secret is none")}
	})
	o := ask(c)
	failed(t, o, KindUnauthorized, "no AWS credentials: [key] is none")
	if !o.NotSent || o.Sent != 0 || h.conns.Load() != 0 {
		t.Errorf("not sent %v, sent %s, %d connections", o.NotSent, o.Sent, h.conns.Load())
	}
	h2 := mustSecret(t, "Authorization", "Bearer abc")
	if _, err := New(Endpoint{URL: "http://host", Signer: &seal{}, Headers: []Header{h2}}, Options{}); err == nil {
		t.Error("a header Authorization beside a signature is taken")
	}
}

// A frame's tokens arrived when its last byte did, however it was cut.
func TestWhenFramesArrive(t *testing.T) {
	const gap = 300 * time.Millisecond
	epoch := time.Now()
	var begun, ended time.Duration // of the first delta
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first := delta(`"text":"a"`)
		flush := func(text string) {
			io.WriteString(w, text)
			w.(http.Flusher).Flush()
		}
		flush(converseStart + first[:40])
		begun = time.Since(epoch)
		time.Sleep(gap)
		ended = time.Since(epoch)
		flush(first[40:])
		time.Sleep(gap)
		flush(delta(`"text":"b"`) + converseStop + converseUsage)
	}))
	defer s.Close()
	o := ask(client(t, s.URL, func(e *Endpoint, op *Options) { e.API, op.Epoch = BedrockConverse, epoch }))
	failed(t, o, "", "")
	if len(o.Chunks) != 2 || o.Chunks[0].At < ended || o.Chunks[1].At < ended+gap {
		t.Errorf("chunks at %v; the first delta was begun at %s and whole at %s", o.Chunks, begun, ended)
	}
}

func TestAWSTellsOfNoModels(t *testing.T) {
	h := listen(t, replying(aStream))
	for _, api := range []string{BedrockConverse, SageMaker} {
		c := client(t, h.url, func(e *Endpoint, _ *Options) { e.API = api })
		found, err := c.Find(t.Context(), api)
		if err == nil || !strings.Contains(err.Error(), "--model") {
			t.Errorf("%s: got error %v", api, err)
		}
		if found.API != api || found.Engine != ServiceOf(api) || found.Version != "" {
			t.Errorf("%s: found %+v", api, found)
		}
	}
	if h.conns.Load() != 0 {
		t.Error("a question was sent")
	}
}
