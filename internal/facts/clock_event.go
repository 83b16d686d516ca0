package facts

import "math/bits"

// ClockEvent is one reason for which a GPU's clocks are below what was asked
// for: a bit of DCGM_FI_DEV_CLOCKS_EVENT_REASONS (field 112, formerly
// DCGM_FI_DEV_CLOCK_THROTTLE_REASONS).
type ClockEvent struct {
	Bit     int64
	Name    string   // the clock_event label of DCGM_EXP_CLOCK_EVENTS_COUNT
	Aliases []string // as nvidia-smi and DCGM's headers say it
	Meaning string
	Cause   ClockCause
	Do      string
	Source  Source
}

// ClockCause says what kind of limit a reason is.
type ClockCause string

// Causes.
const (
	ClockNormal  ClockCause = "normal"  // idle, or what was set
	ClockPower   ClockCause = "power"   // the GPU's own power limit
	ClockBrake   ClockCause = "brake"   // the machine's power supply
	ClockThermal ClockCause = "thermal" // too warm
	ClockGeneral ClockCause = "general" // one of several, without saying which
)

// ClockEventOf finds a reason by its bit.
func ClockEventOf(bit int64) (ClockEvent, bool) {
	i := bits.TrailingZeros64(uint64(bit))
	if bits.OnesCount64(uint64(bit)) != 1 || i >= len(ClockEvents) {
		return ClockEvent{}, false
	}
	return ClockEvents[i], true
}

var clockSource = Source{"NVIDIA dcgm-exporter, clock_events_collector.go, after DCGM's dcgm_fields.h",
	"https://github.com/NVIDIA/dcgm-exporter/blob/main/internal/pkg/collector/clock_events_collector.go", readOn}

// ClockEvents holds all reasons, lowest bit first.
var ClockEvents = []ClockEvent{
	{0x1, "gpu_idle", nil, "nothing runs on the GPU, so its clocks are down", ClockNormal,
		"Nothing. Clocks below the maximum mean nothing while this bit is set.", clockSource},
	{0x2, "clocks_setting", []string{"applications_clocks_setting"}, "clocks were limited on purpose, by an application clock setting", ClockNormal,
		"See nvidia-smi -q -d CLOCK for who set them, if it was not meant.", clockSource},
	{0x4, "power_cap", []string{"sw_power_cap"}, "the GPU draws its power limit, and lowers its clocks to stay there", ClockPower,
		"Normal at full load on most data-center GPUs: the sign of a GPU that is used well, not of a fault. It is one where the limit was set below the default (nvidia-smi -q -d POWER), or where it comes at low utilization.", clockSource},
	{0x8, "hw_slowdown", nil, "the hardware halves the clocks, or more: too warm, a power brake, or a drawn current that is too high", ClockGeneral,
		"See which of hw_thermal (0x40) and hw_power_brake (0x80) is set beside it.", clockSource},
	{0x10, "sync_boost", nil, "the GPU follows the slowest of its boost group", ClockNormal,
		"Find the slowest GPU of the group; the others wait for it.", clockSource},
	{0x20, "sw_thermal", []string{"sw_thermal_slowdown"}, "the driver lowers the clocks because the GPU or its memory is too warm", ClockThermal,
		"Measurements on this GPU are not those of a healthy one. On EC2 cooling is not yours: drain the node and replace the instance.", clockSource},
	{0x40, "hw_thermal", []string{"hw_thermal_slowdown"}, "the hardware halves the clocks, or more, because the GPU is far too warm", ClockThermal,
		"Measurements on this GPU are not those of a healthy one. On EC2 cooling is not yours: drain the node and replace the instance.", clockSource},
	{0x80, "hw_power_brake", []string{"hw_power_brake_slowdown"}, "the hardware halves the clocks, or more, because the machine's power supply asked it to", ClockBrake,
		"The supply is overloaded or failing: drain the node and replace the instance.", clockSource},
	{0x100, "display_clocks", nil, "clocks are limited by the setting of the display", ClockNormal,
		"Nothing: not to be expected on a data-center GPU.", clockSource},
}
