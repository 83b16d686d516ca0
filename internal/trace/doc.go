// Package trace reads traces and datasets of other projects: files that say
// which requests came, when, how long they were, or what they asked. Each format
// becomes the same rows, read one at a time, so that a file of gigabytes takes
// the memory of its largest row.
//
// It also says what a trace is like before GPU time is spent on it (Analyse):
// its gaps, its ticks, its bursts, its lengths, how much a prefix cache could
// serve at best.
//
// It knows nothing of load or servers: how a row becomes a prompt is package
// load's business. Times are time.Durations since the trace's first row, lengths
// are tokens as the trace's author counted them.
//
//	r, err := trace.Open("conversation_trace.jsonl", trace.Options{})
//	for {
//		row, err := r.Next() // io.EOF after the last
//	}
package trace
