// Package nullserver is an endpoint that generates nothing: it streams a stated
// number of tokens at stated moments, at hardly any cost, and keeps a ledger of
// what it really wrote and when. It is the truth that a client is measured
// against, in `assay selftest` and in bench/.
//
// It knows enough of OpenAI's chat and completions API to be asked by any
// client of it. It does not know models, batches or queues: that is package
// engine. Times are durations since the server's start on the monotonic clock.
//
//	s, err := nullserver.Start(nullserver.Options{TTFT: 50 * time.Millisecond, ITL: 10 * time.Millisecond})
//	defer s.Close()
//	// ask s.URL() for tokens, then compare with s.Ledger()
package nullserver
