package manifest

import "fmt"

// Most that a real value of a DCGM field can be: what a GPU does not have is
// written as 9223372036854775794.
const notBlank = "< 1e15"

// where is a GPU as a person looks for it. dcgm-exporter spells the host in two
// ways, and a scrape without honorLabels renames the pod. That of a GPU which
// nothing uses is the exporter's own.
const where = "GPU {{ $labels.gpu }} ({{ $labels.modelName }}) of {{ or $labels.Hostname $labels.hostname $labels.instance }}" +
	"{{ with $labels.exported_pod }}, pod {{ . }}{{ else }}{{ with $labels.pod }}{{ if not (match \"dcgm-\" .) }}, pod {{ . }}{{ end }}{{ end }}{{ end }}"

// board are the labels of a GPU itself, whatever runs on it: of a pod that ends with
// a fault the series ends too, and another begins beyond the fault.
const board = "UUID, gpu, modelName, hostname, Hostname"

// gpuGroup is what holds a GPU back.
func gpuGroup() Group {
	bit := func(n int) string { return fmt.Sprintf("floor(assay:gpu_clock_reasons:bits / %d) %% 2", n) }
	return Group{
		Name: "assay-gpu",
		Records: []Record{
			{"assay:gpu_clock_reasons:bits", "(\n  DCGM_FI_DEV_CLOCKS_EVENT_REASONS\n  or DCGM_FI_DEV_CLOCK_THROTTLE_REASONS\n) " + notBlank, "why the clock is not higher, under its new name or the one before DCGM 3.3"},
			{"assay:gpu_thermal:bool", "clamp_max(" + bit(0x20) + " + " + bit(0x40) + ", 1)", "1 where heat holds the clock back: bits 0x20 (software) and 0x40 (hardware)"},
			{"assay:gpu_power_brake:bool", bit(0x80), "bit 0x80"},
			{"assay:gpu_power_cap:bool", bit(0x4), "bit 0x4"},
			{"assay:gpu_sm_clock_busy:mhz", fmt.Sprintf("max by (%s) (DCGM_FI_DEV_SM_CLOCK %s)\nand on (UUID)\nmax by (UUID) (DCGM_FI_PROF_GR_ENGINE_ACTIVE %s) > 0.5", board, notBlank, notBlank), "an idle GPU lowers its clock, so only a busy one counts; with MIG one of its instances"},
		},
		Alerts: []Alert{
			thermal(), powerBrake(), temperature("GPUHighTemperature", 80, "5m", Warning), temperature("GPUCriticalTemperature", 90, "1m", Critical),
			powerCapped(),
		},
	}
}

// gpuLongGroup reads a week of each GPU, which need not be done each half minute.
func gpuLongGroup() Group {
	return Group{Name: "assay-gpu-long", Interval: "5m", Alerts: []Alert{clockBelowBaseline()}}
}

func thermal() Alert {
	return Alert{
		Name: "GPUThermalThrottling",
		Expr: "avg_over_time(assay:gpu_thermal:bool[10m]) > 0.1",
		For:  "2m", Severity: Warning,
		Summary:     "A GPU is throttled by heat",
		Description: "Heat held the clock of " + where + " back in {{ $value | humanizePercentage }} of the last ten minutes.",
		Meaning:     "The GPU says itself that it is too hot to keep its clock. All that runs on it is slower, and in tensor parallelism the other GPUs wait for it.",
		Steps: []string{
			"One GPU of a node: cordon the node, move the work, and replace the instance. Cooling is not yours to mend on EC2.",
			"All GPUs of a rack or a room of your own: look at the air.",
			"Measurements on it do not count: `assay bench` marks them as gpu-throttled.",
		},
		Needs: []string{"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"},
		Level: "a tenth of the time; ours",
	}
}

func powerBrake() Alert {
	return Alert{
		Name: "GPUPowerBrake",
		Expr: "avg_over_time(assay:gpu_power_brake:bool[10m]) > 0.1",
		For:  "2m", Severity: Warning,
		Summary:     "The power brake holds a GPU back",
		Description: "The machine's power brake held the clock of " + where + " back in {{ $value | humanizePercentage }} of the last ten minutes.",
		Meaning:     "The server tells the GPU to draw less: a power supply at its limit or broken. Unlike the power cap this is not normal.",
		Steps:       []string{"Cordon the node, move the work, and replace the instance."},
		Needs:       []string{"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"},
		Level:       "a tenth of the time; ours",
	}
}

// temperature is one of the documents' two alerts. It is a proxy, so it speaks
// only for GPUs whose clock-event reasons are not there.
func temperature(name string, celsius int, hold, severity string) Alert {
	return Alert{
		Name: name,
		Expr: fmt.Sprintf(`DCGM_FI_DEV_GPU_TEMP > %d %s
unless on (UUID)
(
  DCGM_FI_DEV_CLOCKS_EVENT_REASONS
  or DCGM_FI_DEV_CLOCK_THROTTLE_REASONS
)`, celsius, notBlank),
		For: hold, Severity: severity,
		Summary:     "A GPU is hot, and does not say whether that slows it down",
		Description: fmt.Sprintf("%s has {{ $value }} °C, over %d for %s. Its clock-event reasons are not published, so whether it is throttled is not known.", where, celsius, hold),
		Meaning: text("Temperature is a proxy: the limits differ from chip to chip, and many run at 80 °C for years.",
			"Where the clock-event reasons are published GPUThermalThrottling speaks instead, and this alert is silent."),
		Steps: []string{
			"Mount the exporter's counter list (dcgm-counters.yaml), so that the GPU says itself whether heat slows it down.",
			"Until then: nvidia-smi -q -d PERFORMANCE on the node.",
			"If it is throttled: cordon the node, move the work, and replace the instance.",
		},
		Needs: []string{"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"},
		Level: fmt.Sprintf("%d °C for %s is the documents'", celsius, hold),
	}
}

func clockBelowBaseline() Alert {
	return Alert{
		Name: "GPUClockBelowBaseline",
		Expr: `avg_over_time(assay:gpu_sm_clock_busy:mhz[15m])
  / avg_over_time(assay:gpu_sm_clock_busy:mhz[7d] offset 15m)
  < 0.85
and
count_over_time(assay:gpu_sm_clock_busy:mhz[7d] offset 15m) >= 60
unless on (UUID)
avg_over_time(assay:gpu_power_cap:bool[15m]) > 0.1`,
		For: "15m", Severity: Warning,
		Summary:     "A GPU runs below its own clock",
		Description: "Busy, " + where + " ran at {{ $value | humanizePercentage }} of the SM clock that it had when busy in the last seven days.",
		Meaning: text("The baseline is the GPU's own, under load, so a GPU that always runs at its power limit is compared with just that.",
			"A clock that fell means heat, a clock that somebody set, or a fault.",
			"A GPU at its power limit is left out: heavier work lowers its clock by a third, and nothing is wrong (GPUPowerCapped)."),
		Steps: []string{
			"GPUThermalThrottling or GPUPowerBrake beside it says why.",
			"Alone: nvidia-smi -q -d CLOCK,PERFORMANCE on the node; was a clock lock set?",
			"Compare with the other GPUs of the node: where they are as slow it is not the GPU.",
		},
		Needs: []string{"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"},
		Level: "15 % below; ours. At least 60 earlier evaluations while it was busy",
	}
}

func powerCapped() Alert {
	return Alert{
		Name: "GPUPowerCapped",
		Expr: "avg_over_time(assay:gpu_power_cap:bool[30m]) > 0.9",
		For:  "30m", Severity: Info,
		Summary:     "A GPU is at its power limit",
		Description: where + " was at its power limit in {{ $value | humanizePercentage }} of the last half hour.",
		Meaning:     "Normal under full load: the GPU is used. It is worth knowing when a GPU gives less than its data sheet, and nothing to act on.",
		Steps:       []string{"Nothing. If the limit was lowered by hand, nvidia-smi -q -d POWER shows it."},
		Needs:       []string{"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"},
		Level:       "nine tenths of half an hour; ours",
	}
}
