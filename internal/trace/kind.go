package trace

import (
	"fmt"
	"slices"
	"strings"
)

// Kinds of trace and dataset files.
const (
	ShareGPT    = "sharegpt"     // {"conversations": [{"from", "value"}]}, an array or one a line
	OpenAIBatch = "openai-batch" // {"custom_id", "method", "url", "body"} a line
	JSONLines   = "jsonl"        // {"prompt"}, {"text"} or {"messages"} a line
	PlainText   = "text"         // one prompt a line
)

// kinds are those that Open reads, in the order of the documentation.
var kinds = []string{ShareGPT, OpenAIBatch, JSONLines, PlainText}

// Kinds are the names of the formats.
func Kinds() []string { return slices.Clone(kinds) }

// aliases are the names that other tools give to the same formats.
var aliases = map[string]string{}

// ParseKind finds a format by its name, or by the name that another tool gives
// it. The empty name stands for "by content".
func ParseKind(name string) (string, error) {
	k := strings.ReplaceAll(strings.ToLower(name), "_", "-")
	if a, ok := aliases[k]; ok {
		k = a
	}
	if k != "" && !slices.Contains(kinds, k) {
		return "", fmt.Errorf("format %q is not one of %s", name, strings.Join(kinds, ", "))
	}
	return k, nil
}
