package facts

// Where cold starts were measured and their settings are described.
var (
	tensorfuse   = Source{"Tensorfuse, reducing GPU cold start with vLLM: Llama-3.1-8B on L40S, 294 s to 82 s", "https://tensorfuse.io/docs/blogs/reducing_gpu_cold_start", "2025-09-01"}
	tensorfuseLZ = Source{"Tensorfuse, lazy loading: nodes take 80 to 120 s; a start reads 6.4 % of an image; gains shrink to 1.5 to 3 times", "https://tensorfuse.io/docs/blogs/lazy_loading_performance_degradation", "2025-08-24"}
	blueprints   = Source{"karpenter-blueprints, SOCI snapshotter: vLLM image of 9,354,342,327 bytes, 130.8 s with containerd, 39.6 s and 23.2 s in parallel", "https://github.com/aws-samples/karpenter-blueprints/tree/main/blueprints/soci-snapshotter", readOn}
	vertexcover  = Source{"Vertexcover, a 13 GB LLM container: 571 s to 40.65 s; lazy loading first made it 66 % slower", "https://blog.vertexcover.io/container-coldstart", readOn}
	dlcPost      = Source{"AWS, container cold starts with SOCI on DLAMI and DLC: images of 15 to 20 GB take 4 to 6 minutes", "https://aws.amazon.com/blogs/machine-learning/reducing-container-cold-start-times-using-soci-index-on-dlami-and-dlc/", "2026-06-03"}
	bento        = Source{"BentoML, Llama 3.1 8B in an image of 20.2 GB: 5 to 6 min pull, 3 to 4 min extract", "https://bentoml.com/blog/cold-starting-llms-on-kubernetes-in-under-30-seconds", "2025-04-11"}
	runai        = Source{"Run:ai model streamer, Llama-3-8B on g5.12xlarge: 48 s by the default loader from gp3 and io2, 14.3 and 7.5 s streamed", "https://run.ai/blog/run-ai-model-streamer-performance-benchmarks", "2024-10-29"}
	fastTensors  = Source{"fastsafetensors, Llama-2-13B on 4 L40S: 12.39 s to 4.74 s", "https://github.com/foundation-model-stack/fastsafetensors", readOn}
	vllmStarts   = Source{"start-up logs of vLLM in its issues: 0.3 to 1.3 GB/s of weights; compile 19 to 66 s; graphs 10 to 54 s", "https://github.com/vllm-project/vllm/issues/20264", "2025-06-30"}
	vllmCompile  = Source{"start-up logs of vLLM: Dynamo and compilation of 8B models on H100 to L4, 19 to 67 s", "https://github.com/vllm-project/vllm/pull/11078", "2024-12-11"}
	sociParallel = Source{"SOCI snapshotter, parallel mode: needs a root volume of some 600 MiB/s; AL2023 20/12/16 MB, Bottlerocket 3/1/unlimited by default", "https://github.com/awslabs/soci-snapshotter/blob/main/docs/parallel-mode.md", readOn}
	pytorchImage = Source{"multi-stage builds of PyTorch images, devel to runtime: 6.66 GB to 3.03 GB", "https://docs.docker.com/build/building/multi-stage/", readOn}
	pauseNode    = Source{"a pod that outranks a pause pod takes its place as soon as that ends: an estimate", "https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/", readOn}
	bottleData   = Source{"EKS, Bottlerocket data volume from a snapshot: the node is ready in some 30 s, the image is there", "https://aws.amazon.com/blogs/containers/reduce-container-startup-time-on-amazon-eks-with-bottlerocket-data-volume/", readOn}
)

// Phases before the container runs. Rates are bytes a second of the compressed image.
var (
	NodeAL2023       = Spread{40, 80, 120, "s", tensorfuseLZ}
	NodeBottlerocket = Spread{30, 60, 110, "s", bottleData}
	NodeWarm         = Spread{0, 2, 10, "s", pauseNode}

	ContainerdDownload = Spread{50e6, 180e6, 300e6, "bytes/s", dlcPost} // three layers at a time
	ContainerdUnpack   = Spread{60e6, 110e6, 160e6, "bytes/s", bento}   // one layer after the other, one core
	ParallelDownload   = Spread{250e6, 500e6, 1200e6, "bytes/s", blueprints}
	ParallelUnpack     = Spread{220e6, 350e6, 600e6, "bytes/s", blueprints}
	ParallelDisk       = Number{600 * MiB, "bytes/s", sociParallel}
	ParallelSlow       = Spread{1, 1.15, 1.4, "times the time to write", sociParallel} // below ParallelDisk; the span is an estimate
	LazyMount          = Spread{2, 5, 15, "s", tensorfuseLZ}
	LazyShare          = Spread{0.064, 0.3, 0.6, "of the image", tensorfuseLZ} // that a start reads
	LazySmall          = Spread{30e6, 60e6, 200e6, "bytes/s", tensorfuseLZ}
	LazyLarge          = Spread{13e6, 40e6, 120e6, "bytes/s", vertexcover} // one large file, such as weights
	SnapshotMount      = Spread{0, 1, 3, "s", bottleData}
	// ImageUnpacked is what an image unpacks to, in times of its compressed size. Weights
	// hardly compress.
	ImageUnpacked = Spread{1.8, 2.2, 2.8, "times the compressed size", bento}
	VLLMImage     = Number{9_354_342_327, "bytes, compressed", blueprints}
	MultiStage    = Spread{0.455, 0.6, 0.7, "of the image", pytorchImage}
)

// Phases of the engine. Rates are bytes a second of weights on one node.
var (
	DefaultLoader = Spread{0.25e9, 0.6e9, 2.1e9, "bytes/s", vllmStarts} // safetensors, one thread a rank; more ranks read more
	CachedLoader  = Spread{0.4e9, 1.3e9, 5e9, "bytes/s", vllmStarts}    // from the page cache
	StreamLoader  = Spread{2e9, 5e9, 15e9, "bytes/s", runai}            // what the streamer itself allows

	StreamShare = Spread{0.7, 0.95, 1, "of what the storage gives", runai} // tensorizer the least, the streamer all

	EngineInit    = Spread{15, 40, 100, "s", tensorfuse} // process, imports, profiling, KV cache
	EngineCompile = Spread{12, 40, 75, "s", vllmCompile} // Dynamo and torch.compile; mixtures of experts can take far longer
	EngineGraphs  = Spread{5, 18, 60, "s", vllmStarts}
	CachedInit    = Spread{12, 30, 60, "s", tensorfuse}
	CachedCompile = Spread{5, 13, 25, "s", vllmStarts}
	CachedGraphs  = Spread{4, 10, 20, "s", vllmStarts}
	EngineProcess = Spread{5, 15, 35, "s", vllmStarts} // before the engine's clock starts: imports, processes
)

// ColdStart is a published cold start or a part of one.
type ColdStart struct {
	Name    string
	Seconds float64
	Source  Source
}

// ColdStarts are measurements that plans are held against, by a short name.
var ColdStarts = map[string]ColdStart{
	"blueprints-containerd":   {"vLLM image of 9.35 GB, containerd, gp3 of 1,000 MiB/s", 130.8, blueprints},
	"blueprints-al2023":       {"the same, SOCI parallel on AL2023", 39.6, blueprints},
	"blueprints-bottlerocket": {"the same, SOCI parallel on Bottlerocket, tuned", 23.2, blueprints},
	"dlc-15":                  {"image of 15 GB, 4 to 6 minutes", 300, dlcPost},
	"dlc-20":                  {"image of 20 GB, 4 to 6 minutes", 300, dlcPost},
	"bento-pull":              {"image of 20.2 GB, download, 5 to 6 minutes", 330, bento},
	"bento-extract":           {"the same, extract, 3 to 4 minutes", 210, bento},
	"vertexcover-before":      {"13 GB with weights in the image, containerd, pull to first answer", 571, vertexcover},
	"vertexcover-after":       {"the same, parallel and uncompressed, a fast disk", 40.65, vertexcover},
	"vertexcover-lazy":        {"the same, lazy: 66 % slower", 948, vertexcover},
	"runai-gp3":               {"15 GB from gp3 of 1,000 MiB/s, default loader", 47.99, runai},
	"runai-gp3-stream":        {"the same, streamed", 14.34, runai},
	"runai-gp3-tensorizer":    {"the same, tensorizer", 16.11, runai},
	"runai-io2":               {"15 GB from io2, default loader", 47, runai},
	"runai-io2-stream":        {"the same, streamed", 7.53, runai},
	"runai-io2-tensorizer":    {"the same, tensorizer", 10.36, runai},
	"runai-s3-c4":             {"15 GB from S3, streamed with 4 at a time", 28.24, runai},
	"runai-s3-c16":            {"the same, 16 at a time", 8.45, runai},
	"runai-s3-c32":            {"the same, 32 at a time", 4.88, runai},
	"runai-s3-tensorizer":     {"the same, tensorizer", 37.36, runai},
	"fast-before":             {"26 GB on 4 L40S, default loader, local NVMe", 12.39, fastTensors},
	"fast-after":              {"the same, fastsafetensors", 4.74, fastTensors},
	"tensorfuse-load":         {"16 GB on L40S, weights into the GPU", 33, tensorfuse},
	"tensorfuse-compile":      {"the same, Dynamo and compile", 52, tensorfuse},
	"tensorfuse-graphs":       {"the same, graphs captured", 54, tensorfuse},
	"tensorfuse-init":         {"the same, engine initialised", 94, tensorfuse},
	"tensorfuse-engine":       {"the same, all of it after the download", 233, tensorfuse},
	"tensorfuse-all":          {"16 GB on L40S, download to ready", 294, tensorfuse},
	"tensorfuse-cached":       {"the same, all cached", 82, tensorfuse},
	"modelplane-efs":          {"894 GiB from EFS Elastic, p5en.48xlarge", 43 * 60, EFSOneReader.Source},
}
