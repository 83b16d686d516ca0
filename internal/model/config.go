package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Bounds on config.json: more than any model has, and little enough that no
// product of sizes overflows.
const (
	maxConfigBytes = 4 << 20
	maxLayers      = 10_000
	maxHeads       = 1 << 16
	maxHeadDim     = 1 << 16
	maxExperts     = 1 << 16
	maxSize        = 1 << 24        // hidden, intermediate, vocabulary
	maxTokens      = 1 << 32        // context, windows
	maxParameters  = int64(1) << 50 // of the whole model, 10^15
	maxListed      = 2 * maxLayers  // items of a list
	maxText        = 1 << 10        // bytes of a string that is kept
	maxExact       = float64(1 << 53)
)

// UnknownError is an architecture, attention or format that this package has no
// rule for. It is refused: a guess would be wrong by factors.
type UnknownError struct {
	What string // architecture, attention, layer, quantisation
	Name string
}

func (e *UnknownError) Error() string { return fmt.Sprintf("unknown %s %q", e.What, e.Name) }

// fields is one object of config.json. Its methods remember the first error and
// go on, so that a rule reads like the model that it describes.
type fields struct {
	object map[string]any
	path   string // of the object: empty or text_config
	failed *error
}

func readFields(data []byte) (fields, error) {
	if len(data) > maxConfigBytes {
		return fields{}, fmt.Errorf("config.json of %d bytes: at most %d are read", len(data), maxConfigBytes)
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return fields{}, errors.New("config.json is in UTF-16: write it in UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("it ends early")
		}
		return fields{}, fmt.Errorf("config.json is not a JSON object: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fields{}, errors.New("config.json is not one JSON object: something follows it")
	}
	if object == nil {
		return fields{}, errors.New("config.json is not a JSON object: it is null")
	}
	return fields{object: object, failed: new(error)}, nil
}

func (f fields) fail(err error) {
	if *f.failed == nil {
		*f.failed = err
	}
}

func (f fields) name(field string) string {
	if f.path == "" {
		return field
	}
	return f.path + "." + field
}

func (f fields) has(field string) bool { return f.object[field] != nil }

// sub is a nested object; an empty one where there is none.
func (f fields) sub(field string) fields {
	object, ok := f.object[field].(map[string]any)
	if !ok && f.has(field) {
		f.fail(fmt.Errorf("config.json: %s is %s, not an object", f.name(field), shown(f.object[field])))
	}
	return fields{object: object, path: f.name(field), failed: f.failed}
}

// number is a field between 0 and limit; false where it is absent or null.
func (f fields) number(field string, limit float64) (float64, bool) {
	v := f.object[field]
	if v == nil {
		return 0, false
	}
	n, isNumber := v.(json.Number)
	x, err := n.Float64()
	switch {
	case !isNumber || err != nil || math.IsNaN(x):
		f.fail(fmt.Errorf("config.json: %s is %s, not a number", f.name(field), shown(v)))
	case x < 0:
		f.fail(fmt.Errorf("config.json: %s is %s, below 0", f.name(field), shown(v)))
	case x > limit:
		f.fail(fmt.Errorf("config.json: %s is %s, above %g", f.name(field), shown(v), limit))
	default:
		return x, true
	}
	return 0, true
}

// optional is a whole number between 0 and limit, or its default.
func (f fields) optional(field string, byDefault, limit int) int {
	x, ok := f.number(field, float64(limit))
	if !ok {
		return byDefault
	}
	if x != math.Trunc(x) {
		f.fail(fmt.Errorf("config.json: %s is %s, not a whole number", f.name(field), shown(f.object[field])))
	}
	return int(x)
}

// needed is a whole number between 1 and limit that a model cannot be without.
func (f fields) needed(field string, limit int) int {
	if !f.has(field) {
		f.fail(fmt.Errorf("config.json has no %s: it does not describe a model whole", f.name(field)))
		return 1
	}
	n := f.optional(field, 1, limit)
	if n < 1 {
		f.fail(fmt.Errorf("config.json: %s is %d, below 1", f.name(field), n))
		return 1
	}
	return n
}

// first is the first of these names that the object has, for fields whose name
// changed; the first name where it has none.
func (f fields) first(names ...string) string {
	for _, n := range names {
		if f.has(n) {
			return n
		}
	}
	return names[0]
}

func (f fields) flag(field string, byDefault bool) bool {
	switch v := f.object[field].(type) {
	case nil:
		return byDefault
	case bool:
		return v
	case json.Number:
		return v != "0"
	default:
		f.fail(fmt.Errorf("config.json: %s is %s, neither true nor false", f.name(field), shown(v)))
		return byDefault
	}
}

func (f fields) text(field string) string {
	s, _ := f.object[field].(string)
	if len(s) > maxText {
		f.fail(fmt.Errorf("config.json: %s is longer than %d bytes", f.name(field), maxText))
		return ""
	}
	return s
}

func (f fields) list(field string) []any {
	l, _ := f.object[field].([]any)
	if len(l) > maxListed {
		f.fail(fmt.Errorf("config.json: %s has %d items: at most %d are read", f.name(field), len(l), maxListed))
		return nil
	}
	return l
}

// texts is a list of strings.
func (f fields) texts(field string) []string {
	var out []string
	for _, v := range f.list(field) {
		if s, ok := v.(string); ok && len(s) <= maxText {
			out = append(out, s)
		}
	}
	return out
}

// kinds is a list with a name for each layer. One that is missing would move the rest.
func (f fields) kinds(field string) []string {
	if _, isList := f.object[field].([]any); !isList && f.has(field) {
		f.fail(fmt.Errorf("config.json: %s is %s, not a list", f.name(field), shown(f.object[field])))
	}
	out := f.texts(field)
	if len(out) < len(f.list(field)) {
		f.fail(fmt.Errorf("config.json: %s is %s: not all of it are names", f.name(field), shown(f.object[field])))
	}
	return out
}

// numbers is a list of whole numbers from 0 to limit.
func (f fields) numbers(field string, limit int) []int {
	var out []int
	for i, v := range f.list(field) {
		item := fields{object: map[string]any{field: v}, path: f.path, failed: f.failed}
		if v == nil {
			f.fail(fmt.Errorf("config.json: item %d of %s is null", i, f.name(field)))
			return nil
		}
		out = append(out, item.optional(field, 0, limit))
	}
	return out
}

// each is a field that is one number for all layers or a list with one for each.
func (f fields) each(field string, i, byDefault, limit int) int {
	l := f.list(field)
	if l == nil {
		return f.optional(field, byDefault, limit)
	}
	if i >= len(l) {
		f.fail(fmt.Errorf("config.json: %s has %d items, none for layer %d", f.name(field), len(l), i))
		return byDefault
	}
	return fields{object: map[string]any{field: l[i]}, path: f.path, failed: f.failed}.optional(field, byDefault, limit)
}

func shown(v any) string {
	s := fmt.Sprintf("%v", v)
	if text, ok := v.(string); ok {
		s = fmt.Sprintf("%q", text)
	}
	if len(s) > 40 {
		s = strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}
