package httpd

import (
	"bytes"
	"fmt"
	"math"
)

// nodeText writes what the node's exporters would: node_exporter with its ethtool
// collector, the EFA exporter, and the kubelet's cAdvisor of the engine's container.
func (m *machine) nodeText() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	var x bytes.Buffer
	n := m.node
	head := func(name, help string) { fmt.Fprintf(&x, "# HELP %s %s\n# TYPE %s counter\n", name, help, name) }
	one := func(name, help, labels string, v float64) {
		head(name, help)
		fmt.Fprintf(&x, "%s{%s} %s\n", name, labels, plain(v))
	}
	head("node_cpu_seconds_total", "Seconds the CPUs spent in each mode.")
	for cpu := range nodeCPUs {
		for _, mode := range []struct {
			name  string
			total float64
		}{{"idle", n.total - n.busy}, {"iowait", 0}, {"irq", 0}, {"nice", 0}, {"softirq", 0}, {"steal", 0}, {"system", systemShare * n.busy}, {"user", (1 - systemShare) * n.busy}} {
			fmt.Fprintf(&x, "node_cpu_seconds_total{cpu=\"%d\",mode=\"%s\"} %s\n", cpu, mode.name, plain(mode.total/nodeCPUs))
		}
	}
	for _, dir := range []string{"bw_in", "bw_out", "pps", "conntrack", "linklocal"} {
		exceeded := 0.0
		if dir == "bw_out" { // what streams to many clients exhausts first
			exceeded = math.Floor(n.exceeded)
		}
		one("node_ethtool_"+dir+"_allowance_exceeded", "Network interface "+dir+"_allowance_exceeded", `device="eth0"`, exceeded)
	}
	for _, c := range []struct {
		name  string
		total float64
	}{{"retrans_pkts", n.retransmits}, {"retrans_bytes", n.retransmits * efaPacket}, {"retrans_timeout_events", 0}, {"rx_drops", n.drops},
		{"rdma_read_wr_err", 0}, {"rdma_write_wr_err", 0}, {"unresponsive_remote_events", 0}, {"impaired_remote_conn_events", 0}, {"rx_bytes", 0}, {"tx_bytes", 0}} {
		one("node_amazonefa_"+c.name, "EFA "+c.name, `device="rdmap0s6",port="1"`, math.Floor(c.total))
	}
	container := fmt.Sprintf(`container="%s",namespace="%s",pod="%s"`, podContainer, podNamespace, podName)
	one("container_cpu_usage_seconds_total", "Cumulative cpu time consumed in seconds.", container+`,cpu="total"`, n.pod)
	one("container_cpu_cfs_periods_total", "Number of elapsed enforcement period intervals.", container, math.Floor(n.periods))
	one("container_cpu_cfs_throttled_periods_total", "Number of throttled period intervals.", container, math.Floor(n.choked))
	return x.Bytes()
}

const (
	systemShare = 0.2  // of busy CPU time in the kernel; ours
	efaPacket   = 8192 // bytes: EFA's MTU
)
