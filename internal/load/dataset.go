package load

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"

	"assay/internal/spec"
	"assay/internal/trace"
)

// DatasetOptions say how rows become prompts.
type DatasetOptions struct {
	Kind string // one of trace.Kinds; empty: by content
	// API is chat or completions: rows that cannot be sent to it are errors.
	// Empty: not checked.
	API string
	// Output is the answer's length where a row does not say it.
	Output spec.Lengths

	// Replay gives rows in the order of their times, with At since the first,
	// once: the file's end is io.EOF. A row without a time is an error.
	Replay bool
	// Spread moves rows that share a tick of a coarse clock apart, each to a
	// random moment before the next tick.
	Spread bool
	// Sessions gives a conversation's turns as one Session. Otherwise turns that
	// need those before them are left out.
	Sessions bool
	History  History
	// Think is the time before a turn whose row does not say it.
	Think ThinkTime
	// Context is the longest prompt and answer together that are asked, tokens;
	// 0: not known. Rows known to be longer are left out.
	Context int
}

// Dataset is a Source that streams prompts from a file. At the file's end it
// starts over, and marks what it gives from then on as repeated; a replay ends.
type Dataset struct {
	path    string
	options DatasetOptions
	rows    *trace.Reader
	first   *trace.Row // read ahead, to see what the file holds
	units   units
	talks   *gatherer // of sessions; nil: rows are requests by themselves
	scribe  *scribe
	written int // passes that were finished when the scribe's level began
	passes  int // finished
	used    int // units of the current pass that gave a prompt
	before  int // units of the file that others of the run have given
	made    int // sessions of all passes
	skipped int // rows that hold no prompt, in the first pass
	left    LeftOut
}

// LeftOut counts rows of a file's first pass that are not sent, by the reason.
type LeftOut struct {
	TooLong   int // prompt and answer exceed the model's context
	Failed    int // got no answer when the trace was recorded
	Continued int // turns that need those before them
	// Orphaned are turns of a session of which one before is not sent, and
	// Unanswered those after a turn whose answer was not recorded.
	Orphaned, Unanswered int
}

// Total is how many rows are left out.
func (l LeftOut) Total() int { return l.TooLong + l.Failed + l.Continued + l.Orphaned + l.Unanswered }

func (l LeftOut) String() string {
	var parts []string
	for _, p := range []struct {
		n   int
		why string
	}{
		{l.TooLong, "longer than the model's context"},
		{l.Failed, "without an answer when recorded"},
		{l.Orphaned, "later turns of a conversation of which one before is left out or far away in the file"},
		{l.Unanswered, "later turns after an answer that was not recorded (--history answered sends them)"},
		{l.Continued, "later turns of a conversation (--sessions sends them)"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.why))
		}
	}
	return strings.Join(parts, ", ")
}

var _ Source = (*Dataset)(nil)

// OpenDataset opens a file and finds out its kind. Close it after use.
func OpenDataset(path string, o DatasetOptions) (*Dataset, error) {
	rows, err := trace.Open(path, trace.Options{Kind: o.Kind})
	if err != nil {
		return nil, err
	}
	d := &Dataset{path: path, options: o, rows: rows}
	d.begin()
	return d, nil
}

// Kind is the kind of the file.
func (d *Dataset) Kind() string { return d.rows.Kind() }

// Look is the first row that holds something to ask, without taking it.
func (d *Dataset) Look() (trace.Row, error) {
	if d.first == nil {
		row, err := d.rows.Next()
		if errors.Is(err, io.EOF) {
			return row, d.empty()
		}
		if err != nil {
			return row, err
		}
		d.first = &row
	}
	return *d.first, nil
}

// Check says what is wrong with the prompt of the first row.
func (d *Dataset) Check() error {
	row, err := d.Look()
	if err != nil {
		return err
	}
	if _, err := d.words(row); err != nil {
		return fmt.Errorf("%s: %w", row.Place, err)
	}
	return nil
}

// WriteWith has rows that say no more than lengths become texts of c's words:
// equal blocks of a trace equal texts within the level of the run that nonce
// names, all else unlike.
func (d *Dataset) WriteWith(c *Calibration, nonce, level string) {
	d.scribe, d.written = newScribe(c, nonce, level), d.passes
}

// Given is how many prompts of the file it has given: first turns of sessions,
// or rows.
func (d *Dataset) Given() int {
	if d.passes > 0 {
		return math.MaxInt
	}
	return d.used
}

// GivenBefore says that others have given so many prompts from the file's
// beginning to the same server.
func (d *Dataset) GivenBefore(n int) { d.before = max(d.before, n) }

// repeats says whether a prefix cache may hold what a row asks. Words that are
// made for a row are new in each level, and without blocks in each pass.
func (d *Dataset) repeats(row trace.Row) bool {
	if row.HasPrompt() {
		return d.passes > 0 || d.used <= d.before
	}
	return len(row.Blocks) > 0 && d.passes > d.written
}

// MeanTurns is how many turns the sessions have in the mean that are read ahead;
// 1 where rows are requests by themselves.
func (d *Dataset) MeanTurns() float64 {
	g := d.talks
	if g == nil {
		return 1
	}
	if g.fill(); len(g.order) == 0 {
		return 1
	}
	return float64(g.rows) / float64(len(g.order))
}

// Skipped is the number of rows without a prompt: empty ones, and conversations
// without a human turn.
func (d *Dataset) Skipped() int {
	if d.passes == 0 {
		return d.rows.Skipped()
	}
	return d.skipped
}

// LeftOut says which rows of the first pass are not sent.
func (d *Dataset) LeftOut() LeftOut { return d.left }

// Close closes the file.
func (d *Dataset) Close() error { return d.rows.Close() }

// begin lays out the way from the file's rows to what is asked together.
func (d *Dataset) begin() {
	d.used = 0
	d.units = one(d.row)
	orphans := func(n int) { d.leave(&d.left.Orphaned, n) }
	if d.options.Sessions {
		d.talks = gather(d.row)
		d.units = unbroken{d.talks, orphans}
	}
	if d.options.Replay {
		d.units = inOrder(d.units, orphans)
		if d.options.Spread {
			d.units = spread(d.units)
		}
	}
}

func (d *Dataset) empty() error {
	return fmt.Errorf("dataset %s holds no prompt (%d rows without one)", d.path, d.rows.Skipped())
}

// startOver goes back to the file's beginning.
func (d *Dataset) startOver() error {
	switch {
	case d.used > 0:
	case d.left.Total() > 0:
		return fmt.Errorf("dataset %s holds no row that can be sent: %s", d.path, d.left)
	default:
		return d.empty()
	}
	if d.passes == 0 {
		d.skipped = d.rows.Skipped()
	}
	d.passes++
	if d.options.Replay {
		return io.EOF
	}
	if err := d.rows.Rewind(); err != nil {
		return fmt.Errorf("start dataset %s over: %w: give a file with as many prompts as are asked for", d.path, err)
	}
	d.begin()
	return nil
}

// Next gives the prompt of the next row that has one, or of the next session its
// first turn.
func (d *Dataset) Next(rng *rand.Rand) (Prompt, error) {
	for {
		rows, err := d.units.next(rng)
		if errors.Is(err, io.EOF) {
			if err := d.startOver(); err != nil {
				return Prompt{}, err
			}
			continue
		}
		if err != nil {
			return Prompt{}, err
		}
		p, err := d.prompt(rows, rng)
		if err != nil {
			return Prompt{}, err
		}
		d.used++
		p.Repeat = d.repeats(rows[0])
		return p, nil
	}
}

// row is the next row of the file that is to be sent.
func (d *Dataset) row() (trace.Row, error) {
	for {
		row, err := d.take()
		if err != nil {
			return row, err
		}
		why := d.unfit(row)
		if why == nil {
			return row, d.timed(row)
		}
		d.leave(why, 1)
	}
}

// leave counts rows that are not sent, in the first pass.
func (d *Dataset) leave(why *int, n int) {
	if d.passes == 0 {
		*why += n
	}
}

// take is the next row of the file, whichever it is.
func (d *Dataset) take() (trace.Row, error) {
	if d.first == nil {
		return d.rows.Next()
	}
	row := *d.first
	d.first = nil
	return row, nil
}

// unfit is the count of the reason for which a row is not sent; nil for one that
// is.
func (d *Dataset) unfit(row trace.Row) *int {
	switch {
	case row.Failed:
		return &d.left.Failed
	case row.Continues && !d.options.Sessions:
		return &d.left.Continued
	case d.options.Context > 0 && row.PromptTokens != nil && *row.PromptTokens+d.least(row) > d.options.Context:
		return &d.left.TooLong
	}
	return nil
}

// least is the shortest answer that a row asks for.
func (d *Dataset) least(row trace.Row) int {
	switch {
	case row.OutputTokens != nil:
		return max(1, *row.OutputTokens)
	case row.MaxTokens > 0:
		return row.MaxTokens
	}
	return max(1, int(d.options.Output.Expected()))
}

// timed is an error for a row that a replay cannot place.
func (d *Dataset) timed(row trace.Row) error {
	switch later := d.options.Sessions && row.Turn > 0; {
	case !d.options.Replay || later:
		return nil
	case row.Clock != "":
		return fmt.Errorf("%s: each conversation's times count from its own start, and how conversations lay to each other was not recorded: give --sessions with --concurrency or --request-rate in place of --replay timestamps", row.Place)
	case row.At == nil:
		return fmt.Errorf("%s: the row has no time to replay it by: use only its lengths (--replay lengths)", row.Place)
	}
	return nil
}
