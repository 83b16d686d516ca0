package trace

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// newConversations reads LMSYS-Chat's and WildChat's conversations.
func newConversations(source) parser {
	n := 0
	return func(record []byte) ([]Row, error) {
		var c struct {
			Model     string          `json:"model"`
			Timestamp json.RawMessage `json:"timestamp"`
			Turns     []struct {
				Role    string `json:"role"`
				Content string `json:"content"`
			} `json:"conversation"`
		}
		if err := decode(record, &c); err != nil {
			return nil, err
		}
		n++
		d := dialogue{session: strconv.Itoa(n)}
		for _, t := range c.Turns {
			d.say(t.Role, t.Content)
		}
		rows, err := d.turns()
		if err != nil {
			return nil, err
		}
		for i := range rows {
			rows[i].Model = c.Model
		}
		// WildChat's time stamp is that of the conversation's last turn.
		last := &rows[len(rows)-1]
		last.At, err = stamp(c.Timestamp)
		return rows, err
	}
}

// stamp is a moment as a text, or as a number of seconds or milliseconds since
// 1970, as converters of Parquet files write it.
func stamp(raw json.RawMessage) (*time.Duration, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		at, err := moment(s)
		return &at, err
	}
	var n float64
	if err := json.Unmarshal(raw, &n); err != nil {
		return nil, fmt.Errorf("timestamp %.40s is neither a text nor a number", raw)
	}
	return span("timestamp", n, unitOf(n))
}

// unitOf is the unit of a number since 1970: seconds have ten digits in this
// age, milliseconds thirteen, and so on.
func unitOf(n float64) time.Duration {
	digits := len(strings.TrimLeft(strconv.FormatFloat(n, 'f', 0, 64), "-"))
	switch {
	case digits <= 11:
		return time.Second
	case digits <= 14:
		return time.Millisecond
	case digits <= 17:
		return time.Microsecond
	}
	return time.Nanosecond
}
