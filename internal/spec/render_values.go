package spec

import (
	"fmt"
	"regexp"
	"strings"
	_ "time/tzdata" // a machine without the database knows the zones too

	"go.yaml.in/yaml/v4"
)

// Bounds of names. A Service's name is a label of DNS, at most 63 characters; ours grow
// by what tells objects of one service apart.
const (
	mostLabel       = 63
	mostServiceName = 40
)

// form is how a value has to look, and how that is told.
type form struct {
	pattern *regexp.Regexp
	example string
}

var (
	dnsLabel    = form{regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`), "lower-case letters, digits and -, such as llama-70b"}
	clusterName = form{regexp.MustCompile(`^[0-9A-Za-z][A-Za-z0-9-_]{0,99}$`), "an EKS cluster's name, such as prod"}
	regionName  = form{regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9]$`), "an AWS region, such as eu-central-1"}
	zoneName    = form{regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9](-[a-z]+-[0-9])?[a-z]$`), "an availability zone, such as eu-central-1a"}
	labelKey    = form{regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`), "a label's name, such as team or example.com/team"}
	labelValue  = form{regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`), "a label's value: letters, digits, -, _ and . between them, at most 63"}
	imageName   = form{regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/:@-]{0,511}$`), "an image with a tag or digest, such as vllm/vllm-openai:v0.32.0"}
)

// matching reads text of a form.
func (r *reader) matching(n *yaml.Node, what string, f form) string {
	v := r.str(n, what)
	if n.Kind == yaml.ScalarNode && !f.pattern.MatchString(v) {
		r.errorf(n, "%s %q is not %s", what, v, f.example)
		return ""
	}
	return v
}

// several reads a list of texts of a form, or one.
func (r *reader) several(n *yaml.Node, what string, f form) (out []string) {
	each(n, func(item *yaml.Node) {
		if v := r.matching(item, what, f); v != "" {
			out = append(out, v)
		}
	})
	return out
}

// label reads a name that DNS takes.
func (r *reader) label(n *yaml.Node, what string, most int) string {
	v := r.matching(n, what, dnsLabel)
	if len(v) > most {
		r.errorf(n, "%s %q has %d characters; it may have %d", what, v, len(v), most)
		return ""
	}
	return v
}

// labels reads labels of an object.
func (r *reader) labels(n *yaml.Node, what string) map[string]string {
	if n.Kind != yaml.MappingNode {
		r.errorf(n, "%s must be a mapping of labels to values", what)
		return nil
	}
	out := map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := r.matching(n.Content[i], what, labelKey)
		value := r.matching(deref(n.Content[i+1]), what+"."+key, labelValue)
		switch {
		case key == "":
		case strings.HasPrefix(key, "app.kubernetes.io/") || strings.HasPrefix(key, "assay/"):
			r.errorf(n.Content[i], "%s sets %s, which selects the service's own pods", what, key)
		default:
			out[key] = value
		}
	}
	return out
}

// CheckNames holds names that flags give against the forms of render's keys. Empty ones
// are not given.
func CheckNames(name, namespace, image string) error {
	for _, v := range []struct {
		flag, value string
		form        form
		most        int
	}{{"--name", name, dnsLabel, mostServiceName}, {"--namespace", namespace, dnsLabel, mostLabel}, {"--image", image, imageName, 512}} {
		switch {
		case v.value == "":
		case !v.form.pattern.MatchString(v.value):
			return fmt.Errorf("%s %q is not %s", v.flag, v.value, v.form.example)
		case len(v.value) > v.most:
			return fmt.Errorf("%s %q has %d characters; it may have %d", v.flag, v.value, len(v.value), v.most)
		}
	}
	return nil
}
