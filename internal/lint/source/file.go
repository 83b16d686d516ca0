package source

import "fmt"

// File is one text that is linted.
type File struct {
	Name string // as it is shown; - is standard input
	Body []byte
	// Rendered says that the text came out of a chart, a kustomization or a cluster:
	// its lines are in no file that a user edits.
	Rendered bool
	// Origin leads a line of rendered text back to the file and line that a user
	// edits, where the text stands there literally. It is nil for a file from disk.
	Origin func(line int) (Place, bool)
	// Dockerfile says that the text is instructions, not YAML.
	Dockerfile bool
}

// Place is where something stands; lines and columns count from 1, 0 is not known.
type Place struct {
	File   string
	Line   int
	Column int
}

func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Problem is something that could not be read. ID is that of the rule that explains it.
type Problem struct {
	ID      string
	Place   Place
	Message string
	Way     string // how to mend it
}
