package telemetry

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/record"
)

const nodeText = `node_cpu_seconds_total{cpu="0",mode="idle"} %[1]d
node_cpu_seconds_total{cpu="0",mode="iowait"} %[1]d
node_cpu_seconds_total{cpu="0",mode="user"} %[1]d
node_cpu_seconds_total{cpu="1",mode="idle"} 0
node_cpu_seconds_total{cpu="1",mode="system"} %[1]d
node_ethtool_bw_out_allowance_exceeded{device="eth0"} %[1]d
node_ethtool_bw_out_allowance_exceeded{device="eth1"} %[1]d
node_ethtool_pps_allowance_exceeded{device="eth0"} 5
node_amazonefa_retrans_pkts{device="rdmap0s6",port="1"} %[1]d
node_amazonefa_retrans_pkts{device="rdmap0s7",port="1"} %[1]d
node_amazonefa_rx_drops{device="rdmap0s6",port="1"} 5
container_cpu_usage_seconds_total{container="vllm",namespace="n",pod="a",cpu="total"} %[1]d
container_cpu_usage_seconds_total{container="vllm",namespace="n",pod="a",cpu="cpu00"} %[1]d
container_cpu_usage_seconds_total{container="",namespace="n",pod="a",cpu="total"} %[2]d
container_cpu_usage_seconds_total{container="POD",namespace="n",pod="a",cpu="total"} %[2]d
container_cpu_cfs_periods_total{container="vllm",namespace="n",pod="a"} %[2]d
container_cpu_cfs_throttled_periods_total{container="vllm",namespace="n",pod="a"} %[1]d
neuroncore_utilization_ratio{neuroncore="0"} 0.%[1]d
neuroncore_utilization_ratio{neuroncore="1"} 0.%[1]d
neuron_runtime_vcpu_usage_ratio{usage_type="user"} 0.1
neuron_runtime_vcpu_usage_ratio{usage_type="system"} 0.2
`

func TestFoldNode(t *testing.T) {
	snap := func(n int, at float64) Snapshot { return parse(t, fmt.Sprintf(nodeText, n, 4*n), at) }
	got := FoldNode([]Snapshot{snap(20, 0), {}, snap(30, 5), snap(40, 10)})
	want := &record.Node{
		Samples: 3, CPUs: p(2), CPUBusy: p(4), PodCPU: p(2), CFSThrottled: p(0.25),
		AllowanceExceeded: p(4), EFARetransmits: p(4), EFADrops: p(0), NeuronCore: p(0.3), NeuronVCPU: p(0.3),
	}
	if d := cmp.Diff(want, got, near); d != "" {
		t.Errorf("FoldNode: -want +got\n%s", d)
	}
}

func TestFoldNodeOfLittle(t *testing.T) {
	if n := FoldNode([]Snapshot{parse(t, "vllm:num_requests_running 1\nDCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} 1\n", 0)}); n != nil {
		t.Errorf("FoldNode = %+v, want nil", n)
	}
	one := FoldNode([]Snapshot{parse(t, "node_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 7\n", 0)})
	if d := cmp.Diff(&record.Node{Samples: 1, CPUs: p(1)}, one); d != "" {
		t.Errorf("one scrape: -want +got\n%s", d)
	}
}

func TestFoldNodeChanged(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"a counter falls", `node_cpu_seconds_total{cpu="0",mode="user"} 7`, `node_cpu_seconds_total{cpu="0",mode="user"} 6`, "fell from 7 to 6"},
		{"a container goes", `container_cpu_usage_seconds_total{container="c",pod="a",id="1"} 7`, `container_cpu_usage_seconds_total{container="c",pod="a",id="2"} 8`, "is gone"},
		{"the engine's own reset is not the node's", `vllm:generation_tokens_total 9
node_cpu_seconds_total{cpu="0",mode="user"} 7`, `vllm:generation_tokens_total 1
node_cpu_seconds_total{cpu="0",mode="user"} 8`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := FoldNode([]Snapshot{parse(t, c.before+"\n", 0), parse(t, c.after+"\n", 1)})
			if (c.want == "") != (n.Changed == "") || !strings.Contains(n.Changed, c.want) {
				t.Errorf("Changed = %q, want %q in it", n.Changed, c.want)
			}
			if c.want != "" && (n.CPUBusy != nil || n.PodCPU != nil) {
				t.Errorf("a rate over a change: %+v", n)
			}
		})
	}
}

// Of several pods it is not known which one serves.
func TestFoldNodeOfSeveralPods(t *testing.T) {
	at := func(v int) Snapshot {
		return parse(t, fmt.Sprintf("container_cpu_usage_seconds_total{container=\"c\",pod=\"a\"} %d\ncontainer_cpu_usage_seconds_total{container=\"c\",pod=\"b\"} %d\n", v, v), float64(v))
	}
	if n := FoldNode([]Snapshot{at(1), at(2)}); n.PodCPU != nil {
		t.Errorf("PodCPU = %v, want none", *n.PodCPU)
	}
	if n := FoldNode([]Snapshot{at(1).Where("pod", "b"), at(2).Where("pod", "b")}); n.PodCPU == nil || *n.PodCPU != 1 {
		t.Errorf("PodCPU of b alone = %v, want 1", n.PodCPU)
	}
}
