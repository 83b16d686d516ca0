package engine

import "fmt"

// Throttle holds the SM clock of the GPUs back. The zero value does not.
type Throttle struct {
	Clock float64 // share of the highest clock that is left; 0: 1
	Cause ThrottleCause
}

// ThrottleCause is why a clock is held back against its owner's wish.
type ThrottleCause int

// Causes, as DCGM's clock-event reasons tell them apart.
const (
	Thermal    ThrottleCause = iota // bits 0x20 and 0x40
	PowerBrake                      // bit 0x80: the board's power supply asks for it
)

// bandwidthClock is the share of the SM clock below which the SMs no longer keep
// all of the memory's bandwidth busy. An estimate.
const bandwidthClock = 0.7

func (t Throttle) clock() float64 { return or(t.Clock, 1) }

// On says whether the clock is held back.
func (t Throttle) On() bool { return t.clock() < 1 }

func (t Throttle) check() error {
	if c := t.clock(); !(c > 0 && c <= 1) {
		return fmt.Errorf("a throttled clock of %g is not above 0 and at most 1", t.Clock)
	}
	return nil
}
