package lint

import (
	"strings"

	"assay/internal/lint/source"
)

// Container is one container of a pod template.
type Container struct {
	Pod  *Pod
	Root source.Value
	Init bool // it ends before the others start
}

// Get follows keys from the container.
func (c *Container) Get(keys ...string) source.Value { return c.Root.Get(keys...) }

// Name is the container's.
func (c *Container) Name() string { return c.Get("name").Text() }

// Image is its image as it is written.
func (c *Container) Image() string { return c.Get("image").Text() }

// Env is the entry of a variable, absent where it is not set by name.
func (c *Container) Env(name string) source.Value {
	for _, e := range c.Get("env").Items() {
		if e.Get("name").Text() == name {
			return e
		}
	}
	return source.Value{}
}

// Asked is what the container asks of a resource: its limit, else its request. GPUs and
// EFA interfaces are the same in both.
func (c *Container) Asked(resource string) source.Value {
	if v := c.Get("resources", "limits", resource); v.Exists() {
		return v
	}
	return c.Get("resources", "requests", resource)
}

// GPUs is how many NVIDIA GPUs the container asks for, and where; ok is false where
// that is no number.
func (c *Container) GPUs() (n int, at source.Value, ok bool) {
	at = c.Asked("nvidia.com/gpu")
	if !at.Exists() {
		return 0, at, true
	}
	n, ok = at.Int()
	return n, at, ok
}

// Words are the command and its arguments as a process gets them, each with its place.
// A script that a shell is given is cut into its words; Shell says so.
type Words struct {
	All   []Word
	Shell source.Value // the script; absent where no shell stands between
	Exec  bool         // the script ends in exec: the process takes the shell's place
}

// Word is one argument.
type Word struct {
	Text string
	At   source.Value
}

// Words are the container's command and arguments.
func (c *Container) Words() Words {
	var w Words
	for _, list := range []source.Value{c.Get("command"), c.Get("args")} {
		for _, item := range list.Items() {
			w.All = append(w.All, Word{item.Text(), item})
		}
	}
	return w.withoutShell()
}

// shells take a script after -c.
var shells = map[string]bool{"sh": true, "bash": true, "ash": true, "dash": true, "zsh": true}

func (w Words) withoutShell() Words {
	if len(w.All) < 3 || !shells[base(w.All[0].Text)] {
		return w
	}
	for i, word := range w.All[1:] {
		if !strings.HasPrefix(word.Text, "-") {
			return w
		}
		if strings.HasSuffix(word.Text, "c") && i+2 < len(w.All) {
			return script(w.All[i+2].At)
		}
	}
	return w
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// script cuts a shell's script into words: blanks, newlines and backslashes before them
// part words, quotes hold them together. It is no shell: what is expanded stays as it is.
func script(at source.Value) Words {
	w := Words{Shell: at}
	for _, text := range cut(at.Text()) {
		if text == "exec" {
			w.Exec = true
			continue
		}
		w.All = append(w.All, Word{text, at})
	}
	return w
}

func cut(text string) []string {
	var all []string
	var b strings.Builder
	var quote rune
	in := false
	end := func() {
		if in {
			all = append(all, b.String())
		}
		b.Reset()
		in = false
	}
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			escaped = false
			if r != '\n' {
				b.WriteRune(r)
				in = true
			}
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			b.WriteRune(r)
		case r == '\'' || r == '"':
			quote, in = r, true
		case r == ' ' || r == '\t' || r == '\n':
			end()
		default:
			b.WriteRune(r)
			in = true
		}
	}
	end()
	return all
}

// Flag is the value of --name in either spelling, --name value or --name=value, and
// where it stands; the last one counts. A flag without a value has an empty one.
func (w Words) Flag(name string) (value string, at source.Value, ok bool) {
	for i, word := range w.All {
		key, after, joined := strings.Cut(word.Text, "=")
		if strings.ReplaceAll(key, "_", "-") != "--"+name {
			continue
		}
		value, at, ok = after, word.At, true
		if !joined && i+1 < len(w.All) && !strings.HasPrefix(w.All[i+1].Text, "--") {
			value, at = w.All[i+1].Text, w.All[i+1].At
		}
	}
	return value, at, ok
}

// ServesVLLM says that the container runs a vLLM server: by its image, or by its command.
func (c *Container) ServesVLLM() bool {
	if c.Init {
		return false
	}
	words := c.Words().All
	for i, w := range words {
		if base(w.Text) == "vllm" && i+1 < len(words) && words[i+1].Text == "serve" || strings.HasPrefix(w.Text, "vllm.entrypoints.") {
			return true
		}
	}
	image := c.Image()
	return len(c.Get("command").Items()) == 0 && strings.Contains(image, "vllm") && !strings.Contains(image, "router")
}
