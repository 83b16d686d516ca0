package wire

import (
	"bytes"
	"cmp"
	"errors"
	"time"
)

// Facts are what a stream was like.
type Facts struct {
	RoleFirst      bool   // the first chunk named the role and held no token
	CRLF           bool   // lines ended so
	Comments       int    // comment lines and events that only keep the connection open
	UsageChunk     string // own, last-content, every or none
	ReasoningField string
	Reads          int // how many times the network brought tokens
	Done           bool
}

// decoder turns the bytes of one stream into its Outcome. Feed it in order;
// then Finish.
type decoder struct {
	protocol *protocol
	framing  framing
	meaning  meaning
	emit     func(frame) error // made once: to make it for each read would cost memory
	request  []byte            // its body
	out      *Outcome
	facts    *Facts

	keepText   bool
	text       bytes.Buffer
	textAt     []int // where in text each chunk begins, its reasoning left out
	think      thinker
	undecided  int // 1 + index of the first chunk that may begin a "<think>"; 0: none
	asked      int // output tokens, once they are looked up; 0: not said
	askedKnown bool
	completion int // tokens by the usage seen last
	counted    int // chunks with tokens whose usage grew
	usageOn    int // chunks with choices that carried usage
	events     int
	pings      int  // events that say nothing else
	size       int  // of all that was generated, bytes
	stated     bool // the protocol says how many tokens are in an event
	usageOwn   bool
	usageLast  bool
	at         time.Duration // arrival of the bytes being read
	sawToken   bool          // in the present read
}

var (
	errDone    = errors.New("the stream said its end")
	errFailure = errors.New("the stream failed")
)

// newDecoder is for the answer to a request with that body.
func newDecoder(p *protocol, request []byte, out *Outcome, facts *Facts, keepText bool) *decoder {
	d := &decoder{protocol: p, framing: p.framing(), meaning: p.meaning(request), request: request, out: out, facts: facts, keepText: keepText}
	d.emit = d.frame
	return d
}

// Feed takes bytes that arrived at that time. It returns an error when the
// stream has ended by itself: errDone, or errFailure with Outcome.Err set.
func (d *decoder) Feed(b []byte, at time.Duration) error {
	d.at = at
	d.sawToken = false
	if err := d.framing.feed(b, d.emit); err != nil {
		return d.unreadable(err)
	}
	return nil
}

// unreadable makes bytes that cannot be read the stream's failure.
func (d *decoder) unreadable(err error) error {
	var (
		stray  *strayError
		failed *Error
	)
	switch {
	case errors.As(err, &failed):
		return d.fail(failed.Kind, failed.Detail)
	case errors.As(err, &stray):
		if words := failureIn(stray.line, true); words != "" {
			return d.fail(KindStreamError, words)
		}
		return d.fail(KindMalformed, err.Error())
	}
	if errors.Is(err, errTooLong) || errors.Is(err, errTooLarge) || errors.Is(err, errNotJSON) {
		return d.fail(KindMalformed, err.Error())
	}
	return err
}

func (d *decoder) fail(kind, detail string) error {
	d.out.Err = &Error{Kind: kind, Detail: detail}
	return errFailure
}

func (d *decoder) frame(f frame) error {
	f.data = bytes.TrimSpace(f.data)
	if isErrorName(f.name) {
		return d.fail(KindStreamError, errorEvent(f.data))
	}
	if len(f.data) == 0 {
		return nil
	}
	if bytes.Equal(f.data, doneMark) {
		d.facts.Done = true
		return errDone
	}
	p := parsers.Get()
	defer parsers.Put(p)
	e, err := d.meaning.read(p, f)
	if err != nil {
		return err
	}
	return d.event(&e)
}

// event counts and times what one event holds.
func (d *decoder) event(e *event) error {
	if e.finish != "" {
		d.out.Finish = e.finish
	}
	if e.failure != "" {
		return d.fail(cmp.Or(e.kind, KindStreamError), e.failure)
	}
	if d.events == 0 && e.role && !e.carries() {
		d.facts.RoleFirst = true
	}
	d.events++
	d.size += e.size
	before := d.completion
	grown := d.takeUsage(e)
	if e.tokens > 0 {
		grown, d.stated = e.tokens, true
	}
	if e.ping {
		d.pings++
	}
	// A token may have no text: a special one, or half a character. Usage that
	// grows says so, but only where it comes on every chunk: the only usage of a
	// stream may stand on an empty chunk at its end, also behind zeros.
	growing := d.usageOn > 1 && (before > 0 || len(d.out.Chunks) == 0 && e.finish == "")
	if e.carries() || grown > 0 && e.choices > 0 && growing {
		d.chunk(e, grown)
		if why := d.overran(); why != "" {
			return d.fail(KindOverrun, why)
		}
	}
	if e.aborted {
		return d.fail(KindAborted, `finish_reason "abort": the server ended the stream, as one does that shuts down`)
	}
	if e.ended {
		d.facts.Done = true
		return errDone
	}
	return nil
}

// errorEvent is the words of an event that is named an error.
func errorEvent(data []byte) string {
	if words := failureIn(data, true); words != "" {
		return words
	}
	if len(data) == 0 {
		return "an event named error, without data"
	}
	return clip(data)
}

// takeUsage keeps the latest usage and says by how many tokens it grew.
func (d *decoder) takeUsage(e *event) (grown int) {
	if !e.hasUsage {
		return 0
	}
	falls := e.usage.Completion < d.completion
	if e.choices == 0 {
		d.usageOwn = true
	} else {
		d.usageOn++
		d.usageLast = e.finish != ""
	}
	// A server that puts zeros on every chunk says nothing with them,
	// and one whose count falls nothing that can be.
	if !falls && (e.usage.Completion > 0 || e.usage.Prompt > 0) {
		if d.out.Usage == nil {
			d.out.Usage = &Usage{}
		}
		if e.usage.Cached == nil {
			e.usage.Cached = d.out.Usage.Cached
		}
		*d.out.Usage = e.usage
	}
	grown = max(0, e.usage.Completion-d.completion)
	d.completion = max(d.completion, e.usage.Completion)
	return grown
}

// chunk records the arrival of tokens.
func (d *decoder) chunk(e *event, grown int) {
	d.sawToken = true
	if grown > 0 {
		d.counted++
	}
	d.out.Chunks = append(d.out.Chunks, Chunk{At: d.at, Tokens: grown})
	if e.field != "" {
		d.facts.ReasoningField = e.field
	}
	if d.out.AnswerAt < 0 {
		d.out.AnswerAt = d.answerAt(e)
	}
	if d.keepText {
		d.text.Write(e.reasoning)
		d.textAt = append(d.textAt, d.text.Len())
		d.text.Write(e.text)
	}
}

// answerAt is the chunk in which the answer began, the present one or one before
// it that could still have been the beginning of thinking; -1: it has not begun.
func (d *decoder) answerAt(e *event) int {
	present := len(d.out.Chunks) - 1
	if e.tool {
		return present
	}
	if len(e.text) == 0 {
		return -1
	}
	switch d.think.take(e.text) {
	case answering:
		if d.undecided > 0 {
			return d.undecided - 1
		}
		return present
	case undecided:
		if d.undecided == 0 {
			d.undecided = present + 1
		}
	case thinking:
		d.undecided = 0
	}
	return -1
}

// answer is the text from the chunk on in which the answer began.
func (d *decoder) answer() string {
	if d.out.AnswerAt < 0 || d.out.AnswerAt >= len(d.textAt) {
		return ""
	}
	text := d.text.Bytes()[d.textAt[d.out.AnswerAt]:]
	if _, rest, ok := bytes.Cut(text, thinkClose); ok {
		text = rest // the chunk held the end of the thinking too
	}
	return string(text)
}

// Finish judges the stream at its end, or when Feed has ended it.
func (d *decoder) Finish() { d.finish(false) }

// Break judges a stream that broke off. It is called in place of Finish.
func (d *decoder) Break() { d.finish(true) }

func (d *decoder) finish(broken bool) {
	if d.out.Err == nil && !d.facts.Done {
		// An event that the end cuts off is no malformed one: the judgement below
		// is on the stream.
		if err := d.framing.finish(broken, d.emit); err != nil && !errors.Is(err, errNotJSON) {
			_ = d.unreadable(err)
		}
	}
	d.framing.describe(d.facts)
	d.facts.Comments += d.pings
	d.settleTokens()
	d.facts.UsageChunk = d.usagePlace()
	if d.out.AnswerAt < 0 && d.undecided > 0 {
		d.out.AnswerAt = d.undecided - 1
	}
	d.out.Text = d.text.String()
	d.out.Answer = d.answer()
	if d.out.Err != nil {
		return
	}
	switch {
	case d.protocol.whole && !d.facts.Done:
		_ = d.fail(KindTruncated, "the answer ended before its JSON was whole")
	case d.events == 0 && !d.facts.Done && !broken && d.framing.oddity() != "":
		_ = d.fail(KindNotAStream, "a body without a single event: "+d.framing.oddity())
	case d.events == 0 && !d.facts.Done:
		_ = d.fail(KindTruncated, "the stream ended without a single event")
	case !d.facts.Done && d.out.Finish == "":
		_ = d.fail(KindTruncated, "the stream ended without "+d.protocol.closing)
	case len(d.out.Chunks) == 0 && !d.protocol.whole:
		_ = d.fail(KindNoTokens, "the stream ended without a single token")
	}
}

func (d *decoder) usagePlace() string {
	switch {
	case d.usageOn > 1 || d.usageOn == 1 && d.events == 1:
		return "every"
	case d.usageOwn:
		return "own"
	case d.usageLast:
		return "last-content"
	}
	return "none"
}

// maxPerChunk is more tokens than any engine decodes before it sends them. A
// server that holds a stream back may send more at once, but no more than bytes.
const maxPerChunk = 1000

// settleTokens decides whether the counts of the chunks are the server's own:
// usage that came once, at the end, belongs to the whole stream and not to the
// chunk that carried it.
func (d *decoder) settleTokens() {
	if d.completion > max(maxPerChunk*max(1, len(d.out.Chunks)), d.size) { // it cannot be
		d.out.Usage = nil
		d.usageOn, d.usageOwn, d.usageLast, d.counted = 0, false, false, 0
	}
	if d.out.Usage != nil && d.out.Usage.Completion == 0 && len(d.out.Chunks) > 0 {
		d.out.Usage = nil
	}
	if d.counted == len(d.out.Chunks) && (d.counted > 1 || d.counted == 1 && (d.usageOn > 0 || d.stated)) {
		d.out.UsageContinuous = true
		return
	}
	for i := range d.out.Chunks {
		d.out.Chunks[i].Tokens = 0
	}
}

// thinker tells reasoning that stands in the content between <think> and
// </think> from the answer behind it.
type thinker struct {
	state thought
	tail  []byte
}

// thought is what content is part of.
type thought int

const (
	undecided thought = iota // nothing yet but what "<think>" may begin with
	thinking
	thoughtOver // </think> was seen, and nothing but white space since
	answering
)

var (
	thinkOpen  = []byte("<think>")
	thinkClose = []byte("</think>")
)

// take reads the next content and says what it was part of, at its end.
// White space around the thinking belongs to it.
func (t *thinker) take(text []byte) thought {
	switch t.state {
	case undecided:
		return t.open(text)
	case thinking:
		return t.close(text)
	case thoughtOver:
		if len(bytes.TrimSpace(text)) == 0 {
			return thinking
		}
		t.state = answering
	}
	return t.state
}

func (t *thinker) open(text []byte) thought {
	t.tail = append(t.tail, text...)
	begin := bytes.TrimLeft(t.tail, " \t\r\n")
	switch {
	case bytes.HasPrefix(begin, thinkOpen):
		t.state, t.tail = thinking, nil
		return t.close(begin[len(thinkOpen):])
	case bytes.HasPrefix(thinkOpen, begin):
		return undecided
	}
	t.state, t.tail = answering, nil
	return answering
}

func (t *thinker) close(text []byte) thought {
	t.tail = append(t.tail, text...)
	i := bytes.Index(t.tail, thinkClose)
	if i < 0 {
		if keep := len(thinkClose) - 1; len(t.tail) > keep {
			t.tail = append(t.tail[:0], t.tail[len(t.tail)-keep:]...)
		}
		return thinking
	}
	rest := t.tail[i+len(thinkClose):]
	t.state, t.tail = thoughtOver, nil
	return t.take(rest)
}
