// Package peers reads and writes the result files of other benchmarks: vLLM's
// bench, SGLang's, AIPerf, GuideLLM, inference-perf and llm-d's benchmark
// report.
//
// What is read becomes a record.Run in Assay's definitions. Where a file holds
// its requests, they are folded by the code that folds Assay's own; where it
// holds aggregates alone, they are taken over and each says what it is
// (record.Run.Definitions). What is written is in the other tool's definitions,
// so that a number in its file means what the tool's own means.
//
// The package knows no terminal and decides no comparison. Times inside are
// microseconds since the run's start, metrics milliseconds; the files of others
// have seconds, milliseconds and nanoseconds.
//
//	file, err := peers.Open("benchmarks.json")
//	// file.Run.Tool.Name == "guidellm"
package peers
