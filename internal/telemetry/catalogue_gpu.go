package telemetry

// The quantities of a GPU that snapshots keep.
const (
	GPUEngineActive  Quantity = "gpu_engine_active"
	GPUSMActive      Quantity = "gpu_sm_active"
	GPUTensorActive  Quantity = "gpu_tensor_active"
	GPUDRAMActive    Quantity = "gpu_dram_active"
	GPUUtil          Quantity = "gpu_util"
	GPUPCIeTx        Quantity = "gpu_pcie_tx"
	GPUPCIeRx        Quantity = "gpu_pcie_rx"
	GPUNVLinkTx      Quantity = "gpu_nvlink_tx"
	GPUNVLinkRx      Quantity = "gpu_nvlink_rx"
	GPUSMClock       Quantity = "gpu_sm_clock"
	GPUSMClockMax    Quantity = "gpu_sm_clock_max"
	GPUPower         Quantity = "gpu_power"
	GPUPowerLimit    Quantity = "gpu_power_limit"
	GPUTemperature   Quantity = "gpu_temperature"
	GPUClockReasons  Quantity = "gpu_clock_reasons"
	GPUClockEvents   Quantity = "gpu_clock_events"
	GPUThermalTime   Quantity = "gpu_thermal_time"
	GPUXID           Quantity = "gpu_xid"
	GPUXIDCount      Quantity = "gpu_xid_count"
	GPUDoubleBit     Quantity = "gpu_double_bit_errors"
	GPURemapFailure  Quantity = "gpu_row_remap_failure"
	GPUNVLinkCRCFlit Quantity = "gpu_nvlink_crc_flit_errors"
	GPUNVLinkCRCData Quantity = "gpu_nvlink_crc_data_errors"
	GPUNVLinkReplay  Quantity = "gpu_nvlink_replay_errors"
	GPUNVLinkRecover Quantity = "gpu_nvlink_recovery_errors"
)

// counterFile is how a field that dcgm-exporter does not publish by itself is
// asked for.
const counterFile = "a row in the exporter's counters file"

// dcgmLabels are what dcgm-exporter puts on each field: both spellings of the
// host, which its releases changed, and the pod's names, which a scrape without
// honorLabels renames to exported_….
var dcgmLabels = []string{
	"gpu", "UUID", "pci_bus_id", "device", "modelName", "hostname", "Hostname",
	"GPU_I_PROFILE", "GPU_I_ID", "DCGM_FI_DRIVER_VERSION", "err_code", "err_msg",
	"pod", "namespace", "container", "pod_uid", "vgpu", "hpc_job",
}

func dcgm(field string, labels ...string) Name { return published("dcgm", field, dcgmLabels, labels) }

// dcgmAsked is a field that the exporter's default list leaves out.
func dcgmAsked(field string, labels ...string) Name { return dcgm(field, labels...).asked(counterFile) }

// gpuEntries are the metrics of NVIDIA's dcgm-exporter. Sources: its
// etc/default-counters.csv and clock_events_collector.go of 4.5 (2026-05), and
// dcgm_fields.h.
var gpuEntries = []Entry{
	{
		Quantity: GPUEngineActive, Kind: Gauge, Unit: "share", Over: Mean, Kept: true,
		Help:  "Share of time in which any kernel was on the GPU's compute or graphics engine.",
		Traps: []string{"It needs a GPU that supports profiling counters, CAP_SYS_ADMIN for the exporter, and no other client of them."},
		Names: []Name{dcgm("DCGM_FI_PROF_GR_ENGINE_ACTIVE")},
	},
	{
		Quantity: GPUSMActive, Kind: Gauge, Unit: "share", Over: Mean, Kept: true,
		Help:  "Share of time in which at least one warp was on an SM, averaged over the SMs.",
		Traps: []string{"A warp that waits for memory counts as active: 1 is not full use of the compute units."},
		Names: []Name{dcgmAsked("DCGM_FI_PROF_SM_ACTIVE")},
	},
	{
		Quantity: "gpu_sm_occupancy", Kind: Gauge, Unit: "share", Over: Mean,
		Help:  "Warps resident on the SMs as a share of the most that fit.",
		Traps: []string{"A good kernel can be fast at a low occupancy."},
		Names: []Name{dcgmAsked("DCGM_FI_PROF_SM_OCCUPANCY")},
	},
	{
		Quantity: GPUTensorActive, Kind: Gauge, Unit: "share", Over: Mean, Kept: true,
		Help:  "Share of cycles in which the tensor cores were busy.",
		Traps: []string{"1 is an instruction every other cycle: a test of the tensor cores comes near it, serving does not."},
		Names: []Name{dcgm("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE")},
	},
	{
		Quantity: "gpu_fp64_active", Kind: Gauge, Unit: "share", Over: Mean,
		Help:  "Share of cycles in which the FP64 units were busy.",
		Names: []Name{dcgmAsked("DCGM_FI_PROF_PIPE_FP64_ACTIVE")},
	},
	{
		Quantity: "gpu_fp32_active", Kind: Gauge, Unit: "share", Over: Mean,
		Help:  "Share of cycles in which the FP32 units were busy.",
		Names: []Name{dcgmAsked("DCGM_FI_PROF_PIPE_FP32_ACTIVE")},
	},
	{
		Quantity: "gpu_fp16_active", Kind: Gauge, Unit: "share", Over: Mean,
		Help:  "Share of cycles in which the FP16 units, tensor cores left out, were busy.",
		Names: []Name{dcgmAsked("DCGM_FI_PROF_PIPE_FP16_ACTIVE")},
	},
	{
		Quantity: GPUDRAMActive, Kind: Gauge, Unit: "share", Over: Mean, Kept: true,
		Help:  "Share of cycles in which the GPU's memory was sending or receiving.",
		Traps: []string{"About 0.8 is the most that is reached in practice, by DCGM's guide."},
		Names: []Name{dcgm("DCGM_FI_PROF_DRAM_ACTIVE")},
	},
	{
		Quantity: GPUUtil, Kind: Gauge, Unit: "share", Over: Mean, Kept: true,
		Help:  "Share of time in which any kernel ran, as nvidia-smi shows it.",
		Traps: []string{"One small kernel at a time gives 100 %: it says that the GPU is not idle, not that it is used."},
		Names: []Name{dcgm("DCGM_FI_DEV_GPU_UTIL").times(0.01)},
	},
	{
		Quantity: "gpu_mem_copy_util", Kind: Gauge, Unit: "share", Over: Mean,
		Help:  "Share of time in which the memory was read or written, as nvidia-smi shows it.",
		Traps: []string{"It is neither a share of the bandwidth nor of the capacity."},
		Names: []Name{dcgm("DCGM_FI_DEV_MEM_COPY_UTIL").times(0.01)},
	},
	{
		Quantity: "gpu_encoder_util", Kind: Gauge, Unit: "share", Over: Mean,
		Help:  "Use of the video encoder.",
		Names: []Name{dcgm("DCGM_FI_DEV_ENC_UTIL").times(0.01)},
	},
	{
		Quantity: "gpu_decoder_util", Kind: Gauge, Unit: "share", Over: Mean,
		Help:  "Use of the video decoder.",
		Names: []Name{dcgm("DCGM_FI_DEV_DEC_UTIL").times(0.01)},
	},
	{
		Quantity: GPUPCIeTx, Kind: Gauge, Unit: "bytes/s", Over: Mean, Kept: true,
		Help:  "Bytes per second that the GPU sent over PCIe.",
		Names: []Name{dcgm("DCGM_FI_PROF_PCIE_TX_BYTES")},
	},
	{
		Quantity: GPUPCIeRx, Kind: Gauge, Unit: "bytes/s", Over: Mean, Kept: true,
		Help:  "Bytes per second that the GPU received over PCIe.",
		Names: []Name{dcgm("DCGM_FI_PROF_PCIE_RX_BYTES")},
	},
	{
		Quantity: GPUNVLinkTx, Kind: Gauge, Unit: "bytes/s", Over: Mean, Kept: true,
		Help:  "Bytes per second that the GPU sent over NVLink.",
		Names: []Name{dcgmAsked("DCGM_FI_PROF_NVLINK_TX_BYTES")},
	},
	{
		Quantity: GPUNVLinkRx, Kind: Gauge, Unit: "bytes/s", Over: Mean, Kept: true,
		Help:  "Bytes per second that the GPU received over NVLink.",
		Names: []Name{dcgmAsked("DCGM_FI_PROF_NVLINK_RX_BYTES")},
	},
	{
		Quantity: "gpu_nvlink_bandwidth", Kind: Counter, Unit: "1", Over: Sum,
		Help: "Traffic of all NVLink lanes since the driver was loaded, in the driver's own unit.",
		Traps: []string{
			"The unit differs between drivers: for bytes use DCGM_FI_PROF_NVLINK_TX_BYTES and _RX_BYTES.",
			"The exporter's own list declares it a gauge from 4.6.0-4.8.3 on.",
		},
		Names: []Name{dcgm("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL")},
	},
	{
		Quantity: "gpu_pcie_replays", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "PCIe packets that had to be sent again: a bad link or slot where it grows.",
		Names: []Name{dcgm("DCGM_FI_DEV_PCIE_REPLAY_COUNTER")},
	},
	{
		Quantity: GPUSMClock, Kind: Gauge, Unit: "MHz", Over: Mean, Kept: true,
		Help:  "Clock of the SMs.",
		Traps: []string{"An idle GPU lowers its clock: it says something only while the GPU is busy."},
		Names: []Name{dcgm("DCGM_FI_DEV_SM_CLOCK")},
	},
	{
		Quantity: GPUSMClockMax, Kind: Gauge, Unit: "MHz", Over: Mean, Kept: true,
		Help:  "The highest clock that the SMs can have.",
		Traps: []string{"It is the boost limit; a GPU at its power limit runs below it, which is normal."},
		Names: []Name{dcgmAsked("DCGM_FI_DEV_MAX_SM_CLOCK")},
	},
	{
		Quantity: "gpu_mem_clock", Kind: Gauge, Unit: "MHz", Over: Mean,
		Help:  "Clock of the GPU's memory.",
		Names: []Name{dcgm("DCGM_FI_DEV_MEM_CLOCK")},
	},
	{
		Quantity: GPUPower, Kind: Gauge, Unit: "W", Over: Mean, Kept: true,
		Help:  "Power that the GPU draws.",
		Names: []Name{dcgm("DCGM_FI_DEV_POWER_USAGE")},
	},
	{
		Quantity: GPUPowerLimit, Kind: Gauge, Unit: "W", Over: Mean, Kept: true,
		Help:  "Power limit that the driver enforces.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_ENFORCED_POWER_LIMIT"), dcgmAsked("DCGM_FI_DEV_POWER_MGMT_LIMIT")},
	},
	{
		Quantity: "gpu_energy", Kind: Counter, Unit: "J", Over: Sum,
		Help:  "Energy used since the driver was loaded.",
		Names: []Name{dcgm("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION").times(0.001)}, // mJ
	},
	{
		Quantity: GPUTemperature, Kind: Gauge, Unit: "°C", Over: Largest, Kept: true,
		Help:  "Temperature of the GPU.",
		Traps: []string{"It is a proxy: limits differ from chip to chip, and the clock-event reasons say whether heat holds the clock back."},
		Names: []Name{dcgm("DCGM_FI_DEV_GPU_TEMP")},
	},
	{
		Quantity: "gpu_memory_temperature", Kind: Gauge, Unit: "°C", Over: Largest,
		Help:  "Temperature of the GPU's memory.",
		Traps: []string{"Chips without the sensor give 9223372036854775794, which is blank, not a temperature."},
		Names: []Name{dcgm("DCGM_FI_DEV_MEMORY_TEMP")},
	},
	{
		Quantity: "gpu_slowdown_temperature", Kind: Gauge, Unit: "°C", Over: Largest,
		Help:  "Temperature at which this chip slows down.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_SLOWDOWN_TEMP")},
	},
	{
		Quantity: "gpu_max_operating_temperature", Kind: Gauge, Unit: "°C", Over: Largest,
		Help:  "Highest temperature at which this chip is meant to work.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_GPU_MAX_OP_TEMP")},
	},
	{
		Quantity: GPUClockReasons, Kind: Gauge, Unit: "bits", Over: Largest, Kept: true,
		Help: "Why the clock is not higher, one bit a reason: 0x1 idle, 0x2 set by a user, 0x4 power cap, 0x8 hardware slowdown, 0x10 sync boost, 0x20 and 0x40 heat (software, hardware), 0x80 power brake, 0x100 display.",
		Traps: []string{
			"0x1 and 0x2 are normal, and 0x4 is under full load.",
			"PromQL has no bit operations: floor(x / 64) % 2 == 1 is bit 0x40.",
			"It is the state at the moment of the scrape: what came and went between two of them is not in it.",
		},
		Names: []Name{
			dcgmAsked("DCGM_FI_DEV_CLOCKS_EVENT_REASONS").since("DCGM 3.3"),
			dcgmAsked("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"),
		},
	},
	{
		Quantity: GPUClockEvents, Kind: Gauge, Unit: "samples", Over: Sum, Kept: true,
		Help: "Samples of the sliding window in which a clock event held the clock back, by clock_event.",
		Traps: []string{
			"It is a count of the window, whatever its declared kind: rate() and increase() of it say nothing.",
			"When nothing happened it is 0 without the clock_event label.",
		},
		Names: []Name{dcgmAsked("DCGM_EXP_CLOCK_EVENTS_COUNT", "clock_event", "window_size_in_ms")},
	},
	{
		Quantity: "gpu_clock_events_total", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Times that a clock event began since the exporter started, by clock_event.",
		Traps: []string{"It counts beginnings, not time: heat that lasts for hours is one."},
		Names: []Name{dcgmAsked("DCGM_EXP_CLOCK_EVENTS_TOTAL", "clock_event").since("4.6.0-4.8.3")},
	},
	{
		Quantity: GPUThermalTime, Kind: Counter, Unit: "s", Over: Mean, Kept: true,
		Help:  "Time in which heat held the clock back.",
		Traps: []string{"The exporter says µs in some releases and ns in others, and the driver counts ns: a rate above 1 is the wrong unit."},
		Names: []Name{dcgmAsked("DCGM_FI_DEV_THERMAL_VIOLATION").times(1e-9)},
	},
	{
		Quantity: "gpu_power_time", Kind: Counter, Unit: "s", Over: Mean,
		Help:  "Time in which the power limit held the clock back.",
		Traps: []string{"A GPU under full load is at its power limit: that is normal."},
		Names: []Name{dcgmAsked("DCGM_FI_DEV_POWER_VIOLATION").times(1e-9)},
	},
	{
		Quantity: "gpu_sync_boost_time", Kind: Counter, Unit: "s", Over: Mean,
		Help:  "Time in which the clock waited for a sync-boost group.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_SYNC_BOOST_VIOLATION").times(1e-9)},
	},
	{
		Quantity: "gpu_board_limit_time", Kind: Counter, Unit: "s", Over: Mean,
		Help:  "Time in which a limit of the board held the clock back.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_BOARD_LIMIT_VIOLATION").times(1e-9)},
	},
	{
		Quantity: "gpu_low_util_time", Kind: Counter, Unit: "s", Over: Mean,
		Help:  "Time in which the clock was low because there was little to do.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_LOW_UTIL_VIOLATION").times(1e-9)},
	},
	{
		Quantity: "gpu_reliability_time", Kind: Counter, Unit: "s", Over: Mean,
		Help:  "Time in which the board's reliability limit held the clock back.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_RELIABILITY_VIOLATION").times(1e-9)},
	},
	{
		Quantity: GPUXID, Kind: Gauge, Unit: "code", Over: Largest, Kept: true,
		Help: "Code of the last XID error of the driver, 0 for none.",
		Traps: []string{
			"It is the last code and stays until the driver is loaded again: a code there is a state, not an event.",
			"The same code a second time does not show, and increase() of a code means nothing.",
		},
		Names: []Name{dcgm("DCGM_FI_DEV_XID_ERRORS")},
	},
	{
		Quantity: GPUXIDCount, Kind: Gauge, Unit: "errors", Over: Sum, Kept: true,
		Help:  "XID errors within the sliding window, by xid.",
		Traps: []string{"It is a count of the window, not a counter: rate() of it says nothing."},
		Names: []Name{dcgmAsked("DCGM_EXP_XID_ERRORS_COUNT", "xid", "window_size_in_ms")},
	},
	{
		Quantity: "gpu_xid_total", Kind: Counter, Unit: "errors", Over: Sum,
		Help:  "XID errors since the exporter started, by xid.",
		Names: []Name{dcgmAsked("DCGM_EXP_XID_ERRORS_TOTAL", "xid").since("4.6.0-4.8.3")},
	},
	{
		Quantity: "gpu_health", Kind: Gauge, Unit: "code", Over: Largest,
		Help:  "Result of DCGM's health watches, by health_watch: 0 healthy, 10 warning, 20 failure.",
		Names: []Name{dcgmAsked("DCGM_EXP_GPU_HEALTH_STATUS", "health_watch", "health_error_code")},
	},
	{
		Quantity: "gpu_p2p_status", Kind: Gauge, Unit: "code", Over: Largest,
		Help:  "Whether a GPU reaches a peer's memory over NVLink, by peer_gpu: 0 where it does, else why not, in link_status.",
		Names: []Name{dcgmAsked("DCGM_EXP_P2P_STATUS", "peer_gpu", "link_status")},
	},
	{
		Quantity: "gpu_fb_used", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Memory of the GPU in use.",
		Traps: []string{"A serving engine takes its memory when it starts: full is normal, and says nothing of the KV cache."},
		Names: []Name{dcgm("DCGM_FI_DEV_FB_USED").times(1 << 20)},
	},
	{
		Quantity: "gpu_fb_free", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Memory of the GPU that is free.",
		Names: []Name{dcgm("DCGM_FI_DEV_FB_FREE").times(1 << 20)},
	},
	{
		Quantity: "gpu_fb_reserved", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Memory of the GPU that the driver keeps for itself.",
		Names: []Name{dcgm("DCGM_FI_DEV_FB_RESERVED").times(1 << 20)},
	},
	{
		Quantity: "gpu_fb_total", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Memory of the GPU, all of it.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_FB_TOTAL").times(1 << 20)},
	},
	{
		Quantity: "gpu_single_bit_errors", Kind: Counter, Unit: "errors", Over: Sum,
		Help:  "Single-bit memory errors, which ECC corrected, since the driver was loaded.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL")},
	},
	{
		Quantity: GPUDoubleBit, Kind: Counter, Unit: "errors", Over: Sum, Kept: true,
		Help:  "Double-bit memory errors, which ECC cannot correct, since the driver was loaded.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL")},
	},
	{
		Quantity: "gpu_single_bit_errors_lifetime", Kind: Counter, Unit: "errors", Over: Sum,
		Help:  "Single-bit memory errors over the GPU's life.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_ECC_SBE_AGG_TOTAL")},
	},
	{
		Quantity: "gpu_double_bit_errors_lifetime", Kind: Counter, Unit: "errors", Over: Sum,
		Help:  "Double-bit memory errors over the GPU's life.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_ECC_DBE_AGG_TOTAL")},
	},
	{
		Quantity: "gpu_retired_pages_sbe", Kind: Counter, Unit: "pages", Over: Sum,
		Help:  "Memory pages retired for single-bit errors; before Ampere.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_RETIRED_SBE")},
	},
	{
		Quantity: "gpu_retired_pages_dbe", Kind: Counter, Unit: "pages", Over: Sum,
		Help:  "Memory pages retired for double-bit errors; before Ampere.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_RETIRED_DBE")},
	},
	{
		Quantity: "gpu_retired_pages_pending", Kind: Counter, Unit: "pages", Over: Sum,
		Help:  "Memory pages that will be retired when the GPU is reset.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_RETIRED_PENDING")},
	},
	{
		Quantity: "gpu_uncorrectable_remapped_rows", Kind: Counter, Unit: "rows", Over: Sum,
		Help:  "Memory rows replaced by spare ones for uncorrectable errors, from Ampere on.",
		Names: []Name{dcgm("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS")},
	},
	{
		Quantity: "gpu_correctable_remapped_rows", Kind: Counter, Unit: "rows", Over: Sum,
		Help:  "Memory rows replaced by spare ones for correctable errors, from Ampere on.",
		Names: []Name{dcgm("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS")},
	},
	{
		Quantity: GPURemapFailure, Kind: Gauge, Unit: "1", Over: Sum, Kept: true,
		Help:  "1 where a memory row could not be replaced: the GPU is due for replacement.",
		Names: []Name{dcgm("DCGM_FI_DEV_ROW_REMAP_FAILURE")},
	},
	{
		Quantity: "gpu_row_remap_pending", Kind: Gauge, Unit: "1", Over: Sum,
		Help:  "1 where a row will be replaced when the GPU is reset.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_ROW_REMAP_PENDING")},
	},
	{
		Quantity: GPUNVLinkCRCFlit, Kind: Counter, Unit: "errors", Over: Sum, Kept: true,
		Help:  "Checksum errors of NVLink's flow control.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL")},
	},
	{
		Quantity: GPUNVLinkCRCData, Kind: Counter, Unit: "errors", Over: Sum, Kept: true,
		Help:  "Checksum errors of NVLink's data.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL")},
	},
	{
		Quantity: GPUNVLinkReplay, Kind: Counter, Unit: "errors", Over: Sum, Kept: true,
		Help:  "NVLink packets that had to be sent again.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL")},
	},
	{
		Quantity: GPUNVLinkRecover, Kind: Counter, Unit: "errors", Over: Sum, Kept: true,
		Help:  "Times that an NVLink had to be brought up again: the serious one of the four.",
		Names: []Name{dcgmAsked("DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL")},
	},
	{
		Quantity: "gpu_vgpu_license", Kind: Gauge, Unit: "1", Over: Largest,
		Help:  "Whether a virtual GPU has its licence.",
		Names: []Name{dcgm("DCGM_FI_DEV_VGPU_LICENSE_STATUS")},
	},
}
