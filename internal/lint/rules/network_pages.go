package rules

import (
	"strings"

	"assay/internal/karpenter"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

// pages are the resources of huge pages that a container names, with their keys.
func pages(c *lint.Container, list string) map[string]source.Value {
	all := map[string]source.Value{}
	for k := range c.Get("resources", list).Pairs() {
		if strings.HasPrefix(k.Text(), "hugepages-") {
			all[k.Text()] = k
		}
	}
	return all
}

func hugePagesAlone(p *lint.Pass, c *lint.Container) {
	if c.Asked("memory").Exists() || c.Asked("cpu").Exists() || c.Pod.Get("resources").Exists() {
		return
	}
	for _, list := range []string{"limits", "requests"} {
		for name, at := range pages(c, list) {
			p.Fail(at, "%s without a request of memory or CPU", name)
			return
		}
	}
}

func notOvercommitted(p *lint.Pass, c *lint.Container) {
	for k, v := range c.Get("resources", "requests").Pairs() {
		if k.Text() != practice.EFAResource && !strings.HasPrefix(k.Text(), "hugepages-") {
			continue
		}
		limit := c.Get("resources", "limits", k.Text())
		switch {
		case !limit.Exists():
			p.Fail(v, "%s is requested, and has no limit", k.Text())
		case limit.Text() != v.Text() && !limit.Open() && !v.Open() && !sameQuantity(limit.Text(), v.Text()):
			p.Fail(v, "%s is requested as %s, its limit is %s", k.Text(), v.Text(), limit.Text())
		}
	}
}

func hugePagesVolume(pass *lint.Pass, p *lint.Pod) {
	for _, c := range p.Containers() {
		if len(pages(c, "limits"))+len(pages(c, "requests")) > 0 {
			return
		}
	}
	for _, v := range p.Get("volumes").Items() {
		if medium := v.Get("emptyDir", "medium"); strings.HasPrefix(medium.Text(), "HugePages") {
			pass.Fail(medium, "volume %s is of huge pages, and no container asks for any", v.Get("name").Text())
		}
	}
}

// sameQuantity compares 8Gi and 8192Mi.
func sameQuantity(a, b string) bool {
	x, ok := karpenter.Quantity(a)
	y, too := karpenter.Quantity(b)
	return ok && too && x == y
}
