package practice

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// VLLM is a released version of vLLM. The zero VLLM is one that is not known.
type VLLM struct{ Major, Minor, Patch int }

func (v VLLM) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// Known says that the version is known.
func (v VLLM) Known() bool { return v != VLLM{} }

// Compare orders versions.
func (v VLLM) Compare(o VLLM) int {
	return cmp.Or(cmp.Compare(v.Major, o.Major), cmp.Compare(v.Minor, o.Minor), cmp.Compare(v.Patch, o.Patch))
}

// vllmRepositories are the last parts of repositories whose tags are versions of vLLM:
// of vllm-project itself, of AWS, and of mirrors that keep the name.
var vllmRepositories = map[string]bool{"vllm-openai": true, "vllm": true, "vllm-openai-cpu": true, "vllm-cpu-release-repo": true, "vllm-openai-rocm": true}

// vllmTag is a version, and after it the variant of a build, such as -cu129 or -gpu-py312.
// What is before a release, such as 0.11.0rc1, is none.
var vllmTag = regexp.MustCompile(`^v?(\d{1,3})\.(\d{1,3})(?:\.(\d{1,3}))?(?:\.post\d+)?(-(?:cu\d+|x86_64|aarch64|arm64|gpu|cpu|ubuntu|py\d+|ec2|sagemaker|amzn).*)?$`)

// VLLMImage is the version that an image's tag says, of an image that is vLLM's by the
// name of its repository. Digests, latest and names of one's own say none.
func VLLMImage(image string) (VLLM, bool) {
	name, tag, ok := imageParts(image)
	if !ok || !vllmRepositories[name] {
		return VLLM{}, false
	}
	m := vllmTag.FindStringSubmatch(tag)
	if m == nil {
		return VLLM{}, false
	}
	v, ok := vllmOf(m[1:4])
	if v.Major > VLLMNewest().Major && !IsVLLMProject(image) {
		return VLLM{}, false // a version of whoever built it
	}
	return v, ok
}

// IsVLLMProject says that an image is the project's own, whose entry point is the server.
func IsVLLMProject(image string) bool {
	image, _, _ = strings.Cut(image, "@")
	image = strings.TrimPrefix(strings.TrimPrefix(image, "docker.io/"), "index.docker.io/")
	name, _, _ := strings.Cut(image, ":")
	return name == "vllm/vllm-openai" || name == "vllm/vllm-openai-rocm"
}

// IsVLLMImage says that an image is vLLM's own by the name of its repository: without a
// command it starts the server.
func IsVLLMImage(image string) bool {
	name, _, _ := imageParts(image)
	return vllmRepositories[name]
}

// imageParts are the last part of an image's repository and its tag.
func imageParts(image string) (name, tag string, tagged bool) {
	image, _, _ = strings.Cut(image, "@")
	image = image[strings.LastIndexByte(image, '/')+1:]
	return strings.Cut(image, ":")
}

func vllmOf(parts []string) (VLLM, bool) {
	var n [3]int
	for i, p := range parts {
		if p == "" {
			continue
		}
		var err error
		if n[i], err = strconv.Atoi(p); err != nil {
			return VLLM{}, false
		}
	}
	v := VLLM{n[0], n[1], n[2]}
	return v, v.Known()
}
