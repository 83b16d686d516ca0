package practice

import (
	"strconv"
	"strings"
)

// SOCI is what an AMI can do with the SOCI snapshotter's parallel pulls.
type SOCI struct {
	// Pulls says that the AMI has it. An older Bottlerocket does not start with settings
	// that it does not know; an older AL2023 leaves the gate out.
	Pulls bool
	// OnInstanceStore says that what it pulls lies on the instance store, where there is
	// one and instanceStorePolicy is RAID0. Else it lies on the volume of images.
	OnInstanceStore bool
}

// The first AMIs of AL2023, by the date in their version. The second merged on 2025-12-05;
// of that month's AMIs it is not known which has it.
const (
	al2023Pulls = 20250821
	al2023Store = 20260101
)

// SOCIOf is what a version of al2023 or bottlerocket can do. One that cannot be read is
// taken for a new one.
//
// Sources: Bottlerocket 1.44.0, release notes; Karpenter's AWS provider, pull request 8478
// (from Bottlerocket 1.46.0 on all that can lie on the instance store does); Amazon EKS
// AMI, pull requests 2352 (FastImagePull) and 2548 (its folder on the instance store);
// read 2026-11-30.
func SOCIOf(os, version string) SOCI {
	version = strings.TrimPrefix(version, "v")
	if os == "bottlerocket" {
		major, rest, dotted := strings.Cut(version, ".")
		minor, _, _ := strings.Cut(rest, ".")
		a, errMajor := strconv.Atoi(major)
		b, errMinor := strconv.Atoi(minor)
		if !dotted || errMajor != nil || errMinor != nil || a > 1 {
			return SOCI{true, true}
		}
		return SOCI{a == 1 && b >= 44, a == 1 && b >= 46}
	}
	if len(version) < len("20060102") {
		return SOCI{true, true}
	}
	day, err := strconv.Atoi(version[:len("20060102")])
	if err != nil {
		return SOCI{true, true}
	}
	return SOCI{day >= al2023Pulls, day >= al2023Store}
}
