package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// The names by which GuideLLM finds a column (its guide to datasets, read
// 2026-11). Those of later turns end in _1, _2 and so on.
var (
	promptColumns = []string{"prompt", "instruction", "question", "input", "context", "content", "text"}
	prefixColumns = []string{"system_prompt", "system", "prefix"}
	promptCounts  = []string{"prompt_tokens_count", "input_tokens_count"}
	outputCounts  = []string{"output_tokens_count", "completion_tokens_count"}
)

// maxTurns bounds the turns that columns may name.
const maxTurns = 1000

func isGuideLLM(f first) string {
	marks := []string{"prompt_0", "prompt_tokens_count", "input_tokens_count", "output_tokens_count", "completion_tokens_count"}
	if f.columns != nil {
		marks = append(marks, "prompt")
	}
	for _, m := range marks {
		if why := anyOf(keys(m), columns(m))(f); why != "" {
			return why
		}
	}
	return anyOf(keys("prompt", "prefix"), keys("prompt", "system_prompt"))(f)
}

func readGuideLLM(s source) rows {
	n := 0
	if s.layout == inCSV {
		return newCSV(s, func(r record) ([]Row, error) {
			n++
			return guideTurns(r.get, n)
		})
	}
	return readJSON(func(source) parser {
		return func(record []byte) ([]Row, error) {
			var values map[string]json.RawMessage
			if err := decode(record, &values); err != nil {
				return nil, err
			}
			n++
			return guideTurns(func(column string) string { return fieldOf(values[column]) }, n)
		}
	})(s)
}

// fieldOf is a value as a column of CSV would have it.
func fieldOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	return string(raw)
}

// guideTurns are the turns of one record.
func guideTurns(get func(column string) string, n int) ([]Row, error) {
	for _, c := range promptColumns {
		if text := get(c); strings.TrimSpace(text) != "" {
			row, err := guideRow(get, "", text)
			return one(row, err)
		}
	}
	var rows []Row
	for i := range maxTurns {
		suffix := "_" + strconv.Itoa(i)
		text := get("prompt" + suffix)
		if strings.TrimSpace(text) == "" {
			break
		}
		row, err := guideRow(get, suffix, text)
		if err != nil {
			return nil, err
		}
		row.Session, row.Turn, row.Continues = strconv.Itoa(n), i, i > 0
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, errNoPrompt
	}
	return rows, nil
}

func guideRow(get func(column string) string, suffix, text string) (Row, error) {
	row := Row{Text: text, Prefix: pick(get, prefixColumns, suffix)}
	var err, errOut error
	if s := pick(get, promptCounts, suffix); s != "" {
		row.PromptTokens, err = count("the prompt's length", s)
	}
	if s := pick(get, outputCounts, suffix); s != "" {
		row.OutputTokens, errOut = count("the answer's length", s)
	}
	return row, errors.Join(err, errOut)
}

// pick is the first of several columns that holds something.
func pick(get func(column string) string, names []string, suffix string) string {
	for _, c := range names {
		if s := get(c + suffix); s != "" {
			return s
		}
	}
	return ""
}
