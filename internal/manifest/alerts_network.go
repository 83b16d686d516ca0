package manifest

import (
	"fmt"
	"strings"
)

// networkGroup is what lies between nodes. The rates of EFA are those at which the
// EKS node monitoring agent speaks up (its efa.go, read 2026-08).
func networkGroup() Group {
	steps := []string{
		"One node: cordon it, move the work, and replace the instance.",
		"Many at once: are the nodes in one placement group, and is the security group open to itself for all traffic?",
	}
	return Group{Name: "assay-network", Alerts: []Alert{
		{
			Name: "EFADrops",
			Expr: "rate(node_amazonefa_rx_drops[5m]) > 100",
			For:  "5m", Severity: Warning,
			Summary:     "An EFA device drops packets",
			Description: "EFA device {{ $labels.device }} of {{ $labels.instance }} drops {{ $value | humanize }} received packets a second.",
			Meaning:     "The receiver does not keep up, or the network loses packets. Collectives wait for what is sent again.",
			Steps:       steps,
			Needs:       []string{"node_amazonefa_rx_drops"},
			Level:       "100 a second: the EKS agent's",
		},
		{
			Name: "EFARetransmits",
			Expr: "rate(node_amazonefa_retrans_pkts[5m]) > 1000",
			For:  "5m", Severity: Warning,
			Summary:     "An EFA device sends much again",
			Description: "EFA device {{ $labels.device }} of {{ $labels.instance }} sends {{ $value | humanize }} packets a second again.",
			Meaning:     "Packets are lost on the way. The bandwidth that is left is shared with what goes twice.",
			Steps:       steps,
			Needs:       []string{"node_amazonefa_retrans_pkts"},
			Level:       "1000 a second: the EKS agent's",
		},
		{
			Name: "EFAWriteErrors",
			Expr: "rate(node_amazonefa_rdma_write_wr_err[5m]) > 100\nor\nrate(node_amazonefa_rdma_read_wr_err[5m]) > 100",
			For:  "5m", Severity: Warning,
			Summary:     "Remote reads or writes over EFA fail",
			Description: "{{ $value | humanize }} RDMA requests a second fail on EFA device {{ $labels.device }} of {{ $labels.instance }}.",
			Meaning:     "Work requests end in an error: a peer is gone, or the link to it is broken. NCCL ends with an error or hangs.",
			Steps:       steps,
			Needs:       []string{"node_amazonefa_rdma_write_wr_err", "node_amazonefa_rdma_read_wr_err"},
			Level:       "100 a second of either kind: the EKS agent's",
		},
		{
			Name: "ENAAllowanceExceeded",
			Expr: strings.Join([]string{allowance("bw_in"), allowance("bw_out"), allowance("pps"), allowance("conntrack")}, "\nor "),
			For:  "15m", Severity: Warning,
			Summary:     "An instance is over an allowance of its network",
			Description: "{{ $value | humanize }} packets a second were queued or dropped on {{ $labels.device }} of {{ $labels.instance }}, because the allowance {{ $labels.allowance }} of the instance was exceeded, for 15 minutes.",
			Meaning:     "Bandwidth, packets per second or tracked connections of the instance are used up. Latency gets a tail that the engine's own metrics do not show.",
			Steps:       []string{"bw_in and bw_out are bandwidth, pps packets per second, conntrack tracked connections: long-lived connections help there.", "Take a larger size of the instance, or move the downloads of weights to another time."},
			Needs: []string{"node_ethtool_bw_in_allowance_exceeded", "node_ethtool_bw_out_allowance_exceeded",
				"node_ethtool_pps_allowance_exceeded", "node_ethtool_conntrack_allowance_exceeded"},
			Level: "one packet a second, for 15 minutes; ours",
		},
	}}
}

// allowance is how much of one allowance of an instance was exceeded. Each is by
// itself: an exporter may be told to show some of them alone.
func allowance(name string) string {
	return fmt.Sprintf(`label_replace(rate(node_ethtool_%[1]s_allowance_exceeded[5m]) > 1, "allowance", %[1]q, "", "")`, name)
}
