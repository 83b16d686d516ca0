package practice

import (
	"regexp"
	"strings"
)

// Image is a reference to a container image.
type Image struct {
	Repository  string // with the registry, where one is named
	Tag, Digest string // empty: not given
}

// ImageOf splits a reference as it is written.
func ImageOf(reference string) Image {
	var i Image
	i.Repository, i.Digest, _ = strings.Cut(reference, "@")
	if at := strings.LastIndexByte(i.Repository, ':'); at > strings.LastIndexByte(i.Repository, '/') {
		i.Repository, i.Tag = i.Repository[:at], i.Repository[at+1:]
	}
	return i
}

// movingTags are those that stand for whatever was built last.
var movingTags = regexp.MustCompile(`^(?:latest|nightly|main|master|edge|dev|develop|devel|head|canary|snapshot)$|^(?:latest|nightly)-|-(?:latest|nightly)$`)

// Moves says that the reference is another image tomorrow: no tag, or one that moves.
func (i Image) Moves() bool {
	return i.Digest == "" && (i.Tag == "" || movingTags.MatchString(i.Tag))
}

// reference is the grammar of image references: host and port, path in lower case, tag,
// digest. Source: github.com/distribution/reference, regexp.go, read 2026-11-30.
var reference = regexp.MustCompile(`^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*(?::[0-9]+)?/)?[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,})?$`)

// ValidImage says that a container runtime can read the reference.
func ValidImage(s string) bool { return reference.MatchString(s) }
