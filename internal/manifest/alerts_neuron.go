package manifest

// neuronGroup is what AWS's accelerators say by neuron-monitor.
func neuronGroup() Group {
	return Group{Name: "assay-neuron", Alerts: []Alert{
		{
			Name:        "NeuronUncorrectableErrors",
			Expr:        `increase(hardware_ecc_events_total{event_type=~"(mem|sram)_ecc_uncorrected"}[1h]) > 0`,
			Severity:    Critical,
			Summary:     "A Neuron device has memory errors that ECC cannot correct",
			Description: "Neuron device {{ $labels.neuron_device_index }} of {{ or $labels.instance_id $labels.instance }} had {{ $value | humanize }} uncorrectable errors ({{ $labels.event_type }}) in the last hour.",
			Meaning:     "Data was lost. The EKS node monitoring agent reports it as AcceleratedHardwareReady false.",
			Steps:       []string{"Cordon the node, move the work, and replace the instance."},
			Level:       "any",
		},
		{
			Name: "NeuronExecutionErrors",
			Expr: `sum by (namespace, pod, instance, instance_id, error_type) (increase(execution_errors_total{error_type!="numerical"}[10m])) > 0`,
			For:  "15m", Severity: Warning,
			Summary:     "Executions on Neuron devices fail",
			Description: "{{ $value | humanize }} executions on {{ or $labels.instance_id $labels.instance }} failed in ten minutes ({{ $labels.error_type }}).",
			Meaning:     "The runtime could not finish what it was given: generic, model, runtime, transient or hardware. Numerical errors are the model's, NaN among them, and are left out.",
			Steps:       []string{"hardware: replace the instance.", "Otherwise read the log of the pod: the runtime says which model and core."},
			Level:       "some in each ten minutes, for a quarter of an hour",
		},
		{
			Name: "NeuronHostBound",
			Expr: `sum by (instance) (avg_over_time(neuron_runtime_vcpu_usage_ratio[15m])) > 0.8
and on (instance)
avg by (instance) (avg_over_time(neuroncore_utilization_ratio[15m])) < 0.8`,
			For: "15m", Severity: Info,
			Summary:     "The host holds Neuron cores back",
			Description: "The Neuron runtime on {{ $labels.instance }} uses {{ $value | humanizePercentage }} of the vCPUs, while the cores are not busy.",
			Meaning:     "Preparing work takes the CPU, and the NeuronCores wait for it: common on the small sizes of inf2.",
			Steps:       []string{"Take a larger size of the instance, or fewer server processes on it."},
			Level:       "0.8 of the vCPUs and under 0.8 of the cores; ours",
		},
	}}
}
