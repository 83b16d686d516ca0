package manifest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/facts"
	"assay/internal/plan"
	"assay/internal/plan/storage"
	"assay/internal/practice"
	"assay/internal/spec"
)

// flow is the place as plan/storage knows it; empty: what was provisioned is not known.
func (v *volume) flow() (storage.Kind, storage.Given) {
	switch v.Kind {
	case spec.OnEBS:
		throughput := float64(v.throughput()) * facts.MiB
		if v.Type == "io2" {
			return storage.IO2, storage.Given{Throughput: math.Min(float64(v.iops())*facts.IO2.ThroughputPerIOPS, facts.IO2.MostThroughput)}
		}
		return storage.GP3, storage.Given{Throughput: throughput}
	case spec.OnEFS:
		return storage.EFSElastic, storage.Given{}
	case spec.OnS3:
		if v.Express {
			return storage.S3Express, storage.Given{}
		}
		return storage.S3, storage.Given{}
	}
	if v.FileSystem != "" {
		return "", storage.Given{}
	}
	kind := map[string]storage.Kind{"SCRATCH_2": storage.Scratch2, "PERSISTENT_1": storage.Persistent1, "PERSISTENT_2": storage.Persistent2}[v.deployment()]
	return kind, storage.Given{PerTiB: v.perTiB(), GiB: v.capacity()}
}

// throughput of a gp3 volume, MiB/s: for weights what a node of most types takes.
func (v *volume) throughput() int {
	if v.Throughput == 0 && v.For == spec.ForWeights {
		return int(facts.GP3.OlderThroughput / facts.MiB)
	}
	return cmp.Or(v.Throughput, 125)
}

// iops of an EBS volume: what its throughput takes.
func (v *volume) iops() int {
	switch {
	case v.IOPS > 0:
		return v.IOPS
	case v.Type == "io2":
		return int(math.Ceil(1000 * facts.MiB / facts.IO2.ThroughputPerIOPS))
	}
	return int(practice.GP3IOPS(float64(v.throughput())))
}

// mostIOPS that a volume of its size has.
func (v *volume) mostIOPS(kind string) int {
	if kind == "io2" {
		return v.gib * int(facts.IO2.IOPSPerGiB)
	}
	return max(int(facts.GP3.BaseIOPS), v.gib*int(facts.GP3.IOPSPerGiB))
}

func (v *volume) ebs() ([]Written, error) {
	if err := v.size(); err != nil {
		return nil, err
	}
	kind := cmp.Or(v.Type, "gp3")
	parameters := object{{"type", kind, ""}}
	if kind == "gp3" {
		parameters = append(parameters,
			field{"throughput", fmt.Sprint(v.throughput()), "MiB/s; gp3's own 125 load 100 GB in 13 minutes"},
			field{"iops", fmt.Sprint(v.iops()), "a quarter of a MiB/s each"},
		)
	} else {
		parameters = append(parameters, field{"iops", fmt.Sprint(v.iops()), "a quarter of a MB/s each"})
	}
	parameters = append(parameters, field{"encrypted", "true", ""}, field{"csi.storage.k8s.io/fstype", "xfs", ""})
	policy, why := v.reclaim()
	class, err := v.class(practice.EBSDriverName, parameters, practice.EBSFaults(texts(parameters)),
		field{"reclaimPolicy", policy, why},
		field{"volumeBindingMode", "WaitForFirstConsumer", "a volume lies in one zone: that in which its pod gets a node"},
		field{"allowVolumeExpansion", true, ""},
	)
	if err != nil {
		return nil, err
	}
	if most := v.mostIOPS(kind); v.iops() > most {
		return nil, &plan.UsageError{What: fmt.Sprintf("%d IOPS are more than a volume of %d GiB has: %d", v.iops(), v.gib, most), Way: "give a larger size, or less throughput or iops"}
	}
	return []Written{class, v.claim("ReadWriteOnce", "one node at a time", fmt.Sprintf("%dGi", v.gib), v.whySize(), false)}, nil
}

func (v *volume) whySize() string {
	if v.GiB == 0 {
		return fmt.Sprintf("the weights, %s, and three tenths for other files beside them", gib(v.Plan.Memory.Weights))
	}
	return ""
}

// efs mounts a file system that exists. Weights and data lie in it already; checkpoints
// get an access point of their own.
func (v *volume) efs() ([]Written, error) {
	id := cmp.Or(v.FileSystem, unset("storage.file_system"))
	if v.For == spec.ForCheckpoints && v.AccessPoint == "" {
		return v.efsClass(id)
	}
	handle := id
	if v.AccessPoint != "" {
		handle += "::" + v.AccessPoint
	}
	csi := object{{"driver", practice.EFSDriverName, ""}, {"volumeHandle", handle, ""}}
	return []Written{
		v.persistent("ReadWriteMany", v.ignoredSize(), csi, nil),
		v.claim("ReadWriteMany", "", v.ignoredSize(), "", true),
	}, nil
}

func (v *volume) efsClass(id string) ([]Written, error) {
	parameters := object{
		{"provisioningMode", "efs-ap", "each claim gets an access point, which is a directory of its own"},
		{"fileSystemId", id, "the driver makes no file system"},
		{"directoryPerms", "700", ""},
	}
	policy, why := v.reclaim()
	class, err := v.class(practice.EFSDriverName, parameters, practice.EFSFaults(texts(parameters)), field{"reclaimPolicy", policy, why})
	if err != nil {
		return nil, err
	}
	return []Written{class, v.claim("ReadWriteMany", "", v.ignoredSize(), "EFS grows by itself", false)}, nil
}

// deployment of an FSx file system: what is in S3 as well need not be kept twice.
func (v *volume) deployment() string {
	switch {
	case v.Deployment != "":
		return v.Deployment
	case v.For == spec.ForWeights && v.ImportPath != "" && !v.EFA:
		return "SCRATCH_2"
	}
	return "PERSISTENT_2"
}

func (v *volume) perTiB() int {
	takes := practice.FSxThroughputs(v.deployment(), "")
	switch {
	case v.PerTiB > 0 || len(takes) == 0:
		return v.PerTiB
	case v.EFA:
		return slices.Max(takes) // whose smallest file system is the smallest of all
	case v.deployment() == "PERSISTENT_1":
		return slices.Max(takes)
	}
	for _, n := range takes {
		if n >= usualPerTiB && !v.slowAt(n) {
			return n
		}
	}
	return slices.Max(takes)
}

// usualPerTiB is what a PERSISTENT_2 file system has at least, MB/s of each TiB. Ours.
const usualPerTiB = 250

// slowAt says that weights that are known load slowly from a file system of so many MB/s
// of each TiB.
func (v *volume) slowAt(perTiB int) bool {
	if v.For != spec.ForWeights || v.Plan == nil || v.Option == nil {
		return false
	}
	given := storage.Given{PerTiB: perTiB, GiB: practice.FSxCapacity(int64(v.gib), v.deployment(), "", perTiB)}
	_, took, err := practice.Load(v.Plan.Memory.Weights, storage.Persistent2, given, nil, v.readers())
	return err == nil && practice.Slow(took)
}

// capacity in GiB that AWS sells.
func (v *volume) capacity() int64 {
	if v.EFA {
		return practice.FSxCapacityEFA(int64(v.gib), v.perTiB())
	}
	return practice.FSxCapacity(int64(v.gib), v.deployment(), "", v.perTiB())
}

func (v *volume) fsx() ([]Written, error) {
	if v.FileSystem != "" || v.DNSName != "" {
		return v.fsxStatic(), nil
	}
	if err := v.size(); err != nil {
		return nil, err
	}
	groups := strings.Join(v.Groups, ",")
	parameters := object{
		{"subnetId", cmp.Or(v.Subnet, unset("storage.subnet")), "the file system lies in this subnet's zone, and its readers should"},
		{"securityGroupIds", cmp.Or(groups, unset("storage.security_groups")), v.whyGroups()},
		{"deploymentType", v.deployment(), v.whyDeployment()},
	}
	if n := v.perTiB(); n > 0 {
		parameters = append(parameters, field{"perUnitStorageThroughput", fmt.Sprint(n), fmt.Sprintf("MB/s of each TiB: %.0f MB/s of %d GiB, as AWS counts them", float64(n)*float64(v.capacity())/1000, v.capacity())})
	}
	if v.Compression {
		parameters = append(parameters, field{"dataCompressionType", "LZ4", ""})
	}
	if v.ImportPath != "" {
		parameters = append(parameters, field{"s3ImportPath", v.ImportPath, "read from S3 at the first use of each file"})
	}
	if v.ExportPath != "" {
		parameters = append(parameters, field{"s3ExportPath", v.ExportPath, ""})
	}
	if v.EFA {
		parameters = append(parameters,
			field{"efaEnabled", "true", ""},
			field{"metadataConfigurationMode", "AUTOMATIC", "EFA asks for a metadata configuration"},
		)
	}
	policy, why := v.fsxReclaim()
	class, err := v.class(practice.FSxDriverName, parameters, practice.FSxFaults(texts(parameters)),
		field{"reclaimPolicy", policy, why},
		field{"mountOptions", []string{"flock"}, ""},
	)
	if err != nil {
		return nil, err
	}
	if len(v.Spec.Zones) != 1 {
		v.remark("%s lies in one zone, that of its subnet: readers in others pay for each byte; give the one zone in render.zones", v.claimName())
	}
	size := v.capacity()
	whySize := ""
	if size != int64(v.gib) {
		whySize = fmt.Sprintf("AWS sells steps: %d GiB are wanted", v.gib)
	}
	return []Written{class, v.claim("ReadWriteMany", "", fmt.Sprintf("%dGi", size), whySize, false)}, nil
}

func (v *volume) whyGroups() string {
	const lustre = "that let Lustre in from the nodes: TCP 988, 1018 to 1023"
	if v.EFA {
		return lustre + "; and all traffic from and to themselves, which EFA asks for"
	}
	return lustre
}

func (v *volume) whyDeployment() string {
	switch {
	case v.Deployment != "":
		return "as asked for"
	case v.deployment() == "SCRATCH_2":
		return "not replicated, and cheapest: what it holds is in S3"
	}
	return "replicated within its zone"
}

func (v *volume) fsxReclaim() (policy, why string) {
	if v.For == spec.ForWeights && v.ImportPath != "" {
		return "Delete", "the weights are in S3; a file system that nobody claims costs as much as one in use"
	}
	return v.reclaim()
}

func (v *volume) fsxStatic() []Written {
	csi := object{
		{"driver", practice.FSxDriverName, ""},
		{"volumeHandle", cmp.Or(v.FileSystem, unset("storage.file_system")), ""},
		{"volumeAttributes", object{
			{"dnsname", cmp.Or(v.DNSName, v.fsxDNS()), ""},
			{"mountname", cmp.Or(v.MountName, unset("storage.mount_name")), "aws fsx describe-file-systems says it"},
		}, ""},
	}
	return []Written{
		v.persistent("ReadWriteMany", v.ignoredSize(), csi, []item{{"flock", ""}}),
		v.claim("ReadWriteMany", "", v.ignoredSize(), "", true),
	}
}

// fsxDNS is how AWS names a file system.
func (v *volume) fsxDNS() string {
	if v.FileSystem == "" || v.Spec.Region == "" {
		return unset("storage.dns_name")
	}
	suffix := "amazonaws.com"
	if strings.HasPrefix(v.Spec.Region, "cn-") {
		suffix += ".cn"
	}
	return fmt.Sprintf("%s.fsx.%s.%s", v.FileSystem, v.Spec.Region, suffix)
}

// s3 mounts a bucket that exists, by Mountpoint: nothing else is to be had.
func (v *volume) s3() ([]Written, error) {
	if v.For == spec.ForCheckpoints && !v.Write {
		return nil, &plan.UsageError{What: "checkpoints are written, and the bucket is mounted for reading", Way: "set write: true"}
	}
	mode := "ReadOnlyMany"
	options := []item{{"allow-other", "what runs in pods is another user than Mountpoint"}}
	if v.Spec.Region != "" {
		options = append(options, item{"region " + v.Spec.Region, ""})
	}
	if v.Prefix != "" {
		options = append(options, item{"prefix " + v.Prefix, ""})
	}
	if v.Write {
		mode = "ReadWriteMany"
		options = append(options,
			item{"allow-delete", ""},
			item{"dir-mode 0777", "Mountpoint's user owns all: others have to be let in to write"},
			item{"file-mode 0666", ""},
			item{"allow-overwrite", "a file is written anew as a whole: Mountpoint changes none in place, and renames none"},
		)
	} else {
		options = append(options, item{"read-only", ""}, item{"metadata-ttl indefinite", "what is there does not change: it is listed once"})
	}
	attributes := object{{"bucketName", cmp.Or(v.Bucket, unset("storage.bucket")), ""}}
	if v.Cache > 0 {
		attributes = append(attributes,
			field{"cache", "emptyDir", "on the node's disk: a second pod of the node reads from there. Mountpoint's driver 2.0 or later"},
			field{"cacheEmptyDirSizeLimit", fmt.Sprintf("%dGi", v.Cache), ""},
		)
	}
	csi := object{
		{"driver", practice.S3DriverName, ""},
		{"volumeHandle", v.claimName(), "one of its own: of volumes with the same handle a pod gets one alone"},
		{"volumeAttributes", attributes, ""},
	}
	return []Written{
		v.persistent(mode, v.ignoredSize(), csi, options),
		v.claim(mode, "", v.ignoredSize(), "", true),
	}, nil
}
