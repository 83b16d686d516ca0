package diagnose

import "assay/internal/record"

var gateClasses = []Class{
	{
		Verdict: record.BoundClient, Title: "Client",
		Meaning: "The machine or the program that makes the load could not make it: the figures are of the client, not of the server.",
		Signs: []string{
			"requests leave later than the schedule says, or fewer are in flight than asked for",
			"the client's cores are busy while the server has neither queue nor full batch",
		},
		Traps: []string{
			"a client that is late while the server has a queue changes little: the server's limit shows all the same",
			"client and server on one machine take each other's cores",
		},
		Remedies: []Remedy{
			{Text: "run the client on a machine with free cores in the server's zone; `assay selftest` prints what a machine can do", Helps: Helps, Cost: "another machine for the length of the run"},
			{Text: "read chunks that hold several tokens: the client's work is by chunk", Flag: "--stream-interval 4", Helps: Trades, Cost: "gaps between chunks no longer show gaps between tokens"},
		},
	},
	{
		Verdict: record.BoundFault, Title: "Faulty GPU",
		Meaning: "A GPU, its memory or a link between GPUs reported an error after which its speed and its results cannot be trusted.",
		Signs: []string{
			"an XID code that asks for a reset or a new node (48, 64, 74, 79, 95, 119 and others: `assay explain xid 79`)",
			"a double-bit ECC error, a row remap that failed, NVLink errors that go on",
			"the node's condition AcceleratedHardwareReady is false",
		},
		Traps: []string{
			"DCGM_FI_DEV_XID_ERRORS is a gauge that keeps the last code, which may be of last week; DCGM_EXP_XID_ERRORS_COUNT counts a window",
			"codes 13, 31 and 43 are most often the application's fault, and 45 comes with every process that is killed; a restart mends them",
			"code 94 is an error of the memory that stayed with one application: a restart mends that, and the GPU is to be reset when convenient",
		},
		Remedies: []Remedy{
			{Text: "drain the node and replace it; on EKS, node auto repair does so for the fatal codes", Helps: Helps, Cost: "the capacity of one node until the new one is ready"},
			{Text: "restart the pod where the code is the application's", Helps: Helps, Cost: "one cold start"},
		},
	},
	{
		Verdict: record.BoundThrottled, Title: "Throttled GPU",
		Meaning: "Heat or the power brake held the clocks of a GPU back. It works, slower than it should, and a tensor-parallel group goes at the pace of its slowest GPU.",
		Signs: []string{
			"clock-event reasons with a thermal bit (0x20 software, 0x40 hardware) or the power brake (0x80)",
			"an SM clock well below its maximum while the GPU is busy and not at its power limit",
		},
		Traps: []string{
			"temperature alone is a proxy: limits differ by GPU",
			"the power cap (0x4) is normal under full load and is no fault",
			"DCGM's default counter list lacks the clock-event reasons, so an alert on them is silent",
		},
		Remedies: []Remedy{
			{Text: "drain the node, see to its cooling or its power, or replace it; then measure again", Helps: Helps, Cost: "the capacity of one node for the while"},
			{Text: "where every node shows it, the GPUs' power limit or the site's cooling is what to change", Helps: Helps, Cost: "outside the cluster's hands"},
		},
	},
	{
		Verdict: record.BoundCold, Title: "Cold start",
		Meaning: "The server was loading, compiling, warming up or restarting while it was looked at. The figures are of that, and say nothing of its limits.",
		Signs: []string{
			"the process started within the window, counters fell, or the set of engines changed",
			"the first requests took many times as long as later ones at the same load",
			"the cluster tells of a restart, an OOM kill or a pod that was not ready",
		},
		Traps: []string{
			"graph capture and compilation make the first requests slow without a restart",
			"a pod that is killed for memory again and again looks like a slow one from outside",
		},
		Remedies: []Remedy{
			{Text: "wait until the server answers steadily, and measure again", Helps: Helps, Cost: "some minutes"},
			{Text: "after an OOM kill: raise the container's memory limit, or lower what is kept in host memory", Helps: Helps, Cost: "memory of the node"},
		},
	},
}
