package wire

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// container is the framing of a container's stream within AWS's: the payloads of
// its parts, one behind the other, are server-sent events or JSON lines.
type container struct {
	outer *binaryStream
	inner framing // nil until its first bytes are there
}

func (c *container) begins(begin []byte, ended bool) verdict { return c.outer.begins(begin, ended) }

func (c *container) feed(b []byte, emit func(frame) error) error {
	return c.outer.feed(b, func(f frame) error {
		if string(f.name) != "PayloadPart" {
			return nil // it may come to be, and holds none of the stream
		}
		return c.part(f.data, emit)
	})
}

func (c *container) part(b []byte, emit func(frame) error) error {
	if c.inner == nil {
		if b = bytes.TrimLeft(b, " \t\r\n"); len(b) == 0 {
			return nil
		}
		if c.inner = newSSE(); b[0] == '{' {
			c.inner = newNDJSON()
		}
	}
	return c.inner.feed(b, emit)
}

func (c *container) finish(broken bool, emit func(frame) error) error {
	if c.inner == nil {
		return nil
	}
	return c.inner.finish(broken, emit)
}

func (c *container) describe(f *Facts) {
	if c.inner != nil {
		c.inner.describe(f)
	}
}

func (c *container) oddity() string {
	if c.inner == nil {
		return c.outer.oddity()
	}
	return c.inner.oddity()
}

// containerEvents reads the chunks of a chat, or tokens in the shape of TGI,
// which the containers of DJL write, too.
type containerEvents struct{}

func (containerEvents) read(p *fastjson.Parser, f frame) (event, error) {
	v, err := parseObject(p, f.data)
	if err != nil {
		return event{}, err
	}
	if v.Exists("token") {
		return tgi{}.read(p, f)
	}
	return choices{}.read(p, f)
}
