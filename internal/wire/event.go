package wire

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/valyala/fastjson"
)

// event is what one frame of an answer says. Its bytes are valid until its
// parser reads the next one.
type event struct {
	choices   int    // parts of the answer that it is about; 0: it only tells of it
	role      bool   // it names the role
	text      []byte // visible content, of all choices
	reasoning []byte
	tool      bool   // arguments or name of a tool call
	tokens    int    // in this event, where the protocol says so; 0: it does not
	size      int    // of all that was generated, bytes
	field     string // name of the field that held reasoning
	finish    string // why choice 0 ended
	aborted   bool   // some choice was aborted
	ended     bool   // nothing follows
	ping      bool   // it says nothing but that the server lives
	hasUsage  bool
	usage     Usage
	failure   string // the words of an error
	kind      string // of the failure; empty: KindStreamError
}

// carries reports whether the event holds generated tokens.
func (e *event) carries() bool {
	return len(e.text) > 0 || len(e.reasoning) > 0 || e.tool || e.tokens > 0
}

func (e *event) addText(b []byte) {
	e.text = join(e.text, b)
	e.size += len(b)
}

func (e *event) addReasoning(b []byte, field string) {
	if len(b) == 0 {
		return
	}
	e.reasoning = join(e.reasoning, b)
	e.size += len(b)
	e.field = field
}

// addTool takes the name or a piece of the arguments of a tool call.
func (e *event) addTool(b []byte) {
	e.tool = e.tool || len(b) > 0
	e.size += len(b)
}

// join appends b to a without touching the bytes of either. Nearly always one of
// them is empty, and nothing is copied.
func join(a, b []byte) []byte {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return slices.Concat(a, b)
}

// parsers are shared: each of many open streams needs one for a moment only.
var parsers fastjson.ParserPool

var errNotJSON = errors.New("is not a JSON object")

// parseObject reads a frame that must be a JSON object.
func parseObject(p *fastjson.Parser, data []byte) (*fastjson.Value, error) {
	v, err := p.ParseBytes(data)
	if err != nil || v.Type() != fastjson.TypeObject {
		return nil, notJSON(data)
	}
	return v, nil
}

func notJSON(data []byte) error { return fmt.Errorf("an event %w: %s", errNotJSON, clip(data)) }

// maxCount is more tokens than any request has.
const maxCount = 10_000_000

// count reads a number of tokens; none is 0. Some servers write 4.0 for 4.
func count(v *fastjson.Value) (n int, ok bool) {
	if v == nil || v.Type() == fastjson.TypeNull {
		return 0, true
	}
	f, err := v.Float64()
	if err != nil || !(f >= 0 && f <= maxCount) || f != math.Trunc(f) {
		return 0, false
	}
	return int(f), true
}

// part reads how many of whole tokens are of some kind, nil where that is not
// said or cannot be.
func part(v *fastjson.Value, whole int) *int {
	if v == nil || v.Type() == fastjson.TypeNull {
		return nil
	}
	n, ok := count(v)
	if !ok || n > whole {
		return nil
	}
	return &n
}
