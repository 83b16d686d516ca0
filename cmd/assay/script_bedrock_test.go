package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/rogpeppe/go-internal/testscript"
)

// The credentials that the fake Bedrock knows.
const (
	bedrockSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
	bedrockToken  = "session+token/of=the-test"
)

// serveBedrock starts a server of ConverseStream that checks each signature. It
// gives the first token after 30 ms and each further one after 2 ms.
func serveBedrock(ts *testscript.TestScript, variable string) {
	h := httptest.NewServer(http.HandlerFunc(converseStream))
	ts.Defer(func() { h.CloseClientConnections(); h.Close() })
	ts.Setenv(variable, h.URL)
}

func converseStream(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if why := wrongSignature(r, body); why != "" {
		w.Header().Set("X-Amzn-Errortype", "InvalidSignatureException")
		w.WriteHeader(http.StatusForbidden)
		// The service quotes what it expected, the token among it.
		fmt.Fprintf(w, `{"message":%q}`, why+": the string to sign has x-amz-security-token:"+r.Header.Get("X-Amz-Security-Token"))
		return
	}
	if r.URL.Path != "/model/fake.chat-v1:0/converse-stream" {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message":"The provided model identifier is invalid."}`)
		return
	}
	w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
	send := func(name, payload string) {
		w.Write(awsMessage(name, payload))
		w.(http.Flusher).Flush()
	}
	time.Sleep(30 * time.Millisecond)
	send("messageStart", `{"role":"assistant"}`)
	tokens := askedTokens(body)
	for range tokens {
		send("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":" word"},"p":"abc"}`)
		time.Sleep(2 * time.Millisecond)
	}
	send("messageStop", `{"stopReason":"max_tokens"}`)
	send("metadata", fmt.Sprintf(`{"usage":{"inputTokens":%d,"outputTokens":%d,"totalTokens":0},"metrics":{"latencyMs":40}}`, len(strings.Fields(string(body)))+4, tokens))
}

func askedTokens(body []byte) (n int) {
	_, rest, _ := bytes.Cut(body, []byte(`"maxTokens":`))
	fmt.Sscanf(string(rest), "%d", &n)
	return max(1, n)
}

func awsMessage(name, payload string) []byte {
	var b bytes.Buffer
	m := eventstream.Message{Payload: []byte(payload)}
	m.Headers.Set(":message-type", eventstream.StringValue("event"))
	m.Headers.Set(":event-type", eventstream.StringValue(name))
	_ = eventstream.NewEncoder().Encode(&b, m) // a Buffer takes all
	return b.Bytes()
}

// wrongSignature says what is wrong with a request's signature, written after
// AWS's description of Signature Version 4 alone.
func wrongSignature(r *http.Request, body []byte) string {
	fields := map[string]string{}
	algorithm, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	for part := range strings.SplitSeq(rest, ", ") {
		name, value, _ := strings.Cut(part, "=")
		fields[name] = value
	}
	scope := strings.Split(fields["Credential"], "/")
	signed := strings.Split(fields["SignedHeaders"], ";")
	date := r.Header.Get("X-Amz-Date")
	at, err := time.Parse("20060102T150405Z", date)
	switch {
	case algorithm != "AWS4-HMAC-SHA256":
		return "algorithm " + algorithm
	case len(scope) != 5 || scope[0] != "AKIDEXAMPLE" || scope[2] != "us-east-1" || scope[3] != "bedrock" || scope[4] != "aws4_request":
		return "credential " + fields["Credential"]
	case err != nil || time.Since(at).Abs() > 5*time.Minute:
		return "date " + date
	case r.Header.Get("X-Amz-Security-Token") != bedrockToken:
		return "token"
	case !slices.Contains(signed, "host") || !slices.Contains(signed, "x-amz-date") || !slices.Contains(signed, "x-amz-security-token"):
		return "signed headers " + fields["SignedHeaders"]
	}
	canonical := r.Method + "\n" + twiceEscaped(r.RequestURI) + "\n\n"
	for _, name := range signed {
		value := r.Header.Get(name)
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = fmt.Sprint(r.ContentLength)
		}
		canonical += name + ":" + strings.TrimSpace(value) + "\n"
	}
	canonical += "\n" + fields["SignedHeaders"] + "\n" + hexSum(body)
	toSign := algorithm + "\n" + date + "\n" + strings.Join(scope[1:], "/") + "\n" + hexSum([]byte(canonical))
	key := []byte("AWS4" + bedrockSecret)
	for _, part := range scope[1:] {
		key = mac(key, part)
	}
	if hex.EncodeToString(mac(key, toSign)) != fields["Signature"] {
		return "signature"
	}
	return ""
}

// twiceEscaped is a path that came escaped, each segment escaped once more.
func twiceEscaped(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return strings.Join(segments, "/")
}

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func mac(key []byte, text string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}
