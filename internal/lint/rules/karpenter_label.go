package rules

import (
	"slices"
	"strings"
	"time"

	"assay/internal/lint"
	"assay/internal/lint/source"
)

const (
	provisionerLabel = "karpenter.sh/provisioner-name"
	doNotDisrupt     = "karpenter.sh/do-not-disrupt"
)

func labelOfPool(p *lint.Pass, o *lint.Object) {
	for _, item := range requirements(o) {
		labelMeant(p, item.Get("key"))
	}
}

func provisionerName(p *lint.Pass, pod *lint.Pod) {
	nodeLabelsOf(pod, func(key source.Value) {
		if key.Text() == provisionerLabel {
			p.Fail(key, "%s is a label of Provisioners, which went with v1: nodes have karpenter.sh/nodepool", provisionerLabel).Edits = p.SetScalar(key, "karpenter.sh/nodepool")
		}
	})
}

// deadAnnotations are annotations that Karpenter no longer reads.
var deadAnnotations = []string{"karpenter.sh/do-not-evict", "karpenter.sh/do-not-consolidate"}

func deadAnnotation(p *lint.Pass, annotations source.Value) {
	for _, name := range deadAnnotations {
		if key := annotations.Key(name); key.Exists() {
			p.Fail(key, "Karpenter does not read %s since v1: it is %s", name, doNotDisrupt).Edits = p.Rename(annotations, name, doNotDisrupt)
		}
	}
}

func deadOnPod(p *lint.Pass, pod *lint.Pod) { deadAnnotation(p, pod.Meta.Get("annotations")) }

func deadOnNodes(p *lint.Pass, o *lint.Object) {
	deadAnnotation(p, o.Get("metadata", "annotations"))
	deadAnnotation(p, o.Get("spec", "template", "metadata", "annotations"))
}

func doNotDisruptValue(p *lint.Pass, pod *lint.Pod) {
	v := pod.Meta.Get("annotations", doNotDisrupt)
	text := v.Text()
	if !v.Exists() || v.Open() || v.Tag() != "!!str" || text == "true" || text == "false" {
		return
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return
	}
	f := p.Fail(v, "%s is %q, which Karpenter passes over: it is \"true\", or a time such as \"4h\"", doNotDisrupt, text)
	if strings.EqualFold(text, "true") {
		f.Edits = p.SetScalar(v, "true")
	}
}

func doNotDisruptPlace(p *lint.Pass, o *lint.Object) {
	at := o.Get("metadata", "annotations").Key(doNotDisrupt)
	if !at.Exists() || o.Kind == "Pod" {
		return
	}
	pods := lint.PodsOf(o)
	if len(pods) == 0 || slices.ContainsFunc(pods, func(pod *lint.Pod) bool { return pod.Meta.Get("annotations", doNotDisrupt).Exists() }) {
		return
	}
	p.Fail(at, "%s stands on the %s itself: Karpenter looks at its pods, whose template does not have it", doNotDisrupt, o.Kind)
}
