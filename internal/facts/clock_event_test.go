package facts

import "testing"

func TestClockEvents(t *testing.T) {
	names := map[string]bool{}
	for i, e := range ClockEvents {
		if e.Bit != 1<<i {
			t.Errorf("%s has bit %#x at place %d", e.Name, e.Bit, i)
		}
		if got, ok := ClockEventOf(e.Bit); !ok || got.Name != e.Name {
			t.Errorf("ClockEventOf(%#x) = %s, %v", e.Bit, got.Name, ok)
		}
		for _, n := range append([]string{e.Name}, e.Aliases...) {
			if names[n] {
				t.Errorf("%s names two reasons", n)
			}
			names[n] = true
		}
		if e.Meaning == "" || e.Do == "" || e.Source.Date == "" {
			t.Errorf("%s says too little: %+v", e.Name, e)
		}
		// Thermal is 0x20 and 0x40 and no other, the brake 0x80: rules rest on it.
		if thermal := e.Bit == 0x20 || e.Bit == 0x40; thermal != (e.Cause == ClockThermal) {
			t.Errorf("%s (%#x): cause %s", e.Name, e.Bit, e.Cause)
		}
	}
	for _, bit := range []int64{0, 3, 0x60, 0x200, -1 << 63} {
		if e, ok := ClockEventOf(bit); ok {
			t.Errorf("ClockEventOf(%#x) = %s", bit, e.Name)
		}
	}
}
