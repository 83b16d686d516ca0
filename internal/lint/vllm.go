package lint

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/lint/source"
	"assay/internal/practice"
)

// Server is a vLLM server in a container, as its command line starts it.
type Server struct {
	Container *Container
	Words     Words // all of the container's
	Args      []Word
	Command   int // of Words.Commands, in which the server is started
	Version   practice.VLLM
	// Whole says that all its flags are seen: none comes from a file, nor from a variable
	// that is filled in later. What is absent then is not set.
	Whole bool
}

// ServesVLLM says that the container runs a vLLM server: by its command, or by an image
// that starts one.
func (c *Container) ServesVLLM() bool {
	_, ok := c.VLLM()
	return ok
}

// VLLM is the container's vLLM server, if it runs one.
func (c *Container) VLLM() (*Server, bool) {
	if c.Init {
		return nil, false
	}
	key := fmt.Sprintf("vllm %d:%d", c.Root.Line(), c.Root.Column())
	s := Once(c.Pod.Object, key, func() *Server { s, _ := c.server(); return s })
	return s, s != nil
}

func (c *Container) server() (*Server, bool) {
	v := &Server{Container: c, Words: c.Words()}
	v.Version, _ = practice.VLLMImage(c.Image())
	for i, cmd := range v.Words.Commands {
		if at := serverIn(cmd.Words); at >= 0 {
			v.Args, v.Command = cmd.Words[at:], i
			v.Whole = v.whole()
			return v, true
		}
	}
	if len(c.Get("command").Items()) > 0 || c.Get("command").Open() || !practice.IsVLLMImage(c.Image()) {
		return nil, false
	}
	v.Args = v.Words.All
	v.Whole = v.whole()
	return v, true
}

// serverIn is where the arguments of a vLLM server begin in a command; -1: it is none.
func serverIn(words []Word) int {
	for i, w := range words {
		switch {
		case base(w.Text) == "vllm" && i+1 < len(words) && words[i+1].Text == "serve":
			return i + 2
		case w.Text == "vllm.entrypoints.cli.main" && i+1 < len(words) && words[i+1].Text == "serve":
			return i + 2
		case strings.HasPrefix(w.Text, "vllm.entrypoints.") && strings.Contains(w.Text, "api_server"):
			return i + 1
		}
	}
	return -1
}

func (v *Server) whole() bool {
	if list := v.Container.Get("args"); list.Exists() && !list.IsList() {
		return false
	}
	for i, w := range v.Args {
		key, _, _ := strings.Cut(w.Text, "=")
		if key == "--config" {
			return false
		}
		value := i > 0 && strings.HasPrefix(v.Args[i-1].Text, "-") && !strings.Contains(v.Args[i-1].Text, "=")
		if w.Open() && !strings.HasPrefix(w.Text, "-") && !value {
			return false
		}
	}
	return true
}

// Open says that the word is filled in later, as a whole or a part of it.
func (w Word) Open() bool { return strings.ContainsAny(w.Text, "$`") || strings.Contains(w.Text, "{{") }

// IsFlag says that the word is a flag's name, with its value or without.
func (w Word) IsFlag() bool {
	return strings.HasPrefix(w.Text, "--") && len(w.Text) > 2 && !strings.HasPrefix(w.Text, "---")
}

// Name is the flag's name as vLLM's parser takes it, with dashes.
func (w Word) Name() string {
	name, _, _ := strings.Cut(w.Text, "=")
	return strings.ReplaceAll(name, "_", "-")
}

// Arg is a flag's value as the server gets it.
type Arg struct {
	Text string
	At   source.Value // the value; the flag, where both are one word or it has no value
	Flag source.Value
}

// Open says that the value is filled in later.
func (a Arg) Open() bool { return Word{Text: a.Text}.Open() }

// Arg is the last value of a flag under any of its names, such as --tensor-parallel-size
// and -tp. A flag without a value has an empty one.
func (v *Server) Arg(names ...string) (Arg, bool) {
	var a Arg
	found := false
	for i, w := range v.Args {
		if !slices.Contains(names, w.Name()) {
			continue
		}
		_, value, joined := strings.Cut(w.Text, "=")
		a, found = Arg{value, w.At, w.At}, true
		if !joined && i+1 < len(v.Args) && !v.Args[i+1].IsFlag() {
			a.Text, a.At = v.Args[i+1].Text, v.Args[i+1].At
		}
	}
	return a, found
}

// Has says that a flag is given.
func (v *Server) Has(name string) bool {
	_, ok := v.Arg(name)
	return ok
}

// Model is what the server serves: the first argument, or --model.
func (v *Server) Model() (Arg, bool) {
	if a, ok := v.Arg("--model"); ok {
		return a, true
	}
	if len(v.Args) > 0 && !strings.HasPrefix(v.Args[0].Text, "-") {
		return Arg{v.Args[0].Text, v.Args[0].At, v.Args[0].At}, true
	}
	return Arg{}, false
}
