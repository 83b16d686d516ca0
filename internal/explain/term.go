package explain

import (
	"slices"

	"assay/internal/telemetry"
)

// term is a word of the field as Assay uses it. Quantity is what engines publish
// of it, where they do.
type term struct {
	name     string
	aliases  []string
	title    string
	is       string
	unit     string
	traps    []string
	see      []string
	quantity telemetry.Quantity
}

func termTopics() []topic {
	var all []topic
	for _, t := range terms {
		all = append(all, topic{name: t.name, kind: Term, aliases: t.aliases, page: func() Page { return t.page() }})
	}
	return all
}

func (t term) page() Page {
	p := Page{Topic: t.name, Kind: Term, Title: t.title, Is: t.is, Traps: t.traps, See: t.see}
	p.fact("unit", t.unit)
	p.Sources = []Source{{Title: "Assay's own use of the word"}}
	if t.quantity == "" {
		return p
	}
	i := slices.IndexFunc(telemetry.Catalogue, func(e telemetry.Entry) bool { return e.Quantity == t.quantity })
	e := telemetry.Catalogue[i]
	p.fact("as servers publish it", e.Help)
	server := quantityPage(e)
	p.Names, p.Traps = server.Names, slices.Concat(p.Traps, e.Traps)
	p.Sources = append(p.Sources, server.Sources...)
	return p
}

// terms, in the order of a request, a level, a run and what is concluded.
var terms = []term{
	{
		name: "TTFT", aliases: []string{"time to first token"}, title: "TTFT, time to first token", unit: "ms in a run, s where servers publish it", quantity: telemetry.TTFT,
		is: "The time from the request being sent to the first generated token arriving. A chunk with the role alone or an empty one is not a token; a reasoning token is one.",
		traps: []string{
			"A server's TTFT starts when the request arrives and ends before the answer is sent: the client's is longer by network, ingress and queues before the server.",
		},
		see: []string{"TTFO", "queue_time", "prefill_time"},
	},
	{
		name: "TTFO", aliases: []string{"time to first output token"}, title: "TTFO, time to first output token", unit: "ms",
		is:  "As TTFT, to the first token that is not reasoning: when somebody who waits for the answer sees it begin. Equal to TTFT where the model does not reason.",
		see: []string{"TTFT"},
	},
	{
		name: "ITL", aliases: []string{"TPOT", "inter-token latency", "time per output token"}, title: "ITL, inter-token latency", unit: "ms in a run, s where servers publish it", quantity: telemetry.ITL,
		is: "(t_last − t_first) / (n − k) of one request with n output tokens, k of them in the first chunk: how fast a reader sees text grow. vLLM's benchmark calls this TPOT.",
		traps: []string{
			"Undefined for fewer than two tokens, and where one chunk held all: left out, never 0.",
			"As a mean over the whole answer it hides stalls; those show in ICL.",
		},
		see: []string{"ICL", "TPS"},
	},
	{
		name: "ICL", aliases: []string{"inter-chunk latency"}, title: "ICL, inter-chunk latency", unit: "ms",
		is:    "The gaps between chunks that carry content, pooled over the requests of a level. This is where stalls show: a long prefill in the same batch, a preemption.",
		traps: []string{"Where a chunk holds several tokens it is larger than ITL."},
		see:   []string{"ITL"},
	},
	{
		name: "E2E", aliases: []string{"end-to-end latency", "e2e latency"}, title: "E2E, end-to-end latency", unit: "ms in a run, s where servers publish it", quantity: telemetry.E2E,
		is:    "From the send of a request to the end of its answer.",
		traps: []string{"It grows with the length of the answer, so two services are compared at one length only."},
	},
	{
		name: "TPS", aliases: []string{"tokens per second", "throughput"}, title: "TPS, output tokens per second", unit: "tokens/s",
		is:    "Always one of three, and always named: of a request (n / (t_last − t_sent)), of a user (1 / ITL), or of the whole system (tokens that arrived, by time).",
		traps: []string{"The three differ by orders of magnitude: a figure without its name says nothing.", "Tokens of the prompt are not among them; total throughput, which counts both, is named so."},
		see:   []string{"ITL", "goodput"},
	},
	{
		name: "goodput", title: "Goodput", unit: "requests/s",
		is:    "Requests a second that met every condition of the SLO. Past the knee throughput stays and goodput falls.",
		traps: []string{"Without an SLO there is none: it is null, not the throughput."},
		see:   []string{"knee", "operating point"},
	},
	{
		name: "ISL", aliases: []string{"input sequence length", "prompt length"}, title: "ISL, input sequence length", unit: "tokens",
		is: "Tokens of a prompt in the server's own count, chat template included.", see: []string{"OSL"},
	},
	{
		name: "OSL", aliases: []string{"output sequence length"}, title: "OSL, output sequence length", unit: "tokens",
		is: "Tokens of an answer, reasoning included.", traps: []string{"An answer ends by itself unless ignore_eos is set: what was asked and what came are two numbers."}, see: []string{"ISL"},
	},
	{
		name: "intended send", aliases: []string{"actual send", "intended and actual send", "coordinated omission"}, title: "Intended and actual send", unit: "ms",
		is:    "When the schedule said to send a request, and when its bytes left. Latency is kept from both, so that neither a queue inside the client nor its lateness can hide.",
		traps: []string{"A client that waits for answers before it sends omits the very requests that would have waited longest."},
		see:   []string{"validity"},
	},
	{
		name: "level", title: "Level",
		is:  "One fixed load, a concurrency or a rate, held until enough is known.",
		see: []string{"scenario", "validity"},
	},
	{
		name: "scenario", title: "Scenario",
		is:  "A named list of levels with a source of prompts: baseline, saturation, production, dataset, long-context.",
		see: []string{"level"},
	},
	{
		name: "validity", aliases: []string{"valid", "client-limited", "unstable", "invalid"}, title: "Validity of a level",
		is:    "Whether a level measured the server: valid; client-limited where the client was late or short of CPU; unstable where the level drifted or the server changed; invalid where too much failed. Only valid levels make a curve.",
		traps: []string{"What the tool itself spoiled is never reported as the server's."},
		see:   []string{"client"},
	},
	{
		name: "percentile", aliases: []string{"percentiles", "p50", "p90", "p95", "p99", "p99.9", "median"}, title: "Percentile", unit: "of what it is a percentile of",
		is: "The nearest rank: the smallest sample that at least p percent do not exceed. One that the sample cannot support is null and listed in unsupported: at 99 % confidence p90 needs 64 requests, p95 130, p99 662, p99.9 6,636.",
		traps: []string{
			"Percentiles are neither added nor subtracted nor averaged; means are.",
			"A percentile from a histogram is interpolation inside a bucket: only boundaries are exact.",
		},
	},
	{
		name: "knee", aliases: []string{"saturated", "saturation"}, title: "Knee",
		is:    "The load past which throughput stops growing; an interval, not a point. Where no load brought it, it is not reached: the service is not saturated.",
		traps: []string{"A grid of six levels names one of its own levels as the knee; add levels around it instead of believing it."},
		see:   []string{"operating point", "not-saturated"},
	},
	{
		name: "operating point", aliases: []string{"operating_point"}, title: "Operating point",
		is:  "The largest load that meets the SLO, and at most 0.8 of the throughput at the low end of the knee.",
		see: []string{"knee", "goodput"},
	},
	{
		name: "bound", aliases: []string{"verdict", "confidence"}, title: "Bound",
		is:    "The resource that limits: compute, memory bandwidth, KV cache, admission, token budget, collectives, CPU, network, the client, or a throttled or faulty GPU; or cold, not saturated, unknown. With it come confidence, 0 to 1, facts for and against, what is missing, the change to make, and the experiment that would refute it.",
		traps: []string{"Unknown is an answer: a metric that is missing is never taken for 0."},
		see:   []string{"kv-cache", "admission", "compute", "memory-bandwidth", "unknown"},
	},
	{
		name: "run", title: "Run",
		is: "Everything recorded of one execution of bench, in one folder. Any report can be made from it again, later, elsewhere.",
	},
	{
		name: "elasticity", title: "Elasticity", unit: "a plain number",
		is:    "How many percent one thing grows when another grows by one percent: ln(b₂/b₁) / ln(a₂/a₁) between two levels. Of throughput over load it is 1 while the service keeps up and 0 past the knee; of the time of a step over its batch it is 0 where a larger batch is free (memory bandwidth) and 1 where it costs in proportion (compute).",
		traps: []string{"Between two levels that lie close together it is noise."},
		see:   []string{"knee", "memory-bandwidth", "compute"},
	},
	{
		name: "MFU", aliases: []string{"model FLOPs utilization"}, title: "MFU, model FLOPs utilization", unit: "a share, 0 to 1",
		is:    "The FLOP that the model needs, 2 for each parameter and token, by what the GPUs could do in that time. High in prefill; in decode it is low by nature, since each weight is read for few tokens.",
		traps: []string{"The peak is the dense one of the precision that is computed in: with the figure for sparsity MFU comes out at half."},
		see:   []string{"compute", "MBU"},
	},
	{
		name: "MBU", aliases: []string{"model bandwidth utilization"}, title: "MBU, model bandwidth utilization", unit: "a share, 0 to 1",
		is:    "The bytes that a step has to read, weights and the keys and values of its sequences, by what the memory could give in that time. 0.8 to 0.9 is the practical peak.",
		traps: []string{"A mixture of experts reads the experts that its tokens chose, not all of them."},
		see:   []string{"memory-bandwidth", "MFU"},
	},
	{
		name: "burn rate", aliases: []string{"error budget"}, title: "Burn rate", unit: "times the objective's rate",
		is:    "How many times faster than the objective allows its error budget is spent: the share of bad requests by one minus the objective. Alerts ask for it over a long window and a short one at once, so that they fire soon and clear soon.",
		traps: []string{"The factor times one minus the objective has to be below 1: at an objective of 90 % a factor of 14.4 can never be reached."},
	},
	{
		name: "XID", aliases: []string{"xids", "xid codes", "xid errors"}, title: "XID, an error code of NVIDIA's driver",
		is:    "What the driver logs as NVRM: Xid (…): 79. The number says what happened: a fault of the application (13, 31, 43), of the memory (48, 63, 64, 94, 95), of a link (74) or of the whole GPU (79). assay explain xid 79 explains one, docs/xid.md has all.",
		traps: xidTraps,
		see:   []string{"xid 79", "xid 48", "xid 31", "gpu-fault", "DCGM_FI_DEV_XID_ERRORS", "DCGM_EXP_XID_ERRORS_COUNT"},
	},
	{
		name: "AcceleratedHardwareReady", aliases: []string{"NvidiaDoubleBitError", "NvidiaNVLinkError", "NvidiaFabricError", "FabricManagerNotRunning", "NvidiaDeviceCountMismatch", "DCGMError", "DCGMDiagnosticFailure", "NeuronDMAError", "NeuronHBMUncorrectableError", "NeuronNCUncorrectableError", "NeuronSRAMUncorrectableError"},
		title: "AcceleratedHardwareReady, a node condition of the EKS node monitoring agent",
		is:    "Whether the GPUs or Neuron devices of a node are well. False comes with a reason, such as NvidiaXID79Error or NvidiaFabricError; node auto repair, where it is on, acts after 10 minutes: EKS Auto Mode and Karpenter replace the node, a managed node group replaces or reboots it.",
		traps: []string{
			"Warnings of the agent are events of the node, not conditions, and nothing is repaired after them.",
			"Repair stops by itself while more than 20 % of a group's nodes are unhealthy (in groups of more than five).",
			"DCGMError says that DCGM does not answer, which is no fault of the hardware.",
		},
		see: []string{"gpu-fault", "DCGM_FI_DEV_XID_ERRORS"},
	},
}
