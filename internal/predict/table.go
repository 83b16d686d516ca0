package predict

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Row is one row of a table of measurements, in its columns' terms.
type Row struct {
	Backend, Version, Model, System, Precision string
	GEMM, MoE                                  string // how matrices and experts are quantised, where the table says

	ISL, OSL    int
	Concurrency int // requests open, of one rank of data-parallel attention
	TP, PP      int
	AttentionDP int // 0: not said
	MoETP       int
	MoEEP       int

	TTFT, TPOT float64 // ms, as measured; 0: not there
}

// Columns are those of a table of measurements.
var Columns = []string{"backend", "backend_version", "model", "system", "precision", "isl", "osl", "gemm_quant", "moe_quant",
	"concurrency", "tp", "pp", "attention_dp", "moe_tp", "moe_ep", "ttft_ms", "tpot_ms"}

// otherColumns are other names of the same.
var otherColumns = map[string]string{
	"engine": "backend", "framework": "backend", "version": "backend_version", "engine_version": "backend_version",
	"gpu": "system", "hardware": "system", "instance": "system", "quantization": "precision", "dtype": "precision",
	"dp": "attention_dp", "ep": "moe_ep", "itl_ms": "tpot_ms", "conc": "concurrency",
	"input_tokens": "isl", "output_tokens": "osl", "tensor_parallel": "tp", "pipeline_parallel": "pp",
}

// Header says which field of a record holds which column.
type Header map[string]int

// NewHeader reads a table's first record. Columns stand in any order; those that
// are not known are left to the caller.
func NewHeader(record []string) (Header, error) {
	h := Header{}
	for i, name := range record {
		name = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))
		if !slices.Contains(Columns, name) {
			name = otherColumns[name]
		}
		if _, twice := h[name]; name != "" && !twice {
			h[name] = i
		}
	}
	for _, name := range []string{"model", "system", "isl", "osl", "concurrency"} {
		if _, ok := h[name]; !ok {
			return nil, fmt.Errorf("the table has no column %s: needed are model, system, isl, osl and concurrency; known besides are %s",
				name, strings.Join(Columns, ", "))
		}
	}
	return h, nil
}

// Row reads one record. What is empty is left at zero.
func (h Header) Row(record []string) (Row, error) {
	var r Row
	for column, field := range map[string]*string{"backend": &r.Backend, "backend_version": &r.Version, "model": &r.Model,
		"system": &r.System, "precision": &r.Precision, "gemm_quant": &r.GEMM, "moe_quant": &r.MoE} {
		if *field = h.text(record, column); len(*field) > maxText {
			return r, fmt.Errorf("%s %q is longer than %d bytes", column, clip(*field), maxText)
		}
	}
	for _, f := range []struct {
		column string
		field  *int
	}{{"isl", &r.ISL}, {"osl", &r.OSL}, {"concurrency", &r.Concurrency}, {"tp", &r.TP}, {"pp", &r.PP},
		{"attention_dp", &r.AttentionDP}, {"moe_tp", &r.MoETP}, {"moe_ep", &r.MoEEP}} {
		v, err := h.number(record, f.column)
		if err != nil {
			return r, err
		}
		if v != math.Trunc(v) || v > maxLength {
			return r, fmt.Errorf("%s %g is no whole number up to %d", f.column, v, maxLength)
		}
		*f.field = int(v)
	}
	for column, field := range map[string]*float64{"ttft_ms": &r.TTFT, "tpot_ms": &r.TPOT} {
		v, err := h.number(record, column)
		if err != nil {
			continue // what was measured is not needed to predict it
		}
		*field = v
	}
	return r, nil
}

func (h Header) text(record []string, column string) string {
	i, ok := h[column]
	if !ok || i >= len(record) {
		return ""
	}
	s := strings.TrimSpace(record[i])
	if none[strings.ToLower(s)] {
		return ""
	}
	return s
}

// maxText is the longest name in a table.
const maxText = 256

// none are the ways in which tables say that there is nothing.
var none = map[string]bool{"nan": true, "none": true, "null": true, "-": true, "n/a": true, "na": true}

func (h Header) number(record []string, column string) (float64, error) {
	s := h.text(record, column)
	if s == "" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return 0, fmt.Errorf("%s %q is no number of at least 0", column, clip(s))
	}
	return v, nil
}

// clip keeps what a message repeats of foreign text short.
func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
