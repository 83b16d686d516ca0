package lint

import (
	"regexp"
	"strings"

	"assay/internal/practice"
)

// literals are the container's variables that are set to a text: what stands for them
// in its command is known. Secrets are none of them.
func (c *Container) literals() map[string]string {
	all := map[string]string{}
	for _, e := range c.Get("env").Items() {
		name, value := e.Get("name").Text(), e.Get("value")
		delete(all, name)
		if name != "" && value.Exists() && !value.Open() && !strings.ContainsAny(value.Text(), "$` \t\n\"'\\*?[") && !practice.PlainSecret(name, value.Text()) {
			all[name] = value.Text()
		}
	}
	return all
}

// reference is a variable as Kubernetes expands it, and as shells do.
var reference = regexp.MustCompile(`\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)`)

// with puts values in the place of variables: $(NAME) anywhere, as the kubelet does, and
// $NAME and ${NAME} in a shell's script that does not set them itself.
func (w Words) with(values map[string]string) Words {
	if len(values) == 0 {
		return w
	}
	expand := func(words []Word) {
		for i := range words {
			if strings.Contains(words[i].Text, "$") && !strings.Contains(words[i].Text, "$$") {
				words[i].Text = w.expanded(words[i].Text, values)
			}
		}
	}
	expand(w.All)
	for _, c := range w.Commands {
		if w.Shell.Exists() { // else they are the same words
			expand(c.Words)
		}
	}
	return w
}

func (w Words) expanded(text string, values map[string]string) string {
	return reference.ReplaceAllStringFunc(text, func(found string) string {
		m := reference.FindStringSubmatch(found)
		name := m[1] + m[2] + m[3]
		value, known := values[name]
		if !known || m[1] == "" && (!w.Shell.Exists() || strings.Contains(w.Shell.Text(), name+"=")) {
			return found
		}
		return value
	})
}
