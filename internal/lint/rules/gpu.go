package rules

import (
	"fmt"
	"strconv"
	"strings"

	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

var (
	gpuSchedule  = facts.Source{Title: "Kubernetes, schedule GPUs", URL: "https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/", Date: "2026-11-30"}
	vllmParallel = facts.Source{Title: "vLLM, parallelism and scaling", URL: "https://docs.vllm.ai/en/latest/serving/parallelism_scaling/", Date: "2026-11-30"}
	vllmShm      = facts.Source{Title: "vLLM, using Kubernetes: shared memory for tensor parallel", URL: "https://docs.vllm.ai/en/latest/deployment/k8s/", Date: "2026-11-30"}
	ncclShm      = facts.Source{Title: "NCCL, troubleshooting: shared memory", URL: "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html", Date: "2026-11-30"}
	emptyDirs    = facts.Source{Title: "Kubernetes, emptyDir", URL: "https://kubernetes.io/docs/concepts/storage/volumes/#emptydir", Date: "2026-11-30"}
	nvidiaAll    = facts.Source{Title: "NVIDIA, preventing unprivileged access to GPUs", URL: "https://github.com/NVIDIA/nvidia-container-toolkit", Date: "2026-11-30"}
	podSecurity  = facts.Source{Title: "Kubernetes, Pod Security Standards", URL: "https://kubernetes.io/docs/concepts/security/pod-security-standards/", Date: "2026-11-30"}
	memoryDoc    = facts.Source{Title: "Assay, what lies in a GPU's memory", URL: "docs/memory.md", Date: "2026-11-30"}
)

var gpuRules = []*lint.Rule{
	{
		ID: "gpu-requests-differ", Severity: lint.Error, Subject: lint.GPU,
		Title:     "GPUs are requested in another number than they are limited to",
		Why:       "GPUs cannot be overcommitted: the API server refuses a pod whose request is not its limit.",
		Fix:       "Write nvidia.com/gpu under limits alone; the request follows it.",
		Sources:   []facts.Source{gpuSchedule},
		Container: gpuRequests,
	},
	{
		ID: "gpu-only-requested", Severity: lint.Error, Subject: lint.GPU,
		Title:     "GPUs are requested and not limited",
		Why:       "The API server refuses the pod: a resource that cannot be overcommitted needs a limit.",
		Fix:       "Write nvidia.com/gpu under limits.",
		Sources:   []facts.Source{gpuSchedule},
		Container: gpuOnlyRequested,
	},
	{
		ID: "gpu-fraction", Severity: lint.Error, Subject: lint.GPU,
		Title:     "A part of a GPU is asked for",
		Why:       "Extended resources are whole numbers: the API server refuses the pod. Parts of a GPU are resources of their own: time slices of the device plugin, MIG, or DRA.",
		Fix:       "Ask for 1, or for the resource that the cluster's device plugin offers for a part.",
		Sources:   []facts.Source{gpuSchedule},
		Container: gpuFraction,
	},
	{
		ID: "tensor-parallel-exceeds-gpus", Severity: lint.Error, Subject: lint.GPU,
		Title:     "vLLM divides its model over more GPUs than its container has",
		Why:       "vLLM needs tensor × pipeline × data parallel GPUs, and does not start with fewer.",
		Fix:       "Ask for as many GPUs, or divide the model over those that are there.",
		Sources:   []facts.Source{vllmParallel},
		Container: onServer(tooFewGPUs),
	},
	{
		ID: "gpus-idle", Severity: lint.Warning, Subject: lint.GPU,
		Title:     "A container has more GPUs than vLLM uses",
		Why:       "vLLM uses tensor × pipeline × data parallel GPUs, 1 if nothing is written. The others are paid for, and no other pod can have them.",
		Fix:       "Set --tensor-parallel-size to the number of GPUs (or --data-parallel-size, where the model fits into one), or ask for fewer.",
		Sources:   []facts.Source{vllmParallel},
		Container: onServer(idleGPUs),
	},
	{
		ID: "tensor-parallel-indivisible", Severity: lint.Error, Subject: lint.GPU,
		Title:     "Tensor parallel does not divide the model's attention heads",
		Why:       "Each rank computes whole heads: vLLM refuses to start where the number of heads is no multiple of --tensor-parallel-size.",
		Fix:       "Take a divisor of the number of heads: a power of two for most models; use pipeline parallel for the rest.",
		Sources:   []facts.Source{vllmParallel},
		Container: onServer(headsDivided),
	},
	{
		ID: "multi-node-executor", Severity: lint.Error, Subject: lint.GPU,
		Title:     "A model lies over several pods, and vLLM is not told how",
		Why:       "With more ranks than GPUs in its node vLLM needs --distributed-executor-backend=ray, or --nnodes with --node-rank and --master-addr. Without either it ends, beside a Ray cluster too, with \"World size is larger than the number of available GPUs\", since 0.13.",
		Fix:       "Start each pod of the group with --nnodes, --node-rank and --master-addr, or write --distributed-executor-backend=ray beside a Ray cluster.",
		Sources:   []facts.Source{vllmParallel},
		Container: onServer(noExecutor),
	},
	{
		ID: "shm-default", Severity: lint.Error, Subject: lint.GPU,
		Title:     "Several ranks share the 64 MiB of a container's /dev/shm",
		Why:       "vLLM's ranks exchange messages through a ring of 10 chunks of 16 MiB in /dev/shm (24 in older versions), and NCCL its buffers where GPUs have no peer access. Kubernetes gives 64 MiB: what writes beyond ends with a bus error, or NCCL with \"unhandled system error\".",
		Fix:       "Mount an emptyDir with medium: Memory and a sizeLimit at /dev/shm.",
		Sources:   []facts.Source{vllmShm, ncclShm},
		Container: onServer(shmAbsent),
	},
	{
		ID: "shm-too-small", Severity: lint.Error, Subject: lint.GPU,
		Title:     "/dev/shm is smaller than what the ranks of a server exchange through it",
		Why:       "vLLM's ring alone is 10 chunks of 16 MiB, and NCCL's buffers come beside it. What writes beyond the limit ends with a bus error.",
		Fix:       "Give 2 GiB for each GPU: what is not used is not taken.",
		Sources:   []facts.Source{vllmShm, ncclShm},
		Container: onServer(shmSmall),
	},
	{
		ID: "shm-on-disk", Severity: lint.Warning, Subject: lint.GPU,
		Title:     "/dev/shm lies on the node's disk",
		Why:       "An emptyDir without medium: Memory is a folder of the node's root volume: what ranks exchange is written to disk.",
		Fix:       "Write medium: Memory, and a sizeLimit.",
		Sources:   []facts.Source{emptyDirs},
		Container: shmOnDisk,
	},
	{
		ID: "shm-beyond-memory", Severity: lint.Warning, Subject: lint.GPU,
		Title:     "A volume in memory may grow beyond the container's memory",
		Why:       "What is written to an emptyDir with medium: Memory counts as the container's memory: it is killed at its memory limit, before sizeLimit is reached.",
		Fix:       "Make the memory limit larger than sizeLimit and what the process needs, or sizeLimit smaller.",
		Sources:   []facts.Source{emptyDirs},
		Container: shmBeyond,
	},
	{
		ID: "shm-unbounded", Severity: lint.Info, Subject: lint.GPU,
		Title:     "A volume in memory that nothing bounds",
		Why:       "An emptyDir with medium: Memory and no sizeLimit may take the memory of the node where the container has no memory limit either: others are evicted.",
		Fix:       "Write a sizeLimit: 2 GiB for each GPU.",
		Sources:   []facts.Source{emptyDirs},
		Container: onServer(shmUnbounded),
	},
	{
		ID: "host-ipc", Severity: lint.Warning, Subject: lint.GPU,
		Title:   "A pod that uses GPUs has the node's shared memory",
		Why:     "hostIPC gives a larger /dev/shm, and with it that of every other process of the node to read and write. Pod security (baseline) refuses it.",
		Fix:     "Leave it out, and mount an emptyDir with medium: Memory at /dev/shm.",
		Sources: []facts.Source{podSecurity, vllmShm},
		Pod:     hostIPC,
	},
	{
		ID: "visible-devices-all", Severity: lint.Warning, Subject: lint.GPU,
		Title:     "NVIDIA_VISIBLE_DEVICES is set by hand",
		Why:       "The device plugin sets it to the GPUs that the pod was given. With all the container sees those of other pods as well: two servers take the memory of the same GPU.",
		Fix:       "Leave it out, and ask for nvidia.com/gpu.",
		Sources:   []facts.Source{nvidiaAll, gpuSchedule},
		Container: visibleAll,
	},
	{
		ID: "cuda-visible-devices", Severity: lint.Error, Subject: lint.GPU,
		Title:     "CUDA_VISIBLE_DEVICES names GPUs that the container does not have",
		Why:       "Within a container GPUs are counted from 0, whichever of the node's they are. An index that is not there hides it and all after it.",
		Fix:       "Leave it out: the container sees its own GPUs alone.",
		Sources:   []facts.Source{{Title: "NVIDIA, CUDA programming guide, CUDA_VISIBLE_DEVICES", URL: "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#env-vars", Date: "2026-11-30"}},
		Container: cudaVisible,
	},
	{
		ID: "gpus-beyond-instance", Severity: lint.Error, Subject: lint.GPU,
		Title:   "More GPUs are asked for than the instance type has",
		Why:     "No node of the type has room for the pod: it stays pending.",
		Fix:     "Ask for as many as it has, or take a larger type.",
		Sources: []facts.Source{ec2Types},
		Pod:     beyondInstance,
	},
	{
		ID: "weights-do-not-fit", Severity: lint.Error, Subject: lint.GPU,
		Title:     "The weights are larger than the memory of the GPUs",
		Why:       "Weights take parameters × bytes of each (2 in BF16 and FP16), over the GPUs that share the model; vLLM takes 0.9 to 0.92 of each GPU, and a GPU shows less than its data sheet: 22 GiB of an A10G's 24 GB. It ends with CUDA out of memory while it loads.",
		Fix:       "Take more or larger GPUs, or a checkpoint with smaller weights; assay plan serve finds what fits.",
		Sources:   []facts.Source{memoryDoc},
		Container: onServer(weightsFit),
	},
	{
		ID: "context-beyond-memory", Severity: lint.Error, Subject: lint.GPU,
		Title:     "The KV cache of one request of the longest length does not fit",
		Why:       "vLLM refuses to start where what is left beside the weights does not hold one request of --max-model-len, by default the model's whole context.",
		Fix:       "Set --max-model-len to what requests need, or take more or larger GPUs.",
		Sources:   []facts.Source{memoryDoc},
		Container: onServer(contextFits),
	},
	{
		ID: "memory-limit-too-small", Severity: lint.Error, Subject: lint.GPU,
		Title:     "The memory limit is smaller than vLLM's processes",
		Why:       "A server of vLLM 0.32 with a model of no weights was measured at 1.7 GB of host memory for its one rank, before CUDA. The container is killed while it starts.",
		Fix:       "Give 4 GiB for each GPU at least, and the size of /dev/shm; with the weights as well, the page cache holds them for the next start.",
		Sources:   []facts.Source{memoryDoc},
		Container: onServer(memoryLimit),
	},
}

const gpuResource = "nvidia.com/gpu"

func gpuRequests(p *lint.Pass, c *lint.Container) {
	asked, limit := c.Get("resources", "requests", gpuResource), c.Get("resources", "limits", gpuResource)
	if asked.Exists() && limit.Exists() && !asked.Open() && !limit.Open() && asked.Text() != limit.Text() {
		p.Fail(asked, "%s GPUs are requested, and the limit is %s", asked.Text(), limit.Text())
	}
}

func gpuOnlyRequested(p *lint.Pass, c *lint.Container) {
	asked := c.Get("resources", "requests", gpuResource)
	if asked.Exists() && asked.Text() != "0" && !c.Get("resources", "limits", gpuResource).Exists() {
		p.Fail(asked, "%s GPUs are requested, and no limit is set", asked.Text())
	}
}

func gpuFraction(p *lint.Pass, c *lint.Container) {
	v := c.Asked(gpuResource)
	if n, ok := karpenter.Quantity(v.Text()); v.Text() != "" && ok && n != float64(int64(n)) {
		p.Fail(v, "%s is no whole number of GPUs", v.Text())
	}
}

// onRay says that a server's ranks are placed by Ray, or by what starts it.
func onRay(s *lint.Server) bool { return asksRay(s) || startsRay(s) }

// asksRay says that its flags say so.
func asksRay(s *lint.Server) bool {
	if a, ok := s.Arg("--distributed-executor-backend"); ok && a.Text != "mp" && a.Text != "uni" {
		return true
	}
	a, ok := s.Arg("--data-parallel-backend", "-dpb")
	return ok && a.Text == "ray"
}

// startsRay says that its script starts or joins a cluster of Ray.
func startsRay(s *lint.Server) bool {
	for _, w := range s.Words.All {
		if strings.Contains(w.Text, "ray") && !strings.HasPrefix(w.Text, "--") || strings.Contains(w.Text, "multi-node-serving") || strings.HasPrefix(w.Text, "--ray") {
			return true
		}
	}
	return false
}

// alone says that one server runs in the container.
func alone(s *lint.Server) bool {
	n := 0
	for _, c := range s.Words.Commands {
		for i, w := range c.Words {
			if w.Text == "serve" && i > 0 || strings.HasPrefix(w.Text, "vllm.entrypoints.") {
				n++
			}
		}
	}
	return n <= 1
}

// flagAt is where the largest of a server's sizes is written.
func flagAt(s *lint.Server) source.Value {
	for _, names := range [][]string{{"--tensor-parallel-size", "-tp"}, {"--pipeline-parallel-size", "-pp"}, {"--data-parallel-size", "-dp"}} {
		if a, ok := s.Arg(names...); ok && a.Text != "1" {
			return a.At
		}
	}
	return whereArgs(s.Container)
}

func tooFewGPUs(p *lint.Pass, s *lint.Server) {
	n, _, ok := s.Container.GPUs()
	l, known := layoutOf(s)
	if !ok || !known || n == 0 || l.ranks() <= n || onRay(s) || s.Container.Pod.Object.Kind == "LeaderWorkerSet" {
		return
	}
	p.Fail(flagAt(s), "vLLM is to use %s, and the container has %d", ranks(l), n)
}

// ranks is a layout in words.
func ranks(l layout) string {
	s := fmt.Sprintf("%d GPUs (tensor parallel %d", l.ranks(), l.TP)
	if l.PP > 1 {
		s += fmt.Sprintf(" × pipeline %d", l.PP)
	}
	if l.DP > 1 {
		s += fmt.Sprintf(" × data parallel %d", l.DP)
	}
	return s + ")"
}

func idleGPUs(p *lint.Pass, s *lint.Server) {
	n, at, ok := s.Container.GPUs()
	l, known := layoutOf(s)
	if !ok || !known || l.ranks() >= n || onRay(s) || !alone(s) || s.Container.Env("CUDA_VISIBLE_DEVICES").Exists() || s.Has("--data-parallel-rank") {
		return
	}
	p.Fail(at, "the container has %d GPUs, and vLLM uses %s", n, ranks(l))
}

func headsDivided(p *lint.Pass, s *lint.Server) {
	l, known := layoutOf(s)
	a, _, ok := modelOf(s)
	if !known || !ok || l.TP == 1 {
		return
	}
	if heads := a.Heads(); heads > 0 && heads%l.TP != 0 {
		arg, _ := s.Arg("--tensor-parallel-size", "-tp")
		p.Fail(arg.At, "%d ranks cannot share the %d attention heads of %s", l.TP, heads, a.Name)
	}
}

func noExecutor(p *lint.Pass, s *lint.Server) {
	n, _, ok := s.Container.GPUs()
	l, known := layoutOf(s)
	if !ok || !known || n == 0 || l.ranks() <= n || asksRay(s) || s.Container.Pod.Object.Kind != "LeaderWorkerSet" {
		return
	}
	// Before 0.13 a cluster of Ray was found without being asked for.
	chooses := s.Version.Compare(practice.VLLM{Minor: 13}) >= 0
	if !chooses && (s.Version.Known() || startsRay(s)) {
		return
	}
	p.Fail(flagAt(s), "vLLM is to use %s, its pod has %d, and neither --nnodes nor --distributed-executor-backend=ray is given", ranks(l), n)
}

func visibleAll(p *lint.Pass, c *lint.Container) {
	v := c.Env("NVIDIA_VISIBLE_DEVICES").Get("value")
	n, _, ok := c.GPUs()
	if v.Text() != "all" || !ok || n == 0 && !c.ServesVLLM() {
		return
	}
	p.Fail(v, "the container sees all GPUs of its node, and was given %d", n)
}

func cudaVisible(p *lint.Pass, c *lint.Container) {
	v := c.Env("CUDA_VISIBLE_DEVICES").Get("value")
	n, _, ok := c.GPUs()
	if !ok || n == 0 || v.Open() {
		return
	}
	for _, index := range strings.Split(v.Text(), ",") {
		if i, err := strconv.Atoi(strings.TrimSpace(index)); err == nil && i >= n {
			p.Fail(v, "GPU %d of a container that has %d, counted from 0", i, n)
			return
		}
	}
}
