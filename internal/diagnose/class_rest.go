package diagnose

import "assay/internal/record"

var restClasses = []Class{
	{
		Verdict: record.BoundNotSaturated, Title: "Not saturated",
		Meaning: "Nothing binds at the loads that were seen: throughput still grows with load, and hardly any request waits.",
		Signs: []string{
			"the last step of load raised throughput nearly in proportion",
			"no queue, room in the KV cache",
		},
		Traps: []string{
			"busy memory is no limit as long as the batch can grow: reading the weights costs the same for one sequence as for many",
			"without higher loads the knee is not known, only that it lies beyond",
		},
		Remedies: []Remedy{
			{Text: "measure higher loads", Flag: "--concurrency", Helps: Helps, Cost: "time"},
			{Text: "in production: fewer replicas would do, as far as latency allows", Helps: Helps, Cost: "latency, and headroom for peaks"},
		},
	},
	{
		Verdict: record.BoundUnknown, Title: "Unknown",
		Meaning: "What was seen does not single one resource out. The verdict says what is missing and how to get it.",
		Signs:   []string{"no class is supported well, or two are about as well supported"},
		Traps:   []string{"a missing metric is not 0: it is missing"},
		Remedies: []Remedy{
			{Text: "give the engine's metrics", Flag: "--metrics URL", Helps: Helps, Cost: "none"},
			{Text: "give the GPUs' metrics (dcgm-exporter with the counter list that `assay render monitoring` writes)", Flag: "--dcgm URL", Helps: Helps, Cost: "a DaemonSet"},
			{Text: "measure at least three loads, up to where throughput stops growing", Helps: Helps, Cost: "time"},
		},
	},
}
