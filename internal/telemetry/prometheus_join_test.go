package telemetry

import (
	"strings"
	"testing"
)

const twoPods = `
vllm:num_requests_running{model_name="m",namespace="llm",pod="a",instance="10.0.0.1:8000",job="vllm"} 4+0
vllm:num_requests_running{model_name="m",namespace="llm",pod="b",instance="10.0.0.2:8000",job="vllm"} 4+0
`

// GPUs and nodes belong to a replica by pod, by node or by address, and to none
// where two replicas share what cannot be told apart.
func TestExportersAreJoined(t *testing.T) {
	for _, c := range []struct {
		name, lines, remark string
		gpu, node           map[string]float64 // by replica: the temperature; the pod's or node's CPU cores
	}{
		{"by the pod that the scrape renamed", twoPods + `
DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="x",exported_pod="a",exported_namespace="llm",pod="dcgm-1",namespace="gpu",instance="10.0.0.1:9400",job="dcgm"} 1500+0
DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="y",exported_pod="b",exported_namespace="llm",pod="dcgm-2",namespace="gpu",instance="10.0.0.2:9400",job="dcgm"} 900+0
`, "", map[string]float64{"a": 1500, "b": 900}, nil},
		{"by the pod as the exporter says it", twoPods + `
DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="x",pod="a",namespace="llm",instance="10.0.0.1:9400",job="dcgm"} 1500+0
`, "", map[string]float64{"a": 1500}, nil},
		{"by the node that kube-state-metrics tells", twoPods + `
kube_pod_info{exported_pod="a",node="ip-1",job="kube-state"} 1+0
DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="x",Hostname="ip-1",pod="dcgm-1",instance="172.16.0.1:9400",job="dcgm"} 1500+0
`, "", map[string]float64{"a": 1500}, nil},
		{"by the address", `
vllm:num_requests_running{model_name="m",instance="host1:8000",job="vllm"} 4+0
DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="x",instance="host1:9400",job="dcgm"} 1500+0
DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="z",instance="host10:9400",job="dcgm"} 10+0
`, "", map[string]float64{"host1:8000": 1500}, nil},
		{"not by a machine of two replicas", `
vllm:num_requests_running{model_name="m",instance="host1:8000",job="vllm"} 4+0
vllm:num_requests_running{model_name="m",instance="host1:8001",job="vllm"} 4+0
DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="x",instance="host1:9400",job="dcgm"} 1500+0
`, "attributed to no pod", nil, nil},
		{"of a machine of two by the pod, and to nobody else", `
vllm:num_requests_running{model_name="m",pod="a",instance="host1:8000",job="vllm"} 4+0
vllm:num_requests_running{model_name="m",pod="b",instance="host1:8001",job="vllm"} 4+0
DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="x",pod="a",instance="host1:9400",job="dcgm"} 60+0
`, "", map[string]float64{"a": 60}, nil},
		{"to nobody", twoPods + `
DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="x",Hostname="ip-9",instance="172.16.0.9:9400",job="dcgm"} 1500+0
`, "none could be attributed", nil, nil},
		{"a container by its pod", twoPods + `
container_cpu_usage_seconds_total{namespace="llm",pod="a",container="vllm",cpu="total",instance="172.16.0.1:10250",job="kubelet"} 0+30
`, "", nil, map[string]float64{"a": 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _, remarks := fake(t, c.lines)
			got, err := p.Range(t.Context(), halfHour)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range got {
				heat, known := c.gpu[r.Name]
				g := FoldGPU(r.GPU)
				if known != (g != nil) || known && (g.TempMaxC == nil || *g.TempMaxC != heat || g.Count != 1) {
					t.Errorf("%s: GPU account %+v, want %v degrees", r.Name, g, heat)
				}
				cores, known := c.node[r.Name]
				n := FoldNode(r.Node)
				if known != (n != nil) || known && (n.PodCPU == nil || *n.PodCPU < cores-0.01 || *n.PodCPU > cores+0.01) {
					t.Errorf("%s: node account %+v, want %v cores", r.Name, n, cores)
				}
			}
			if said := strings.Join(*remarks, "\n"); c.remark == "" && said != "" || !strings.Contains(said, c.remark) {
				t.Errorf("remarks %q, want %q", said, c.remark)
			}
		})
	}
}
