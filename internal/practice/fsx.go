package practice

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/internal/facts"
	"assay/internal/plan/storage"
)

// Sources of what FSx for Lustre and its driver take.
var (
	FSxDriver = facts.Source{Title: "FSx for Lustre CSI driver, pkg/driver/controller.go and pkg/cloud/cloud.go", URL: "https://github.com/kubernetes-sigs/aws-fsx-csi-driver/blob/master/pkg/driver/controller.go", Date: "2026-11-30"}
	FSxCreate = facts.Source{Title: "FSx API, CreateFileSystemLustreConfiguration", URL: "https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html", Date: "2026-11-30"}
)

// FSxDriverName is the provisioner's.
const FSxDriverName = "fsx.csi.aws.com"

// Practices of FSx for Lustre, each a rule of lint.
const (
	FSxParameter  = "fsx-parameter-unknown"
	FSxValue      = "fsx-value"
	FSxThroughput = "fsx-throughput"
	FSxRepository = "fsx-data-repository"
	FSxNoImport   = "fsx-export-without-import"
	FSxEFA        = "fsx-efa"
	FSxSubnet     = "fsx-subnet"
)

// fsxKeys are the driver's parameters, case and all. fileSystemId is of drivers that
// make folders in a file system that exists.
var fsxKeys = []string{
	"subnetId", "securityGroupIds", "deploymentType", "storageType", "perUnitStorageThroughput", "fileSystemTypeVersion",
	"s3ImportPath", "s3ExportPath", "autoImportPolicy", "dataCompressionType", "kmsKeyId", "driveCacheType",
	"automaticBackupRetentionDays", "dailyAutomaticBackupStartTime", "copyTagsToBackups", "weeklyMaintenanceStartTime", "skipFinalBackup", "extraTags",
	"efaEnabled", "metadataConfigurationMode", "metadataIops", "throughputCapacity", "dataReadCacheSizingMode", "dataReadCacheSizeGiB", "fileSystemId",
}

const persistent2 = "PERSISTENT_2"

// FSxFaults are what is wrong with the parameters of a StorageClass of FSx for Lustre.
// The driver hands them on as they are: what does not go together is refused by AWS
// when the first claim comes, and a name that the driver does not know by nobody.
func FSxFaults(parameters map[string]string) []Fault {
	p := fsxParams{params(parameters)}
	all := p.known(FSxParameter, "the FSx driver's, which passes over it in silence", fsxKeys, false)
	if p.params["fileSystemId"] != "" {
		return all
	}
	for _, check := range []func() []Fault{p.values, p.throughput, p.repository, p.efa, p.subnet} {
		all = append(all, check()...)
	}
	return all
}

type fsxParams struct{ params }

// deployment is the deploymentType, by default AWS's, and how it is called.
func (p fsxParams) deployment() (name, say string) {
	if d := p.params["deploymentType"]; d != "" {
		return d, d
	}
	if p.params["storageType"] == "INTELLIGENT_TIERING" {
		return persistent2, persistent2
	}
	return "SCRATCH_1", "SCRATCH_1 (the default, since deploymentType is not set)"
}

// fsxValues are the words that parameters take.
var fsxValues = map[string][]string{
	"deploymentType":            {"SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", persistent2},
	"storageType":               {"SSD", "HDD", "INTELLIGENT_TIERING"},
	"dataCompressionType":       {"NONE", "LZ4"},
	"autoImportPolicy":          {"NONE", "NEW", "NEW_CHANGED", "NEW_CHANGED_DELETED"},
	"driveCacheType":            {"NONE", "READ"},
	"metadataConfigurationMode": {"AUTOMATIC", "USER_PROVISIONED"},
}

func (p fsxParams) values() []Fault {
	var all []Fault
	for _, key := range sortedKeys(p.params) {
		if known, ok := fsxValues[key]; ok && !slices.Contains(known, p.params[key]) {
			all = append(all, Fault{Practice: FSxValue, Key: key, Say: fmt.Sprintf("%s is %q: it takes %s", key, clipped(p.params[key]), strings.Join(known, ", "))})
		}
	}
	d, say := p.deployment()
	if storage := p.params["storageType"]; storage == "HDD" && d != "PERSISTENT_1" && len(all) == 0 {
		all = append(all, Fault{Practice: FSxValue, Key: "storageType", Say: fmt.Sprintf("storageType HDD is of PERSISTENT_1 alone, and the deployment is %s", say)})
	}
	if len(all) == 0 && p.params["storageType"] == "HDD" && p.params["driveCacheType"] == "" {
		all = append(all, Fault{Practice: FSxValue, Key: "storageType", Say: "storageType HDD asks for driveCacheType: NONE or READ"})
	}
	if v := p.params["fileSystemTypeVersion"]; d == persistent2 && v == "2.10" {
		all = append(all, Fault{Practice: FSxValue, Key: "fileSystemTypeVersion", Say: "fileSystemTypeVersion is 2.10: PERSISTENT_2 takes 2.12 and 2.15"})
	}
	return all
}

// FSxThroughputs are the values of perUnitStorageThroughput that a deployment takes,
// MB/s of each TiB; none: it takes no throughput.
func FSxThroughputs(deployment, storage string) []int {
	if storage == "HDD" {
		if deployment == "PERSISTENT_1" {
			return []int{12, 40}
		}
		return nil
	}
	for _, l := range facts.Lustres {
		if l.Deployment == deployment {
			return l.PerTiB
		}
	}
	return nil
}

func (p fsxParams) throughput() []Fault {
	d, say := p.deployment()
	if p.params["storageType"] == "INTELLIGENT_TIERING" {
		return p.tiering()
	}
	if !slices.Contains(fsxValues["deploymentType"], d) {
		return nil
	}
	takes := FSxThroughputs(d, p.params["storageType"])
	text, set := p.params["perUnitStorageThroughput"]
	fault := func(format string, args ...any) []Fault {
		return []Fault{{Practice: FSxThroughput, Key: "perUnitStorageThroughput", Absent: !set, Say: fmt.Sprintf(format, args...)}}
	}
	n, err := strconv.Atoi(text)
	switch {
	case !set && len(takes) > 0:
		return fault("deploymentType %s asks for perUnitStorageThroughput: %s MB/s of each TiB", d, numbers(takes))
	case !set:
		return nil
	case err != nil:
		return fault("perUnitStorageThroughput is %q: a number of MB/s of each TiB", clipped(text))
	case len(takes) == 0:
		return fault("perUnitStorageThroughput is %d, and the deployment is %s, which takes none%s", n, say, fsxWith(n))
	case !slices.Contains(takes, n):
		return fault("perUnitStorageThroughput is %d: %s takes %s%s", n, say, numbers(takes), fsxWith(n))
	}
	return nil
}

// fsxWith names the deployment that takes a throughput.
func fsxWith(n int) string {
	for _, l := range facts.Lustres {
		if slices.Contains(l.PerTiB, n) {
			return fmt.Sprintf("; %d is of %s", n, l.Deployment)
		}
	}
	return ""
}

// tiering has the throughput of the whole file system in place of that of a TiB.
func (p fsxParams) tiering() []Fault {
	text := p.params["throughputCapacity"]
	n, err := strconv.Atoi(text)
	if err == nil && n > 0 && n%4000 == 0 {
		return nil
	}
	_, set := p.params["throughputCapacity"]
	return []Fault{{Practice: FSxThroughput, Key: "throughputCapacity", Absent: !set, Say: fmt.Sprintf("throughputCapacity is %q: INTELLIGENT_TIERING takes multiples of 4000 MB/s", clipped(text))}}
}

// repository is about the link to S3 that is made with the file system.
func (p fsxParams) repository() []Fault {
	d, _ := p.deployment()
	linked := ""
	for _, key := range []string{"s3ImportPath", "s3ExportPath", "autoImportPolicy"} {
		if p.params[key] != "" && linked == "" {
			linked = key
		}
	}
	switch {
	case linked == "":
		return nil
	case d == persistent2:
		return []Fault{{Practice: FSxRepository, Key: linked, Say: linked + " beside deploymentType PERSISTENT_2, which takes none: it is linked to S3 by a data repository association, made after it; PERSISTENT_1 and SCRATCH_2 take " + linked}}
	case linked != "s3ImportPath":
		return []Fault{{Practice: FSxNoImport, Key: linked, Say: linked + " without s3ImportPath, which says what is linked"}}
	}
	if from, to := p.params["s3ImportPath"], p.params["s3ExportPath"]; to != "" && bucketOf(from) != bucketOf(to) {
		return []Fault{{Practice: FSxNoImport, Key: "s3ExportPath", Say: fmt.Sprintf("s3ExportPath is in the bucket %s and s3ImportPath in %s: both are of one bucket", clipped(bucketOf(to)), clipped(bucketOf(from)))}}
	}
	return nil
}

// bucketOf is the bucket of s3://bucket/prefix.
func bucketOf(path string) string {
	bucket, _, _ := strings.Cut(strings.TrimPrefix(path, "s3://"), "/")
	return bucket
}

func (p fsxParams) efa() []Fault {
	on, err := strconv.ParseBool(p.params["efaEnabled"])
	d, say := p.deployment()
	if err != nil || !on || !slices.Contains(fsxValues["deploymentType"], d) {
		return nil
	}
	switch {
	case d != persistent2:
		return []Fault{{Practice: FSxEFA, Key: "efaEnabled", Say: "efaEnabled beside the deployment " + say + ": only PERSISTENT_2 has it"}}
	case p.params["metadataConfigurationMode"] == "" && p.params["storageType"] != "INTELLIGENT_TIERING":
		return []Fault{{Practice: FSxEFA, Key: "efaEnabled", Say: "efaEnabled without metadataConfigurationMode, which it asks for: AUTOMATIC does"}}
	}
	return nil
}

func (p fsxParams) subnet() []Fault {
	if p.params["subnetId"] != "" {
		return nil
	}
	_, set := p.params["subnetId"]
	return []Fault{{Practice: FSxSubnet, Key: "subnetId", Absent: !set, Say: "subnetId is not set: the driver refuses each claim (SubnetId is required)"}}
}

// numbers lists them with commas.
func numbers(all []int) string {
	texts := make([]string, len(all))
	for i, n := range all {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ", ")
}

// FSxCapacity is what a claim for so many GiB gets, in GiB: AWS sells FSx for Lustre in
// steps, which differ by deployment, storage and throughput.
func FSxCapacity(gib int64, deployment, storage string, perTiB int) int64 {
	if storage == "INTELLIGENT_TIERING" {
		return gib
	}
	if storage == "HDD" {
		step := int64(6000)
		if perTiB == 40 {
			step = 1800
		}
		return roundUp(gib, step)
	}
	small, double, step := int64(1200), int64(2400), int64(2400)
	if cmp.Or(deployment, "SCRATCH_1") == "SCRATCH_1" {
		step = 3600
	}
	switch {
	case gib <= small:
		return small
	case gib <= double:
		return double
	}
	return roundUp(gib, step)
}

// FSxCapacityEFA is the same for a file system that is reached by EFA, whose steps are
// larger: 4,800 GiB of 1000 MB/s of each TiB, 9,600 of 500, 19,200 of 250, 38,400 of 125.
//
// Source: FSx for Lustre user guide, EFA-enabled file systems, read 2026-11-30.
func FSxCapacityEFA(gib int64, perTiB int) int64 {
	return roundUp(gib, 4_800_000/int64(max(perTiB, 125)))
}

func roundUp(n, step int64) int64 { return max(1, (n+step-1)/step) * step }

// fsxFlow is the file system that parameters make.
func fsxFlow(parameters map[string]string, gib int64) (storage.Kind, storage.Given, bool) {
	p := fsxParams{parameters}
	deployment, _ := p.deployment()
	kind, known := map[string]storage.Kind{"SCRATCH_2": storage.Scratch2, "PERSISTENT_1": storage.Persistent1, persistent2: storage.Persistent2}[deployment]
	disks := cmp.Or(p.params["storageType"], "SSD")
	if !known || gib <= 0 || disks != "SSD" || len(p.throughput()) > 0 {
		return "", storage.Given{}, false
	}
	perTiB, _ := strconv.Atoi(p.params["perUnitStorageThroughput"])
	return kind, storage.Given{PerTiB: perTiB, GiB: FSxCapacity(gib, deployment, "", perTiB)}, true
}
