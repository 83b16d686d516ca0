package diagnose

import "slices"

// Class is a verdict explained: what it is, what shows it, what is mistaken for
// it, and what to do.
type Class struct {
	Verdict  string
	Title    string
	Meaning  string
	Signs    []string
	Traps    []string
	Remedies []Remedy
}

// Remedy is one thing to do. Flag is the engine's, in vLLM's spelling, empty
// where no flag does it.
type Remedy struct {
	Text  string
	Flag  string
	Helps string // one of the words below
	Cost  string
}

// What a remedy does.
const (
	Helps    = "helps"
	Trades   = "trades" // one trouble for another
	NoLonger = "no longer helps"
	DoesNot  = "does not help"
)

// Classes are all verdicts, in the order in which they are looked at.
var Classes = slices.Concat(gateClasses, queueClasses, chipClasses, hostClasses, restClasses)

// ClassOf finds the class of a verdict.
func ClassOf(verdict string) (Class, bool) {
	if i := slices.IndexFunc(Classes, func(c Class) bool { return c.Verdict == verdict }); i >= 0 {
		return Classes[i], true
	}
	return Class{}, false
}
