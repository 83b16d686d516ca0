package wire

import "time"

// Kinds of failure. They are the keys of a level's errors in run.json.
const (
	KindResolve      = "resolve"           // the host name has no address
	KindConnect      = "connect"           // refused, unreachable, no route
	KindTLS          = "tls"               // handshake or certificate
	KindProxy        = "proxy"             // the proxy is not reached, or refuses
	KindTimeout      = "timeout"           // the whole request took longer than allowed
	KindStall        = "stall"             // no byte for longer than allowed
	KindReset        = "reset"             // the connection broke
	KindTruncated    = "truncated"         // the stream ended without a finish
	KindUnauthorized = "unauthorized"      // HTTP 401, 403
	KindNotFound     = "not-found"         // HTTP 404: wrong path or wrong model
	KindBadRequest   = "bad-request"       // HTTP 400, 413, 422
	KindRateLimited  = "rate-limited"      // HTTP 429
	KindOverloaded   = "overloaded"        // HTTP 503
	KindHTTP         = "http"              // any other status that is not 200
	KindNotAStream   = "not-a-stream"      // a 200 that is neither SSE nor the API's JSON, such as HTML
	KindMalformed    = "malformed"         // an event that cannot be read
	KindStreamError  = "error-in-stream"   // an error object inside a stream that began with 200
	KindAborted      = "aborted-by-server" // finish_reason "abort": the server shut down
	KindNoTokens     = "no-tokens"         // a stream without a single token
	KindOverrun      = "overrun"           // far more tokens than were asked for: cut off by us
	KindIncomplete   = "incomplete"        // an answer in one piece without all that was asked for
	KindCancelled    = "cancelled"         // by us: interrupt or end of the level
)

// Outcome is what one request did. Times are since the client's epoch; zero
// means that it did not happen.
type Outcome struct {
	Sent     time.Duration // the request's last byte had been written
	Connect  time.Duration // spent on DNS, dial and TLS; 0 on a kept connection
	Headers  time.Duration // response headers read
	End      time.Duration // the stream ended, or the error occurred
	NotSent  bool
	Status   int
	Chunks   []Chunk // those that carry tokens, in order of arrival
	AnswerAt int     // index in Chunks of the first token that is not reasoning; -1: none
	Usage    *Usage  // nil when the server gave none
	// UsageContinuous: Usage was seen on chunks before the end, so that each
	// Chunk.Tokens is the server's own count.
	UsageContinuous bool
	Finish          string // finish_reason of choice 0
	Err             *Error // nil for a success
	Text            string // all that came; only with Options.KeepText
	Answer          string // Text without what the model thought before it answered
}

// Chunk is one event that carried tokens. Tokens is 0 where the server does
// not say how many.
type Chunk struct {
	At     time.Duration
	Tokens int
}

// Usage is the server's own count of tokens.
type Usage struct {
	Prompt     int
	Completion int
	Cached     *int // nil: not said
	Reasoning  *int
}

// Error is a failed request: its kind, the words of the server or of the
// system (shortened, without secrets), and how long the server asked to wait.
type Error struct {
	Kind       string
	Detail     string
	RetryAfter time.Duration
}

func (e *Error) Error() string { return e.Kind + ": " + e.Detail }

// Passing reports a failure that the next request need not meet.
func (e *Error) Passing() bool {
	switch e.Kind {
	case KindRateLimited, KindOverloaded, KindReset, KindTruncated, KindStreamError, KindStall, KindHTTP:
		return true
	}
	return false
}
