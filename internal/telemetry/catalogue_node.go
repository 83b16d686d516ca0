package telemetry

// The quantities of a process, a node and its containers that snapshots keep.
const (
	ProcessStart  Quantity = "process_start" // seconds since 1970
	ProcessCPU    Quantity = "process_cpu"
	NodeCPU       Quantity = "node_cpu" // by the labels cpu and mode
	ContainerCPU  Quantity = "container_cpu"
	CFSPeriods    Quantity = "cfs_periods"
	CFSThrottled  Quantity = "cfs_throttled_periods"
	ENABandwidth  Quantity = "ena_bw_in_exceeded"
	ENABandOut    Quantity = "ena_bw_out_exceeded"
	ENAPackets    Quantity = "ena_pps_exceeded"
	ENAConntrack  Quantity = "ena_conntrack_exceeded"
	ENALinkLocal  Quantity = "ena_linklocal_exceeded"
	EFARetransmit Quantity = "efa_retransmitted_packets"
	EFARxDrops    Quantity = "efa_rx_drops"
	NeuronCore    Quantity = "neuroncore_utilization"
	NeuronVCPU    Quantity = "neuron_vcpu_usage"
)

func process(metric string, labels ...string) Name { return published("process", metric, nil, labels) }

func scraping(metric string) Name { return published("prometheus", metric, nil, nil) }

func node(metric string, labels ...string) Name { return published("node", metric, nil, labels) }

// ena is a counter of the network driver that node_exporter shows on demand.
func ena(metric string) Name {
	return node(metric, "device").asked("--collector.ethtool with bw_in, bw_out, pps, conntrack and linklocal_allowance_exceeded among --collector.ethtool.metrics-include")
}

func efa(metric string) Name {
	return published("efa", metric, nil, []string{"device", "port"}).asked("the EFA build of node_exporter, --collector.amazonefa")
}

// newerEFA is of the counters of lost packets: AWS's page on EFA driver metrics
// and SageMaker HyperPod's list of what the exporter shows, 2026.
const newerEFA = "The driver has it on Nitro v4 and later only, and AWS's list of what its exporter shows leaves it out: where it is missing, nothing is known."

// kubelet is a metric of the kubelet's cAdvisor.
func kubelet(metric string, labels ...string) Name {
	return published("kubelet", metric, []string{"container", "id", "image", "name", "namespace", "pod"}, labels)
}

func kubeState(metric string, labels ...string) Name {
	return published("kube-state", metric, nil, labels)
}

func neuron(metric string, labels ...string) Name {
	return published("neuron", metric, []string{"instance_id", "instance_name", "instance_type", "availability_zone", "region", "subnet_id", "runtime_tag"}, labels)
}

// nodeEntries are the metrics of the machine and of what runs beside an engine.
// Sources: node_exporter, AWS's page on ENA metrics, the kubelet's cAdvisor,
// kube-state-metrics, the EFA build of node_exporter in awsome-distributed-training,
// neuron-monitor-prometheus, prometheus_client and the FastAPI instrumentator.
var nodeEntries = []Entry{
	{
		Quantity: ProcessStart, Kind: Gauge, Unit: "s", Over: Largest, Kept: true,
		Help:  "When the process that serves /metrics started, seconds since 1970.",
		Traps: []string{"vLLM has no process_ metrics with --api-server-count above 1."},
		Names: []Name{process("process_start_time_seconds")},
	},
	{
		Quantity: ProcessCPU, Kind: Counter, Unit: "s", Over: Sum, Kept: true,
		Help:  "CPU time of the process that serves /metrics: of a vLLM the API server, not the engine.",
		Traps: []string{"vLLM has no process_ metrics with --api-server-count above 1."},
		Names: []Name{process("process_cpu_seconds_total")},
	},
	{
		Quantity: "process_resident_memory", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Memory of the process that serves /metrics.",
		Names: []Name{process("process_resident_memory_bytes")},
	},
	{
		Quantity: "process_virtual_memory", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Addresses that the process has asked for; most are never used.",
		Names: []Name{process("process_virtual_memory_bytes")},
	},
	{
		Quantity: "process_open_fds", Kind: Gauge, Unit: "1", Over: Sum,
		Help:  "Files and connections that the process has open.",
		Names: []Name{process("process_open_fds")},
	},
	{
		Quantity: "process_max_fds", Kind: Gauge, Unit: "1", Over: Largest,
		Help:  "Files and connections that the process may have open.",
		Names: []Name{process("process_max_fds")},
	},
	{
		Quantity: "http_requests", Kind: Counter, Unit: "requests", Over: Sum,
		Help:  "HTTP requests answered, by handler, method and class of status (2xx, 4xx, 5xx).",
		Traps: []string{"A streamed answer that breaks off after its head counts as 2xx."},
		Names: []Name{process("http_requests_total", "handler", "method", "status")},
	},
	{
		Quantity: "http_request_duration", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "Time of an HTTP request by handler and method.",
		Traps: []string{"Of a streamed answer it is the time to its end: nothing of TTFT is in it."},
		Names: []Name{process("http_request_duration_seconds", "handler", "method")},
	},
	{
		Quantity: "http_request_duration_all", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "Time of an HTTP request, finer boundaries and no labels.",
		Names: []Name{process("http_request_duration_highr_seconds")},
	},
	{
		Quantity: "http_request_size", Kind: Summary, Unit: "bytes", Over: Sum,
		Help:  "Size of an HTTP request's body by handler.",
		Names: []Name{process("http_request_size_bytes", "handler")},
	},
	{
		Quantity: "http_response_size", Kind: Summary, Unit: "bytes", Over: Sum,
		Help:  "Size of an HTTP answer's body by handler, where its head says it.",
		Names: []Name{process("http_response_size_bytes", "handler")},
	},
	{
		Quantity: "up", Kind: Gauge, Unit: "1", Over: Sum,
		Help:  "1 where Prometheus's last scrape of the target worked, 0 where it did not.",
		Traps: []string{"A target that service discovery does not find any more has no up at all: alert on absent() too."},
		Names: []Name{scraping("up")},
	},
	{
		Quantity: "scrape_duration", Kind: Gauge, Unit: "s", Over: Largest,
		Help:  "How long Prometheus's last scrape of the target took.",
		Names: []Name{scraping("scrape_duration_seconds")},
	},
	{
		Quantity: "scrape_samples", Kind: Gauge, Unit: "1", Over: Sum,
		Help:  "Samples that the target gave at the last scrape.",
		Names: []Name{scraping("scrape_samples_scraped")},
	},
	{
		Quantity: "scrape_samples_kept", Kind: Gauge, Unit: "1", Over: Sum,
		Help:  "Samples of the last scrape that metric relabelling left over.",
		Names: []Name{scraping("scrape_samples_post_metric_relabeling")},
	},
	{
		Quantity: "scrape_series_added", Kind: Gauge, Unit: "1", Over: Sum,
		Help:  "New series at the last scrape, roughly.",
		Names: []Name{scraping("scrape_series_added")},
	},
	{
		Quantity: NodeCPU, Kind: Counter, Unit: "s", Over: Sum, Kept: true,
		Help:  "Time of each CPU by mode; all but idle, iowait and steal is work.",
		Names: []Name{node("node_cpu_seconds_total", "cpu", "mode")},
	},
	{
		Quantity: "node_memory_available", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Memory of the node that programs can still have.",
		Names: []Name{node("node_memory_MemAvailable_bytes")},
	},
	{
		Quantity: "node_memory_total", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Memory of the node.",
		Names: []Name{node("node_memory_MemTotal_bytes")},
	},
	{
		Quantity: "node_network_receive", Kind: Counter, Unit: "bytes", Over: Sum,
		Help:  "Bytes that an interface received.",
		Names: []Name{node("node_network_receive_bytes_total", "device")},
	},
	{
		Quantity: "node_network_transmit", Kind: Counter, Unit: "bytes", Over: Sum,
		Help:  "Bytes that an interface sent.",
		Names: []Name{node("node_network_transmit_bytes_total", "device")},
	},
	{
		Quantity: ENABandwidth, Kind: Counter, Unit: "packets", Over: Sum, Kept: true,
		Help:  "Packets queued or dropped because the instance's inbound bandwidth was exceeded.",
		Names: []Name{ena("node_ethtool_bw_in_allowance_exceeded")},
	},
	{
		Quantity: ENABandOut, Kind: Counter, Unit: "packets", Over: Sum, Kept: true,
		Help:  "Packets queued or dropped because the instance's outbound bandwidth was exceeded.",
		Names: []Name{ena("node_ethtool_bw_out_allowance_exceeded")},
	},
	{
		Quantity: ENAPackets, Kind: Counter, Unit: "packets", Over: Sum, Kept: true,
		Help:  "Packets queued or dropped because the instance's packets per second were exceeded.",
		Names: []Name{ena("node_ethtool_pps_allowance_exceeded")},
	},
	{
		Quantity: ENAConntrack, Kind: Counter, Unit: "packets", Over: Sum, Kept: true,
		Help:  "Packets dropped because the instance tracks no more connections: new ones fail.",
		Names: []Name{ena("node_ethtool_conntrack_allowance_exceeded")},
	},
	{
		Quantity: ENALinkLocal, Kind: Counter, Unit: "packets", Over: Sum, Kept: true,
		Help:  "Packets dropped because more than 1024 a second went to DNS, time or instance metadata.",
		Names: []Name{ena("node_ethtool_linklocal_allowance_exceeded")},
	},
	{
		Quantity: ContainerCPU, Kind: Counter, Unit: "s", Over: Sum, Kept: true,
		Help:  "CPU time of a container.",
		Traps: []string{"Series without a container, or with POD, are of the whole pod or cgroup: a sum over all counts twice."},
		Names: []Name{kubelet("container_cpu_usage_seconds_total", "cpu")},
	},
	{
		Quantity: CFSPeriods, Kind: Counter, Unit: "periods", Over: Sum, Kept: true,
		Help:  "Scheduling periods in which a container with a CPU limit ran.",
		Traps: []string{"There is no such series for a container without a CPU limit."},
		Names: []Name{kubelet("container_cpu_cfs_periods_total")},
	},
	{
		Quantity: CFSThrottled, Kind: Counter, Unit: "periods", Over: Sum, Kept: true,
		Help:  "Scheduling periods in which a container was stopped at its CPU limit.",
		Names: []Name{kubelet("container_cpu_cfs_throttled_periods_total")},
	},
	{
		Quantity: "cfs_throttled_time", Kind: Counter, Unit: "s", Over: Sum,
		Help:  "Time in which a container's threads were stopped at its CPU limit, summed over the threads.",
		Names: []Name{kubelet("container_cpu_cfs_throttled_seconds_total")},
	},
	{
		Quantity: "container_memory_working_set", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Memory of a container that cannot be taken back; at the limit it is killed.",
		Names: []Name{kubelet("container_memory_working_set_bytes")},
	},
	{
		Quantity: "container_oom_events", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Times that a container was killed for memory.",
		Names: []Name{kubelet("container_oom_events_total")},
	},
	{
		Quantity: "pod_phase", Kind: Gauge, Unit: "1", Over: Sum,
		Help:  "1 for the phase that a pod is in.",
		Names: []Name{kubeState("kube_pod_status_phase", "namespace", "pod", "uid", "phase")},
	},
	{
		Quantity: "pod_ready", Kind: Gauge, Unit: "1", Over: Sum,
		Help:  "1 where the pod's readiness is that of condition: true, false or unknown.",
		Names: []Name{kubeState("kube_pod_status_ready", "namespace", "pod", "uid", "condition")},
	},
	{
		Quantity: "pod_restarts", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Restarts of a container.",
		Names: []Name{kubeState("kube_pod_container_status_restarts_total", "namespace", "pod", "uid", "container")},
	},
	{
		Quantity: "pod_waiting_reason", Kind: Gauge, Unit: "1", Over: Sum,
		Help:  "1 for the reason that a container waits for: CrashLoopBackOff, ImagePullBackOff and so on.",
		Names: []Name{kubeState("kube_pod_container_status_waiting_reason", "namespace", "pod", "uid", "container", "reason")},
	},
	{
		Quantity: "pod_last_terminated_reason", Kind: Gauge, Unit: "1", Over: Sum,
		Help:  "1 for the reason that a container ended with the last time: OOMKilled, Error and so on.",
		Traps: []string{"It stays until the pod is gone: it is not an event."},
		Names: []Name{kubeState("kube_pod_container_status_last_terminated_reason", "namespace", "pod", "uid", "container", "reason")},
	},
	{
		Quantity: "pod_info", Kind: Gauge, Unit: "1", Over: Sum,
		Help:  "1 for each pod, with where it runs.",
		Names: []Name{kubeState("kube_pod_info", "namespace", "pod", "uid", "node", "host_ip", "pod_ip", "created_by_kind", "created_by_name", "priority_class", "host_network")},
	},
	{
		Quantity: "pod_resource_requests", Kind: Gauge, Unit: "1", Over: Sum,
		Help:  "What a container requests, by resource and unit.",
		Names: []Name{kubeState("kube_pod_container_resource_requests", "namespace", "pod", "uid", "container", "node", "resource", "unit")},
	},
	{
		Quantity: "pod_resource_limits", Kind: Gauge, Unit: "1", Over: Sum,
		Help:  "What a container may use at most, by resource and unit.",
		Names: []Name{kubeState("kube_pod_container_resource_limits", "namespace", "pod", "uid", "container", "node", "resource", "unit")},
	},
	{
		Quantity: "node_condition", Kind: Gauge, Unit: "1", Over: Sum,
		Help:  "1 where the node's condition has that status; on EKS AcceleratedHardwareReady is one.",
		Names: []Name{kubeState("kube_node_status_condition", "node", "condition", "status")},
	},
	{
		Quantity: "deployment_replicas", Kind: Gauge, Unit: "pods", Over: Sum,
		Help:  "Pods that a Deployment wants.",
		Names: []Name{kubeState("kube_deployment_spec_replicas", "namespace", "deployment")},
	},
	{
		Quantity: "deployment_available", Kind: Gauge, Unit: "pods", Over: Sum,
		Help:  "Pods of a Deployment that serve.",
		Names: []Name{kubeState("kube_deployment_status_replicas_available", "namespace", "deployment")},
	},
	{
		Quantity: EFARetransmit, Kind: Counter, Unit: "packets", Over: Sum, Kept: true,
		Help:  "Packets that EFA sent again.",
		Traps: []string{newerEFA},
		Names: []Name{efa("node_amazonefa_retrans_pkts")},
	},
	{
		Quantity: EFARxDrops, Kind: Counter, Unit: "packets", Over: Sum, Kept: true,
		Help:  "Packets that EFA received and dropped.",
		Names: []Name{efa("node_amazonefa_rx_drops")},
	},
	{
		Quantity: "efa_retransmitted_bytes", Kind: Counter, Unit: "bytes", Over: Sum,
		Help:  "Bytes that EFA sent again.",
		Traps: []string{newerEFA},
		Names: []Name{efa("node_amazonefa_retrans_bytes")},
	},
	{
		Quantity: "efa_retransmit_timeouts", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Times that EFA gave up waiting and took another path.",
		Traps: []string{newerEFA},
		Names: []Name{efa("node_amazonefa_retrans_timeout_events")},
	},
	{
		Quantity: "efa_unresponsive_remote", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Times that a remote end did not answer.",
		Traps: []string{newerEFA},
		Names: []Name{efa("node_amazonefa_unresponsive_remote_events")},
	},
	{
		Quantity: "efa_impaired_remote", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Times that a connection to a remote end was impaired.",
		Traps: []string{newerEFA},
		Names: []Name{efa("node_amazonefa_impaired_remote_conn_events")},
	},
	{
		Quantity: "efa_rx_bytes", Kind: Counter, Unit: "bytes", Over: Sum,
		Help:  "Bytes that EFA received.",
		Names: []Name{efa("node_amazonefa_rx_bytes")},
	},
	{
		Quantity: "efa_tx_bytes", Kind: Counter, Unit: "bytes", Over: Sum,
		Help:  "Bytes that EFA sent.",
		Names: []Name{efa("node_amazonefa_tx_bytes")},
	},
	{
		Quantity: "efa_rx_packets", Kind: Counter, Unit: "packets", Over: Sum,
		Help:  "Packets that EFA received.",
		Names: []Name{efa("node_amazonefa_rx_pkts")},
	},
	{
		Quantity: "efa_tx_packets", Kind: Counter, Unit: "packets", Over: Sum,
		Help:  "Packets that EFA sent.",
		Names: []Name{efa("node_amazonefa_tx_pkts")},
	},
	{
		Quantity: "efa_send_bytes", Kind: Counter, Unit: "bytes", Over: Sum,
		Help:  "Bytes of send operations.",
		Names: []Name{efa("node_amazonefa_send_bytes")},
	},
	{
		Quantity: "efa_send_requests", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Send operations.",
		Names: []Name{efa("node_amazonefa_send_wrs")},
	},
	{
		Quantity: "efa_receive_bytes", Kind: Counter, Unit: "bytes", Over: Sum,
		Help:  "Bytes of receive operations.",
		Names: []Name{efa("node_amazonefa_recv_bytes")},
	},
	{
		Quantity: "efa_receive_requests", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Receive operations.",
		Names: []Name{efa("node_amazonefa_recv_wrs")},
	},
	{
		Quantity: "efa_rdma_read_bytes", Kind: Counter, Unit: "bytes", Over: Sum,
		Help:  "Bytes that RDMA reads brought.",
		Names: []Name{efa("node_amazonefa_rdma_read_bytes")},
	},
	{
		Quantity: "efa_rdma_read_requests", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "RDMA reads.",
		Names: []Name{efa("node_amazonefa_rdma_read_wrs")},
	},
	{
		Quantity: "efa_read_errors", Kind: Counter, Unit: "requests", Over: Sum,
		Help:  "Remote reads over EFA that ended in an error.",
		Names: []Name{efa("node_amazonefa_rdma_read_wr_err")},
	},
	{
		Quantity: "efa_rdma_read_response_bytes", Kind: Counter, Unit: "bytes", Over: Sum,
		Help:  "Bytes given to RDMA reads of others.",
		Names: []Name{efa("node_amazonefa_rdma_read_resp_bytes")},
	},
	{
		Quantity: "efa_rdma_write_bytes", Kind: Counter, Unit: "bytes", Over: Sum,
		Help:  "Bytes that RDMA writes took away.",
		Names: []Name{efa("node_amazonefa_rdma_write_bytes")},
	},
	{
		Quantity: "efa_rdma_write_requests", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "RDMA writes.",
		Names: []Name{efa("node_amazonefa_rdma_write_wrs")},
	},
	{
		Quantity: "efa_write_errors", Kind: Counter, Unit: "requests", Over: Sum,
		Help:  "Remote writes over EFA that ended in an error.",
		Names: []Name{efa("node_amazonefa_rdma_write_wr_err")},
	},
	{
		Quantity: "efa_rdma_write_receive_bytes", Kind: Counter, Unit: "bytes", Over: Sum,
		Help:  "Bytes that RDMA writes of others brought.",
		Names: []Name{efa("node_amazonefa_rdma_write_recv_bytes")},
	},
	{
		Quantity: NeuronCore, Kind: Gauge, Unit: "share", Over: Mean, Kept: true,
		Help:  "Share of time in which a NeuronCore was busy.",
		Names: []Name{neuron("neuroncore_utilization_ratio", "neuroncore")},
	},
	{
		Quantity: NeuronVCPU, Kind: Gauge, Unit: "share", Over: Sum, Kept: true,
		Help:  "Share of the node's vCPUs that the Neuron runtime uses, by usage_type (user, system).",
		Names: []Name{neuron("neuron_runtime_vcpu_usage_ratio", "usage_type")},
	},
	{
		Quantity: "neuron_execution_errors", Kind: Counter, Unit: "errors", Over: Sum,
		Help:  "Executions on NeuronCores that failed, by error_type (generic, numerical, transient, model, runtime, hardware).",
		Traps: []string{"numerical is NaN in a result, which is the model's doing."},
		Names: []Name{neuron("execution_errors_total", "error_type")},
	},
	{
		Quantity: "neuron_ecc_events", Kind: Counter, Unit: "events", Over: Sum,
		Help: "Memory errors of a Neuron device, by event_type (mem_ecc_corrected, mem_ecc_uncorrected, sram_ecc_uncorrected…).",
		Names: []Name{
			neuron("hardware_ecc_events_total", "event_type", "neuron_device_index"),
			neuron("neurondevice_hw_ecc_events_total", "neuron_device_index").asked("the CloudWatch agent, which renames it"),
		},
	},
	{
		Quantity: "neuron_executions", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Executions on NeuronCores by how they ended.",
		Names: []Name{neuron("execution_status_total", "status_type")},
	},
	{
		Quantity: "neuron_execution_latency", Kind: Gauge, Unit: "s", Over: Largest,
		Help:  "Time of an execution on NeuronCores by percentile.",
		Names: []Name{neuron("execution_latency_seconds", "percentile")},
	},
	{
		Quantity: "neuron_runtime_memory", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Memory of the Neuron runtime, by memory_location: host or neuron_device.",
		Names: []Name{neuron("neuron_runtime_memory_used_bytes", "memory_location")},
	},
	{
		Quantity: "neuroncore_memory_constants", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Memory of a NeuronCore for constants.",
		Names: []Name{neuron("neuroncore_memory_usage_constants", "neuroncore", "memory_location")},
	},
	{
		Quantity: "neuroncore_memory_model_code", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Memory of a NeuronCore for the model's code.",
		Names: []Name{neuron("neuroncore_memory_usage_model_code", "neuroncore", "memory_location")},
	},
	{
		Quantity: "neuroncore_memory_scratchpad", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Memory of a NeuronCore for the scratchpad that models share.",
		Names: []Name{neuron("neuroncore_memory_usage_model_shared_scratchpad", "neuroncore", "memory_location")},
	},
	{
		Quantity: "neuroncore_memory_runtime", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Memory of a NeuronCore for the runtime.",
		Names: []Name{neuron("neuroncore_memory_usage_runtime_memory", "neuroncore", "memory_location")},
	},
	{
		Quantity: "neuroncore_memory_tensors", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Memory of a NeuronCore for tensors.",
		Names: []Name{neuron("neuroncore_memory_usage_tensors", "neuroncore", "memory_location")},
	},
}
