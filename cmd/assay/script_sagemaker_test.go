package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// serveSageMaker starts a server of one endpoint, my-endpoint, whose container
// streams a chat: events cut anywhere over the parts of AWS's framing.
func serveSageMaker(ts *testscript.TestScript, variable string) {
	h := httptest.NewServer(http.HandlerFunc(invoke))
	ts.Defer(func() { h.CloseClientConnections(); h.Close() })
	ts.Setenv(variable, h.URL)
}

func invoke(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if r.RequestURI != "/endpoints/my-endpoint/invocations-response-stream" || bytes.Contains(body, []byte(`"model"`)) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"Message":"no such endpoint, or a body that names a model"}`)
		return
	}
	_, rest, _ := bytes.Cut(body, []byte(`"max_tokens":`))
	tokens := 1
	fmt.Sscanf(string(rest), "%d", &tokens)
	var cut string // the beginning of the next part
	send := func(event string) {
		cut += "data: " + event + "\n\n"
		const most = 37
		for len(cut) > most {
			w.Write(awsMessage("PayloadPart", cut[:most]))
			cut = cut[most:]
		}
		w.(http.Flusher).Flush()
	}
	for range tokens {
		send(`{"choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}`)
		time.Sleep(2 * time.Millisecond)
	}
	send(`{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`)
	send(fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`, len(strings.Fields(string(body)))+4, tokens))
	send("[DONE]")
	w.Write(awsMessage("PayloadPart", cut))
}
