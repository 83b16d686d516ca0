package facts

// Number is one figure that was read somewhere.
type Number struct {
	Value  float64
	Unit   string
	Source Source
}

// Spread is a figure that was read as a range, or seen to differ: from the lowest
// to the highest, with the one to expect between them.
type Spread struct {
	Low, Mid, High float64
	Unit           string
	Source         Source
}
