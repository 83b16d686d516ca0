// Package record is the run format: it writes a run folder as the run happens
// and reads one back, also after a kill.
//
// A run folder holds run.json (replaced atomically after each level),
// requests.jsonl, metrics.jsonl and client.jsonl (appended, flushed at least
// once a second) and report.html. Everything after this package is a pure
// function of those files.
//
// Times inside the JSONL files are microseconds since the run's start on the
// monotonic clock; wall-clock times appear only in run.json.
package record
