package httpd

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"assay/internal/engine"
)

// exporterType is the content type of the Go exporters.
const exporterType = "text/plain; version=0.0.4; charset=utf-8"

// Names of the simulated pod and node, and the driver.
const (
	podName       = "assay-sim-0"
	podNamespace  = "default"
	podContainer  = "vllm"
	nodeName      = "assay-sim-node"
	driverVersion = "580.95.05"
)

// blank is what DCGM gives for a field that a GPU does not have: no number.
const blank = 9223372036854775794

// field is one of DCGM's, as the exporter shows it.
type field struct {
	name, kind, help string
	of               func(m *machine, i int, d engine.Device) float64
}

// fields are those of the counters file that alerts and diagnosis need: the
// exporter's defaults, and the ones that it leaves out. Names and kinds are
// dcgm-exporter's (etc/default-counters.csv of 4.5, read 2026-11).
var fields = []field{
	{"DCGM_FI_DEV_SM_CLOCK", "gauge", "SM clock frequency (in MHz).", func(m *machine, _ int, d engine.Device) float64 { return m.known(math.Round(d.SMClock)) }},
	{"DCGM_FI_DEV_MAX_SM_CLOCK", "gauge", "Maximum SM clock frequency (in MHz).", func(m *machine, _ int, _ engine.Device) float64 { return m.known(m.cfg.Chip.SMClock) }},
	{"DCGM_FI_DEV_MEMORY_TEMP", "gauge", "Memory temperature (in C).", func(m *machine, _ int, d engine.Device) float64 {
		if !m.cfg.Chip.NVLink {
			return blank // GDDR boards have no sensor
		}
		return math.Round(d.Temperature + 8)
	}},
	{"DCGM_FI_DEV_GPU_TEMP", "gauge", "GPU temperature (in C).", func(m *machine, i int, d engine.Device) float64 {
		if m.faults.TemperatureC > 0 && i == m.faulty() {
			return float64(m.faults.TemperatureC)
		}
		return math.Round(d.Temperature)
	}},
	{"DCGM_FI_DEV_POWER_USAGE", "gauge", "Power draw (in W).", func(m *machine, _ int, d engine.Device) float64 { return m.known(d.Power) }},
	{"DCGM_FI_DEV_ENFORCED_POWER_LIMIT", "gauge", "Effective power limit that the driver enforces (in W).", func(m *machine, _ int, _ engine.Device) float64 { return m.known(m.cfg.Chip.Power) }},
	{"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "counter", "Total energy consumption since boot (in mJ).", func(m *machine, i int, _ engine.Device) float64 { return m.known(math.Floor(1000 * m.gpus[i].energy)) }},
	{"DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "counter", "Total number of PCIe retries.", func(*machine, int, engine.Device) float64 { return 0 }},
	{"DCGM_FI_DEV_GPU_UTIL", "gauge", "GPU utilization (in %).", func(_ *machine, _ int, d engine.Device) float64 { return 100 * d.Utilization }},
	{"DCGM_FI_DEV_MEM_COPY_UTIL", "gauge", "Memory utilization (in %).", func(_ *machine, _ int, d engine.Device) float64 { return math.Round(100 * d.DRAMActive) }},
	{"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "gauge", "Current clock event reasons (bitmask).", func(_ *machine, _ int, d engine.Device) float64 { return float64(d.Reasons) }},
	{"DCGM_FI_DEV_POWER_VIOLATION", "counter", "Throttling duration due to power constraints (in ns).", func(m *machine, i int, _ engine.Device) float64 {
		return float64(m.gpus[i].capped + m.gpus[i].brake)
	}},
	{"DCGM_FI_DEV_THERMAL_VIOLATION", "counter", "Throttling duration due to thermal constraints (in ns).", func(m *machine, i int, _ engine.Device) float64 { return float64(m.gpus[i].thermal) }},
	{"DCGM_FI_DEV_XID_ERRORS", "gauge", "Value of the last XID error encountered.", func(m *machine, i int, _ engine.Device) float64 { return float64(m.gpus[i].xid) }},
	{"DCGM_FI_DEV_FB_FREE", "gauge", "Framebuffer memory free (in MiB).", func(m *machine, _ int, _ engine.Device) float64 { return m.framebuffer() - m.framebufferUsed() }},
	{"DCGM_FI_DEV_FB_USED", "gauge", "Framebuffer memory used (in MiB).", func(m *machine, _ int, _ engine.Device) float64 { return m.framebufferUsed() }},
	{"DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "counter", "Total number of single-bit volatile ECC errors.", func(*machine, int, engine.Device) float64 { return 0 }},
	{"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "counter", "Total number of double-bit volatile ECC errors.", func(m *machine, i int, _ engine.Device) float64 { return m.gpus[i].doubleBit }},
	{"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "counter", "Number of remapped rows for uncorrectable errors", func(m *machine, i int, _ engine.Device) float64 { return m.gpus[i].remapped }},
	{"DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", "counter", "Number of remapped rows for correctable errors", func(*machine, int, engine.Device) float64 { return 0 }},
	{"DCGM_FI_DEV_ROW_REMAP_FAILURE", "gauge", "Whether remapping of rows has failed", func(m *machine, i int, _ engine.Device) float64 {
		if m.faults.RowRemapFailure && i == m.faulty() {
			return 1
		}
		return 0
	}},
	{"DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", "counter", "Total number of NVLink flow-control CRC errors.", nvlinkErrors},
	{"DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", "counter", "Total number of NVLink data CRC errors.", nvlinkErrors},
	{"DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", "counter", "Total number of NVLink retries.", nvlinkErrors},
	{"DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", "counter", "Total number of NVLink recovery errors.", nvlinkErrors},
	{"DCGM_FI_PROF_GR_ENGINE_ACTIVE", "gauge", "Ratio of time the graphics engine is active.", func(_ *machine, _ int, d engine.Device) float64 { return d.EngineActive }},
	{"DCGM_FI_PROF_SM_ACTIVE", "gauge", "The ratio of cycles an SM has at least 1 warp assigned.", func(_ *machine, _ int, d engine.Device) float64 { return d.SMActive }},
	{"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "gauge", "Ratio of cycles the tensor (HMMA) pipe is active.", func(_ *machine, _ int, d engine.Device) float64 { return d.TensorActive }},
	{"DCGM_FI_PROF_DRAM_ACTIVE", "gauge", "Ratio of cycles the device memory interface is active sending or receiving data.", func(_ *machine, _ int, d engine.Device) float64 { return d.DRAMActive }},
	{"DCGM_FI_PROF_PCIE_TX_BYTES", "gauge", "The rate of data transmitted over the PCIe bus - including both protocol headers and data payloads - in bytes per second.", func(m *machine, _ int, d engine.Device) float64 { return math.Round(d.HostSent + m.pcie(d.LinkSent)) }},
	{"DCGM_FI_PROF_PCIE_RX_BYTES", "gauge", "The rate of data received over the PCIe bus - including both protocol headers and data payloads - in bytes per second.", func(m *machine, _ int, d engine.Device) float64 {
		return math.Round(d.HostReceived + m.pcie(d.LinkReceived))
	}},
	{"DCGM_FI_PROF_NVLINK_TX_BYTES", "gauge", "The rate of data transmitted over NVLink, not including protocol headers, in bytes per second.", func(m *machine, _ int, d engine.Device) float64 { return m.nvlink(d.LinkSent) }},
	{"DCGM_FI_PROF_NVLINK_RX_BYTES", "gauge", "The rate of data received over NVLink, not including protocol headers, in bytes per second.", func(m *machine, _ int, d engine.Device) float64 { return m.nvlink(d.LinkReceived) }},
}

func nvlinkErrors(m *machine, i int, _ engine.Device) float64 {
	if !m.cfg.Chip.NVLink {
		return math.NaN() // not supported, so the exporter leaves it out
	}
	return math.Floor(m.gpus[i].nvlink)
}

// known is a figure that follows from the chip's clock or power limit, and nothing
// where those are not known.
func (m *machine) known(v float64) float64 {
	if m.cfg.Chip.SMClock == 0 || m.cfg.Chip.Power == 0 {
		return math.NaN()
	}
	return v
}

// pcie is the part of what GPUs exchange that goes over PCIe.
func (m *machine) pcie(bytes float64) float64 {
	if m.cfg.Chip.NVLink {
		return 0
	}
	return bytes
}

// nvlink is what goes over NVLink; a GPU without it does not have the field.
func (m *machine) nvlink(bytes float64) float64 {
	if !m.cfg.Chip.NVLink {
		return math.NaN()
	}
	return math.Round(bytes)
}

const mebibyte = 1 << 20

func (m *machine) framebuffer() float64 { return math.Floor(float64(m.cfg.Chip.Usable) / mebibyte) }
func (m *machine) framebufferUsed() float64 {
	return math.Floor(m.framebuffer() * m.cfg.MemoryHeld())
}

// dcgm writes what dcgm-exporter would of the GPUs.
func (m *machine) dcgm() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	var x bytes.Buffer
	for _, f := range fields {
		fmt.Fprintf(&x, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
		for i := range m.gpus {
			if v := f.of(m, i, m.gpus[i].shows); !math.IsNaN(v) {
				fmt.Fprintf(&x, "%s{%s} %s\n", f.name, m.labels(i), plain(v))
			}
		}
	}
	m.counts(&x, "DCGM_EXP_CLOCK_EVENTS_COUNT", "Count of clock events within the user-specified time window.", "clock_event", func(g gpu) map[string]int {
		n := map[string]int{}
		for _, r := range g.reasons {
			for bit, name := range clockEvents {
				if r.what&bit != 0 {
					n[name]++
				}
			}
		}
		return n
	})
	m.counts(&x, "DCGM_EXP_XID_ERRORS_COUNT", "Count of XID errors within the user-specified time window.", "xid", func(g gpu) map[string]int {
		n := map[string]int{}
		for _, e := range g.xids {
			n[fmt.Sprint(e.what)]++
		}
		return n
	})
	return x.Bytes()
}

// clockEvents are the exporter's names of the bits that the simulator sets
// (clock_events_collector.go).
var clockEvents = map[uint64]string{
	engine.ReasonIdle: "gpu_idle", engine.ReasonPowerCap: "power_cap", engine.ReasonHWSlowdown: "hw_slowdown",
	engine.ReasonSWThermal: "sw_thermal", engine.ReasonHWThermal: "hw_thermal", engine.ReasonPowerBrake: "hw_power_brake",
}

// counts writes a count of samples in the sliding window; a GPU of which nothing
// was seen has 0 without the label, as the exporter does.
func (m *machine) counts(x *bytes.Buffer, name, help, label string, of func(gpu) map[string]int) {
	fmt.Fprintf(x, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name)
	for i, g := range m.gpus {
		labels := fmt.Sprintf(`%s,window_size_in_ms="%d"`, m.labels(i), m.window.Milliseconds())
		n := of(g)
		if len(n) == 0 {
			fmt.Fprintf(x, "%s{%s} 0\n", name, labels)
		}
		for _, what := range slices.Sorted(maps.Keys(n)) {
			fmt.Fprintf(x, "%s{%s,%s=%q} %d\n", name, labels, label, what, n[what])
		}
	}
}

// plain is a number without an exponent, as the Go exporters write most.
func plain(v float64) string {
	if v == blank {
		return "9223372036854775794" // which a float cannot hold
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// labels are those of one GPU, in the exporter's order.
func (m *machine) labels(i int) string {
	return fmt.Sprintf(`gpu="%d",UUID="GPU-a55a1000-0000-4000-8000-%012d",pci_bus_id="00000000:%02X:00.0",device="nvidia%d",modelName="NVIDIA %s",Hostname="%s",DCGM_FI_DRIVER_VERSION="%s",container="%s",namespace="%s",pod="%s"`,
		i, i, 0x10+i, i, m.cfg.Chip.Name, nodeName, driverVersion, podContainer, podNamespace, podName)
}
