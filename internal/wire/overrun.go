package wire

import (
	"fmt"

	"github.com/valyala/fastjson"
)

// An answer that has come to more than overTimes what was asked for and overBy
// beyond is cut off: a server that ignores the bound goes on to the end of its
// context, and a run with it. The slack is for chunks that are no tokens, and
// for reasoning that a server does not count.
const (
	overTimes = 4
	overBy    = 64
)

// What no answer has, whatever was asked for: memory must be bounded where
// nothing was, too.
const (
	mostChunks = 1 << 20
	mostText   = 64 << 20 // bytes
)

// overran is why an answer must be cut off, empty for none. What was asked is
// looked up in the request once, and only where the answer is long.
func (d *decoder) overran() string {
	tokens := max(len(d.out.Chunks), d.completion)
	if d.size > mostText || len(d.out.Chunks) > mostChunks {
		return fmt.Sprintf("the answer went on past %d chunks and %d MiB of text, and was cut off", min(len(d.out.Chunks), mostChunks), min(d.size, mostText)>>20)
	}
	if tokens <= overBy+overTimes {
		return ""
	}
	if !d.askedKnown {
		d.asked, d.askedKnown = askedIn(d.request, d.protocol.lengths), true
	}
	if d.asked == 0 || tokens <= overTimes*d.asked+overBy {
		return ""
	}
	return fmt.Sprintf("asked for %d output tokens, and the answer went on past %d: the server ignores %s, and was cut off",
		d.asked, overTimes*d.asked+overBy, d.protocol.lengths[0])
}

// askedIn is how many tokens a request asks for, in all its choices; 0: it does
// not say. The field stands at the top or in one of the objects that hold
// options.
func askedIn(request []byte, fields []string) int {
	v, err := fastjson.ParseBytes(request)
	if err != nil {
		return 0
	}
	asked := 0
	for _, within := range []string{"", "options", "parameters", "inferenceConfig"} {
		o := v
		if within != "" {
			o = v.Get(within)
		}
		for _, name := range fields {
			asked = max(asked, o.GetInt(name))
		}
	}
	return asked * max(1, v.GetInt("n"))
}
