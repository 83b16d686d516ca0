package rules

import (
	"assay/internal/facts"
	"assay/internal/lint"
	"assay/internal/practice"
)

var (
	inTreeGone   = facts.Source{Title: "Kubernetes 1.27 release notes: the in-tree AWS EBS plugin is removed", URL: "https://kubernetes.io/blog/2023/03/17/upcoming-changes-in-kubernetes-v1-27/", Date: "2026-11-30"}
	bindingModes = facts.Source{Title: "Kubernetes, storage classes, volume binding mode", URL: "https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode", Date: "2026-11-30"}
	reclaiming   = facts.Source{Title: "Kubernetes, persistent volumes, reclaiming", URL: "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reclaiming", Date: "2026-11-30"}
	multiAttach  = facts.Source{Title: "EBS CSI driver, multi-attach", URL: "https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/docs/multi-attach.md", Date: "2026-11-30"}
	gp2ToGP3     = facts.Source{Title: "Amazon EBS, pricing of gp2 and gp3", URL: "https://aws.amazon.com/ebs/pricing/", Date: "2026-11-30"}
	fsxNode      = facts.Source{Title: "FSx for Lustre CSI driver, pkg/driver/node.go", URL: "https://github.com/kubernetes-sigs/aws-fsx-csi-driver/blob/master/pkg/driver/node.go", Date: "2026-11-30"}
	efsStatic    = facts.Source{Title: "EFS CSI driver, static provisioning with access points", URL: "https://github.com/kubernetes-sigs/aws-efs-csi-driver/tree/master/examples/kubernetes/access_points", Date: "2026-11-30"}
)

// storageRules are on objects by themselves, but for the last, which asks what reads a volume.
var storageRules = []*lint.Rule{
	{
		ID: practice.FSxParameter, Severity: lint.Warning, Subject: lint.Storage, Fixable: true,
		Title:   "A parameter of a StorageClass is none that the FSx driver has",
		Why:     "The driver reads the names it knows, case and all, and passes over the rest in silence: the file system is made without what was asked for.",
		Fix:     "Write the name as the driver does.",
		Sources: []facts.Source{practice.FSxDriver},
		Kinds:   classes, Object: faults(practice.FSxParameter),
	},
	{
		ID: practice.FSxValue, Severity: lint.Error, Subject: lint.Storage,
		Title:   "A parameter of FSx for Lustre has a value that AWS refuses",
		Why:     "The driver hands it on as it is. CreateFileSystem refuses it, and every claim stays pending.",
		Fix:     "Take one of the values named.",
		Sources: []facts.Source{practice.FSxCreate, practice.FSxDriver},
		Kinds:   classes, Object: faults(practice.FSxValue),
	},
	{
		ID: practice.FSxThroughput, Severity: lint.Error, Subject: lint.Storage,
		Title:   "The throughput is not of the deployment type of FSx for Lustre",
		Why:     "125, 250, 500 and 1000 MB/s of each TiB are of PERSISTENT_2, 50, 100 and 200 of PERSISTENT_1; scratch file systems take none, and without deploymentType it is SCRATCH_1. AWS refuses all else, and every claim stays pending.",
		Fix:     "Set the deployment type that has the throughput, or a throughput of the deployment type.",
		Sources: []facts.Source{practice.FSxCreate, practice.FSxDriver},
		Kinds:   classes, Object: faults(practice.FSxThroughput),
	},
	{
		ID: practice.FSxRepository, Severity: lint.Error, Subject: lint.Storage,
		Title:   "A link to S3 is asked of a deployment type that takes none",
		Why:     "PERSISTENT_2 is linked by a data repository association, which is made after the file system; AWS refuses the paths when the file system is made, and every claim stays pending.",
		Fix:     "Leave the paths out and make a data repository association, or take PERSISTENT_1 with 50, 100 or 200 MB/s of each TiB.",
		Sources: []facts.Source{practice.FSxCreate, practice.FSxDriver},
		Kinds:   classes, Object: faults(practice.FSxRepository),
	},
	{
		ID: practice.FSxNoImport, Severity: lint.Error, Subject: lint.Storage,
		Title:   "An export or an import policy does not go with the import path",
		Why:     "s3ExportPath and autoImportPolicy are about the bucket that s3ImportPath links; AWS refuses them without it, or with another bucket.",
		Fix:     "Set s3ImportPath to a path of the same bucket.",
		Sources: []facts.Source{practice.FSxCreate},
		Kinds:   classes, Object: faults(practice.FSxNoImport),
	},
	{
		ID: practice.FSxEFA, Severity: lint.Error, Subject: lint.Storage,
		Title:   "EFA is asked of an FSx file system that cannot have it",
		Why:     "Only PERSISTENT_2 with a metadata configuration is reached by EFA. AWS refuses the file system, and every claim stays pending.",
		Fix:     "Set deploymentType: PERSISTENT_2 and metadataConfigurationMode: AUTOMATIC, or leave efaEnabled out.",
		Sources: []facts.Source{practice.FSxCreate},
		Kinds:   classes, Object: faults(practice.FSxEFA),
	},
	{
		ID: practice.FSxSubnet, Severity: lint.Error, Subject: lint.Storage,
		Title:   "A StorageClass of FSx for Lustre names no subnet",
		Why:     "A file system lies in one subnet, and so in one zone; the driver answers SubnetId is required to every claim.",
		Fix:     "Set subnetId to a subnet of the zone in which its readers run.",
		Sources: []facts.Source{practice.FSxDriver},
		Kinds:   classes, Object: faults(practice.FSxSubnet),
	},
	{
		ID: practice.EBSParameter, Severity: lint.Error, Subject: lint.Storage, Fixable: true,
		Title:   "A parameter of a StorageClass is none that the EBS driver has",
		Why:     "The driver refuses every claim of the class: Invalid parameter key.",
		Fix:     "Write the name as the driver does.",
		Sources: []facts.Source{practice.EBSDriver},
		Kinds:   classes, Object: faults(practice.EBSParameter),
	},
	{
		ID: practice.EBSThroughput, Severity: lint.Error, Subject: lint.Storage,
		Title:   "The throughput is none that the EBS volume can have",
		Why:     "A gp3 volume has 125 to 2000 MiB/s, and a quarter of a MiB/s for each of its IOPS: with the 3000 that come in its price, 750. CreateVolume refuses more, and every claim stays pending.",
		Fix:     "Provision the IOPS that the throughput takes, or less throughput.",
		Sources: []facts.Source{practice.EBSLimits, practice.EBSDriver},
		Kinds:   classes, Object: faults(practice.EBSThroughput),
	},
	{
		ID: practice.EBSIOPS, Severity: lint.Error, Subject: lint.Storage,
		Title:   "The IOPS are none that the EBS volume can have",
		Why:     "Too few, or none where the type wants them, are refused, and every claim of the class stays pending; more than the type has are cut to its most, without a word.",
		Fix:     "Write IOPS within the limits of the volume's type.",
		Sources: []facts.Source{practice.EBSLimits, practice.EBSDriver},
		Kinds:   classes, Object: faults(practice.EBSIOPS),
	},
	{
		ID: practice.EFSParameter, Severity: lint.Warning, Subject: lint.Storage, Fixable: true,
		Title:   "A parameter of a StorageClass is none that the EFS driver has",
		Why:     "The driver reads the names it knows, case and all, and passes over the rest in silence.",
		Fix:     "Write the name as the driver does. A throughput mode belongs to the file system, which the driver does not make.",
		Sources: []facts.Source{practice.EFSDriver},
		Kinds:   classes, Object: faults(practice.EFSParameter),
	},
	{
		ID: practice.EFSValue, Severity: lint.Error, Subject: lint.Storage,
		Title:   "A StorageClass of EFS lacks what the driver needs, or has a value that it refuses",
		Why:     "The driver refuses every claim of the class, and what mounts it stays pending.",
		Fix:     "Set provisioningMode: efs-ap, the fileSystemId of a file system that exists, and both ends of a range of group ids or none.",
		Sources: []facts.Source{practice.EFSDriver},
		Kinds:   classes, Object: faults(practice.EFSValue),
	},
	{
		ID: practice.S3Attribute, Severity: lint.Error, Subject: lint.Storage, Fixable: true,
		Title:   "The attributes of a Mountpoint volume are not what its driver reads",
		Why:     "Without bucketName the volume is not mounted; any other name is passed over in silence, so that a bucket is mounted without the options that were meant.",
		Fix:     "Write bucketName under csi.volumeAttributes, and Mountpoint's options under spec.mountOptions.",
		Sources: []facts.Source{practice.S3Driver},
		Kinds:   []string{"PersistentVolume"}, Object: s3Attributes,
	},
	{
		ID: practice.S3Option, Severity: lint.Error, Subject: lint.Storage,
		Title:   "A mount option is none that Mountpoint takes",
		Why:     "Mountpoint refuses to start with it, and pods that mount the volume stay in ContainerCreating.",
		Fix:     "Write the option as Mountpoint does: prefix llama/, region eu-central-1, allow-delete.",
		Sources: []facts.Source{practice.Mountpoint, practice.S3Driver},
		Kinds:   []string{"PersistentVolume"}, Object: s3Options,
	},
	{
		ID: "s3-storage-class", Severity: lint.Error, Subject: lint.Storage,
		Title:   "A StorageClass is written for Mountpoint, which makes no volumes",
		Why:     "The driver mounts buckets that exist: up to 2.7 it provisions nothing, and every claim of the class stays pending.",
		Fix:     "Write a PersistentVolume with the bucket and a claim that names it, both with storageClassName: \"\".",
		Sources: []facts.Source{practice.S3Driver},
		Kinds:   classes, Object: s3Class,
	},
	{
		ID: "ebs-in-tree", Severity: lint.Warning, Subject: lint.Storage,
		Title:   "A StorageClass names the EBS plugin that Kubernetes has removed",
		Why:     "kubernetes.io/aws-ebs left Kubernetes in 1.27. Where the CSI driver is installed it takes over, without gp3's throughput or IOPS; on EKS Auto Mode claims stay pending.",
		Fix:     "Write a class with provisioner: ebs.csi.aws.com; a class cannot be changed, so give it another name.",
		Sources: []facts.Source{inTreeGone},
		Kinds:   classes, Object: inTree,
	},
	{
		ID: "ebs-gp2", Severity: lint.Info, Subject: lint.Storage,
		Title:   "A StorageClass makes gp2 volumes",
		Why:     "gp2 costs 0.10 USD for a GB and month in us-east-1, gp3 0.08, and gp2's speed comes of its size: 128 to 250 MiB/s, where gp3 goes up to 2,000.",
		Fix:     "Write type: gp3, with the throughput that loading takes.",
		Sources: []facts.Source{gp2ToGP3},
		Kinds:   classes, Object: gp2,
	},
	{
		ID: "volume-bound-early", Severity: lint.Warning, Subject: lint.Storage, Fixable: true,
		Title:   "An EBS volume is made before it is known where its pod runs",
		Why:     "A volume lies in one zone. With volumeBindingMode Immediate, the default, that zone is picked when the claim comes; where GPUs are to be had only in another one, the pod stays pending for ever.",
		Fix:     "Set volumeBindingMode: WaitForFirstConsumer, or name the zone in allowedTopologies.",
		Sources: []facts.Source{bindingModes},
		Kinds:   classes, Object: boundEarly,
	},
	{
		ID: "fsx-volume-address", Severity: lint.Error, Subject: lint.Storage,
		Title:   "A volume of FSx for Lustre does not say where its file system is",
		Why:     "The driver mounts dnsname@tcp:/mountname. Without dnsname it refuses; without mountname it takes fsx, which only SCRATCH_1 is called.",
		Fix:     "Write both under csi.volumeAttributes, as aws fsx describe-file-systems prints them.",
		Sources: []facts.Source{fsxNode},
		Kinds:   []string{"PersistentVolume"}, Object: fsxAddress,
	},
	{
		ID: "efs-volume-handle", Severity: lint.Error, Subject: lint.Storage,
		Title:   "The handle of an EFS volume cannot be read by its driver",
		Why:     "The handle says what is mounted: a file system, a path and an access point with colons between. The driver refuses another form, and pods stay in ContainerCreating.",
		Fix:     "Write fs-ID, or fs-ID::fsap-ID with an access point.",
		Sources: []facts.Source{efsStatic},
		Kinds:   []string{"PersistentVolume"}, Object: efsHandle,
	},
	{
		ID: "ebs-volume-many-nodes", Severity: lint.Error, Subject: lint.Storage,
		Title:   "An EBS volume is to be mounted by several nodes",
		Why:     "A gp3 volume is attached to one node at a time. Several nodes are only for io1 and io2 as raw blocks, since no file system on it survives two writers: the driver refuses the mount.",
		Fix:     "Write ReadWriteOnce, or keep what several nodes read on EFS, FSx for Lustre or S3.",
		Sources: []facts.Source{multiAttach},
		Kinds:   []string{"PersistentVolume"}, Object: ebsVolumeModes,
	},
	{
		ID: "static-volume-deleted", Severity: lint.Warning, Subject: lint.Storage, Fixable: true,
		Title:   "A file system that was there before is deleted with its claim",
		Why:     "persistentVolumeReclaimPolicy: Delete of a volume that was written by hand deletes what it names when its claim goes: a namespace that is cleaned up takes the whole file system or disk with it.",
		Fix:     "Write persistentVolumeReclaimPolicy: Retain.",
		Sources: []facts.Source{reclaiming, practice.FSxDriver},
		Kinds:   []string{"PersistentVolume"}, Object: staticDeleted,
	},
	{
		ID: "weights-load-slow", Severity: lint.Warning, Subject: lint.Storage,
		Title:   "Weights lie on storage that takes longer than five minutes to read",
		Why:     "Every start waits for it, and with it each replacement of a Spot node and each step of the autoscaler. A gp3 volume has 125 MiB/s unless more is asked for, up to 2,000; FSx for Lustre has its throughput by its size.",
		Fix:     "Ask for the throughput that loading takes: throughput and iops of gp3, perUnitStorageThroughput or a larger file system of FSx. assay plan storage counts what each costs.",
		Sources: []facts.Source{practice.EBSLimits, practice.FSxCreate},
		Across:  weightsSlow,
	},
}

var classes = []string{"StorageClass"}
