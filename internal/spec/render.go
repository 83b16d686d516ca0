package spec

import (
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// Render is what is known of a cluster and wanted of manifests: the section render of
// assay.yaml. Empty is not said; what must be said and is not becomes a mark.
type Render struct {
	Name      string // of the service, and of what is written for it
	Namespace string
	Cluster   string // EKS's name of the cluster
	Region    string
	Zones     []string          // such as us-east-1a; empty: all
	TimeZone  string            // IANA, such as Europe/Berlin
	Labels    map[string]string // on every object besides our own

	Serve    RenderServe
	NodePool RenderNodePool
	Train    RenderTrain
	Storage  RenderStorage
	Secrets  RenderSecrets
	Bench    RenderBench

	Monitoring RenderMonitoring

	Named []string // the parts that the section names, in the order of RenderParts
}

// RenderParts are the sections of render, each a part of what is written.
var RenderParts = []string{"serve", "nodepool", "train", "storage", "secrets", "monitoring", "bench"}

// Names says that the section names a part.
func (r Render) Names(part string) bool { return slices.Contains(r.Named, part) }

func (r *reader) render(n *yaml.Node, out *Render) {
	parts := map[string]func(*yaml.Node){
		"serve":    func(v *yaml.Node) { r.renderServe(v, &out.Serve) },
		"nodepool": func(v *yaml.Node) { r.renderNodePool(v, &out.NodePool) },
		"train":    func(v *yaml.Node) { r.renderTrain(v, &out.Train) },
		"storage":  func(v *yaml.Node) { r.renderStorage(v, &out.Storage) },
		"secrets":  func(v *yaml.Node) { r.renderSecrets(v, &out.Secrets) },
		"bench":    func(v *yaml.Node) { r.renderBench(v, &out.Bench) },

		"monitoring": func(v *yaml.Node) { r.renderMonitoring(v, &out.Monitoring) },
	}
	known := fields{
		"name":      func(v *yaml.Node) { out.Name = r.label(v, "render.name", mostServiceName) },
		"namespace": func(v *yaml.Node) { out.Namespace = r.label(v, "render.namespace", mostLabel) },
		"cluster":   func(v *yaml.Node) { out.Cluster = r.matching(v, "render.cluster", clusterName) },
		"region":    func(v *yaml.Node) { out.Region = r.matching(v, "render.region", regionName) },
		"zones":     func(v *yaml.Node) { out.Zones = r.several(v, "render.zones", zoneName) },
		"time_zone": func(v *yaml.Node) { out.TimeZone = r.timeZone(v) },
		"labels":    func(v *yaml.Node) { out.Labels = r.labels(v, "render.labels") },
	}
	for name, read := range parts {
		known[name] = func(v *yaml.Node) {
			out.Named = append(out.Named, name)
			if v.Tag != "!!null" { // "serve:" alone asks for it as it is by default
				read(v)
			}
		}
	}
	r.mapping(n, "render", known)
	slices.SortFunc(out.Named, func(a, b string) int {
		return slices.Index(RenderParts, a) - slices.Index(RenderParts, b)
	})
	for _, z := range out.Zones {
		if out.Region != "" && !strings.HasPrefix(z, out.Region) {
			r.errorf(n, "render.zones has %s, which is not in render.region %s", z, out.Region)
		}
	}
}

// timeZone reads a name of the IANA database.
func (r *reader) timeZone(n *yaml.Node) string {
	name := r.str(n, "render.time_zone")
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		r.errorf(n, "render.time_zone %q is no IANA time zone, such as Europe/Berlin", name)
		return ""
	}
	return name
}
