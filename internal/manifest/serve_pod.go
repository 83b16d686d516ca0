package manifest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/internal/facts"
	"assay/internal/practice"
	"assay/internal/spec"
)

// port that the engine listens on.
const enginePort = 8000

// roles of pods in a group of nodes.
const (
	alone  = ""
	leader = "leader"
	worker = "worker"

	roleLabel = "assay/role"
)

// podLabels of a role.
func (s *server) podLabels(role string) object {
	l := s.labels()
	if role != alone {
		l = append(l, field{roleLabel, role, ""})
	}
	return l
}

// pod is the template of a role.
func (s *server) pod(role string) object {
	volumes, mounts := s.volumes()
	o := object{
		{"automountServiceAccountToken", false, "the engine asks nothing of the cluster"},
		{"terminationGracePeriodSeconds", int(s.drain.Grace().Seconds()), s.whyGraceOf(role)},
		{"securityContext", s.podSecurity(), ""},
	}
	if name, written := s.ngcPullSecret(); written && strings.HasPrefix(s.image, "nvcr.io/") {
		o = append(o, field{"imagePullSecrets", []object{{{"name", name, ""}}}, ""})
	}
	o = append(o, s.placement()...)
	return object{
		{"metadata", object{{"labels", s.podLabels(role), ""}}, ""},
		{"spec", append(o,
			field{"containers", []object{s.container(role, mounts)}, ""},
			field{"volumes", volumes, ""},
		), ""},
	}
}

func (s *server) whyGraceOf(role string) string {
	if role == worker {
		return "as long as the leader's"
	}
	return s.whyGrace()
}

func (s *server) whyGrace() string {
	d := s.drain
	why := fmt.Sprintf("%.0f s: preStop %.0f + shutdown %.0f + %.0f of slack", d.Grace().Seconds(), d.PreStop.Seconds(), d.Shutdown.Seconds(), d.Slack.Seconds())
	if !s.has("--shutdown-timeout") {
		why = fmt.Sprintf("%.0f s, of which preStop takes %.0f", d.Grace().Seconds(), d.PreStop.Seconds())
	}
	switch {
	case s.onSpot() && d.Grace() <= practice.SpotGrace:
		why += fmt.Sprintf(", inside the %s of Spot's notice less the %s until it reaches the pod", seconds(practice.SpotNotice), seconds(practice.SpotLatency))
	case s.onSpot():
		why += fmt.Sprintf(", which is NOT inside the %s of Spot's notice", seconds(practice.SpotNotice))
	}
	why += "; " + s.response
	if d.Cut {
		why += fmt.Sprintf(". What takes longer than %s is cut", seconds(d.Room()))
	}
	return why
}

func (s *server) podSecurity() object {
	o := object{}
	if s.ownUser() {
		o = append(o,
			field{"runAsNonRoot", true, ""},
			field{"runAsUser", 2000, "vllm, the image's own user without rights; it is a member of group 0"},
			field{"runAsGroup", 0, ""},
			field{"fsGroup", 0, "volumes are its group's to write"},
			field{"fsGroupChangePolicy", "OnRootMismatch", "not file by file at each start"},
		)
	}
	return append(o, field{"seccompProfile", object{{"type", "RuntimeDefault", ""}}, ""})
}

// container of a role.
func (s *server) container(role string, mounts []object) object {
	o := object{
		{"name", "vllm", ""},
		{"image", s.image, s.whyImage()},
		{"command", []string{"vllm", "serve"}, "no shell: the engine is process 1 and gets SIGTERM itself"},
		{"args", s.arguments(role), ""},
		{"env", s.environment(), ""},
	}
	if role != worker {
		o = append(o, field{"ports", []object{{{"name", "http", ""}, {"containerPort", enginePort, ""}}}, ""})
		o = append(o, s.probes()...)
	}
	return append(o,
		field{"lifecycle", object{{"preStop", object{{"sleep", object{{"seconds", int(s.preStop(role).Seconds()), s.whyPreStop(role)}}, "the kubelet sleeps: no program of the image is needed. Kubernetes has it since 1.30, as stable since 1.34"}}, ""}}, ""},
		field{"resources", s.resources(), ""},
		field{"securityContext", object{
			{"allowPrivilegeEscalation", false, ""},
			{"capabilities", object{{"drop", []string{"ALL"}, ""}}, ""},
		}, ""},
		field{"volumeMounts", mounts, ""},
	)
}

func (s *server) whyImage() string {
	switch {
	case strings.HasPrefix(s.image, "unset-"):
		return "not known: " + s.Option.GPU.Name + " needs its vendor's build of vLLM"
	case s.Spec.Serve.Image == "":
		return "the version that the plan was made for; pinned, so that pods that start later are the same"
	}
	return ""
}

// preStop is how long a pod of a role sleeps before SIGTERM. The controller deletes a
// group's pods together, and a worker ends at SIGTERM whatever runs.
func (s *server) preStop(role string) time.Duration {
	if role == worker {
		return s.drain.PreStop + s.drain.Shutdown
	}
	return s.drain.PreStop
}

func (s *server) whyPreStop(role string) string {
	if role == worker {
		return "until the leader has drained, preStop and shutdown together: a worker ends at SIGTERM at once, and with its stage every request of the leader"
	}
	if s.balanced() {
		return "SIGTERM comes after it. The load balancer sends nothing new to a pod that is deregistered, and lets what runs end until its deregistration delay is over, shortly before"
	}
	return "SIGTERM comes after it: until then the pod leaves the Service, since vLLM answers new requests with 500 once it has got SIGTERM"
}

// arguments of the engine, those of the plan first.
func (s *server) arguments(role string) []item {
	args := []item{{s.loads(), ""}}
	if s.called != s.loads() {
		args = append(args, item{"--served-model-name=" + s.called, "what clients ask for"})
	}
	args = append(args, item{fmt.Sprintf("--port=%d", enginePort), ""})
	for i, f := range s.Option.Flags {
		why := ""
		if i == 0 {
			why = "as planned: " + s.Option.ID
		}
		args = append(args, item{f, why})
	}
	if role != worker && s.has("--shutdown-timeout") {
		args = append(args, item{fmt.Sprintf("--shutdown-timeout=%.0f", s.drain.Shutdown.Seconds()), s.whyShutdown()})
	}
	args = append(args, s.groupArguments(role)...)
	for _, a := range s.Spec.Serve.Args {
		args = append(args, item{a, ""})
	}
	return args
}

func (s *server) whyShutdown() string {
	d := s.drain
	switch {
	case s.balanced():
		return "for what preStop left running; without it vLLM cuts streams at SIGTERM, with an end that looks like a good one"
	case d.Cut:
		return fmt.Sprintf("NOT enough: %s, and Spot's notice leaves %.0f s", s.response, d.Shutdown.Seconds())
	case d.Shutdown < d.Wanted:
		return fmt.Sprintf("all that Spot's notice leaves; %s, and %.0f s would be %g times that", s.response, d.Wanted.Seconds(), practice.DrainFactor)
	case s.Measured != nil && s.Measured.Response > 0:
		return fmt.Sprintf("%g times what was measured (%s), rounded up; the default of 0 cuts streams at SIGTERM, with an end that looks like a good one", practice.DrainFactor, s.response)
	}
	return "the default of 0 cuts streams at SIGTERM, with an end that looks like a good one; " + s.response
}

// groupArguments join the nodes of one replica: vLLM's own workers, without Ray.
func (s *server) groupArguments(role string) []item {
	if s.nodes == 1 {
		return nil
	}
	args := []item{
		{"--nnodes=$(LWS_GROUP_SIZE)", "the controller of LeaderWorkerSets sets these variables"},
		{"--node-rank=$(LWS_WORKER_INDEX)", ""},
		{"--master-addr=$(LWS_LEADER_ADDRESS)", ""},
	}
	if role == worker {
		args = append(args, item{"--headless", "it serves nobody: the leader does"})
	}
	return args
}

// Memory and processors that are left to daemons of the node.
const (
	daemonMemory = 2 * facts.GiB
	daemonShare  = 0.05
)

// resources of one pod: its share of the node that the plan chose.
func (s *server) resources() object {
	memory, cpu := s.share()
	limits := object{{s.resource, s.each, s.whyGPUs()}, {"memory", fmt.Sprintf("%dGi", memory), ""}}
	requests := object{
		{"cpu", cpu, fmt.Sprintf("of the %d of %s; no limit: one would only slow the engine's processes down", s.instance.VCPU, s.instance.Name)},
		{"memory", fmt.Sprintf("%dGi", memory), fmt.Sprintf("of the %s that %s leaves to pods, less 2 GiB for daemons%s; %s to read the weights once (the page cache counts)", gibDown(s.instance.Allocatable()), s.instance.Name, s.among(), gib(s.Option.Host.LoadMemory))},
		{s.resource, s.each, ""},
	}
	if n := s.interfaces(); n > 0 {
		limits = append(limits, field{practice.EFAResource, n, "all that " + s.instance.Name + " has. No huge pages beside: Karpenter knows none, and a pod that asks for them gets no node; libfabric does without"})
		requests = append(requests, field{practice.EFAResource, n, ""})
	}
	return object{{"limits", limits, ""}, {"requests", requests, ""}}
}

// interfaces of EFA for each pod. vLLM's image brings neither libfabric nor the plugin of
// NCCL, so that they are asked for only where the user says that the nodes use them.
func (s *server) interfaces() int {
	if s.nodes > 1 && s.Spec.NodePool.EFA {
		return s.instance.EFA
	}
	return 0
}

func (s *server) among() string {
	if s.onNode > 1 {
		return fmt.Sprintf(", among %d replicas", s.onNode)
	}
	return ""
}

func (s *server) whyGPUs() string {
	o := s.Option
	if o.DP > 1 {
		return fmt.Sprintf("tensor parallel %d times data parallel %d; requests are the same", o.TP, o.DP)
	}
	return fmt.Sprintf("as many as tensor parallel takes on one node, %d; requests are the same", o.TP)
}

// share is what one pod asks of its node: whole GiB and whole processors.
func (s *server) share() (memory, cpu int) {
	left := max(s.instance.Allocatable()-daemonMemory, s.instance.Allocatable()/2)
	memory = max(int(left/facts.GiB)/s.onNode, 1)
	daemons := max(1, int(daemonShare*float64(s.instance.VCPU)))
	cpu = max((s.instance.VCPU-daemons)/s.onNode, 1)
	return memory, cpu
}

func gibDown(b int64) string { return fmt.Sprintf("%d GiB", b/facts.GiB) }

// sharedMemory is the size of /dev/shm, at most a quarter of the pod's memory.
func (s *server) sharedMemory() int64 {
	memory, _ := s.share()
	return min(practice.SharedMemory(s.each), max(int64(memory)*facts.GiB/4, facts.GiB))
}

func (s *server) whySharedMemory() string {
	size := "2 GiB for each accelerator"
	if s.sharedMemory() < practice.SharedMemory(s.each) {
		size = "a quarter of the pod's memory"
	}
	return size + ": a container has 64 MiB by default, too little for NCCL and the engine's workers. What is used counts towards the memory limit"
}

// zonal says that a volume of the pods lies in one zone.
func (s *server) zonal() bool {
	return slices.Contains([]string{spec.OnEBS, spec.OnFSx}, s.weights.kind)
}
