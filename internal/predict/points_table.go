package predict

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"assay/internal/figure"
)

// Predicted are the columns that a predicted table has beside its own.
var Predicted = []string{"pred_ttft_ms", "pred_ttft_low", "pred_ttft_high", "pred_tpot_ms", "pred_tpot_low", "pred_tpot_high", "note"}

// Bounds of a table of points.
const (
	maxRecord  = 1 << 20 // bytes of one row
	maxColumns = 512
)

// Table counts what became of a table.
type Table struct {
	Rows    int
	Refused int
}

// PredictTable reads a table of measurements, or of what could be measured, and
// writes the same rows with what is predicted for each, one at a time. A row that
// can't be predicted has no figures and says why. The error is of reading or writing.
func PredictTable(in io.Reader, out io.Writer, v Resolver) (Table, error) {
	var t Table
	source := &rowReader{in: in}
	r := csv.NewReader(source)
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, false
	w := csv.NewWriter(out)
	head, err := r.Read()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("it is empty: the first line names the columns")
		}
		return t, err
	}
	if len(head) > maxColumns {
		return t, fmt.Errorf("%d columns are more than %d", len(head), maxColumns)
	}
	h, err := NewHeader(head)
	if err != nil {
		return t, err
	}
	kept := keptColumns(head)
	if err := w.Write(append(only(head, kept), Predicted...)); err != nil {
		return t, err
	}
	for {
		source.left = maxRecord
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			w.Flush()
			return t, err
		}
		t.Rows++
		figures, ok := predictRecord(h, record, v)
		if !ok {
			t.Refused++
		}
		if err := w.Write(append(only(record, kept), figures...)); err != nil {
			return t, err
		}
		if t.Rows%64 == 0 {
			w.Flush()
		}
	}
	w.Flush()
	return t, w.Error()
}

// keptColumns are all but those of an earlier prediction.
func keptColumns(head []string) []int {
	var out []int
	for i, name := range head {
		if !slices.Contains(Predicted, strings.ToLower(strings.TrimSpace(name))) {
			out = append(out, i)
		}
	}
	return out
}

func only(record []string, kept []int) []string {
	out := make([]string, len(kept), len(kept)+len(Predicted))
	for i, at := range kept {
		if at < len(record) {
			out[i] = record[at]
		}
	}
	return out
}

func predictRecord(h Header, record []string, v Resolver) (figures []string, ok bool) {
	r, err := h.Row(record)
	var p Prediction
	if err == nil {
		p, err = PredictRow(r, v)
	}
	if err != nil {
		return []string{"", "", "", "", "", "", err.Error()}, false
	}
	out := append(written(p.TTFT), written(p.ITL)...)
	return append(out, p.Note), true
}

func written(r figure.Range) []string {
	f := func(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }
	return []string{f(r.Mid), f(r.Low), f(r.High)}
}

// PredictRow predicts one row of a table.
func PredictRow(r Row, v Resolver) (Prediction, error) {
	s, err := v.resolve(r)
	if err != nil {
		return Prediction{}, err
	}
	p := current().predict(s)
	if !p.TTFT.Known() || !p.ITL.Known() {
		return Prediction{}, &Refused{"the figures are out of all bounds"}
	}
	return p, nil
}

// rowReader ends with an error where one record is longer than is read.
type rowReader struct {
	in   io.Reader
	left int
}

func (b *rowReader) Read(p []byte) (int, error) {
	if b.left == 0 {
		b.left = maxRecord
	}
	n, err := b.in.Read(p[:min(len(p), b.left)])
	if b.left -= n; b.left <= 0 && err == nil {
		return n, fmt.Errorf("a row is longer than %d bytes", maxRecord)
	}
	return n, err
}
