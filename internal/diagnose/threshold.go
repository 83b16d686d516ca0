package diagnose

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Threshold is a named number that a rule compares with. Where a rule weighs
// rather than decides, it is the value at which a fact weighs fully.
type Threshold struct {
	Name    string
	Value   float64
	Unit    string
	Source  string // whose it is
	Meaning string
	Most    float64 // largest value that makes sense; the smallest is 0
}

// Thresholds are all of them. nil stands for the defaults.
type Thresholds []Threshold

// DefaultThresholds is a copy that may be changed.
func DefaultThresholds() Thresholds { return slices.Clone(thresholds) }

// Lookup finds a threshold by name.
func (t Thresholds) Lookup(name string) (Threshold, bool) {
	if t == nil {
		t = thresholds
	}
	if i := t.index(name); i >= 0 {
		return t[i], true
	}
	return Threshold{}, false
}

func (t Thresholds) index(name string) int {
	return slices.IndexFunc(t, func(o Threshold) bool { return o.Name == name })
}

// Set changes one. The error lists the names where there is none of this name.
func (t *Thresholds) Set(name string, value float64) error {
	if *t == nil {
		*t = DefaultThresholds()
	}
	i := t.index(name)
	if i < 0 {
		return fmt.Errorf("no threshold is named %q; there are %s", name, strings.Join(t.names(), ", "))
	}
	if most := (*t)[i].Most; math.IsNaN(value) || value < 0 || value > most {
		return fmt.Errorf("threshold %s is %g; it lies between 0 and %g (%s)", name, value, most, (*t)[i].Unit)
	}
	(*t)[i].Value = value
	return nil
}

// SetText is Set of NAME=VALUE.
func (t *Thresholds) SetText(text string) error {
	name, value, ok := strings.Cut(text, "=")
	v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if !ok || err != nil {
		return fmt.Errorf("threshold %q: write NAME=VALUE with a number, such as %s=%g", text, thresholds[0].Name, thresholds[0].Value)
	}
	return t.Set(strings.TrimSpace(name), v)
}

// SetAll sets several, in the order of their names.
func (t *Thresholds) SetAll(values map[string]float64) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := t.Set(name, values[name]); err != nil {
			return err
		}
	}
	return nil
}

// Changed are those that differ from the defaults, nil for none.
func (t Thresholds) Changed() map[string]float64 {
	var out map[string]float64
	for _, o := range t {
		if d, ok := thresholds.Lookup(o.Name); ok && d.Value != o.Value {
			if out == nil {
				out = map[string]float64{}
			}
			out[o.Name] = o.Value
		}
	}
	return out
}

func (t Thresholds) names() []string {
	out := make([]string, len(t))
	for i := range t {
		out[i] = t[i].Name
	}
	return out
}
