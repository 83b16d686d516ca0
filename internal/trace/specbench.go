package trace

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// newSpecBench reads questions of several turns without answers, as Spec-Bench
// and MT-Bench have them.
func newSpecBench(source) parser {
	n := 0
	return func(record []byte) ([]Row, error) {
		var q struct {
			Turns []string `json:"turns"`
		}
		if err := decode(record, &q); err != nil {
			return nil, err
		}
		n++
		d := dialogue{session: strconv.Itoa(n)}
		for _, t := range q.Turns {
			d.say("user", t)
		}
		return d.turns()
	}
}

// isSpecBench recognises turns that are texts.
func isSpecBench(f first) string {
	var turns []json.RawMessage
	if json.Unmarshal(f.values["turns"], &turns) != nil || len(turns) == 0 || !bytes.HasPrefix(turns[0], []byte(`"`)) {
		return ""
	}
	return `its first row has "turns" of texts`
}
