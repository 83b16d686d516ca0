package source

import (
	"fmt"
	"sync"
)

// File is one text that is linted.
type File struct {
	Name string // as it is shown; - is standard input
	Body []byte
	// Named says that a user named this very file, not a folder that it lies in: what
	// is wrong with it is said whatever it holds.
	Named bool
	// Rendered says that the text came out of a chart, a kustomization or a cluster:
	// its lines are in no file that a user edits.
	Rendered bool
	// Origin leads a place of rendered text back to the file, line and column that a
	// user edits, where the text stands there literally. It is nil for a file from disk.
	Origin func(line, column int) (Place, bool)
	// Edited is the text of a file that Origin names, for the line itself and for
	// comments beside it; nil where Origin is, and where there is none of that name.
	Edited func(name string) []byte
	// Dockerfile says that the text is instructions, not YAML.
	Dockerfile bool

	lines      lines
	dockerfile struct {
		once sync.Once
		read *Dockerfile
	}
}

// Place is where something stands; lines and columns count from 1, columns in
// characters; 0 is not known.
type Place struct {
	File   string
	Line   int
	Column int
}

func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Problem is something that could not be read, or not be read as it stands. ID is that
// of the rule that explains it.
type Problem struct {
	ID      string
	Place   Place
	Message string
	Way     string // how to mend it; empty: as the rule says
	Text    string // the line; empty where it is not at hand
	Secret  bool   // the line may be of a Secret
	Unknown bool   // nothing is wrong: something that was not read stays unjudged
}
