package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/practice"
	"assay/internal/spec"
)

// trainer is a training job as it is written.
type trainer struct {
	Input
	job      spec.RenderTrain
	name     string
	instance facts.Instance
	nodes    int
	resource string // of the accelerators
	efa      int    // interfaces a pod; 0: none are asked for
	pages    bool
	capacity string
	remarks  []string
}

// Train writes a job that trains on whole nodes of one instance type: as a JobSet, or
// as a PyTorchJob where that is asked for, and what queues it.
func Train(in Input) ([]Written, error) {
	t, err := in.trainer()
	if err != nil {
		return nil, err
	}
	job := t.jobSet()
	if t.job.Kind == spec.KindPyTorchJob {
		job = t.pyTorchJob()
	}
	job.Remarks = t.remarks
	all := []Written{job}
	if t.pages {
		all = append(all, t.overlay())
	}
	return append(all, t.queue()...), nil
}

func (in Input) trainer() (*trainer, error) {
	t := &trainer{Input: in, job: in.Spec.Train, name: in.name() + "-train"}
	t.job.Instance, t.nodes = cmp.Or(t.job.Instance, in.trained().Instance), cmp.Or(t.job.Nodes, in.trained().Count, 1)
	if t.job.Instance == "" {
		return nil, errors.New("nothing says on what to train: give render.train.instance in assay.yaml, or --plan with what assay plan train -o json wrote")
	}
	var err error
	if t.instance, err = facts.InstanceNamed(t.job.Instance); err != nil {
		return nil, err
	}
	if t.resource, _ = karpenter.Resource(t.instance); t.resource != "nvidia.com/gpu" {
		return nil, fmt.Errorf("%s has no NVIDIA GPUs: jobs for others are not written", t.instance.Name)
	}
	t.capacity = cmp.Or(t.job.Capacity, capacityOf(in.trained().Capacity.Advice), facts.OnDemand)
	if t.capacity == facts.Spot && t.nodes > 1 {
		return nil, fmt.Errorf("%d nodes that train together on Spot: the first interruption, two minutes after its notice, stops all of them; take on-demand or reserved capacity (render.train.capacity), or one node", t.nodes)
	}
	if t.Trained != nil && !t.asPlanned() {
		t.remark("the job runs on %d × %s, as render.train says, and the plan chose %s: how long that takes is not said of this job", t.nodes, t.instance.Name, t.Trained.ID)
	}
	if pool, err := in.pool(); in.with("nodepool") && in.Option != nil && err == nil && !slices.ContainsFunc(pool.instances, func(i facts.Instance) bool { return i.Name == t.instance.Name }) {
		t.remark("the node pool beside is of the service and launches no %s: write one for the job, by render nodepool without a plan, under a name of its own (render.nodepool.instances)", t.instance.Name)
	}
	if t.nodes > 1 {
		t.efa = t.instance.EFA
	}
	t.pages = t.efa > 0 && t.job.HugePages != spec.Never
	if t.nodes > 1 && t.job.Queue == "" {
		t.remark("no queue is named: two such jobs may each get a half of the nodes and wait for the other's; render.train.queue names one of Kueue, which starts a job as a whole")
	}
	if t.pages {
		t.remark("the job asks for huge pages, which Karpenter knows of no instance type: %s-hugepages.yaml tells it, and needs Karpenter's feature gate NodeOverlay; without the gate no node is launched, and render.train.hugepages: never leaves them out", t.name)
	}
	return t, t.check()
}

// check holds the volumes against the number of nodes.
func (t *trainer) check() error {
	for _, purpose := range []string{spec.ForCheckpoints, spec.ForData} {
		v, ok := t.Spec.Storage.For(purpose)
		switch {
		case !ok:
		case v.Kind == spec.OnEBS && t.nodes > 1:
			return fmt.Errorf("render.storage keeps %s on EBS, which one node mounts, and the job has %d: use fsx, efs or s3", purpose, t.nodes)
		case v.Kind == spec.OnS3 && purpose == spec.ForCheckpoints && !v.Write:
			return fmt.Errorf("render.storage keeps checkpoints in S3 and does not let pods write: set write: true")
		}
	}
	return nil
}

func (t *trainer) remark(format string, args ...any) {
	t.remarks = append(t.remarks, fmt.Sprintf(format, args...))
}

// capacityOf is Karpenter's name of how a plan buys nodes: a Capacity Block is reserved.
func capacityOf(advice string) string {
	if advice == "capacity-block" {
		return karpenter.Reserved
	}
	return advice
}

// podLabels are those of the job's pods. The service's own selector must not find them.
func (t *trainer) podLabels() object {
	return object{{nameLabel, t.name, ""}, {managedByLabel, managedBy, ""}}
}

// meta of the job, with its queue.
func (t *trainer) jobMeta() object {
	labels := append(object{}, t.labels()...)
	if t.job.Queue != "" {
		labels = append(labels, field{"kueue.x-k8s.io/queue-name", t.job.Queue, "Kueue starts the job when the quota has room for all of its nodes: no half of it holds GPUs and waits for the other"})
	}
	return object{{"name", t.name, ""}, {"namespace", t.Spec.Namespace, ""}, {"labels", labels, ""}}
}

// pod is the template of all nodes. It starts command on each.
func (t *trainer) pod(container string, command []item) object {
	volumes, mounts := t.volumes()
	o := object{
		{"metadata", object{
			{"labels", t.podLabels(), ""},
			{"annotations", object{{"karpenter.sh/do-not-disrupt", "true", "consolidation and drift leave the nodes alone while it trains"}}, ""},
		}, ""},
	}
	var pull []object
	if name, written := t.ngcPullSecret(); written && strings.HasPrefix(t.job.Image, "nvcr.io/") {
		pull = []object{{{"name", name, ""}}}
	}
	s := object{
		{"imagePullSecrets", pull, ""},
		{"restartPolicy", t.restartPolicy(), "a node that starts again alone finds no partners: the whole job is started anew"},
		{"automountServiceAccountToken", false, "the trainer asks nothing of the cluster"},
		{"terminationGracePeriodSeconds", int(t.grace().Seconds()), t.whyGrace()},
		{"nodeSelector", t.nodeSelector(), ""},
		{"affinity", t.affinity(), ""},
		{"tolerations", []object{{{"key", "nvidia.com/gpu", ""}, {"operator", "Equal", ""}, {"value", "true", ""}, {"effect", "NoSchedule", ""}}}, ""},
		{"containers", []object{{
			{"name", container, ""},
			{"image", cmp.Or(t.job.Image, unset("train.image")), ""},
			{"command", command, ""},
			{"env", t.environment(), ""},
			{"resources", t.resources(), ""},
			{"securityContext", object{{"allowPrivilegeEscalation", false, ""}, {"capabilities", object{{"drop", []string{"ALL"}, ""}}, ""}}, ""},
			{"volumeMounts", mounts, ""},
		}}, ""},
		{"volumes", volumes, ""},
	}
	return append(o, field{"spec", s, ""})
}

// restartPolicy of pods; a PyTorchJob says it beside the template.
func (t *trainer) restartPolicy() string {
	if t.job.Kind == spec.KindPyTorchJob {
		return ""
	}
	return "Never"
}

// grace is for a checkpoint after SIGTERM.
func (t *trainer) grace() time.Duration {
	const slack, least, most = 30 * time.Second, time.Minute, 10 * time.Minute
	write := time.Duration(t.trained().Checkpoint.Write.High * float64(time.Second)).Round(time.Second)
	if write == 0 {
		write = 90 * time.Second
	}
	if g := min(max(write+slack, least), most); t.capacity != facts.Spot {
		return g
	}
	return min(max(write+slack, least), practice.SpotGrace)
}

func (t *trainer) whyGrace() string {
	// torch.distributed.elastic, PContext.close(timeout=30), read 2026-11-30.
	why := "for a checkpoint after SIGTERM, of which torchrun by default gives its processes 30 s"
	if high := t.trained().Checkpoint.Write.High; high > 0 {
		why += fmt.Sprintf(": the plan writes one in up to %.0f s", high)
	}
	if t.capacity == facts.Spot {
		why += ", inside Spot's two minutes"
	}
	return why
}

// nodeSelector picks the nodes.
func (t *trainer) nodeSelector() object {
	o := object{
		{"node.kubernetes.io/instance-type", t.instance.Name, "one type: the slowest node sets the pace of all"},
		{practice.CapacityLabel, t.capacity, t.whyCapacity()},
	}
	if t.nodes > 1 && len(t.Spec.Zones) == 1 {
		o = append(o, field{practice.ZoneLabel, t.Spec.Zones[0], "one zone: each step waits for the slowest transfer, and traffic between zones is paid for"})
	}
	return o
}

func (t *trainer) whyCapacity() string {
	switch t.capacity {
	case karpenter.Reserved:
		return "an On-Demand Capacity Reservation or a Capacity Block: all nodes at once, for as long as it lasts"
	case facts.Spot:
		return "one node: an interruption costs the work since the last checkpoint"
	}
	if t.nodes > 1 {
		return "not Spot: one interrupted node stops all of them"
	}
	return ""
}

// affinity keeps the nodes of a job in one zone where none is named.
func (t *trainer) affinity() object {
	if t.nodes == 1 || len(t.Spec.Zones) == 1 {
		return nil
	}
	o := object{{"podAffinity", object{{"requiredDuringSchedulingIgnoredDuringExecution", []object{{
		{"labelSelector", object{{"matchLabels", object{{nameLabel, t.name, ""}}, ""}}, ""},
		{"topologyKey", practice.ZoneLabel, "the zone of the first node is that of all: each step waits for the slowest transfer, and traffic between zones is paid for"},
	}}, ""}}, ""}}
	if len(t.Spec.Zones) > 1 {
		o = append(object{{"nodeAffinity", object{{"requiredDuringSchedulingIgnoredDuringExecution", object{{"nodeSelectorTerms", []object{{
			{"matchExpressions", []object{{{"key", practice.ZoneLabel, ""}, {"operator", "In", ""}, {"values", t.Spec.Zones, ""}}}, ""},
		}}, ""}}, ""}}, ""}}, o...)
	}
	return o
}

// environment is what the versions of today want, and no more.
func (t *trainer) environment() []object {
	var all []object
	if t.nodes > 1 {
		for _, s := range practice.NetworkEnvironment() {
			all = append(all, object{{"name", s.Name, s.Reason}, {"value", s.Value, ""}})
		}
	}
	if _, written := t.hubTokenSecret(); written {
		all = append(all, object{{"name", "HF_TOKEN_PATH", ""}, {"value", path.Join(tokenMount, hubTokenKey), ""}})
	}
	return all
}

// hugePagePool is what EKS's AMIs set aside on nodes with EFA, 5,128 pages of 2 MiB.
// Source: Amazon EKS user guide, node-efa, read 2026-11-30.
const hugePagePool = 5128 * 2 * facts.MiB

// share is the memory in GiB and the processors of one pod.
func (t *trainer) share() (memory, vcpu int) {
	left := t.instance.Allocatable() - daemonMemory
	if t.efa > 0 {
		left -= hugePagePool
	}
	memory = max(int(left/facts.GiB), int(t.instance.Allocatable()/2/facts.GiB), 1)
	return memory, max(t.instance.VCPU-max(1, int(daemonShare*float64(t.instance.VCPU))), 1)
}

func (t *trainer) resources() object {
	memory, vcpu := t.share()
	whole := fmt.Sprintf("%dGi", memory)
	limits := object{{t.resource, t.instance.Count, fmt.Sprintf("all of %s", t.instance.Name)}}
	if t.efa > 0 {
		limits = append(limits, field{practice.EFAResource, t.efa, fmt.Sprintf("all that %s has: fewer leave bandwidth idle, more are never scheduled", t.instance.Name)})
	}
	if t.pages {
		pages, _, _ := facts.HugePages()
		limits = append(limits, field{practice.HugePagesResource, pages, "for libfabric's buffers, of the pages that EKS's AMI sets aside"})
	}
	limits = append(limits, field{"memory", whole, ""})
	return object{
		{"requests", object{
			{"cpu", vcpu, fmt.Sprintf("of the %d of %s: data loaders want them", t.instance.VCPU, t.instance.Name)},
			{"memory", whole, fmt.Sprintf("of the %d GiB that %s leaves to pods, less daemons%s; /dev/shm counts towards it", t.instance.Allocatable()/facts.GiB, t.instance.Name, t.lessPages())},
		}, ""},
		{"limits", limits, ""},
	}
}

func (t *trainer) lessPages() string {
	if t.efa > 0 {
		return " and the pool of huge pages"
	}
	return ""
}

// sharedMemory is the size of /dev/shm in GiB: data loaders hand batches over in it.
func (t *trainer) sharedMemory() int {
	memory, _ := t.share()
	return max(1, min(8*t.instance.Count, memory/4))
}

// volumes of a pod, and where they are mounted.
func (t *trainer) volumes() (volumes, mounts []object) {
	add := func(name, path string, source field) {
		volumes = append(volumes, object{{"name", name, ""}, source})
		mounts = append(mounts, object{{"name", name, ""}, {"mountPath", path, ""}})
	}
	add("shm", "/dev/shm", field{"emptyDir", object{
		{"medium", "Memory", ""},
		{"sizeLimit", fmt.Sprintf("%dGi", t.sharedMemory()), "a container has 64 MiB, in which data loaders and NCCL do not fit"},
	}, ""})
	claim := cmp.Or(t.job.Checkpoints, t.claimFor(spec.ForCheckpoints), unset("train.checkpoints"))
	add("checkpoints", cmp.Or(t.job.Path, "/checkpoints"), field{"persistentVolumeClaim", object{{"claimName", claim, t.whyClaim()}}, ""})
	if data := cmp.Or(t.job.Dataset, t.claimFor(spec.ForData)); data != "" {
		add("data", "/data", field{"persistentVolumeClaim", object{{"claimName", data, ""}, {"readOnly", true, ""}}, ""})
		mounts[len(mounts)-1] = append(mounts[len(mounts)-1], field{"readOnly", true, ""})
	}
	if secret, written := t.hubTokenSecret(); written {
		add("hub-token", tokenMount, field{"secret", object{{"secretName", secret, ""}}, "a file, not a variable: a token that rotates needs no restart"})
		mounts[len(mounts)-1] = append(mounts[len(mounts)-1], field{"readOnly", true, ""})
	}
	return volumes, mounts
}

func (t *trainer) claimFor(purpose string) string {
	if v, ok := t.Spec.Storage.For(purpose); ok {
		return v.Claim(t.Input.name())
	}
	return ""
}

func (t *trainer) whyClaim() string {
	if c := t.trained().Checkpoint; c.Bytes > 0 {
		return fmt.Sprintf("one checkpoint has %d GiB, the plan writes one every %.0f min", (c.Bytes+facts.GiB-1)/facts.GiB, c.Interval/60)
	}
	if t.nodes > 1 {
		return "all nodes write to it: ReadWriteMany"
	}
	return ""
}

// launched is torchrun with what the job tells it, and then the user's command.
func (t *trainer) launched(flags ...item) []item {
	all := append([]item{{"torchrun", ""}}, flags...)
	if len(t.job.Command) == 0 {
		return append(all, item{unset("train.command"), "the script, or -m and a module, that runs on each GPU"})
	}
	for _, word := range t.job.Command {
		all = append(all, item{word, ""})
	}
	return all
}

// asPlanned says that the job runs on what the plan chose.
func (t *trainer) asPlanned() bool {
	return t.Trained != nil && t.Trained.Instance == t.instance.Name && t.Trained.Count == t.nodes
}

// head is above the job.
func (t *trainer) head(kind string) string {
	lines := []string{fmt.Sprintf("A %s of %d × %s, %d GPUs.", kind, t.nodes, t.instance.Name, t.nodes*t.instance.Count)}
	if t.TrainPlan != nil && t.asPlanned() {
		o := t.Trained
		lines = append(lines, fmt.Sprintf("By the plan %s: %s, layout %s, %s tokens in %.1f to %.1f days.", o.ID, t.TrainPlan.Model.Name, o.Layout, countOf(t.TrainPlan.Request.Tokens), o.Seconds.Low/86400, o.Seconds.High/86400))
	}
	if t.nodes > 1 {
		for _, p := range facts.Placements() {
			if p.Strategy == "cluster" && t.capacity != karpenter.Reserved {
				lines = append(lines, "Nodes close together come of a cluster placement group, which the EC2NodeClass names (spec.placementGroupSelector): "+p.Limits+".")
			}
		}
	}
	return strings.Join(lines, "\n")
}

func countOf(n float64) string {
	for _, u := range []struct {
		unit string
		of   float64
	}{{"T", 1e12}, {"B", 1e9}, {"M", 1e6}} {
		if n >= u.of {
			return fmt.Sprintf("%.4g%s", n/u.of, u.unit)
		}
	}
	return fmt.Sprintf("%.0f", n)
}

// keep is how long a job is kept after its end.
func (t *trainer) keep() int {
	return int(cmp.Or(t.job.Keep, 24*time.Hour).Seconds())
}

// deadline of a run in seconds; nil: none.
func (t *trainer) deadline() any {
	if t.job.Deadline == 0 {
		return nil
	}
	return int(t.job.Deadline.Seconds())
}

// restarts of the whole job.
func (t *trainer) restarts() int {
	const usual = 3
	switch t.job.Restarts {
	case 0:
		return usual
	case -1:
		return 0
	}
	return t.job.Restarts
}
