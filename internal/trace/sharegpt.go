package trace

import (
	"strconv"
	"strings"
)

// conversations reads ShareGPT's: one row for each human turn, with the answer
// that followed. What another spoke before the first is left out: some begin
// with a system prompt, or with gpt.
type conversations struct{ n int }

type conversation struct {
	Turns []struct {
		From  string `json:"from"`
		Value string `json:"value"`
	} `json:"conversations"`
}

func (c *conversations) parse(record []byte) ([]Row, error) {
	var said conversation
	if err := decode(record, &said); err != nil {
		return nil, err
	}
	c.n++
	var rows []Row
	for _, t := range said.Turns {
		switch strings.ToLower(t.From) {
		case "human", "user":
			if strings.TrimSpace(t.Value) == "" {
				return whole(rows)
			}
			rows = append(rows, Row{
				Session: strconv.Itoa(c.n), Turn: len(rows), Continues: len(rows) > 0, Text: t.Value,
			})
		case "gpt", "chatgpt", "bing", "bard", "assistant":
			if n := len(rows); n > 0 && rows[n-1].Answer == "" {
				rows[n-1].Answer = t.Value
			}
		}
	}
	return whole(rows)
}

// whole are the turns up to one that asks nothing.
func whole(rows []Row) ([]Row, error) {
	if len(rows) == 0 {
		return nil, errNoPrompt
	}
	return rows, nil
}
