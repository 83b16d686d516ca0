package practice

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"assay/internal/facts"
)

// EFSDriverName is the provisioner's.
const EFSDriverName = "efs.csi.aws.com"

// EFSDriver is the source of what the driver takes.
var EFSDriver = facts.Source{Title: "EFS CSI driver, parameters of a StorageClass", URL: "https://github.com/kubernetes-sigs/aws-efs-csi-driver/blob/master/docs/parameters.md", Date: "2026-11-30"}

// Practices of EFS, each a rule of lint.
const (
	EFSParameter = "efs-parameter-unknown"
	EFSValue     = "efs-value"
)

var efsKeys = []string{
	"provisioningMode", "fileSystemId", "fileSystemIdConfigRef", "fileSystemIdSecretRef", "directoryPerms", "uid", "gid", "gidRangeStart", "gidRangeEnd",
	"basePath", "subPathPattern", "ensureUniqueDirectory", "az", "enforceZoneAffinity", "reuseAccessPoint", "enableTagging",
}

// EFSFaults are what is wrong with the parameters of a StorageClass of EFS.
func EFSFaults(parameters map[string]string) []Fault {
	p := params(parameters)
	all := p.known(EFSParameter, "the EFS driver's, which passes over it in silence", efsKeys, false)
	misspelled := func(key string) bool {
		for _, f := range all {
			if f.Near == key {
				return true
			}
		}
		return false
	}
	fault := func(key string, absent bool, format string, args ...any) {
		all = append(all, Fault{Practice: EFSValue, Key: key, Absent: absent, Say: fmt.Sprintf(format, args...)})
	}
	switch mode, set := p["provisioningMode"]; {
	case !set && !misspelled("provisioningMode"):
		fault("provisioningMode", true, "provisioningMode is not set: the driver refuses each claim; efs-ap makes an access point for it")
	case set && mode != "efs-ap" && !strings.HasPrefix(mode, "s3files"):
		fault("provisioningMode", false, "provisioningMode is %q: the driver takes efs-ap", clipped(mode))
	}
	if p["fileSystemId"] == "" && p["fileSystemIdConfigRef"] == "" && p["fileSystemIdSecretRef"] == "" && !misspelled("fileSystemId") {
		_, set := p["fileSystemId"]
		fault("fileSystemId", !set, "fileSystemId is not set: the driver makes access points in a file system that exists, and makes none")
	}
	start, begins := p["gidRangeStart"]
	end, ends := p["gidRangeEnd"]
	low, errLow := strconv.Atoi(start)
	high, errHigh := strconv.Atoi(end)
	switch {
	case begins && !ends && !misspelled("gidRangeEnd"):
		fault("gidRangeStart", false, "gidRangeStart without gidRangeEnd: the driver takes both or none")
	case ends && !begins && !misspelled("gidRangeStart"):
		fault("gidRangeEnd", false, "gidRangeEnd without gidRangeStart: the driver takes both or none")
	case begins && ends && errLow == nil && errHigh == nil && high <= low:
		fault("gidRangeEnd", false, "gidRangeEnd %d is not above gidRangeStart %d", high, low)
	}
	if perms, set := p["directoryPerms"]; set && !octal.MatchString(perms) {
		fault("directoryPerms", false, "directoryPerms is %q: three or four octal digits such as 700", clipped(perms))
	}
	return all
}

var octal = regexp.MustCompile(`^[0-7]{3,4}$`)

// EFSHandle is the volumeHandle of an EFS volume: fs-ID, fs-ID:/path or
// fs-ID::fsap-ID; with s3files: before it, of S3 Files.
var EFSHandle = regexp.MustCompile(`^(s3files:)?fs-[0-9a-f]+(:[^:]*(:(fsap-[0-9a-f]+)?)?)?$`)
