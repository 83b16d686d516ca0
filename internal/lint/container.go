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
	All       []Word
	Commands  []Command    // those of the script; without a shell the one there is
	Shell     source.Value // the script; absent where no shell stands between
	ShellName string       // such as bash
	Exec      bool         // the script ends in exec: the process takes the shell's place
}

// Command is one of a script's.
type Command struct {
	Words []Word
	Exec  bool   // it takes the shell's place
	Then  string // what follows it: ; && || | & or empty, at the end
}

// Word is one argument.
type Word struct {
	Text string
	At   source.Value
}

// Words are the container's command and arguments, with what variables stand for where
// the container sets them to a text.
func (c *Container) Words() Words {
	return WordsOf(c.Get("command"), c.Get("args")).with(c.literals())
}

// WordsOf are those of a command that lists hold, one after the other, such as a hook's.
func WordsOf(lists ...source.Value) Words {
	var w Words
	for _, list := range lists {
		for _, item := range list.Items() {
			w.All = append(w.All, Word{item.Text(), item})
		}
	}
	w = w.withoutShell()
	if !w.Shell.Exists() {
		w.Commands = []Command{{Words: w.All}}
	}
	return w
}

// shells take a script after -c.
var shells = map[string]bool{"sh": true, "bash": true, "ash": true, "dash": true, "zsh": true}

func (w Words) withoutShell() Words {
	if len(w.All) < 3 || !shells[base(w.All[0].Text)] {
		return w
	}
	if i := scriptIn(w.All); i > 0 {
		return script(w.All[i].At, base(w.All[0].Text))
	}
	return w
}

// scriptIn is where a shell's script stands among its words, after options such as -c,
// -lc or -euo pipefail -c; 0: it is given none.
func scriptIn(words []Word) int {
	given := false
	for i := 1; i < len(words); i++ {
		option := words[i].Text
		switch {
		case strings.HasPrefix(option, "--"):
		case len(option) > 1 && (option[0] == '-' || option[0] == '+'):
			given = given || option[0] == '-' && strings.Contains(option, "c")
			i += strings.Count(option, "o") + strings.Count(option, "O") // each takes a name
		case given:
			return i
		default:
			return 0
		}
	}
	return 0
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// script cuts a shell's script into commands and their words. It is no shell: what is
// expanded stays as it is.
func script(at source.Value, shell string) Words {
	w := Words{Shell: at, ShellName: shell}
	for _, c := range commands(at.Text()) {
		var cmd Command
		for _, word := range c.words {
			if word.text == "exec" && len(cmd.Words) == 0 {
				w.Exec, cmd.Exec = true, true
				continue
			}
			cmd.Words = append(cmd.Words, Word{word.text, at.Part(word.at)})
		}
		cmd.Then = c.then
		w.All = append(w.All, cmd.Words...)
		w.Commands = append(w.Commands, cmd)
	}
	return w
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
