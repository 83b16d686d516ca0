package load

// Session is a conversation whose first turn is a prompt of a Source. The turns
// after it are asked for one after the other, by one goroutine at a time.
type Session interface {
	// Turns is how many turns the session has, the first included.
	Turns() int
	// Bytes is about the memory that the turns to come take.
	Bytes() int
	// Next gives the turn after the one that was answered so, with Think or At
	// saying when it is due; false after the last.
	Next(answer Answer) (Prompt, bool)
}

// Answer is what a turn was answered with.
type Answer struct {
	Text   string // empty unless the Sender keeps it
	Tokens int    // 0: the server does not say
}
