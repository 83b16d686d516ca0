package calibrate

import (
	"fmt"

	"assay/internal/facts"
)

// RooflineError is a calibration that no hardware allows.
type RooflineError struct {
	Path          string
	What          string // weights read each second, FLOP each second, bytes of KV cache
	Claimed, Most float64
	Unit          string
	Hint          string
}

func (e *RooflineError) Error() string {
	return fmt.Sprintf("%s beats the roofline: %s of %s, and the hardware allows %s. %s", e.Path, e.What, quantity(e.Claimed, e.Unit), quantity(e.Most, e.Unit), e.Hint)
}

func quantity(x float64, unit string) string {
	if unit == "bytes" {
		return fmt.Sprintf("%.2f GiB", x/facts.GiB)
	}
	return fmt.Sprintf("%.4g %s", x, unit)
}

// Check holds a log against a GPU: weights and KV cache lie in its memory, and
// weights are not read faster than that memory can be written. The error is a
// *RooflineError.
func (l Log) Check(c facts.Chip) error {
	weights, kv := l.Readings[Weights], l.Readings[KVMemory]
	most := float64(c.Usable)
	if total, ok := l.Of(TotalMemory); ok {
		most = total
	}
	if most > 0 && weights.Value+kv.Value > most {
		return &RooflineError{l.Path, fmt.Sprintf("weights (line %d) and KV cache (line %d)", weights.Line, kv.Line), weights.Value + kv.Value, most, "bytes",
			"The log is of a larger GPU, or of several"}
	}
	load := l.Readings[LoadWeights]
	if rate := weights.Value / load.Value; load.Value > 0 && c.Bandwidth > 0 && rate > c.Bandwidth {
		return &RooflineError{l.Path, fmt.Sprintf("weights read (line %d) at a rate", load.Line), rate, c.Bandwidth, "bytes/s",
			"The engine did not read them: dummy weights, or another model"}
	}
	return nil
}

// roofs refuses a log that no GPU allows: not the one that is planned, where it is
// alone, and else none that is known.
func (b *Bound) roofs(on *Platform) error {
	chips := facts.Chips()
	if on != nil && on.Chip.Name != "" {
		chips = []facts.Chip{on.Chip}
	}
	var refused error
	most := int64(-1)
	for _, c := range chips {
		err := b.Log.Check(c)
		if err == nil {
			return nil
		}
		if c.Usable > most {
			most, refused = c.Usable, err
		}
	}
	return refused
}
