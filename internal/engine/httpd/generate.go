package httpd

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/engine"
)

// maxBody bounds a request's body: far over any context of tokens.
const maxBody = 64 << 20

// defaultCompletionTokens is max_tokens of a completion that names none.
const defaultCompletionTokens = 16

func (s *Server) chat(w http.ResponseWriter, r *http.Request)     { s.generate(w, r, true) }
func (s *Server) complete(w http.ResponseWriter, r *http.Request) { s.generate(w, r, false) }

// generate answers one call: all that can be refused is refused before the
// answer begins, whether or not it is to be a stream.
func (s *Server) generate(w http.ResponseWriter, r *http.Request, chat bool) {
	number := s.calls.Add(1)
	faults := s.draw(number)
	if s.refuses(w, r, faults, number) {
		return
	}
	c, bad := s.read(w, r, chat)
	if bad != nil {
		writeError(w, bad)
		return
	}
	a, requests, bad := s.prepare(c, chat, number, r.Header.Get("X-Request-Id"))
	if bad != nil {
		writeError(w, bad)
		return
	}
	a.faults = faults
	if bad := s.enter(a); bad != nil {
		writeError(w, bad)
		return
	}
	defer s.leave(a)
	var err error
	if a.sequences, err = s.loop.submit(requests...); err != nil {
		writeError(w, s.notTaken(err))
		return
	}
	if c.Stream {
		s.stream(w, r, a)
	} else {
		s.whole(w, r, a)
	}
}

// notTaken words the engine's refusal.
func (s *Server) notTaken(err error) *apiError {
	switch {
	case errors.Is(err, engine.ErrQueueFull):
		s.metrics.reject("max_num_queued_reqs")
		return errBusy
	case errors.Is(err, engine.ErrQueueTokens):
		s.metrics.reject("max_num_queued_tokens")
		return errBusy
	}
	return badRequest("", "%v", err)
}

func (s *Server) read(w http.ResponseWriter, r *http.Request, chat bool) (*call, *apiError) {
	if !isJSON(r) {
		return nil, invalid("", "Unsupported Media Type: Only 'application/json' is allowed")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, invalid("body", "%v", err)
	}
	c, bad := parse(body, chat)
	if bad != nil {
		return nil, bad
	}
	if c.Model == "" {
		c.Model = s.opt.ServedModel
	}
	if c.Model != s.opt.ServedModel && !slices.Contains(s.opt.Adapters, c.Model) {
		return nil, refuse(http.StatusNotFound, typeNotFound, "model", "The model `%s` does not exist. Valid aliases: %s.", c.Model, s.opt.ServedModel)
	}
	return c, c.check(s.cfg.MaxModelLen)
}

func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// prepare turns a call into requests to the engine, one for each choice.
func (s *Server) prepare(c *call, chat bool, number uint64, header string) (*answer, []engine.Request, *apiError) {
	prompts, text, bad := c.prompts(s.tokenizer)
	if bad != nil {
		return nil, nil, bad
	}
	n := c.choices()
	if n*len(prompts) > maxChoices {
		return nil, nil, badRequest("", "%d choices of %d prompts are more than %d sequences", n, len(prompts), maxChoices)
	}
	a := &answer{id: s.id(chat, c, header, number), created: time.Now().Unix(), chat: chat, call: c, ready: make(chan struct{}, 1)}
	requests := make([]engine.Request, 0, n*len(prompts))
	for _, prompt := range prompts {
		if bad := fits(prompt, text, s.cfg.MaxModelLen); bad != nil {
			return nil, nil, bad
		}
		a.prompt += len(prompt)
		for range n {
			ch := &choice{answer: a, index: len(a.choices), cut: -1, stop: "null"}
			a.choices = append(a.choices, ch)
			requests = append(requests, s.request(c, chat, ch, prompt, number))
		}
	}
	return a, requests, nil
}

// request is what the engine is asked for. Where the output ends by its own
// words is known beforehand, since its tokens follow from the seed.
func (s *Server) request(c *call, chat bool, ch *choice, prompt []uint32, number uint64) engine.Request {
	r := engine.Request{
		Prompt: prompt, MinTokens: c.MinTokens, IgnoreEOS: c.IgnoreEOS, Priority: c.Priority,
		Seed: s.seed(c, prompt, number) + uint64(ch.index), Owner: ch,
	}
	if c.Model != s.opt.ServedModel {
		r.Adapter = c.Model
	}
	switch limit := c.limit(); {
	case limit != nil:
		r.MaxTokens = *limit
	case !chat:
		r.MaxTokens = defaultCompletionTokens
	}
	longest := s.cfg.MaxModelLen - len(prompt)
	if r.MaxTokens > 0 {
		longest = min(longest, r.MaxTokens)
	}
	if len(c.Stop) > 0 || len(c.StopIDs) > 0 {
		r.StopAt = ch.findStop(c, r.Seed, longest)
	}
	if c.Bias[strconv.Itoa(int(engine.EOSToken))] >= 100 && !c.IgnoreEOS {
		r.ForceEOS = true
	}
	return r
}

// findStop is the number of tokens after which a stop string or stop token
// ends the output; 0: none does. It notes where the text is to be cut.
func (ch *choice) findStop(c *call, seed uint64, longest int) int {
	var text strings.Builder
	for i := range longest {
		id := engine.OutputToken(seed, i)
		for _, stop := range c.StopIDs {
			if id == stop && i+1 > c.MinTokens {
				ch.cut, ch.stop = text.Len(), strconv.Itoa(int(stop))
				return i + 1
			}
		}
		text.WriteString(wordOf(id))
		for _, stop := range c.Stop {
			if stop == "" || i+1 <= c.MinTokens {
				continue
			}
			tail := max(0, text.Len()-len(wordOf(id))-len(stop)+1)
			if at := strings.Index(text.String()[tail:], stop); at >= 0 {
				ch.cut, ch.stop = tail+at, string(quoted(stop))
				return i + 1
			}
		}
	}
	return 0
}

// seed makes outputs repeat: with a seed, and at temperature 0, where they
// follow from the prompt alone.
func (s *Server) seed(c *call, prompt []uint32, number uint64) uint64 {
	h := s.cfg.Seed
	switch {
	case c.Seed != nil:
		h += uint64(*c.Seed)
	case c.Temp != nil && *c.Temp == 0:
	default:
		h += number << 20
		return spread(h)
	}
	for _, id := range prompt {
		h = spread(h ^ uint64(id))
	}
	return spread(h)
}

func spread(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

func (s *Server) id(chat bool, c *call, header string, number uint64) string {
	prefix := "cmpl-"
	if chat {
		prefix = "chatcmpl-"
	}
	switch {
	case header != "":
		return prefix + header
	case c.RequestID != "":
		return prefix + c.RequestID
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], spread(uint64(s.started.UnixNano())+number*0x9e3779b97f4a7c15))
	return prefix + hex.EncodeToString(b[:])
}

// quoted is a string as JSON.
func quoted(s string) []byte {
	b, _ := json.Marshal(s) // a string always can
	return b
}
