package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// aiperfTurn is a request of AIPerf's single_turn and random_pool, and a turn of
// its multi_turn.
type aiperfTurn struct {
	Text   *string         `json:"text"`
	Texts  json.RawMessage `json:"texts"`
	Image  *string         `json:"image"`
	Images json.RawMessage `json:"images"`
	Audio  json.RawMessage `json:"audio"`
	Audios json.RawMessage `json:"audios"`
	Video  json.RawMessage `json:"video"`
	Videos json.RawMessage `json:"videos"`

	Timestamp    *float64        `json:"timestamp"` // ms
	Delay        *float64        `json:"delay"`     // ms
	Role         string          `json:"role"`
	SessionID    string          `json:"session_id"`
	OutputLength *int            `json:"output_length"`
	Extra        json.RawMessage `json:"extra"`
}

var isSingleTurn = anyOf(
	ofType("single_turn"), keys("texts"), keys("image"), keys("images"),
	keys("text", "timestamp"), keys("text", "delay"), keys("text", "session_id"), keys("text", "extra"),
)

// newSingleTurn reads requests of one turn. Those of one session follow each
// other, and each is whole.
func newSingleTurn(source) parser {
	seen := sessions{}
	return func(record []byte) ([]Row, error) {
		var t aiperfTurn
		if err := decode(record, &t); err != nil {
			return nil, err
		}
		row, err := t.row()
		if err == nil && t.SessionID != "" {
			row.Session = t.SessionID
			row.Turn, err = seen.turn(t.SessionID)
		}
		return one(row, err)
	}
}

// newMultiTurn reads sessions of turns, each of which holds what is new in it.
func newMultiTurn(source) parser {
	n := 0
	return func(record []byte) ([]Row, error) {
		var s struct {
			SessionID string       `json:"session_id"`
			Turns     []aiperfTurn `json:"turns"`
		}
		if err := decode(record, &s); err != nil {
			return nil, err
		}
		n++
		if s.SessionID == "" {
			s.SessionID = strconv.Itoa(n)
		}
		var rows []Row
		for i, t := range s.Turns {
			row, err := t.row()
			if errors.Is(err, errNoPrompt) {
				break // what follows is nothing without it
			}
			if err != nil {
				return nil, fmt.Errorf("turn %d: %w", i+1, err)
			}
			row.Session, row.Turn, row.Continues = s.SessionID, i, i > 0
			rows = append(rows, row)
		}
		if len(rows) == 0 {
			return nil, errNoPrompt
		}
		return rows, nil
	}
}

func (t aiperfTurn) row() (Row, error) {
	row := Row{OutputTokens: t.OutputLength}
	if said(t.Audio) || said(t.Audios) || said(t.Video) || said(t.Videos) {
		return row, errors.New("the row holds audio or video, which Assay does not send: leave such rows out")
	}
	if err := tokens("output_length", t.OutputLength); err != nil {
		return row, err
	}
	var err error
	if row.At, err = optional("timestamp", t.Timestamp, time.Millisecond); err != nil {
		return row, err
	}
	if row.Delay, err = optional("delay", t.Delay, time.Millisecond); err != nil {
		return row, err
	}
	texts, err := contents("texts", t.Text, t.Texts)
	if err != nil {
		return row, err
	}
	images, err := contents("images", t.Image, t.Images)
	if err != nil {
		return row, err
	}
	if len(images) > 0 {
		n := len(images)
		row.Images = &n
	}
	return row, t.ask(&row, strings.Join(texts, "\n"), images)
}

// ask makes the row ask a text, with images as parts of the message.
func (t aiperfTurn) ask(row *Row, text string, images []string) error {
	if strings.TrimSpace(text) == "" && len(images) == 0 {
		return errNoPrompt
	}
	if len(images) == 0 && !said(t.Extra) && (t.Role == "" || t.Role == "user") {
		row.Text = text
		return nil
	}
	message := map[string]any{"role": t.Role, "content": text}
	if t.Role == "" {
		message["role"] = "user"
	}
	if len(images) > 0 {
		parts := []map[string]any{{"type": "text", "text": text}}
		for _, url := range images {
			if !isURL(url) {
				return fmt.Errorf("image %.60q is a file: only addresses (http:, https:) and data: URLs are sent", url)
			}
			parts = append(parts, map[string]any{"type": "image_url", "image_url": map[string]string{"url": url}})
		}
		message["content"] = parts
	}
	messages, err := json.Marshal([]any{message})
	if err != nil {
		return err
	}
	return row.setMessages(messages, nil, t.Extra)
}

func isURL(s string) bool {
	for _, scheme := range []string{"http://", "https://", "data:"} {
		if strings.HasPrefix(s, scheme) {
			return true
		}
	}
	return false
}

// contents are those of a field that holds one text, several, or several under
// names.
func contents(what string, single *string, several json.RawMessage) ([]string, error) {
	if single != nil {
		return []string{*single}, nil
	}
	if !said(several) {
		return nil, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(several, &list); err != nil {
		return nil, fmt.Errorf("%q is not a list", what)
	}
	var all []string
	for _, item := range list {
		var one string
		var named struct {
			Contents []string `json:"contents"`
		}
		switch {
		case json.Unmarshal(item, &one) == nil:
			all = append(all, one)
		case json.Unmarshal(item, &named) == nil:
			all = append(all, named.Contents...)
		default:
			return nil, fmt.Errorf("%q holds %.40s: want texts, or objects with \"contents\"", what, item)
		}
	}
	return all, nil
}
