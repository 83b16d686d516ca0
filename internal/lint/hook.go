package lint

import (
	"strconv"
	"strings"
	"time"

	"assay/internal/lint/source"
)

// Hook is a container's preStop hook.
type Hook struct {
	At    source.Value // of the command, the sleep or the request
	Sleep time.Duration
	Alone bool // it sleeps and does nothing else
	Loops bool // it lasts until something has happened: Sleep is not known, and 0
	Text  string
}

// PreStop reads the hook; ok is false where there is none.
func (c *Container) PreStop() (h Hook, ok bool) {
	root := c.Get("lifecycle", "preStop")
	if s := root.Get("sleep", "seconds"); s.Exists() {
		n, number := s.Int()
		return Hook{At: s, Sleep: time.Duration(n) * time.Second, Alone: number}, true
	}
	if get := root.Get("httpGet"); get.Exists() {
		return Hook{At: get.Get("path"), Text: get.Get("path").Text()}, true
	}
	list := root.Get("exec", "command")
	if !list.Exists() {
		return h, root.Exists()
	}
	words := WordsOf(list)
	h = Hook{At: list, Alone: true}
	for _, cmd := range words.Commands {
		h.add(cmd)
	}
	if h.Loops {
		h.At, h.Sleep = list, 0
	}
	return h, true
}

func (h *Hook) add(cmd Command) {
	for i, w := range cmd.Words {
		if i > 0 {
			h.Text += " "
		}
		h.Text += w.Text
	}
	h.Text += "\n"
	switch cmd.Words[0].Text {
	case "while", "until", "for":
		h.Loops = true
	}
	if len(cmd.Words) == 2 && (cmd.Words[0].Text == "sleep" || strings.HasSuffix(cmd.Words[0].Text, "/sleep")) {
		if d, ok := shellSeconds(cmd.Words[1].Text); ok {
			h.Sleep += d
			h.At = cmd.Words[1].At
			return
		}
	}
	h.Alone = false
}

// shellSeconds is a number as sleep takes it: 15, 0.5, 2m.
func shellSeconds(s string) (time.Duration, bool) {
	unit := time.Second
	for suffix, u := range map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour} {
		if rest, ok := strings.CutSuffix(s, suffix); ok {
			s, unit = rest, u
			break
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n >= 0 && n < 1e6) {
		return 0, false
	}
	return time.Duration(n * float64(unit)), true
}
