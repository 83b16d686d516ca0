package rules

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/memory"
	"assay/internal/model"
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

// shm is the volume at a container's /dev/shm.
type shm struct {
	Mount, Dir source.Value // the mount's path; the emptyDir, absent where it is another volume
}

func shmOf(c *lint.Container) (shm, bool) {
	for _, m := range c.Get("volumeMounts").Items() {
		if path := m.Get("mountPath"); strings.TrimRight(path.Text(), "/") == "/dev/shm" {
			return shm{path, volumeOf(c.Pod, m.Get("name").Text()).Get("emptyDir")}, true
		}
	}
	return shm{}, false
}

func volumeOf(p *lint.Pod, name string) source.Value {
	for _, v := range p.Get("volumes").Items() {
		if v.Get("name").Text() == name {
			return v
		}
	}
	return source.Value{}
}

func (d shm) inMemory() bool { return d.Dir.Get("medium").Text() == "Memory" }

// size is the volume's limit in bytes.
func (d shm) size() (float64, bool) {
	v := d.Dir.Get("sizeLimit")
	n, ok := karpenter.Quantity(v.Text())
	return n, ok && v.Text() != ""
}

// shares says that ranks of a server exchange messages within its container.
func shares(s *lint.Server) bool {
	l, ok := layoutOf(s)
	n, _, counted := s.Container.GPUs()
	return ok && counted && n > 1 && l.TP*l.PP > 1
}

func shmAbsent(p *lint.Pass, s *lint.Server) {
	if _, mounted := shmOf(s.Container); mounted || !shares(s) {
		return
	}
	if host, _ := s.Container.Pod.Get("hostIPC").Bool(); host {
		return
	}
	l, _ := layoutOf(s)
	p.Fail(orElse(s.Container.Root.Key("volumeMounts"), flagAt(s)), "%d ranks share a /dev/shm of 64 MiB: nothing is mounted there", l.TP*l.PP)
}

// shmRing is what vLLM's ranks exchange messages through: VLLM_MQ_MAX_CHUNK_BYTES_MB,
// 16 by default, in 10 chunks (v1/executor, read in 0.32).
const shmRing = 160 << 20

func shmSmall(p *lint.Pass, s *lint.Server) {
	d, mounted := shmOf(s.Container)
	n, ok := d.size()
	if mounted && d.inMemory() && ok && n < shmRing && shares(s) {
		p.Fail(d.Dir.Get("sizeLimit"), "/dev/shm is %s, and the ring of vLLM's messages alone is 160 MiB", d.Dir.Get("sizeLimit").Text())
	}
}

func shmOnDisk(p *lint.Pass, c *lint.Container) {
	d, mounted := shmOf(c)
	if mounted && d.Dir.IsMap() && !d.inMemory() && !strings.HasPrefix(d.Dir.Get("medium").Text(), "HugePages") && !d.Dir.Get("medium").Open() {
		p.Fail(d.Mount, "the volume at /dev/shm has no medium: Memory")
	}
}

func shmBeyond(p *lint.Pass, c *lint.Container) {
	limit, ok := karpenter.Quantity(c.Get("resources", "limits", "memory").Text())
	if !ok || limit == 0 {
		return
	}
	for _, m := range c.Get("volumeMounts").Items() {
		d := shm{Dir: volumeOf(c.Pod, m.Get("name").Text()).Get("emptyDir")}
		if n, sized := d.size(); sized && d.inMemory() && n > limit {
			p.Fail(d.Dir.Get("sizeLimit"), "%s of a volume in memory, and a memory limit of %s", d.Dir.Get("sizeLimit").Text(), c.Get("resources", "limits", "memory").Text())
		}
	}
}

func shmUnbounded(p *lint.Pass, s *lint.Server) {
	d, mounted := shmOf(s.Container)
	if mounted && d.inMemory() && !d.Dir.Get("sizeLimit").Exists() && !s.Container.Get("resources", "limits", "memory").Exists() {
		p.Fail(d.Dir.Get("medium"), "/dev/shm has no sizeLimit, and the container no memory limit")
	}
}

func hostIPC(pass *lint.Pass, p *lint.Pod) {
	v := p.Get("hostIPC")
	if on, _ := v.Bool(); on && usesModels(p) {
		pass.Fail(v, "the pod shares the IPC namespace of its node")
	}
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

func beyondInstance(pass *lint.Pass, p *lint.Pod) {
	n, at, ok := asked(p, gpuResource)
	on, pinned := instancesOf(p)
	if !ok || n == 0 || !pinned {
		return
	}
	most := 0
	for _, t := range on.Types {
		if t.Fractional() {
			return
		}
		most = max(most, t.Count)
	}
	if n > most {
		pass.Fail(at, "%d GPUs are asked for, and %s has %d", n, names(on.Types), most)
	}
}

// fit is the account of a server on each instance type that its pod is pinned to, as
// configurations of package memory; ok is false where any of them is not known.
func fit(s *lint.Server) (all []memory.Config, types []facts.Instance, ok bool) {
	a, _, known := modelOf(s)
	l, placed := layoutOf(s)
	on, pinned := instancesOf(s.Container.Pod)
	gpus, _, counted := s.Container.GPUs()
	if !known || !placed || !pinned || !counted || gpus == 0 {
		return nil, nil, false
	}
	f, formatted := formatOf(s, a)
	engine, err := engineOf(s)
	if !formatted || err != nil {
		return nil, nil, false
	}
	for _, t := range on.Types {
		chip, is := t.Chip()
		if !is {
			return nil, nil, false
		}
		all = append(all, memory.Config{Model: a, Format: f, Chip: chip, TP: l.TP, PP: l.PP, Engine: engine})
	}
	return all, on.Types, true
}

func weightsFit(p *lint.Pass, s *lint.Server) {
	all, types, ok := fit(s)
	if !ok {
		return
	}
	gpus, _, _ := s.Container.GPUs()
	util := utilization(s)
	for _, c := range all {
		shared := max(c.TP*c.PP, gpus)
		if each := c.Model.WeightBytes(c.Format) / int64(shared); float64(each) <= float64(c.Chip.Usable)*util(c.Engine) {
			return
		}
	}
	c := all[0]
	_, at, _ := modelOf(s)
	shared := max(c.TP*c.PP, gpus)
	gib := func(n int64) float64 { return float64(n) / facts.GiB }
	p.Fail(at.At, "%s has %.0f GiB of weights in %s, %.1f GiB for each of %d GPUs, and an engine may take %.1f GiB of a %s of %s",
		c.Model.Name, gib(c.Model.WeightBytes(c.Format)), formatName(c.Format), gib(c.Model.WeightBytes(c.Format)/int64(shared)), shared,
		gib(c.Chip.Usable)*util(c.Engine), c.Chip.Name, names(types))
}

func formatName(f model.Format) string {
	if f.Name == "" {
		return "bf16"
	}
	return f.Name
}

// utilization is the share of a GPU that a server takes.
func utilization(s *lint.Server) func(memory.Engine) float64 {
	a, given := s.Arg("--gpu-memory-utilization")
	v, ok := share(a)
	return func(e memory.Engine) float64 {
		if !given || !ok || v <= 0 || v > 1 {
			return e.Utilization()
		}
		return v
	}
}

// doubt is how much more than there is must be needed before it is said, bytes: peaks of
// activations and graphs are estimates.
const doubt = facts.GiB

func contextFits(p *lint.Pass, s *lint.Server) {
	all, types, ok := fit(s)
	if !ok || s.Has("--kv-cache-memory-bytes") || s.Has("--kv-cache-memory") || s.Has("--block-size") || s.Has("--decode-context-parallel-size") || s.Has("-dcp") {
		return
	}
	asked, given := s.Arg("--max-model-len")
	tokens, counted := length(asked.Text)
	kv, _ := s.Arg("--kv-cache-dtype")
	format, err := memory.KVFormatNamed(kvName(kv.Text))
	if given && !counted || err != nil {
		return
	}
	util := utilization(s)
	var small *memory.TooSmallError
	for _, c := range all {
		c.MaxModelLen, c.KV, c.Utilization = tokens, format, util(c.Engine)
		_, err := memory.Of(c)
		var e *memory.TooSmallError
		if !errors.As(err, &e) || e.Length == 0 || e.Need < e.Have+doubt {
			return
		}
		small = e
	}
	at := asked.At
	if !given {
		at = whereArgs(s.Container)
	}
	p.Fail(at, "a request of %d tokens needs %.1f GiB of KV cache in each GPU of %s, and some %.1f GiB are left beside the weights: at most some %d tokens fit",
		small.Length, float64(small.Need)/facts.GiB, names(types), max(0, float64(small.Have)/facts.GiB), small.MaxModelLen)
}

// kvName is --kv-cache-dtype as package memory names it.
func kvName(flag string) string {
	if flag == "" {
		return "auto"
	}
	if strings.HasPrefix(flag, "fp8") {
		return "fp8"
	}
	return flag
}

// leastHost is the host memory of one rank without weights: measured of vLLM 0.32.
const leastHost = 1_700_000_000

func memoryLimit(p *lint.Pass, s *lint.Server) {
	v := s.Container.Get("resources", "limits", "memory")
	limit, ok := karpenter.Quantity(v.Text())
	n, _, counted := s.Container.GPUs()
	if v.Text() == "" || !ok || !counted || n == 0 || limit >= leastHost*float64(n) {
		return
	}
	p.Fail(v, "a memory limit of %s for %d GPU(s): each rank's process takes 1.7 GB and more", v.Text(), n)
}
