package lint

import "strings"

// plainCommand is a command of a script and what follows it.
type plainCommand struct {
	words []plainWord
	then  string
}

// plainWord is a word and where in the script it begins, in bytes.
type plainWord struct {
	text string
	at   int
}

// commands cuts a script: blanks part words, quotes and backslashes hold them together;
// operators and ends of lines part commands. Comments are left out; what is redirected,
// expanded or nested stays in the words as it is written.
func commands(text string) []plainCommand {
	var c cutter
	var runes []rune
	var offsets []int
	for at, r := range text {
		runes, offsets = append(runes, r), append(offsets, at)
	}
	for i := 0; i < len(runes); i++ {
		was := c.in
		more := c.take(runes, i)
		if c.in && !was {
			c.begun = offsets[i]
		}
		i += more
	}
	c.end("")
	return c.all
}

// cutter is where in a script the cutting stands.
type cutter struct {
	all   []plainCommand
	words []plainWord
	word  strings.Builder
	in    bool // within a word
	quote rune
	begun int // the offset of the word
}

// take reads one rune, and says how many after it belong to it.
func (c *cutter) take(text []rune, i int) (more int) {
	r, next := text[i], rune(0)
	if i+1 < len(text) {
		next = text[i+1]
	}
	switch {
	case r == '\\' && c.quote != '\'':
		if next != '\n' && next != 0 {
			c.put(next)
		}
		return 1
	case c.quote != 0 && r == c.quote:
		c.quote = 0
	case c.quote != 0:
		c.put(r)
	case r == '\'' || r == '"':
		c.quote, c.in = r, true
	case r == ' ' || r == '\t' || r == '\r':
		c.endWord()
	case r == '#' && !c.in:
		return restOfLine(text[i+1:])
	case r == '\n':
		c.end(";")
	case r == ';':
		c.end(";")
	case r == '&' && next == '>' || r == '>' && next == '&':
		c.put(r)
		c.put(next)
		return 1
	case (r == '&' || r == '|') && next == r:
		c.end(string([]rune{r, r}))
		return 1
	case r == '&' || r == '|':
		c.end(string(r))
	default:
		c.put(r)
	}
	return 0
}

func restOfLine(text []rune) int {
	for i, r := range text {
		if r == '\n' {
			return i
		}
	}
	return len(text)
}

func (c *cutter) put(r rune) {
	c.word.WriteRune(r)
	c.in = true
}

func (c *cutter) endWord() {
	if c.in {
		c.words = append(c.words, plainWord{c.word.String(), c.begun})
	}
	c.word.Reset()
	c.in = false
}

// end closes a command; the operator after the last of them says nothing.
func (c *cutter) end(operator string) {
	c.endWord()
	if len(c.words) > 0 {
		c.all = append(c.all, plainCommand{c.words, operator})
	}
	c.words = nil
}
