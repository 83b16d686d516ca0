package practice

import (
	"fmt"
	"strings"

	"assay/internal/facts"
)

// S3DriverName is Mountpoint's.
const S3DriverName = "s3.csi.aws.com"

// Sources of what Mountpoint for S3 and its driver take.
var (
	S3Driver   = facts.Source{Title: "Mountpoint for Amazon S3 CSI driver, configuration", URL: "https://github.com/awslabs/mountpoint-s3-csi-driver/blob/main/docs/CONFIGURATION.md", Date: "2026-11-30"}
	Mountpoint = facts.Source{Title: "Mountpoint for Amazon S3, configuration", URL: "https://github.com/awslabs/mountpoint-s3/blob/main/doc/CONFIGURATION.md", Date: "2026-11-30"}
)

// Practices of Mountpoint, each a rule of lint.
const (
	S3Attribute = "s3-attribute"
	S3Option    = "s3-mount-option"
)

var s3Keys = []string{
	"bucketName", "authenticationSource", "stsRegion", "cache", "cacheEmptyDirSizeLimit", "cacheEmptyDirMedium",
	"cacheEphemeralStorageClassName", "cacheEphemeralStorageResourceRequest", "mountpointPodServiceAccountName",
	"mountpointContainerResourcesRequestsCpu", "mountpointContainerResourcesRequestsMemory", "mountpointContainerResourcesLimitsCpu", "mountpointContainerResourcesLimitsMemory",
}

// S3Faults are what is wrong with the volumeAttributes of a Mountpoint volume.
func S3Faults(attributes map[string]string) []Fault {
	p := params(attributes)
	var all []Fault
	for _, f := range p.known(S3Attribute, "the S3 driver's, which passes over it in silence", s3Keys, false, "mountpointEnv.") {
		switch {
		case p["bucketName"] == "" && strings.HasPrefix(strings.ToLower(f.Key), "bucket"):
			f.Near, f.Say = "bucketName", fmt.Sprintf("%s is none of the S3 driver's attributes: bucketName names the bucket", clipped(f.Key))
		case f.Key == "mountOptions":
			f.Say, f.Near = "mountOptions among the volumeAttributes, where the driver does not look: they belong beside csi, at spec.mountOptions", ""
		case f.Near == "" && s3Options[strings.TrimLeft(f.Key, "-")] != "":
			f.Say = fmt.Sprintf("%s among the volumeAttributes, where the driver does not look: options of Mountpoint belong at spec.mountOptions", f.Key)
		}
		all = append(all, f)
	}
	if p["bucketName"] == "" {
		near := false
		for _, f := range all {
			near = near || f.Near == "bucketName"
		}
		if !near {
			_, set := p["bucketName"]
			all = append(all, Fault{Practice: S3Attribute, Key: "bucketName", Absent: !set, Say: "bucketName is not set: the driver mounts a bucket that exists, and refuses this volume"})
		}
	}
	return all
}

// What an option of Mountpoint is followed by.
const (
	alone  = "nothing"
	valued = "a value"
)

// s3Options are Mountpoint's, and what follows them.
var s3Options = map[string]string{
	"allow-delete": alone, "allow-overwrite": alone, "allow-other": alone, "allow-root": alone, "read-only": alone, "no-sign-request": alone,
	"force-path-style": alone, "requester-pays": alone, "incremental-upload": alone, "debug": alone, "debug-crt": alone, "auto-unmount": alone,
	"transfer-acceleration": alone, "dual-stack": alone, "no-log": alone, "log-metrics": alone, "autoconfigure": alone,
	"prefix": valued, "region": valued, "endpoint-url": valued, "uid": valued, "gid": valued, "dir-mode": valued, "file-mode": valued,
	"cache": valued, "cache-xz": valued, "max-cache-size": valued, "metadata-ttl": valued, "negative-metadata-ttl": valued, "max-threads": valued,
	"maximum-throughput-gbps": valued, "part-size": valued, "read-part-size": valued, "write-part-size": valued, "storage-class": valued,
	"sse": valued, "sse-kms-key-id": valued, "expected-bucket-owner": valued, "user-agent-prefix": valued, "aws-max-attempts": valued,
	"memory-target": valued, "otlp-endpoint": valued, "otlp-export-interval": valued,
	"bind": valued, "profile": valued, "log-directory": valued, "upload-checksums": valued, "max-memory-target": valued,
}

// S3OptionFault says what is wrong with one of a Mountpoint volume's mountOptions,
// written as --name value, --name=value, or without dashes.
func S3OptionFault(option string) (Fault, bool) {
	name, value := option, ""
	if i := strings.IndexAny(option, " ="); i >= 0 {
		name, value = option[:i], strings.TrimSpace(option[i+1:])
	}
	name = strings.TrimLeft(name, "-")
	f := Fault{Practice: S3Option, Key: option}
	follows, known := s3Options[name]
	switch {
	case name == "ro" || name == "rw":
		return Fault{}, false
	case !known:
		near := nearest(name, sortedKeys(s3Options))
		if near == "" {
			return Fault{}, false
		}
		f.Near, f.Say = near, fmt.Sprintf("%s is no option of Mountpoint: %s is", clipped(name), near)
		return f, true
	case follows == valued && value == "":
		f.Say = fmt.Sprintf("%s without a value", name)
		return f, true
	case name == "prefix" && !strings.HasSuffix(value, "/"):
		f.Say = fmt.Sprintf("prefix is %q, and must end in a slash", clipped(value))
		return f, true
	}
	return Fault{}, false
}
