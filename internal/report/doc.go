// Package report shows a run to people: in a terminal (Text), in a pull request
// (Markdown) and as one HTML file without network (HTML) with charts in SVG.
//
// It judges nothing: every verdict, interval and percentile comes from the
// record, and what the record does not know is said in words ("not reached",
// "unknown", "undecided") or as "–", never as 0. Latencies are milliseconds,
// throughput is output tokens per second of the whole system unless named
// otherwise. All three are pure functions of their input: the same run gives
// the same bytes.
//
//	err := report.Text(os.Stdout, report.Input{Run: run}, report.TextOptions{})
package report
