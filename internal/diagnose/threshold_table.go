package diagnose

// Names of the thresholds, as the rules ask for them.
const (
	kvFull        = "kv-full"
	kvRoomy       = "kv-roomy"
	atLimit       = "batch-at-limit"
	sameBatch     = "batch-same"
	budgetFull    = "budget-full"
	queueShare    = "queue-share"
	grows         = "growth-some"
	growsWell     = "growth-well"
	batchFree     = "batch-free"
	batchCostly   = "batch-costly"
	tensorBusy    = "tensor-busy"
	dramBusy      = "dram-busy"
	smBusy        = "sm-busy"
	engineIdle    = "gpu-idle"
	engineBusy    = "gpu-busy"
	apiCPU        = "api-cpu"
	cfsThrottled  = "cfs-throttled"
	frontendShare = "frontend-share"
	networkShare  = "network-share"
	networkFloor  = "network-floor"
	outsideShare  = "outside-share"
	clientWait    = "client-wait"
	throttled     = "throttled-share"
	clockLow      = "clock-low"
	hot           = "temperature-hot"
	ridge         = "ridge"
	contextHeavy  = "context-heavy"
	decides       = "decides"
	certain       = "certain"
)

const (
	dcgmGuide = "NVIDIA DCGM, Feature Overview, profiling metrics (docs.nvidia.com), 2026-11: 0.8 or more is necessary, but not sufficient, for effective use"
	ours      = "ours, fixed on the development systems of the laboratory, 2026-11-30"
	oursDRAM  = ours + "; that about 0.8 is the most that is reached in practice is DCGM's guide's"
)

var thresholds = Thresholds{
	{kvFull, 0.95, "share", ours, "KV cache usage from which new sequences wait for blocks; full packing alone is healthy, so it takes a queue or preemptions as well", 1},
	{kvRoomy, 0.90, "share", ours, "KV cache usage below which the KV cache is not what limits", 1},
	{atLimit, 0.9, "share", ours, "share of max-num-seqs at which the batch counts as full while requests wait: a scrape sees it between steps", 1},
	{sameBatch, 0.03, "share", ours, "largest growth of the batch between two loads that still counts as none, where the engine does not tell its limit", 1},
	{budgetFull, 0.8, "share", ours, "share of the token budget that a mean step must fill", 1},
	{queueShare, 0.5, "share", ours, "share of samples with a waiting request that makes a queue", 1},
	{grows, 0.25, "%/%", ours, "elasticity of throughput from which it still grows with load", 1},
	{growsWell, 0.5, "%/%", ours, "elasticity of throughput from which it surely grows", 1},
	{batchFree, 1.4, "ratio", ours, "throughput of twice the batch from which a limit on the batch surely costs throughput", 2},
	{batchCostly, 1.08, "ratio", ours, "throughput of twice the batch below which a limit on the batch costs none", 2},
	{tensorBusy, 0.45, "share", ours, "time in which the tensor cores worked: from here on compute limits", 1},
	{dramBusy, 0.6, "share", oursDRAM, "time in which the memory moved data: from here on its bandwidth limits", 1},
	{smBusy, 0.8, "share", dcgmGuide, "time in which an SM was busy that counts as a busy GPU", 1},
	{engineIdle, 0.35, "share", ours, "time in which a GPU with requests to run did nothing: from here on the host limits", 1},
	{engineBusy, 0.95, "share", ours, "time in which any kernel ran that rules gaps between steps out", 1},
	{apiCPU, 0.9, "cores", ours, "CPU of the process that serves the API, which is one Python thread for the most part", 64},
	{cfsThrottled, 0.25, "share", ours, "periods in which the container's CPU limit held it back", 1},
	{frontendShare, 0.3, "share", ours, "part of a request's time in the server that passes in the API process", 1},
	{networkShare, 0.3, "share", ours, "part of a request's time that passes between client and server", 1},
	{networkFloor, 20, "ms", ours, "time between client and server below which the network is not what limits", 60000},
	{outsideShare, 0.3, "share", ours, "part of the requests in flight that the engine has neither running nor waiting", 1},
	{clientWait, 2, "ms", ours, "mean wait of the client's work for a CPU, from which what it measures is its own", 1000},
	{throttled, 0.1, "share", ours, "samples in which heat or the power brake held a clock back", 1},
	{clockLow, 0.9, "share", ours, "SM clock of its maximum, below which a busy GPU that is not at its power limit is held back", 1},
	{hot, 87, "°C", ours, "temperature at which many data-centre GPUs begin to slow down; limits differ by GPU, so it only supports what clocks and their event reasons say", 120},
	{ridge, 250, "tokens", "roofline: peak FLOP/s over bytes per second at 2 bytes a weight, between A100 (153) and L40S (419); the chip's own where it is known", "tokens of a step past which a dense model is bound by compute rather than by reading its weights", 10000},
	{contextHeavy, 100000, "tokens", "architectures: bytes of the weights over those of a token's keys and values, 57,000 (Llama 3.2 3B) to 270,000 (Qwen2.5 7B); the model's own where it is known", "tokens of context in a batch whose keys and values are as many bytes as the weights", 1e9},
	{decides, 0.45, "support", ours, "support below which no verdict is given", 1},
	{certain, 0.3, "confidence", ours, "confidence below which no verdict is given", 1},
}
