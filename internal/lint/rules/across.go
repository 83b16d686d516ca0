package rules

import (
	"assay/internal/facts"
	"assay/internal/lint"
)

var (
	kubeServices  = facts.Source{Title: "Kubernetes, Services", URL: "https://kubernetes.io/docs/concepts/services-networking/service/", Date: "2026-11-30"}
	kubeVolumes   = facts.Source{Title: "Kubernetes, persistent volumes: access modes", URL: "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes", Date: "2026-11-30"}
	kubeTopology  = facts.Source{Title: "Kubernetes, storage classes: allowed topologies", URL: "https://kubernetes.io/docs/concepts/storage/storage-classes/#allowed-topologies", Date: "2026-11-30"}
	kubeScaling   = facts.Source{Title: "Kubernetes, horizontal pod autoscaling", URL: "https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/", Date: "2026-11-30"}
	vllmGauges    = facts.Source{Title: "vLLM, production metrics", URL: "https://docs.vllm.ai/en/latest/usage/metrics/", Date: "2026-11-30"}
	operatorAPI   = facts.Source{Title: "Prometheus Operator, API: ServiceMonitor and PodMonitor", URL: "https://prometheus-operator.dev/docs/api-reference/api/", Date: "2026-11-30"}
	kueueQueues   = facts.Source{Title: "Kueue, run a job in a queue", URL: "https://kueue.sigs.k8s.io/docs/tasks/run/jobs/", Date: "2026-11-30"}
	kubeObjects   = facts.Source{Title: "Kubernetes, object names", URL: "https://kubernetes.io/docs/concepts/overview/working-with-objects/names/", Date: "2026-11-30"}
	reservations  = facts.Source{Title: "Karpenter, on-demand capacity reservations", URL: "https://karpenter.sh/docs/tasks/odcrs/", Date: "2026-11-30"}
	kubeletImages = facts.Source{Title: "Kubernetes, node-pressure eviction: imagefs.available < 15 %", URL: "https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/", Date: "2026-11-30"}
)

var lwsService = facts.Source{Title: "LeaderWorkerSet, CreateHeadlessServiceIfNotExists of its controller", URL: "https://github.com/kubernetes-sigs/lws/blob/main/pkg/utils/controller/controller_utils.go", Date: "2026-11-30"}

var acrossRules = []*lint.Rule{
	{
		ID: "pod-fits-no-nodepool", Severity: lint.Error, Subject: lint.Across,
		Title:   "No NodePool gives a node to a pod",
		Why:     "The pod stays pending. Only NodePools that were read count, and only pods that ask for accelerators or EFA are judged: of other types the catalogue knows nothing.",
		Fix:     "Ask for what a NodePool has, or let the NodePool launch it: the message says for each what is missing.",
		Sources: []facts.Source{karpenterPods, ec2Types},
		Across:  podFitsNoPool,
	},
	{
		ID: "taint-untolerated", Severity: lint.Error, Subject: lint.Across,
		Title:   "The only NodePool for a pod has a taint that it does not tolerate",
		Why:     "All else fits, and the pod stays pending. A toleration with a value must have the taint's; operator: Exists takes any.",
		Fix:     "Add the toleration to the pods.",
		Sources: []facts.Source{karpenterPods},
		Across:  taintUntolerated,
	},
	{
		ID: "nodepool-named-absent", Severity: lint.Error, Subject: lint.Across,
		Title:   "A pod names a NodePool that is misspelt",
		Why:     "No node has the label, and the pod stays pending.",
		Fix:     "Write the NodePool's name.",
		Sources: []facts.Source{karpenterPods},
		Across:  poolNamedAbsent,
	},
	{
		ID: "nodepool-grace-below-pod", Severity: lint.Error, Subject: lint.Across,
		Title:   "A NodePool gives its nodes less time than its pods need to end",
		Why:     "terminationGracePeriod counts from the node's deletion and stands above pods and their budgets: a pod that may take longer is deleted at once, so that its own time fits. With less than its own time it is killed in the middle of requests.",
		Fix:     "Raise the NodePool's terminationGracePeriod above the longest terminationGracePeriodSeconds of its pods, or leave it out.",
		Sources: []facts.Source{karpenterGrace},
		Across:  poolGraceBelowPod,
	},
	{
		ID: "drain-never-ends", Severity: lint.Warning, Subject: lint.Across,
		Title:   "Expired nodes wait for ever for pods that must not be disrupted",
		Why:     "Expiry does not ask do-not-disrupt whether to begin, and the drain that follows waits for it: the node takes no new pods and is paid for beside its successor.",
		Fix:     "Give the NodePool a terminationGracePeriod, such as 24h; or expireAfter: Never.",
		Sources: []facts.Source{karpenterGrace},
		Across:  drainNeverEnds,
	},
	{
		ID: "gpu-pool-untainted", Severity: lint.Warning, Subject: lint.Across,
		Title:   "Pods without accelerators may run on accelerated nodes",
		Why:     "The scheduler fills spare CPU wherever it is. A small pod on a GPU node keeps it from being removed when the GPUs are idle.",
		Fix:     "Taint the pool, nvidia.com/gpu=true:NoSchedule, and tolerate it where GPUs are asked for.",
		Sources: []facts.Source{aimlCompute, karpenterPools},
		Across:  gpuPoolUntainted,
	},
	{
		ID: "node-class-absent", Severity: lint.Error, Subject: lint.Across,
		Title:   "A NodePool names a node class that is not there",
		Why:     "The NodePool is never ready and launches nothing.",
		Fix:     "Write the class's name.",
		Sources: []facts.Source{karpenterPools},
		Across:  classAbsent,
	},
	{
		ID: "node-class-latest", Severity: lint.Warning, Subject: lint.Across,
		Title:   "Accelerated nodes are replaced with every release of their image",
		Why:     "@latest makes all nodes drift on the day that AWS publishes an image, untried: servers that load models for minutes move, budgets of 10 % one after the other.",
		Fix:     "Name the version, al2023@vYYYYMMDD or bottlerocket@vX.Y.Z, and change it when you have tried it; or close the hours that matter by a budget.",
		Sources: []facts.Source{karpenterClasses},
		Across:  latestDrift,
	},
	{
		ID: "reserved-without-selector", Severity: lint.Error, Subject: lint.Across,
		Title:   "A NodePool wants reserved capacity, and its class selects no reservation",
		Why:     "Reservations are found by the class alone: without one the pool launches nothing.",
		Fix:     "capacityReservationSelectorTerms in the class, or another capacity type beside reserved.",
		Sources: []facts.Source{reservations},
		Across:  reservedUnselected,
	},
	{
		ID: "reservation-unused", Severity: lint.Warning, Subject: lint.Across,
		Title:   "Reservations are selected that no NodePool may use",
		Why:     "A reservation is paid for whether it is used or not; a pool that does not allow the capacity type reserved launches beside it.",
		Fix:     "Add reserved to the values of karpenter.sh/capacity-type.",
		Sources: []facts.Source{reservations},
		Across:  reservationUnused,
	},
	{
		ID: "image-volume-small", Severity: lint.Warning, Subject: lint.Across,
		Title:   "Images of vLLM do not fit on the nodes' volume",
		Why:     "An image of vLLM of 9.4 GB unpacks to some 2.2 times that, and the kubelet evicts pods when less than 15 % of the volume is free.",
		Fix:     "100Gi on the volume that holds images, or instanceStorePolicy: RAID0 where types have local disks.",
		Sources: []facts.Source{facts.ImageUnpacked.Source, facts.VLLMImage.Source, kubeletImages},
		Across:  rootBelowImage,
	},
	{
		ID: "claim-absent", Severity: lint.Error, Subject: lint.Across,
		Title:   "A pod mounts a claim that is misspelt",
		Why:     "The pod stays pending until the claim is there.",
		Fix:     "Write the claim's name.",
		Sources: []facts.Source{kubeVolumes},
		Across:  claimAbsent,
	},
	{
		ID: "claim-shared", Severity: lint.Error, Subject: lint.Across,
		Title:   "Several pods share a volume that one node mounts",
		Why:     "ReadWriteOnce is for one node at a time. A second pod on another node waits for the volume for ever.",
		Fix:     "ReadWriteMany on EFS or FSx for Lustre, ReadOnlyMany for weights, or a claim for each pod (a StatefulSet's volumeClaimTemplates).",
		Sources: []facts.Source{kubeVolumes},
		Across:  claimShared,
	},
	{
		ID: "claim-class-absent", Severity: lint.Error, Subject: lint.Across,
		Title:   "A claim names a StorageClass that is misspelt",
		Why:     "No volume is made, and the pods that mount the claim stay pending.",
		Fix:     "Write the StorageClass's name.",
		Sources: []facts.Source{kubeVolumes},
		Across:  classOfClaimAbsent,
	},
	{
		ID: "volume-zone", Severity: lint.Error, Subject: lint.Across,
		Title:   "A pod must run in one zone, and its volume is in another",
		Why:     "A volume of EBS lies in one zone and is mounted there alone: no node satisfies both, and the pod stays pending.",
		Fix:     "Bring both into one zone; volumeBindingMode: WaitForFirstConsumer makes a volume where the pod is.",
		Sources: []facts.Source{kubeTopology},
		Across:  volumeZone,
	},
	{
		ID: "service-selects-nothing", Severity: lint.Error, Subject: lint.Across,
		Title:   "A Service's selector misses its pods by one label",
		Why:     "The Service has no endpoints, and every connection to it is refused.",
		Fix:     "Ask for the label as the pods have it.",
		Sources: []facts.Source{kubeServices},
		Across:  serviceSelectsNothing,
	},
	{
		ID: "service-target-port", Severity: lint.Error, Subject: lint.Across,
		Title:   "A Service leads to a named port that its pods do not have",
		Why:     "Endpoints carry no port of that name, and every connection is refused.",
		Fix:     "Give the container's port the name, or write its number.",
		Sources: []facts.Source{kubeServices},
		Across:  serviceTargetPort,
	},
	{
		ID: "monitor-selects-nothing", Severity: lint.Warning, Subject: lint.Across,
		Title:   "A monitor's selector misses what it is to scrape by one label",
		Why:     "Nothing is scraped, and alerts on metrics that are not there never fire.",
		Fix:     "Ask for the label as the Service (or the pods, for a PodMonitor) has it.",
		Sources: []facts.Source{operatorAPI},
		Across:  monitorSelectsNothing,
	},
	{
		ID: "monitor-port", Severity: lint.Warning, Subject: lint.Across,
		Title:   "A monitor scrapes a port that its targets do not have",
		Why:     "The operator makes no target of an endpoint whose port's name is unknown: nothing is scraped, and nothing says so.",
		Fix:     "Write the name of the Service's port (of the container's port, for a PodMonitor).",
		Sources: []facts.Source{operatorAPI},
		Across:  monitorPort,
	},
	{
		ID: "scaler-target-absent", Severity: lint.Error, Subject: lint.Across,
		Title:   "An autoscaler names a workload that is misspelt",
		Why:     "It scales nothing, and the replicas stay as they are under any load.",
		Fix:     "Write the workload's name.",
		Sources: []facts.Source{kubeScaling},
		Across:  scalerTargetAbsent,
	},
	{
		ID: "two-scalers", Severity: lint.Error, Subject: lint.Across,
		Title:   "Two autoscalers set the replicas of one workload",
		Why:     "Each sets what it thinks right and the other sets it back: pods start and end without an end. A ScaledObject makes an autoscaler of its own.",
		Fix:     "Keep one, with both metrics: the larger number of replicas holds.",
		Sources: []facts.Source{kubeScaling},
		Across:  twoScalers,
	},
	{
		ID: "scaler-on-cpu", Severity: lint.Warning, Subject: lint.Across,
		Title:   "Servers on GPUs are scaled by their CPU",
		Why:     "vLLM keeps a core or two busy whatever the load; requests wait in its queue while the CPU looks as ever.",
		Fix:     "Scale on vllm:num_requests_running and vllm:num_requests_waiting against the measured operating point.",
		Sources: []facts.Source{vllmGauges, kubeScaling},
		Across:  scalerOnCPU,
	},
	{
		ID: "scaler-on-latency", Severity: lint.Warning, Subject: lint.Across, Kinds: []string{"HorizontalPodAutoscaler", "ScaledObject"},
		Title:   "Replicas follow a latency",
		Why:     "Latency is known of requests that end. When a server hangs none ends: the metric falls silent, and the autoscaler with it. Below saturation it says little, above it grows without bound.",
		Fix:     "Scale on vllm:num_requests_running and vllm:num_requests_waiting against the measured operating point.",
		Sources: []facts.Source{vllmGauges},
		Object:  scalerOnLatency,
	},
	{
		ID: "scaler-bounds", Severity: lint.Error, Subject: lint.Across, Kinds: []string{"HorizontalPodAutoscaler", "ScaledObject"},
		Title:   "An autoscaler's least replicas are more than its most",
		Why:     "The API server or the operator refuses the object.",
		Fix:     "Set the least at or below the most.",
		Sources: []facts.Source{kubeScaling},
		Object:  scalerBounds,
	},
	{
		ID: "queue-absent", Severity: lint.Error, Subject: lint.Across,
		Title:   "A queue of Kueue is misspelt",
		Why:     "The job stays suspended for ever, or the queue is never active.",
		Fix:     "Write the name of the LocalQueue, ClusterQueue or ResourceFlavor.",
		Sources: []facts.Source{kueueQueues},
		Across:  queueAbsent,
	},
	{
		ID: "lws-service-name", Severity: lint.Error, Subject: lint.Across,
		Title:   "A Service takes the name by which workers find their leader",
		Why:     "The controller of LeaderWorkerSets makes a headless Service of the set's name, with addresses of pods that are not ready, unless one of that name exists. With this one in its place LWS_LEADER_ADDRESS has no address until the leader is ready, and the leader is not until its workers have joined: neither starts.",
		Fix:     "Give the Service that clients use another name than the LeaderWorkerSet has.",
		Sources: []facts.Source{lwsService},
		Across:  lwsServiceName,
	},
	{
		ID: "object-twice", Severity: lint.Warning, Subject: lint.Across,
		Title:   "A file holds two objects of one name",
		Why:     "Both are applied to the same object: the later one stands, and the earlier one is lost without a word.",
		Fix:     "Give one of them another name or namespace, or leave one out.",
		Sources: []facts.Source{kubeObjects},
		Across:  objectTwice,
	},
}
