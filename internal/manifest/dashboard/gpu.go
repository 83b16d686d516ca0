package dashboard

import (
	"fmt"
	"strconv"
	"strings"

	"assay/internal/facts"
)

// Which hosts: all of them, or those that the reader chose.
const (
	everyHost   = ""
	chosenHosts = `"$host"`
)

// perGPU is one GPU or one instance of it (MIG). dcgm-exporter has called the
// host Hostname and, later, hostname.
const (
	perGPU    = "hostname, Hostname, gpu, GPU_I_ID"
	gpuLegend = "{{hostname}}{{Hostname}} GPU {{gpu}} {{GPU_I_ID}}"
)

// gpuSeries selects a metric of GPUs by host, whichever way the label is spelt.
// What a GPU does not have DCGM writes as 9223372036854775794: that is left out.
func gpuSeries(metric, hosts string) string {
	if hosts == everyHost {
		return "(" + metric + " < 1e15)"
	}
	return "(" + either(metric+"{hostname=~"+hosts+"}", metric+"{Hostname=~"+hosts+"}") + " < 1e15)"
}

func gpuRate(metric, hosts string) string {
	return either(rate(metric+"{hostname=~"+hosts+"}"), rate(metric+"{Hostname=~"+hosts+"}"))
}

// gpusOf selects a metric of those GPUs that the pods of servers have. The
// exporter's label pod is exported_pod where the scrape adds a pod of its own.
func gpusOf(metric, selection string) string {
	const to = `, "of_pod", "$1", `
	return "(label_replace(" + metric + `{exported_pod!=""}` + to + `"exported_pod", "(.+)")` +
		" or label_replace(" + metric + `{exported_pod="",pod!=""}` + to + `"pod", "(.+)"))` +
		" and on (of_pod) label_replace(vllm:num_requests_running{" + selection + "}" + to + `"pod", "(.+)")`
}

// clockReasons is the bit mask of why a GPU's clock is what it is.
func clockReasons(hosts string) string {
	return either(gpuSeries("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", hosts), gpuSeries("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", hosts))
}

// Bits of the mask (NVML, nvmlClocksEventReasons): PromQL has no bitwise and.

// slowed has 0x20 software thermal, 0x40 hardware thermal or 0x80 power brake.
func slowed(hosts string) string { return "floor(" + clockReasons(hosts) + " / 32) % 8 > 0" }

// hot has 0x20 or 0x40.
func hot(hosts string) string { return "floor(" + clockReasons(hosts) + " / 32) % 4 > 0" }

// braked has 0x80.
func braked(hosts string) string { return "floor(" + clockReasons(hosts) + " / 128) % 2 > 0" }

// capped has 0x4, the power limit, which is normal under full load.
func capped(hosts string) string { return "floor(" + clockReasons(hosts) + " / 4) % 2 > 0" }

func slowedGPUs(hosts string) panel {
	return panel{
		kind: tile, title: "GPUs slowed", unit: "none",
		means:   "GPUs whose clock is held down by heat or by a power brake, by the clock-event reasons.",
		queries: []query{{expr: count(slowed(hosts), clockReasons(hosts))}},
		judge:   never(), none: "Counter not enabled",
	}
}

// gpus is the health and the use of GPUs.
func gpus(o Options) board {
	return board{
		name: "assay-gpu", title: "Assay / GPU health",
		about: "GPUs by dcgm-exporter: what is broken, what is slowed, what they are busy with. Most of it needs counters that the exporter does not enable by itself.",
		asks: []ask{
			{name: "gpujob", label: "Exporter's job", seen: true, query: `label_values(DCGM_FI_DEV_GPU_TEMP, job)`},
			{name: "host", label: "Host", query: `query_result(count by (hostname, Hostname) (DCGM_FI_DEV_GPU_TEMP))`, pattern: `/[hH]ostname="([^"]+)"/`},
		},
		rows: []row{
			{"Is anything broken?", broken()},
			{"Is anything slowed?", o.slowing()},
			{"What are they busy with?", busy()},
			{"Faults over time", faults()},
			{"What does the nodes' network drop?", network()},
			{"What misleads", misleading()},
		},
	}
}

const exporters = `job=~"$gpujob"`

func broken() []panel {
	panels := trouble()
	for i := range panels {
		panels[i] = panels[i].size(4, 4)
	}
	return panels
}

func trouble() []panel {
	xids := gpuSeries("DCGM_FI_DEV_XID_ERRORS", chosenHosts)
	remap := gpuSeries("DCGM_FI_DEV_ROW_REMAP_FAILURE", chosenHosts)
	double := gpuSeries("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", chosenHosts)
	return []panel{
		{
			kind: tile, title: "Exporters down", unit: "none",
			means:   "Exporters of GPU metrics that do not answer; their GPUs have no other figure.",
			queries: []query{{expr: "sum(up{" + exporters + "} == bool 0) or -absent(up{" + exporters + "})"}},
			judge:   never(), words: map[string]word{"-1": {"No exporter", red}}, none: "No exporter",
		},
		{
			kind: tile, title: "GPUs with a grave XID", unit: "none",
			means:   "GPUs whose last XID makes them useless until they are reset or replaced; the gauge keeps the last code.",
			queries: []query{{expr: graveXIDs(xids)}},
			judge:   never(), none: "No exporter",
		},
		{
			kind: tile, title: "GPUs with double-bit errors", unit: "none",
			means:   "GPUs with errors of memory that could not be corrected since the driver was loaded.",
			queries: []query{{expr: count(double+" > 0", double)}},
			judge:   never(), none: "Counter not enabled",
		},
		{
			kind: tile, title: "GPUs that cannot remap", unit: "none",
			means:   "GPUs with a memory row that could not be replaced: to be taken out.",
			queries: []query{{expr: count(remap+" > 0", remap)}},
			judge:   never(), none: "Counter not enabled",
		},
		slowedGPUs(chosenHosts),
		{
			kind: tile, title: "GPUs", unit: "none", none: "No exporter",
			means:   "GPUs, or instances of them, that report.",
			queries: []query{{expr: "count(" + gpuSeries("DCGM_FI_DEV_GPU_TEMP", chosenHosts) + ")"}},
		},
	}
}

// graveXIDs counts the GPUs whose last code is one of the grave ones. A value is
// made a label to be matched.
func graveXIDs(xids string) string {
	var codes []string
	for _, x := range facts.XIDs {
		if x.Severity == facts.XIDPage {
			codes = append(codes, strconv.Itoa(x.Code))
		}
	}
	return fmt.Sprintf(`sum(label_replace(count_values("xid", %s), "grave", "yes", "xid", "%s") and on (grave) label_replace(vector(1), "grave", "yes", "", "")) or 0 * count(%s)`,
		xids, strings.Join(codes, "|"), xids)
}

// powerLimit is what the driver enforces, or what is set.
var powerLimit = either(gpuSeries("DCGM_FI_DEV_ENFORCED_POWER_LIMIT", chosenHosts), gpuSeries("DCGM_FI_DEV_POWER_MGMT_LIMIT", chosenHosts))

func (o Options) slowing() []panel {
	heat := chart("Temperature", "celsius", "Temperature of each GPU; where clock-event reasons are missing it is the next best sign of throttling.",
		query{expr: over("max", perGPU, gpuSeries("DCGM_FI_DEV_GPU_TEMP", chosenHosts)), legend: gpuLegend})
	heat.judge = above(o.Levels.Warm, o.Levels.Hot)
	none := "0 * count(" + clockReasons(chosenHosts) + ")"
	reasons := chart("GPUs by what holds their clock", "none",
		"How many GPUs are held down by heat, by a power brake, or are at their power limit, which is normal under full load.",
		query{expr: "count(" + hot(chosenHosts) + ") or " + none, legend: "heat"},
		query{expr: "count(" + braked(chosenHosts) + ") or " + none, legend: "power brake"},
		query{expr: "count(" + capped(chosenHosts) + ") or " + none, legend: "at the power limit"})
	return []panel{
		reasons.size(8, 8),
		heat.size(8, 8),
		chart("Clock of the multiprocessors", "rotmhz", "Clock of each GPU: one that lies below the others at the same load is slowed.",
			query{expr: over("min", perGPU, gpuSeries("DCGM_FI_DEV_SM_CLOCK", chosenHosts)), legend: gpuLegend},
			query{expr: "max(" + gpuSeries("DCGM_FI_DEV_MAX_SM_CLOCK", chosenHosts) + ")", legend: "highest", limit: true}).size(8, 8),
		chart("Power", "watt", "Power of each GPU: near its limit under load is normal, far below it is idle.",
			query{expr: over("max", perGPU, gpuSeries("DCGM_FI_DEV_POWER_USAGE", chosenHosts)), legend: gpuLegend},
			query{expr: "max(" + powerLimit + ")", legend: "limit", limit: true}).size(8, 8),
		chart("Time throttled by heat", "percentunit", "Share of time in which heat held the clock down, from the counter of nanoseconds.",
			query{expr: over("max", perGPU, gpuRate("DCGM_FI_DEV_THERMAL_VIOLATION", chosenHosts)+" / 1e9"), legend: gpuLegend}).size(8, 8),
		chart("Clock events in the exporter's window", "none",
			"Samples of the exporter's own sliding window by reason of the clock: a count already, without a reason and 0 where nothing happened.",
			query{expr: sum("clock_event", gpuSeries("DCGM_EXP_CLOCK_EVENTS_COUNT", chosenHosts)), legend: "{{clock_event}}"}).size(8, 8),
	}
}

func busy() []panel {
	active := func(title, means, metric string) panel {
		p := chart(title, "percentunit", means,
			query{expr: over("avg", perGPU, gpuSeries(metric, chosenHosts)), legend: gpuLegend})
		p.top = 1
		return p.size(8, 8)
	}
	return []panel{
		active("Memory active", "Share of time in which memory moved data: what decode is bound by; about 0.8 is as much as is reached in practice.", "DCGM_FI_PROF_DRAM_ACTIVE"),
		active("Tensor cores active", "Share of time in which tensor cores worked: what prefill is bound by, a few percent in decode.", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"),
		active("Multiprocessors active", "Share of time in which multiprocessors had work, waiting for another GPU included.", "DCGM_FI_PROF_SM_ACTIVE"),
		active("Engine active", "Share of time in which any kernel ran: gaps under load are a host that is too slow.", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"),
		chart("PCIe", "Bps", "Bytes a second over PCIe, both directions: without NVLink the collectives of tensor parallelism go here.",
			query{expr: over("sum", perGPU, gpuSeries("DCGM_FI_PROF_PCIE_TX_BYTES", chosenHosts)), legend: gpuLegend + " out"},
			query{expr: over("sum", perGPU, gpuSeries("DCGM_FI_PROF_PCIE_RX_BYTES", chosenHosts)), legend: gpuLegend + " in"}).size(8, 8),
		chart("NVLink", "Bps", "Bytes a second over NVLink, both directions.",
			query{expr: over("sum", perGPU, gpuSeries("DCGM_FI_PROF_NVLINK_TX_BYTES", chosenHosts)), legend: gpuLegend + " out"},
			query{expr: over("sum", perGPU, gpuSeries("DCGM_FI_PROF_NVLINK_RX_BYTES", chosenHosts)), legend: gpuLegend + " in"}).size(8, 8),
	}
}

func faults() []panel {
	return []panel{
		xidTable().size(12, 8),
		chart("NVLink errors", "ops", "Errors a second of each kind: checksums and replays are mended by the link itself, a recovery is the serious one.",
			query{expr: sum("", gpuRate("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", chosenHosts)), legend: "checksum of flow control"},
			query{expr: sum("", gpuRate("DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", chosenHosts)), legend: "checksum of data"},
			query{expr: sum("", gpuRate("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", chosenHosts)), legend: "replay"},
			query{expr: sum("", gpuRate("DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", chosenHosts)), legend: "recovery"}).size(12, 8),
		chart("Memory rows replaced", "none", "Rows of memory replaced after errors that could not be corrected, and after those that could.",
			query{expr: over("max", perGPU, gpuSeries("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", chosenHosts)), legend: gpuLegend + " uncorrectable"},
			query{expr: over("max", perGPU, gpuSeries("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", chosenHosts)), legend: gpuLegend + " correctable"}).size(12, 8),
		chart("Errors of memory", "none", "Errors since the driver was loaded: double-bit ones cost a process its life, single-bit ones are corrected.",
			query{expr: over("max", perGPU, gpuSeries("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", chosenHosts)), legend: gpuLegend + " double-bit"},
			query{expr: over("max", perGPU, gpuSeries("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", chosenHosts)), legend: gpuLegend + " single-bit"}).size(12, 8),
	}
}

// network is by node_exporter: EFA between the GPUs of a job, ENA to the clients.
func network() []panel {
	exceeded := func(what, legend string) query {
		return query{expr: sum("instance", rate("node_ethtool_"+what+"_allowance_exceeded")), legend: "{{instance}} " + legend}
	}
	return []panel{
		chart("Instance's allowances exceeded", "pps",
			"Packets a second that were queued or dropped because the instance's bandwidth, packets or connections were used up: a tail of latency that no server shows.",
			exceeded("bw_in", "bandwidth in"), exceeded("bw_out", "bandwidth out"),
			exceeded("pps", "packets"), exceeded("conntrack", "connections")).size(12, 8),
		chart("EFA", "pps", "Packets a second that EFA sent again or dropped: collectives over nodes wait for them.",
			query{expr: sum("instance", rate("node_amazonefa_retrans_pkts")), legend: "{{instance}} sent again"},
			query{expr: sum("instance", rate("node_amazonefa_rx_drops")), legend: "{{instance}} dropped"}).size(12, 8),
	}
}

// xidTable shows the last code of each GPU, with its meaning.
func xidTable() panel {
	words := map[string]word{"0": {"none", unpainted}}
	for _, x := range facts.XIDs {
		text := fmt.Sprintf("%d: %s", x.Code, x.Meaning)
		switch x.Severity {
		case facts.XIDPage:
			words[strconv.Itoa(x.Code)] = word{text, red}
		case facts.XIDTicket:
			words[strconv.Itoa(x.Code)] = word{text, amber}
		}
	}
	return panel{
		kind: table, title: "Last XID of each GPU", unit: "none", words: words,
		means:   "The last error code that the driver gave of each GPU, which stays until the next; `assay explain xid79` says what to do.",
		queries: []query{{expr: over("max", perGPU+", modelName", gpuSeries("DCGM_FI_DEV_XID_ERRORS", chosenHosts)), legend: "Last XID"}},
		cols: map[string]column{
			"hostname": {title: "Host"}, "Hostname": {title: "Host (older exporter)"}, "gpu": {title: "GPU"},
			"GPU_I_ID": {title: "Instance"}, "modelName": {title: "Model"}, "Last XID": {paint: true},
		},
	}
}

func misleading() []panel {
	return []panel{
		chart("GPU utilisation", "percent", "Share of time in which any kernel ran at all: 100 % as soon as something is served, so it says nothing about room.",
			query{expr: over("max", perGPU, gpuSeries("DCGM_FI_DEV_GPU_UTIL", chosenHosts)), legend: gpuLegend}).size(12, 6),
		chart("Memory taken", "mbytes", "Memory that processes hold: a serving engine takes nearly all at its start, so full is not short; the KV dashboard says how much is in use.",
			query{expr: over("max", perGPU, gpuSeries("DCGM_FI_DEV_FB_USED", chosenHosts)), legend: gpuLegend}).size(12, 6),
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
