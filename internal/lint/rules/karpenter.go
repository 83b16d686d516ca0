package rules

import (
	"assay/internal/facts"
	"assay/internal/lint"
)

var (
	karpenterBudgets = facts.Source{Title: "Karpenter v1.14, pkg/apis/v1/nodepool.go (Budget.IsActive, GetAllowedDisruptionsByReason)", URL: "https://github.com/kubernetes-sigs/karpenter/blob/v1.14.0/pkg/apis/v1/nodepool.go", Date: "2026-11-30"}
	karpenterBounds  = facts.Source{Title: "Karpenter, disruption budgets", URL: "https://karpenter.sh/docs/concepts/disruption/#nodepool-disruption-budgets", Date: "2026-11-30"}
	karpenterPools   = facts.Source{Title: "Karpenter, NodePools", URL: "https://karpenter.sh/docs/concepts/nodepools/", Date: "2026-11-30"}
	karpenterClasses = facts.Source{Title: "Karpenter, EC2NodeClasses", URL: "https://karpenter.sh/docs/concepts/nodeclasses/", Date: "2026-11-30"}
	karpenterPods    = facts.Source{Title: "Karpenter, scheduling", URL: "https://karpenter.sh/docs/concepts/scheduling/", Date: "2026-11-30"}
	karpenterCRD     = facts.Source{Title: "Karpenter v1.14, NodePool CRD", URL: "https://github.com/kubernetes-sigs/karpenter/blob/v1.14.0/pkg/apis/crds/karpenter.sh_nodepools.yaml", Date: "2026-11-30"}
	karpenterV1      = facts.Source{Title: "Karpenter, v1 migration", URL: "https://karpenter.sh/docs/upgrading/v1-migration/", Date: "2026-11-30"}
	karpenterGrace   = facts.Source{Title: "Karpenter, disruption: terminationGracePeriod and expiry", URL: "https://karpenter.sh/docs/concepts/disruption/#terminationgraceperiod", Date: "2026-11-30"}
	karpenterPodCode = facts.Source{Title: "Karpenter v1.14, pkg/utils/pod/scheduling.go (IsDoNotDisruptActive)", URL: "https://github.com/kubernetes-sigs/karpenter/blob/v1.14.0/pkg/utils/pod/scheduling.go", Date: "2026-11-30"}
	providerLabels   = facts.Source{Title: "Karpenter's AWS provider v1.14, pkg/apis/v1/labels.go", URL: "https://github.com/aws/karpenter-provider-aws/blob/v1.14.0/pkg/apis/v1/labels.go", Date: "2026-11-30"}
	ec2Tags          = facts.Source{Title: "Amazon EC2, tag restrictions", URL: "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions", Date: "2026-11-30"}
	eksAL2           = facts.Source{Title: "Amazon EKS, AL2 AMI deprecation", URL: "https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-deprecation-faqs.html", Date: "2026-11-30"}
	ec2Addresses     = facts.Source{Title: "Amazon EC2, instance IP addressing", URL: "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html", Date: "2026-11-30"}
	sociSource       = facts.Source{Title: "SOCI snapshotter, parallel mode", URL: "https://github.com/awslabs/soci-snapshotter/blob/main/docs/parallel-mode.md", Date: "2026-11-30"}
	nodeadmAPI       = facts.Source{Title: "Amazon EKS AMI, nodeadm: NodeConfig, featureGates", URL: "https://awslabs.github.io/amazon-eks-ami/nodeadm/doc/api/", Date: "2026-11-30"}
	bottlerocketSOCI = facts.Source{Title: "Bottlerocket 1.44, soci-snapshotter", URL: "https://github.com/bottlerocket-os/bottlerocket/releases/tag/v1.44.0", Date: "2026-11-30"}
	gp3Source        = facts.Source{Title: "Amazon EC2, CreateVolume", URL: "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVolume.html", Date: "2026-11-30"}
	aimlCompute      = facts.Source{Title: "Amazon EKS best practices, AI/ML compute", URL: "https://docs.aws.amazon.com/eks/latest/best-practices/aiml-compute.html", Date: "2026-11-30"}
)

var nodePools, nodeClasses = []string{"NodePool"}, []string{"EC2NodeClass"}

var karpenterRules = []*lint.Rule{
	{
		ID: "budget-hourly", Severity: lint.Warning, Subject: lint.Karpenter, Kinds: nodePools, Fixable: true,
		Title:   "A budget's schedule fires again while the budget still counts",
		Why:     "A schedule says when a budget begins, and each time it fires begins it anew: 0 9-17 with 8h counts from 09:00 to 01:00, 16 hours, not 8. Nodes are kept through the evening that are not needed, and on Friday into Saturday.",
		Fix:     "Name the first hour alone, 0 9 * * 1-5, and let the duration say how long. Hours are UTC.",
		Sources: []facts.Source{karpenterBudgets, karpenterBounds},
		Object:  onBudgets(budgetHourly),
	},
	{
		ID: "budget-scheduled-only", Severity: lint.Warning, Subject: lint.Karpenter, Kinds: nodePools,
		Title:   "Budgets leave hours in which nothing bounds disruption",
		Why:     "Budgets that are written take the place of the default of 10 %. While none of them counts, Karpenter takes as many nodes at once as it likes: all replicas of a service can go in one step.",
		Fix:     "Add a budget without a schedule, - nodes: \"10%\". Where several count the least holds.",
		Sources: []facts.Source{karpenterBudgets, karpenterBounds},
		Object:  budgetUnbounded,
	},
	{
		ID: "budget-never-lifts", Severity: lint.Warning, Subject: lint.Karpenter, Kinds: nodePools,
		Title:   "Budgets of no nodes follow one another without a pause",
		Why:     "Where windows of no nodes tile the week, nodes are never consolidated nor replaced when their image or class has changed: idle GPUs stay, patches never come.",
		Fix:     "Shorten the duration, so that a time of day is left.",
		Sources: []facts.Source{karpenterBudgets},
		Object:  onBudgets(budgetNeverLifts),
	},
	{
		ID: "budget-zero", Severity: lint.Warning, Subject: lint.Karpenter, Kinds: nodePools,
		Title:   "A budget of no nodes counts at all times",
		Why:     "Empty nodes are not removed either: an idle p5.48xlarge costs its full price until it expires, 30 days by default.",
		Fix:     "Give the budget a schedule and a duration, or reasons: [Underutilized, Drifted], so that empty nodes go.",
		Sources: []facts.Source{karpenterBudgets, karpenterBounds},
		Object:  onBudgets(budgetZero),
	},
	{
		ID: "budget-unreadable", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodePools,
		Title:   "A budget's schedule is one that Karpenter cannot read",
		Why:     "The API server takes more than Karpenter's parser. A budget that cannot be read counts as one of no nodes, at all times and for all reasons.",
		Fix:     "Five fields of cron in UTC, without a time zone: 0 9 * * 1-5.",
		Sources: []facts.Source{karpenterBudgets},
		Object:  budgetUnreadable,
	},
	{
		ID: "expiry-in-closed-hours", Severity: lint.Warning, Subject: lint.Karpenter, Kinds: nodePools,
		Title:   "Nodes expire at least daily, in the hours that a budget is to keep",
		Why:     "Budgets bind consolidation and drift alone. A node is drained at its age whatever the hour; with a day or less every node is, each day.",
		Fix:     "Let nodes grow older, such as expireAfter: 720h, and leave updates to drift, which waits for budgets.",
		Sources: []facts.Source{karpenterGrace, karpenterBounds},
		Object:  onBudgets(expiryInClosedHours),
	},
	{
		ID: "expire-after-misplaced", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodePools,
		Title:   "expireAfter stands where v1beta1 had it",
		Why:     "The API server refuses the field, or drops it where validation is off: nodes then live for the default of 720 h.",
		Fix:     "Write it at spec.template.spec.expireAfter.",
		Sources: []facts.Source{karpenterCRD, karpenterV1},
		Object:  expireAfterMisplaced,
	},
	{
		ID: "karpenter-field-misplaced", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodePools,
		Title:   "A field of a NodePool stands in the wrong place",
		Why:     "The API server refuses the field, or drops it where validation is off, and the default holds.",
		Fix:     "Write it where it belongs.",
		Sources: []facts.Source{karpenterCRD, karpenterPools},
		Object:  fieldMisplaced,
	},
	{
		ID: "karpenter-field-removed", Severity: lint.Error, Subject: lint.Karpenter, Kinds: []string{"NodePool", "EC2NodeClass"},
		Title:   "A field of Karpenter's older versions",
		Why:     "The API server refuses the field, or drops it where validation is off.",
		Fix:     "Write what took its place.",
		Sources: []facts.Source{karpenterV1, karpenterCRD},
		Object:  fieldGone,
	},
	{
		ID: "consolidation-policy-removed", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodePools, Fixable: true,
		Title:   "consolidationPolicy has a value of v1beta1",
		Why:     "The API server refuses the NodePool.",
		Fix:     "WhenEmptyOrUnderutilized is the same under its name of v1. For services that start slowly WhenEmpty with a consolidateAfter disturbs less.",
		Sources: []facts.Source{karpenterCRD, karpenterV1},
		Object:  removedPolicy,
	},
	{
		ID: "node-class-ref", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodePools, Fixable: true,
		Title:   "nodeClassRef names a group and a kind that do not go together",
		Why:     "Karpenter finds no class by that reference: the NodePool is never ready and launches nothing.",
		Fix:     "group: karpenter.k8s.aws with kind: EC2NodeClass; in EKS Auto Mode group: eks.amazonaws.com with kind: NodeClass.",
		Sources: []facts.Source{karpenterCRD, karpenterPools},
		Object:  classRef,
	},
	{
		ID: "requirements-no-type", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodePools,
		Title:   "No instance type meets a NodePool's requirements",
		Why:     "The pool launches nothing, and its pods stay pending.",
		Fix:     "Loosen the requirement that the message names. Gt and Lt leave the bound itself out.",
		Sources: []facts.Source{ec2Types, karpenterPools},
		Object:  pinnedPools(requirementsNoType),
	},
	{
		ID: "instance-type-unknown", Severity: lint.Error, Subject: lint.Karpenter,
		Title:   "An instance type that there is not",
		Why:     "No node ever has that name: a pod that asks for it stays pending, and a NodePool has less to choose from than it seems.",
		Fix:     "Write a size that the family has.",
		Sources: []facts.Source{ec2Types},
		Object:  unknownType,
		Pod:     unknownTypeOfPod,
	},
	{
		ID: "requirement-value", Severity: lint.Error, Subject: lint.Karpenter,
		Title:   "A requirement asks for a value that no node's label has",
		Why:     "In then lets nothing in by that value, NotIn keeps nothing out: a NodePool launches less than it seems, a pod stays pending. Labels are compared letter by letter.",
		Fix:     "Write the value as nodes have it.",
		Sources: []facts.Source{providerLabels, ec2Types},
		Object:  requirementValue,
		Pod:     valueOfPod,
	},
	{
		ID: "requirements-contradict", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodePools,
		Title:   "Two requirements on one label cannot both hold",
		Why:     "All requirements must hold at once, the template's labels with them: the pool launches nothing.",
		Fix:     "Join them into one, or make two NodePools.",
		Sources: []facts.Source{karpenterPools},
		Object:  onPools(requirementsContradict),
	},
	{
		ID: "min-values-beyond", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodePools,
		Title:   "minValues asks for more choice than there is",
		Why:     "Karpenter launches nothing unless that many values remain possible.",
		Fix:     "Lower minValues, or let in more types.",
		Sources: []facts.Source{karpenterPools, ec2Types},
		Object:  pinnedPools(minValues),
	},
	{
		ID: "limit-below-node", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodePools,
		Title:   "A limit is less than one node",
		Why:     "Limits count what nodes have, not what pods use: a node that would go beyond is not launched.",
		Fix:     "Raise the limit to as many nodes as may run, or let in smaller types.",
		Sources: []facts.Source{karpenterPools, ec2Types},
		Object:  pinnedPools(limitBelowNode),
	},
	{
		ID: "spot-one-type", Severity: lint.Warning, Subject: lint.Karpenter, Kinds: nodePools,
		Title:   "Spot capacity of one instance type alone",
		Why:     "Spot is interrupted by type and zone. With one type an interruption takes many nodes at once, and the same shortage keeps new ones from coming.",
		Fix:     "Let in other types of the same GPU, or on-demand capacity beside Spot.",
		Sources: []facts.Source{aimlCompute},
		Object:  pinnedPools(spotOneType),
	},
	{
		ID: "consolidate-eager", Severity: lint.Warning, Subject: lint.Karpenter, Kinds: nodePools,
		Title:   "Accelerated nodes are consolidated without a wait",
		Why:     "Each pod that ends makes Karpenter look for a cheaper fit at once and move what runs: a server that loads a model for minutes is ended to save minutes of a node.",
		Fix:     "consolidationPolicy: WhenEmpty, or a consolidateAfter of the order of a start, such as 30m.",
		Sources: []facts.Source{aimlCompute, karpenterBounds},
		Object:  pinnedPools(consolidateEager),
	},
	{
		ID: "zone-value", Severity: lint.Error, Subject: lint.Karpenter,
		Title:   "topology.kubernetes.io/zone is asked to be a region or the ID of a zone",
		Why:     "The label holds the name of a zone: no node has the value.",
		Fix:     "Write the zone's name, us-east-1a; its ID is the label topology.k8s.aws/zone-id.",
		Sources: []facts.Source{karpenterPods},
		Object:  zoneOfPool,
		Pod:     zoneOfPod,
	},
	{
		ID: "karpenter-label", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodePools, Fixable: true,
		Title:   "A requirement is on a label that is misspelt",
		Why:     "No instance type has the label: the API server refuses the NodePool where the name is under a reserved domain, and elsewhere nodes get a label that no pod asks for.",
		Fix:     "Write the label as nodes have it.",
		Sources: []facts.Source{providerLabels, karpenterPools},
		Object:  labelOfPool,
	},
	{
		ID: "provisioner-name-label", Severity: lint.Error, Subject: lint.Karpenter, Fixable: true,
		Title:   "Pods ask for the label of a Provisioner",
		Why:     "Provisioners went with v1: no node has karpenter.sh/provisioner-name, and the pods stay pending.",
		Fix:     "karpenter.sh/nodepool holds the name of the NodePool.",
		Sources: []facts.Source{karpenterV1},
		Pod:     provisionerName,
	},
	{
		ID: "karpenter-annotation-dead", Severity: lint.Error, Subject: lint.Karpenter, Fixable: true,
		Title:   "An annotation that Karpenter no longer reads",
		Why:     "do-not-evict and do-not-consolidate went with v1: the pod or node is disrupted as any other.",
		Fix:     "karpenter.sh/do-not-disrupt: \"true\".",
		Sources: []facts.Source{karpenterV1, karpenterBounds},
		Object:  onKinds(deadOnNodes, "NodePool", "Node", "NodeClaim"),
		Pod:     deadOnPod,
	},
	{
		ID: "do-not-disrupt-value", Severity: lint.Error, Subject: lint.Karpenter, Fixable: true,
		Title:   "do-not-disrupt has a value that Karpenter passes over",
		Why:     "Only \"true\" and times such as \"4h\" count; with any other value the pod is disrupted as if there were none.",
		Fix:     "karpenter.sh/do-not-disrupt: \"true\".",
		Sources: []facts.Source{karpenterPodCode},
		Pod:     doNotDisruptValue,
	},
	{
		ID: "do-not-disrupt-place", Severity: lint.Warning, Subject: lint.Karpenter,
		Title:   "do-not-disrupt stands on the workload, not on its pods",
		Why:     "Karpenter reads annotations of pods and nodes. Those of a Deployment or Job do not come onto its pods, which are disrupted as any other.",
		Fix:     "Write it under template.metadata.annotations.",
		Sources: []facts.Source{karpenterBounds, karpenterPodCode},
		Object:  doNotDisruptPlace,
	},
	{
		ID: "node-class-reserved-tag", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodeClasses,
		Title:   "A tag whose key begins with aws:",
		Why:     "Such keys are reserved: EC2 refuses to launch with them. A tag places nothing either, aws:ec2:placement-group included.",
		Fix:     "Leave the tag out. Nodes come into a placement group by spec.placementGroupSelector: {name: NAME}, since version 1.11 of the provider.",
		Sources: []facts.Source{ec2Tags, karpenterClasses},
		Object:  onClasses(reservedTag),
	},
	{
		ID: "node-class-placement-field", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodeClasses,
		Title:   "A placement group by a field that there is not",
		Why:     "The API server refuses the field, or drops it where validation is off: nodes are placed anywhere.",
		Fix:     "spec.placementGroupSelector: {name: NAME}, since version 1.11 of the provider.",
		Sources: []facts.Source{karpenterClasses},
		Object:  onClasses(placementField),
	},
	{
		ID: "node-class-al2", Severity: lint.Warning, Subject: lint.Karpenter, Kinds: nodeClasses,
		Title:   "Nodes run Amazon Linux 2, of which there are no new images",
		Why:     "EKS ended its AL2 images on 2025-11-26: no kernel, driver or kubelet is mended since, and there is none for Kubernetes 1.33 and later.",
		Fix:     "An alias al2023@VERSION or bottlerocket@VERSION; userData changes its form.",
		Sources: []facts.Source{eksAL2},
		Object:  onClasses(al2),
	},
	{
		ID: "node-class-public-address", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodeClasses,
		Title:   "A public address for an instance of several interfaces",
		Why:     "EC2 refuses to launch an instance of several network interfaces with a public address: no node comes.",
		Fix:     "Leave associatePublicIPAddress out, and put the nodes into private subnets.",
		Sources: []facts.Source{ec2Addresses, karpenterClasses},
		Object:  onClasses(publicAddress),
	},
	{
		ID: "kubelet-field", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodeClasses, Fixable: true,
		Title:   "A field of spec.kubelet is misspelt",
		Why:     "Where the CRD lists the fields the API server refuses it; after 1.14 the map is open, and a misspelt field is passed on and does nothing.",
		Fix:     "Write the field as the kubelet has it.",
		Sources: []facts.Source{karpenterClasses},
		Object:  onClasses(kubeletMisspelt),
	},
	{
		ID: "user-data-form", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodeClasses,
		Title:   "userData is of another AMI family's form",
		Why:     "Bottlerocket takes TOML alone, and Karpenter refuses to launch with anything else; AL2023 runs TOML as a script, which fails.",
		Fix:     "TOML for Bottlerocket; a MIME archive, a NodeConfig or a shell script for AL2023.",
		Sources: []facts.Source{karpenterClasses},
		Object:  onClasses(userDataForm),
	},
	{
		ID: "user-data-bootstrap", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodeClasses,
		Title:   "userData calls a script that AL2023 does not have",
		Why:     "The script fails, and what follows it does not run. On AL2023 nodeadm joins the cluster.",
		Fix:     "Leave the call out; what it passed to the kubelet belongs into spec.kubelet, or a NodeConfig.",
		Sources: []facts.Source{karpenterClasses, eksAL2},
		Object:  onClasses(bootstrapScript),
	},
	{
		ID: "parallel-pull-slow-disk", Severity: lint.Warning, Subject: lint.Karpenter, Kinds: nodeClasses,
		Title:   "Images are pulled in parallel onto a slow volume",
		Why:     "Parallel pull and unpack writes as fast as the network brings. Below some 600 MiB/s the volume holds it back, and starts take longer than without; gp3 has 125 MiB/s unless told.",
		Fix:     "throughput: 1000 with iops: 4000 on the volume that holds images, or instanceStorePolicy: RAID0 where types have local disks.",
		Sources: []facts.Source{sociSource},
		Object:  onClasses(sociSlowRoot),
	},
	{
		ID: "soci-settings", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodeClasses,
		Title:   "The SOCI snapshotter is turned on where nothing reads it",
		Why:     "On AL2023 nodeadm's gate FastImagePull turns on parallel pull; given to the kubelet it is an unknown gate, with which the kubelet does not start. Bottlerocket has the settings since 1.44, and takes none that it does not know.",
		Fix:     "spec.featureGates: {FastImagePull: true} in the NodeConfig of AL2023; settings.container-runtime.snapshotter = \"soci\" with Bottlerocket 1.44 or later.",
		Sources: []facts.Source{nodeadmAPI, bottlerocketSOCI, sociSource},
		Object:  onClasses(sociSettings),
	},
	{
		ID: "node-class-volume", Severity: lint.Error, Subject: lint.Karpenter, Kinds: nodeClasses,
		Title:   "A volume that EC2 does not make",
		Why:     "EC2 refuses the launch: no node comes.",
		Fix:     "gp3: 3,000 to 80,000 IOPS, 125 to 2,000 MiB/s, and 0.25 MiB/s for each of its IOPS.",
		Sources: []facts.Source{gp3Source},
		Object:  onClasses(volumeLimits),
	},
	{
		ID: "image-volume-device", Severity: lint.Warning, Subject: lint.Karpenter, Kinds: nodeClasses,
		Title:   "The volume that is sized is not the one that holds images",
		Why:     "The large disk stays empty; images have the 20 GiB of the other, which one image of vLLM fills.",
		Fix:     "Size /dev/xvda on AL2023 and /dev/xvdb on Bottlerocket.",
		Sources: []facts.Source{karpenterClasses},
		Object:  onClasses(wrongDisk),
	},
}

// onKinds is a rule over objects of some kinds alone, beside one over all pods.
func onKinds(check func(*lint.Pass, *lint.Object), kinds ...string) func(*lint.Pass, *lint.Object) {
	return func(p *lint.Pass, o *lint.Object) {
		for _, k := range kinds {
			if o.Kind == k {
				check(p, o)
			}
		}
	}
}
