package schema

import (
	"strconv"
	"strings"

	"assay/internal/lint/source"
)

// Kind is what is wrong.
type Kind string

// Kinds of issues.
const (
	UnknownField Kind = "unknown-field"
	WrongType    Kind = "wrong-type"
	Required     Kind = "required"
	BadValue     Kind = "value"
	Duplicate    Kind = "duplicate-item" // of a list whose items have a key
	BrokenRule   Kind = "cel"
	DeadVersion  Kind = "dead-version"
	UnknownKind  Kind = "unknown-kind"
)

// Issue is one thing that an API server would refuse.
type Issue struct {
	Kind    Kind
	Path    string       // as the server writes it: spec.containers[0].name
	At      source.Value // for a field that is absent: the key of what lacks it
	Message string
}

// path is the way to a value, from the innermost step outwards; nil is the root.
type path struct {
	up    *path
	key   string
	index int // of a list; -1: a key
	named bool
}

func (p *path) field(key string) *path { return &path{up: p, key: key, index: -1} }
func (p *path) entry(key string) *path { return &path{up: p, key: key, index: -1, named: true} }
func (p *path) item(i int) *path       { return &path{up: p, index: i} }

// String is the path as an API server writes it.
func (p *path) String() string {
	if p == nil {
		return ""
	}
	var steps []*path
	for ; p != nil; p = p.up {
		steps = append(steps, p)
	}
	var b strings.Builder
	for i := len(steps) - 1; i >= 0; i-- {
		switch s := steps[i]; {
		case s.index >= 0:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case s.named:
			b.WriteString("[" + s.key + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.key)
		}
	}
	return b.String()
}
