package rules

import (
	"strings"

	"assay/internal/facts"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

var (
	efaSheet  = facts.Source{Title: "aws-ofi-nccl, EFA cheatsheet", URL: "https://github.com/aws/aws-ofi-nccl/blob/master/doc/efa-env-var.md", Date: "2026-11-30"}
	ncclEnv   = facts.Source{Title: "NCCL, environment variables", URL: "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html", Date: "2026-11-30"}
	eksEFA    = facts.Source{Title: "Amazon EKS user guide, machine-learning training with EFA", URL: "https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html", Date: "2026-11-30"}
	ec2Types  = facts.Source{Title: "Karpenter, instance types", URL: "https://karpenter.sh/docs/reference/instance-types/", Date: "2026-11-30"}
	hugePages = facts.Source{Title: "Kubernetes, manage huge pages", URL: "https://kubernetes.io/docs/tasks/manage-hugepages/scheduling-hugepages/", Date: "2026-11-30"}
	placing   = facts.Source{Title: "AWS ParallelCluster, Elastic Fabric Adapter", URL: "https://docs.aws.amazon.com/parallelcluster/latest/ug/efa-v3.html", Date: "2026-11-30"}
	spotGuide = facts.Source{Title: "Amazon EKS best practices, AI/ML compute", URL: "https://docs.aws.amazon.com/eks/latest/best-practices/aiml-compute.html", Date: "2026-11-30"}
)

var networkRules = []*lint.Rule{
	{
		ID: "efa-count", Severity: lint.Error, Subject: lint.Network,
		Title:   "EFA interfaces asked for are not those that the instance type has",
		Why:     "With more than the type has, the pod is never scheduled. With fewer, a pod that takes the whole node leaves the others idle: 4 of 32 are an eighth of the bandwidth between nodes.",
		Fix:     "Ask for as many vpc.amazonaws.com/efa as the instance type has.",
		Sources: []facts.Source{ec2Types, eksEFA},
		Pod:     efaCount,
	},
	{
		ID: "efa-not-on-instance", Severity: lint.Error, Subject: lint.Network,
		Title:   "EFA is asked for on an instance type that has none",
		Why:     "No node of the type offers vpc.amazonaws.com/efa: the pod stays pending.",
		Fix:     "Take a type with EFA, or leave the request out.",
		Sources: []facts.Source{ec2Types},
		Pod:     efaAbsent,
	},
	{
		ID: "efa-bypassed", Severity: lint.Warning, Subject: lint.Network,
		Title:     "EFA is asked for, and a variable turns it off",
		Why:       "The pod holds the interfaces, and NCCL sends over TCP: transfers between nodes take several times as long.",
		Fix:       "Leave the variable out: the plugin finds EFA by itself.",
		Sources:   []facts.Source{efaSheet, ncclEnv},
		Container: efaBypassed,
	},
	{
		ID: "efa-setting-not-needed", Severity: lint.Info, Subject: lint.Network,
		Title:     "A variable of EFA is left over from old versions",
		Why:       "Since libfabric 1.18 and aws-ofi-nccl 1.7 the plugin does this by itself. The variable is harmless, and what is copied on with it often is not.",
		Fix:       "Leave it out.",
		Sources:   []facts.Source{efaSheet},
		Object:    onSettings(notNeeded),
		Container: onContainer(notNeeded),
	},
	{
		ID: "rdmav-setting", Severity: lint.Warning, Subject: lint.Network,
		Title:     "A variable of rdma-core is set",
		Why:       "EFA does not want it, and it can break fork() on newer kernels.",
		Fix:       "Leave it out.",
		Sources:   []facts.Source{efaSheet},
		Object:    onSettings(rdmav),
		Container: onContainer(rdmav),
	},
	{
		ID: "nccl-algo", Severity: lint.Warning, Subject: lint.Network,
		Title:     "NCCL is told which algorithms it may use",
		Why:       "What is not named is shut out: with Ring,Tree that is NVLS, the reduction within NVSwitch of H100 and later, and CollNet and PAT with it. NCCL and the tuner of aws-ofi-nccl choose by size and number of ranks.",
		Fix:       "Leave NCCL_ALGO out.",
		Sources:   []facts.Source{ncclEnv},
		Object:    onSettings(ncclAlgo),
		Container: onContainer(ncclAlgo),
	},
	{
		ID: "nccl-proto", Severity: lint.Warning, Subject: lint.Network,
		Title:     "NCCL is told which protocols it may use",
		Why:       "NCCL_PROTO=simple was needed up to aws-ofi-nccl 1.5; now it shuts out the protocols that are faster for small messages. NVIDIA discourages it: a wrong choice may corrupt data.",
		Fix:       "Leave NCCL_PROTO out.",
		Sources:   []facts.Source{ncclEnv, efaSheet},
		Object:    onSettings(ncclProto),
		Container: onContainer(ncclProto),
	},
	{
		ID: "nccl-debug", Severity: lint.Info, Subject: lint.Network,
		Title:     "NCCL writes its debugging log",
		Why:       "Every rank writes lines about each communicator and channel: with thousands of GPUs the log of a start is gigabytes, which are paid for where logs are kept.",
		Fix:       "Set it once, to see which provider is in use, and then WARN.",
		Sources:   []facts.Source{ncclEnv},
		Object:    onSettings(ncclDebug),
		Container: onContainer(ncclDebug),
	},
	{
		ID: "nccl-setting-without-effect", Severity: lint.Info, Subject: lint.Network,
		Title:     "A variable of NCCL's sockets or InfiniBand stands in a pod that uses EFA",
		Why:       "EFA is reached through aws-ofi-nccl: settings of NCCL's own transports change nothing there.",
		Fix:       "Leave it out.",
		Sources:   []facts.Source{ncclEnv, efaSheet},
		Container: ncclIdle,
	},
	{
		ID: "nccl-loopback", Severity: lint.Error, Subject: lint.Network,
		Title:     "NCCL is told to meet over the loopback interface",
		Why:       "Ranks of other nodes cannot be reached over lo: the job waits until NCCL's bootstrap gives up.",
		Fix:       "Name the pod's interface, eth0; or exclude others with ^lo,docker.",
		Sources:   []facts.Source{ncclEnv},
		Container: ncclLoopback,
	},
	{
		ID: "nccl-peer-off", Severity: lint.Warning, Subject: lint.Network,
		Title:     "Transfers between GPUs of a node are kept off NVLink",
		Why:       "With NCCL_P2P_DISABLE=1 GPUs of one node exchange data through the host's memory: some 20 GB/s in the place of 300 and more over NVLink.",
		Fix:       "Leave it out. Where peer access hangs, look for the cause: ACS of the PCIe bridges, or the IOMMU.",
		Sources:   []facts.Source{ncclEnv},
		Container: ncclPeerOff,
	},
	{
		ID: "coupled-zones", Severity: lint.Warning, Subject: lint.Network,
		Title:   "Nodes that train together may lie in several zones",
		Why:     "Each step waits for the slowest transfer, a cluster placement group is of one zone, EFA is not supported between zones, and traffic between zones costs 0.01 USD per GB in each direction.",
		Fix:     "Keep all pods of the job in one zone: one value of topology.kubernetes.io/zone, or pod affinity by it.",
		Sources: []facts.Source{placing},
		Pod:     coupledZones,
	},
	{
		ID: "coupled-spot", Severity: lint.Warning, Subject: lint.Network,
		Title:   "Nodes that train together are bought on Spot",
		Why:     "An interruption of one node stops all of them, two minutes after the notice: with n nodes it comes n times as often, and each costs the work since the last checkpoint and a start.",
		Fix:     "Use on-demand or reserved capacity (ODCR, Capacity Block), or a trainer that goes on with fewer nodes.",
		Sources: []facts.Source{spotGuide},
		Pod:     coupledSpot,
	},
	{
		ID: "hugepages-without-memory", Severity: lint.Error, Subject: lint.Network,
		Title:     "Huge pages are asked for without CPU or memory",
		Why:       "The API server refuses such a pod: huge pages need a request of CPU or memory beside them.",
		Fix:       "Ask for memory as well.",
		Sources:   []facts.Source{hugePages},
		Container: hugePagesAlone,
	},
	{
		ID: "hugepages-not-equal", Severity: lint.Error, Subject: lint.Network,
		Title:     "Huge pages or EFA interfaces are asked for without an equal limit",
		Why:       "Neither can be overcommitted: the API server refuses a pod whose request is not its limit.",
		Fix:       "Write the same value under limits; the request follows it.",
		Sources:   []facts.Source{hugePages, eksEFA},
		Container: notOvercommitted,
	},
	{
		ID: "hugepages-volume", Severity: lint.Error, Subject: lint.Network,
		Title:   "A volume of huge pages in a pod that asks for none",
		Why:     "The kubelet does not mount it: the pod stays in ContainerCreating.",
		Fix:     "Ask for hugepages-2Mi in a container, or leave the volume out.",
		Sources: []facts.Source{hugePages},
		Pod:     hugePagesVolume,
	},
}

// asked sums up what the containers of a pod ask for of a resource; at is the largest.
func asked(p *lint.Pod, resource string) (sum int, at source.Value, ok bool) {
	most := 0
	for _, c := range p.Containers() {
		v := c.Asked(resource)
		if !v.Exists() || c.Init {
			continue
		}
		n, number := v.Int()
		if !number {
			return 0, v, false
		}
		if sum += n; n >= most {
			most, at = n, v
		}
	}
	return sum, at, true
}

// accelerators of any kind that a pod asks for; 0 where that is not known.
func accelerators(p *lint.Pod) int {
	for _, resource := range []string{"nvidia.com/gpu", "aws.amazon.com/neuron"} {
		if n, _, ok := asked(p, resource); ok && n > 0 {
			return n
		}
	}
	return 0
}

// interfaces judges what a pod asks of EFA.
func interfaces(p *lint.Pod) (verdict practice.EFAJudgement, n, most int, at source.Value, on nodes) {
	n, at, ok := asked(p, practice.EFAResource)
	if !ok || n == 0 {
		return practice.EFARight, 0, 0, at, on
	}
	on, ok = instancesOf(p)
	if !ok {
		return practice.EFARight, n, 0, at, on
	}
	verdict, most = practice.JudgeEFA(on.Types, n, accelerators(p))
	return verdict, n, most, at, on
}

func efaCount(pass *lint.Pass, p *lint.Pod) {
	switch verdict, n, most, at, on := interfaces(p); verdict {
	case practice.EFATooMany:
		pass.Fail(at, "%d EFA interfaces are asked for; %s has %d: the pod is never scheduled", n, names(on.Types), most)
	case practice.EFATooFew:
		pass.Fail(at, "%d EFA interfaces are asked for with all accelerators of the node; %s has %d", n, names(on.Types), most)
	}
}

func efaAbsent(pass *lint.Pass, p *lint.Pod) {
	if verdict, _, _, at, on := interfaces(p); verdict == practice.EFAAbsent {
		pass.Fail(at, "EFA is asked for; %s has none", names(on.Types))
	}
}

// usesEFA says that the pod of a container asks for EFA.
func usesEFA(c *lint.Container) bool {
	for _, o := range c.Pod.Containers() {
		if v := o.Asked(practice.EFAResource); v.Exists() && v.Text() != "0" {
			return true
		}
	}
	return false
}

func efaBypassed(p *lint.Pass, c *lint.Container) {
	if !usesEFA(c) {
		return
	}
	for _, s := range settings(c) {
		if s.open() {
			continue
		}
		switch v := strings.ToLower(s.Value); {
		case s.Name == "FI_PROVIDER" && v != "efa" && v != "" && !strings.HasPrefix(v, "^"),
			s.Name == "NCCL_NET" && (v == "socket" || v == "ib"),
			s.Name == "NCCL_NET_PLUGIN" && v == "none":
			s.failValue(p, "%s=%s keeps NCCL off EFA, which the pod asks for", s.Name, s.Value)
		case s.Name == "FI_EFA_USE_DEVICE_RDMA" && v == "0":
			s.failValue(p, "%s=0 turns off RDMA of the EFA interfaces that the pod asks for", s.Name)
		}
	}
}
