package practice

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// kinds are what faults are about, as "practice key".
func kinds(faults []Fault) []string {
	var all []string
	for _, f := range faults {
		all = append(all, f.Practice+" "+f.Key)
	}
	return all
}

func pairs(s string) map[string]string {
	m := map[string]string{}
	for _, p := range strings.Fields(s) {
		k, v, _ := strings.Cut(p, "=")
		m[k] = v
	}
	return m
}

func TestFSxFaults(t *testing.T) {
	for parameters, want := range map[string][]string{
		"subnetId=s deploymentType=PERSISTENT_2 perUnitStorageThroughput=250":                                           nil,
		"subnetId=s deploymentType=PERSISTENT_1 perUnitStorageThroughput=200 s3ImportPath=s3://a s3ExportPath=s3://a/x": nil,
		"subnetId=s deploymentType=SCRATCH_2 s3ImportPath=s3://a autoImportPolicy=NEW":                                  nil,
		"subnetId=s": nil, // SCRATCH_1
		"subnetId=s perUnitStorageThroughput=250 s3ImportPath=s3://a":                                                  {"fsx-throughput perUnitStorageThroughput"},
		"subnetId=s deploymentType=PERSISTENT_2 perUnitStorageThroughput=250 s3ImportPath=s3://a autoImportPolicy=NEW": {"fsx-data-repository s3ImportPath"},
		"subnetId=s deploymentType=PERSISTENT_1 perUnitStorageThroughput=250":                                          {"fsx-throughput perUnitStorageThroughput"},
		"subnetId=s deploymentType=SCRATCH_2 perUnitStorageThroughput=200":                                             {"fsx-throughput perUnitStorageThroughput"},
		"subnetId=s deploymentType=PERSISTENT_2":                                                                       {"fsx-throughput perUnitStorageThroughput"},
		"subnetId=s deploymentType=PERSISTENT_2 perUnitStorageThroughput=fast":                                         {"fsx-throughput perUnitStorageThroughput"},
		"subnetId=s deploymentType=persistent_2 perUnitStorageThroughput=250":                                          {"fsx-value deploymentType"},
		"subnetId=s deploymentType=PERSISTENT_1 storageType=HDD driveCacheType=READ perUnitStorageThroughput=40":       nil,
		"subnetId=s deploymentType=PERSISTENT_1 storageType=HDD driveCacheType=READ perUnitStorageThroughput=50":       {"fsx-throughput perUnitStorageThroughput"},
		"subnetId=s deploymentType=PERSISTENT_1 storageType=HDD perUnitStorageThroughput=40":                           {"fsx-value storageType"},
		"subnetId=s deploymentType=SCRATCH_2 storageType=HDD":                                                          {"fsx-value storageType"},
		"subnetId=s deploymentType=PERSISTENT_2 perUnitStorageThroughput=250 fileSystemTypeVersion=2.10":               {"fsx-value fileSystemTypeVersion"},
		"subnetId=s storageType=INTELLIGENT_TIERING throughputCapacity=8000":                                           nil,
		"subnetId=s storageType=INTELLIGENT_TIERING throughputCapacity=5000":                                           {"fsx-throughput throughputCapacity"},
		"subnetId=s storageType=INTELLIGENT_TIERING":                                                                   {"fsx-throughput throughputCapacity"},
		"subnetId=s deploymentType=SCRATCH_2 autoImportPolicy=NEW":                                                     {"fsx-export-without-import autoImportPolicy"},
		"subnetId=s deploymentType=SCRATCH_2 s3ImportPath=s3://a s3ExportPath=s3://b":                                  {"fsx-export-without-import s3ExportPath"},
		"subnetId=s deploymentType=SCRATCH_2 efaEnabled=true":                                                          {"fsx-efa efaEnabled"},
		"subnetId=s deploymentType=SCRATCH_2 efaEnabled=false":                                                         nil,
		"subnetId=s deploymentType=PERSISTENT_2 perUnitStorageThroughput=500 efaEnabled=true":                          {"fsx-efa efaEnabled"},
		"deploymentType=SCRATCH_2": {"fsx-subnet subnetId"},
		"fileSystemId=fs-1":        nil, // folders in a file system that exists
		"subnetId=s deploymentType=SCRATCH_2 SecurityGroupIds=sg-1 csi.storage.k8s.io/fstype=lustre": {"fsx-parameter-unknown SecurityGroupIds"},
	} {
		if d := cmp.Diff(want, kinds(FSxFaults(pairs(parameters)))); d != "" {
			t.Errorf("%s (-want +got):\n%s", parameters, d)
		}
	}
	f := FSxFaults(pairs("subnetId=s perUnitStorageThroughput=250"))
	if want := "perUnitStorageThroughput is 250, and the deployment is SCRATCH_1 (the default, since deploymentType is not set), which takes none; 250 is of PERSISTENT_2"; len(f) != 1 || f[0].Say != want {
		t.Errorf("%+v, want %s", f, want)
	}
}

func TestFSxCapacity(t *testing.T) {
	for _, test := range []struct {
		gib                 int64
		deployment, storage string
		perTiB              int
		want                int64
	}{
		{1, "PERSISTENT_2", "SSD", 250, 1200}, {1200, "PERSISTENT_2", "", 250, 1200}, {1201, "PERSISTENT_2", "", 250, 2400},
		{2401, "PERSISTENT_2", "", 250, 4800}, {2401, "SCRATCH_1", "", 0, 3600}, {3601, "", "", 0, 7200}, {7000, "SCRATCH_2", "", 0, 7200},
		{100, "PERSISTENT_1", "HDD", 12, 6000}, {1801, "PERSISTENT_1", "HDD", 40, 3600}, {77, "PERSISTENT_2", "INTELLIGENT_TIERING", 0, 77},
	} {
		if got := FSxCapacity(test.gib, test.deployment, test.storage, test.perTiB); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
}

func TestEBSFaults(t *testing.T) {
	for parameters, want := range map[string][]string{
		"":                                nil,
		"type=gp3 throughput=750":         nil, // 3000 IOPS come with it
		"type=gp3 throughput=751":         {"ebs-throughput throughput"},
		"throughput=1000 iops=4000":       nil,
		"Throughput=1000 IOPS=3999":       {"ebs-throughput Throughput"},
		"throughput=2001 iops=16000":      {"ebs-throughput throughput"},
		"throughput=100":                  {"ebs-throughput throughput"},
		"throughput=1000 iopsPerGB=50":    nil,
		"iops=2999":                       {"ebs-iops iops"},
		"iops=80001":                      {"ebs-iops iops"},
		"iops=3000 iopsPerGB=3":           {"ebs-iops iopsPerGB"},
		"type=io2":                        {"ebs-iops iops"},
		"type=io2 iops=64000":             nil,
		"type=io2 iops=256001":            {"ebs-iops iops"},
		"type=io1 iops=50":                {"ebs-iops iops"},
		"type=gp2 iops=3000":              {"ebs-iops iops"},
		"type=io2 iops=1000 throughput=9": {"ebs-throughput throughput"},
		"type=gp3 kmskeyid=x tagSpecification_1=a csi.storage.k8s.io/fstype=xfs": nil,
		"typ=gp3": {"ebs-parameter-unknown typ"},
	} {
		if d := cmp.Diff(want, kinds(EBSFaults(pairs(parameters)))); d != "" {
			t.Errorf("%s (-want +got):\n%s", parameters, d)
		}
	}
	if got := GP3IOPS(1000); got != 4000 {
		t.Errorf("1000 MiB/s take %g IOPS", got)
	}
}

func TestEFSFaults(t *testing.T) {
	for parameters, want := range map[string][]string{
		"provisioningMode=efs-ap fileSystemId=fs-1":                               nil,
		"provisioningMode=efs-ap fileSystemIdConfigRef=a/b/c directoryPerms=0755": nil,
		"provisioningMode=efs-fs fileSystemId=fs-1":                               {"efs-value provisioningMode"},
		"fileSystemId=fs-1":                                                             {"efs-value provisioningMode"},
		"provisioningMode=efs-ap":                                                       {"efs-value fileSystemId"},
		"provisioningMode=efs-ap filesystemid=fs-1":                                     {"efs-parameter-unknown filesystemid"},
		"provisioningMode=efs-ap fileSystemId=fs-1 gidRangeStart=1000":                  {"efs-value gidRangeStart"},
		"provisioningMode=efs-ap fileSystemId=fs-1 gidRangeEnd=1000":                    {"efs-value gidRangeEnd"},
		"provisioningMode=efs-ap fileSystemId=fs-1 gidRangeStart=2000 gidRangeEnd=1000": {"efs-value gidRangeEnd"},
		"provisioningMode=efs-ap fileSystemId=fs-1 directoryPerms=rwx":                  {"efs-value directoryPerms"},
		"provisioningMode=efs-ap fileSystemId=fs-1 throughputMode=elastic":              {"efs-parameter-unknown throughputMode"},
	} {
		if d := cmp.Diff(want, kinds(EFSFaults(pairs(parameters)))); d != "" {
			t.Errorf("%s (-want +got):\n%s", parameters, d)
		}
	}
	for handle, want := range map[string]bool{
		"fs-0a1b": true, "fs-0a1b::fsap-0a1b": true, "fs-0a1b:/models": true, "fs-0a1b:/models:fsap-0a1b": true,
		"fs-0a1b:fsap-0a1b:/x": false, "0a1b": false, "fs-0a1b.efs.eu-central-1.amazonaws.com": false, "arn:aws:x": false,
	} {
		if got := EFSHandle.MatchString(handle); got != want {
			t.Errorf("%s: %v", handle, got)
		}
	}
}

func TestS3Faults(t *testing.T) {
	for attributes, want := range map[string][]string{
		"bucketName=a authenticationSource=pod cache=emptyDir": nil,
		"bucket=a":                       {"s3-attribute bucket"},
		"":                               {"s3-attribute bucketName"},
		"bucketName=a mountOptions=x":    {"s3-attribute mountOptions"},
		"bucketName=a allow-delete=true": {"s3-attribute allow-delete"},
	} {
		if d := cmp.Diff(want, kinds(S3Faults(pairs(attributes)))); d != "" {
			t.Errorf("%s (-want +got):\n%s", attributes, d)
		}
	}
	for option, want := range map[string]string{
		"allow-delete": "", "--allow-delete": "", "region eu-central-1": "", "prefix=llama/": "", "prefix a/": "", "uid=1000": "", "ro": "", "something-new": "",
		"prefix llama": "must end in a slash", "region": "without a value", "allow-deletes": "allow-delete is", "read-only": "",
	} {
		f, wrong := S3OptionFault(option)
		if wrong != (want != "") || !strings.Contains(f.Say, want) {
			t.Errorf("%q: %q, want %q", option, f.Say, want)
		}
	}
}

func FuzzParameters(f *testing.F) {
	f.Add("deploymentType", "PERSISTENT_2", "perUnitStorageThroughput", "250")
	f.Add("throughput", "1e309", "iops", "NaN")
	f.Add("prefix", "=", "--", " ")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		m := map[string]string{a: b, c: d}
		for _, find := range []func(map[string]string) []Fault{FSxFaults, EBSFaults, EFSFaults, S3Faults} {
			for _, fault := range find(m) {
				if _, ok := m[fault.Key]; ok == fault.Absent {
					t.Errorf("%v: %+v", m, fault)
				}
				if len(fault.Say) > 1000 {
					t.Errorf("%d bytes to say about %v", len(fault.Say), m)
				}
			}
		}
		S3OptionFault(a)
	})
}
