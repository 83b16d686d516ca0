package trace

import (
	"strconv"
	"strings"
)

// newShareGPT reads ShareGPT's conversations: one row for each human turn, with
// the answer that followed. What another spoke before the first is left out:
// some begin with a system prompt, some with gpt.
func newShareGPT(source) parser {
	n := 0
	return func(record []byte) ([]Row, error) {
		var c struct {
			Turns []struct {
				From  string `json:"from"`
				Value string `json:"value"`
			} `json:"conversations"`
		}
		if err := decode(record, &c); err != nil {
			return nil, err
		}
		n++
		d := dialogue{session: strconv.Itoa(n)}
		for _, t := range c.Turns {
			d.say(t.From, t.Value)
		}
		return d.turns()
	}
}

// dialogue makes turns of what two speakers said.
type dialogue struct {
	session string
	rows    []Row
	ended   bool // by a turn that asks nothing
}

func (d *dialogue) say(who, what string) {
	if d.ended {
		return
	}
	switch strings.ToLower(who) {
	case "human", "user":
		if strings.TrimSpace(what) == "" {
			d.ended = true
			return
		}
		d.rows = append(d.rows, Row{Session: d.session, Turn: len(d.rows), Continues: len(d.rows) > 0, Text: what})
	case "gpt", "chatgpt", "bing", "bard", "assistant":
		if n := len(d.rows); n > 0 && d.rows[n-1].Answer == "" {
			d.rows[n-1].Answer = what
		}
	}
}

func (d *dialogue) turns() ([]Row, error) {
	if len(d.rows) == 0 {
		return nil, errNoPrompt
	}
	return d.rows, nil
}
