package schema

import (
	"math"
	"strconv"
	"strings"

	"assay/internal/lint/source"
)

// jsonType is the type under which a value arrives at a server, which gets JSON.
type jsonType uint8

const (
	null jsonType = iota
	boolean
	integer
	number
	text
	list
	mapping
)

func (t jsonType) String() string {
	return [...]string{"null", "a truth value", "a whole number", "a number", "text", "a list", "a mapping"}[t]
}

func typeOf(v source.Value) jsonType {
	switch {
	case v.IsMap():
		return mapping
	case v.IsList():
		return list
	}
	t, _ := scalar(v)
	return t
}

// scalar is a scalar as it arrives: nil, bool, int64, float64 or string.
func scalar(v source.Value) (jsonType, any) {
	switch v.Tag() {
	case "", "!!null":
		return null, nil
	case "!!bool":
		b, _ := v.Bool()
		return boolean, b
	case "!!int", "!!float":
		return numeric(v.Text())
	}
	return text, v.Text()
}

// numeric is a plain scalar that YAML reads as a number: 0644 is octal, 1_000 a
// thousand.
func numeric(s string) (jsonType, any) {
	plain := strings.ReplaceAll(s, "_", "")
	if i, err := strconv.ParseInt(plain, 0, 64); err == nil {
		return integer, i
	}
	f, err := strconv.ParseFloat(plain, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return text, s // JSON has no such number
	}
	return number, f
}
