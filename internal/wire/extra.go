package wire

import (
	"fmt"
	"maps"
	"slices"
)

// controlled are the fields of a body that Assay sets itself in some API, and
// what sets them.
var controlled = map[string]string{
	"model":                 "--model",
	"stream":                "it is what is measured",
	"stream_options":        "Assay asks for usage where the server gives it",
	"messages":              "--isl or --dataset",
	"prompt":                "--isl or --dataset",
	"input":                 "--isl or --dataset",
	"inputs":                "--isl or --dataset",
	"query":                 "--isl or --dataset",
	"documents":             "--isl or --dataset",
	"max_tokens":            "--osl",
	"max_completion_tokens": "--osl",
	"max_output_tokens":     "--osl",
	"min_tokens":            "--osl",
	"ignore_eos":            "--osl",
}

// checkExtra refuses extra fields that would not reach the server as given, or
// would make what is measured something else than what is reported.
func checkExtra(extra map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if by, ok := controlled[name]; ok {
			return fmt.Errorf("extra body field %q is set by Assay: %s", name, by)
		}
	}
	return nil
}
