package lint

import (
	"fmt"
	"slices"

	"assay/internal/lint/source"
)

// Severity is how grave a finding is.
type Severity string

// Severities: an error does not work or loses work, a warning costs money or risks
// the service, info is worth knowing.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// rank is higher for what is graver; 0: none of the three.
func (s Severity) rank() int { return 1 + slices.Index([]Severity{Info, Warning, Error}, s) }

// AtLeast says that a severity is as grave as another, or graver.
func (s Severity) AtLeast(least Severity) bool { return s.rank() >= least.rank() }

// SeverityNamed is a severity as a user writes it.
func SeverityNamed(name string) (Severity, error) {
	if s := Severity(name); s.rank() > 0 {
		return s, nil
	}
	return "", fmt.Errorf("%q is no severity: want error, warning or info", name)
}

// Status is what a rule says of an object.
type Status string

// Statuses of findings; what passed is only counted.
const (
	Fail    Status = "fail"
	Unknown Status = "unknown" // what the rule needs cannot be seen
)

// Ref names an object.
type Ref struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// Finding is one thing that is wrong, or that could not be judged.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Status   Status   `json:"status"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Object   Ref      `json:"object"`
	Message  string   `json:"message"` // what is wrong, with the values
	Why      string   `json:"why"`
	Fix      string   `json:"fix"`
	Source   string   `json:"source"` // of the practice: title and address

	Rendered bool   `json:"rendered,omitempty"` // the place is in rendered text, not in a file that is edited
	Text     string `json:"text,omitempty"`     // the line that it points at; of a long one the part around
	Begin    int    `json:"-"`                  // the column at which Text begins
	Edits    []Edit `json:"-"`                  // what mends it, where that is mechanical

	read    source.Place             // where it stands in the text that was read, rendered or not
	edited  func(name string) []byte // of the file that was read, see source.File
	begins  int                      // the line in which the instruction of a Dockerfile begins; 0: it is in none
	named   bool                     // the user named its file, not a folder that it lies in
	general bool                     // it yields to what a more specific rule says of its line
}

// Place is where the finding points.
func (f Finding) Place() source.Place {
	return source.Place{File: f.File, Line: f.Line, Column: f.Column}
}
