// Package httpd serves the simulated engine over HTTP in real time: OpenAI's
// chat and completion API as vLLM 0.32 answers it, and vLLM's metrics. It knows
// the protocol and the clock; what happens when is the engine's business.
//
// Token times are absolute: step n ends at the time that the engine says, not
// at the end of step n-1 plus a sleep, so that a late wake-up is not carried on.
// Every answer carries "Server: assay-sim", so that nobody takes it for vLLM.
//
//	srv, err := httpd.Start(engine.Demo(), httpd.Options{Listen: "127.0.0.1:0"})
//	defer srv.Shutdown(ctx)
//	http.Post(srv.URL()+"/v1/chat/completions", ...)
package httpd
