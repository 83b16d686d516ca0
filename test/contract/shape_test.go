package contract

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// shape replaces what differs from one answer to the next (ids, times, texts,
// counts) by what it is, so that the answers of two servers can be compared.
// Everything else stays: keys, nulls, the values of enumerations, messages.
func shape(v any) any { return shapeOf("", v) }

func shapeOf(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = shapeOf(k, x)
		}
		if _, ok := v["role"]; ok { // the first chunk: its empty content is part of the contract
			if content, ok := v["content"].(string); ok && content == "" {
				out["content"] = ""
			}
		}
		return out
	case []any:
		if key == "tokens" {
			return []any{"<token>..."}
		}
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = shapeOf(key, x)
		}
		return out
	case string:
		return shapeOfText(key, v)
	case float64:
		return shapeOfNumber(key, v)
	}
	return v
}

// idPrefix is what an id starts with: chatcmpl-, cmpl-, modelperm-.
var idPrefix = regexp.MustCompile(`^[a-z]+-`)

func shapeOfText(key, s string) string {
	switch key {
	case "id":
		if prefix := idPrefix.FindString(s); prefix != "" {
			return prefix + "<id>"
		}
	case "text", "content", "prompt":
		return "<text>"
	case "system_fingerprint", "root", "version":
		return "<" + key + ">"
	case "message":
		// Validation errors quote the validator's own words and positions.
		if head, _, ok := strings.Cut(s, "\n"); ok {
			return head + "..."
		}
	case "param":
		// The position in a body that is no JSON.
		if digits := strings.TrimPrefix(s, "body."); digits != s && strings.Trim(digits, "0123456789") == "" {
			return "body.<position>"
		}
	}
	return s
}

// counts are the keys of numbers that depend on the tokenizer or the clock.
var counts = map[string]bool{
	"created": true, "prompt_tokens": true, "completion_tokens": true, "total_tokens": true,
	"cached_tokens": true, "created_cache_tokens": true, "count": true,
}

func shapeOfNumber(key string, n float64) any {
	if counts[key] {
		return "<number>"
	}
	return n
}

// shapeOfBody is the shape of a JSON body as indented JSON; other bodies stay.
func shapeOfBody(body []byte) (string, error) {
	if len(body) == 0 {
		return "", nil
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return "", fmt.Errorf("body is no JSON: %w: %.200q", err, body)
	}
	return indent(shape(v))
}

func indent(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return b.String(), nil
}
