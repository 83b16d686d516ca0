package wire

import "errors"

// maxWhole bounds an answer in one piece, bytes: a hundred vectors of 8,192
// numbers have half of it.
const maxWhole = 32 << 20

var errTooLarge = errors.New("the answer is longer than 32 MiB")

// whole takes an answer of one JSON document for one frame.
type whole struct{ all []byte }

const jsonType = "application/json"

func newWhole() framing { return &whole{} }

func (w *whole) begins(begin []byte, ended bool) verdict { return isJSON(begin, ended, "{[") }

func (w *whole) feed(b []byte, _ func(frame) error) error {
	if len(w.all)+len(b) > maxWhole {
		return errTooLarge
	}
	w.all = append(w.all, b...)
	return nil
}

// finish gives the document: one that the end cut cannot be read.
func (w *whole) finish(broken bool, emit func(frame) error) error {
	if broken {
		return nil
	}
	return emit(frame{data: w.all})
}

func (w *whole) describe(*Facts) {}

func (w *whole) oddity() string { return "" }
