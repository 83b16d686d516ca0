package rules

import (
	"assay/internal/facts"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

var inputRules = []*lint.Rule{
	{
		ID: "yaml-syntax", Severity: lint.Error, Subject: lint.Input,
		Title:   "A document is no YAML",
		Why:     "The document is not applied, and nothing in it is checked.",
		Fix:     "Mend the syntax at the place named, or just before it.",
		Sources: []facts.Source{{Title: "YAML 1.2.2", URL: "https://yaml.org/spec/1.2.2/", Date: "2026-11-30"}},
	},
	{
		ID: "tab-indent", Severity: lint.Error, Subject: lint.Input,
		Title:   "A tab indents a line",
		Why:     "YAML takes spaces alone for indentation: the document is not applied, and nothing in it is checked.",
		Fix:     "Write spaces in place of the tab.",
		Sources: []facts.Source{{Title: "YAML 1.2.2, 6.1 Indentation Spaces", URL: "https://yaml.org/spec/1.2.2/#61-indentation-spaces", Date: "2026-11-30"}},
	},
	{
		ID: "duplicate-key", Severity: lint.Error, Subject: lint.Input,
		Title:   "A key stands twice in one mapping",
		Why:     "kubectl keeps the last one and drops the others without a word; other readers keep the first, or refuse the document.",
		Fix:     "Keep the one that is meant.",
		Sources: []facts.Source{{Title: "YAML 1.2.2, 3.2.1.3 Node Comparison: mapping keys are unique", URL: "https://yaml.org/spec/1.2.2/#3213-node-comparison", Date: "2026-11-30"}},
	},
	{
		ID: "yaml-too-large", Severity: lint.Error, Subject: lint.Input,
		Title:   "A document is larger than anything a cluster takes",
		Why:     "An API server takes 3 MiB of one object. Aliases that stand for aliases expand to any size.",
		Fix:     "Split the document, or write out what its aliases stand for.",
		Sources: []facts.Source{{Title: "Kubernetes, etcd request size limit", URL: "https://etcd.io/docs/v3.6/dev-guide/limit/", Date: "2026-11-30"}},
	},
	{
		ID: "unreadable-file", Severity: lint.Error, Subject: lint.Input,
		Title:   "A file cannot be read",
		Why:     "Nothing in it is checked: that no fault was found says nothing about it.",
		Fix:     "Check the path, its permissions, and that it is a file.",
		Sources: []facts.Source{{Title: "Linux manual pages, path_resolution(7)", URL: "https://man7.org/linux/man-pages/man7/path_resolution.7.html", Date: "2026-11-30"}},
	},
	{
		ID: "binary-file", Severity: lint.Error, Subject: lint.Input,
		Title:   "A file that should be text is none",
		Why:     "Manifests and Dockerfiles are UTF-8, YAML also UTF-16, without control characters; kubectl refuses all else, and nothing in it is checked.",
		Fix:     "Save it as UTF-8, or name it otherwise if it is no manifest.",
		Sources: []facts.Source{{Title: "YAML 1.2.2, 5.1 Character Set", URL: "https://yaml.org/spec/1.2.2/#51-character-set", Date: "2026-11-30"}},
	},
	{
		ID: "symlink-loop", Severity: lint.Error, Subject: lint.Input,
		Title:   "A link leads back to itself",
		Why:     "Whoever follows it never ends, or ends with an error, such as a tool that copies the folder into an image.",
		Fix:     "Remove the link, or let it lead to the file that was meant.",
		Sources: []facts.Source{{Title: "Linux manual pages, path_resolution(7), ELOOP", URL: "https://man7.org/linux/man-pages/man7/path_resolution.7.html", Date: "2026-11-30"}},
	},
	{
		ID: "symlink-outside", Severity: lint.Info, Subject: lint.Input,
		Title:   "A link leads out of the folder and is not followed",
		Why:     "What lies outside of the folder that was named is not checked.",
		Fix:     "Name the folder that it leads to beside the first one.",
		Sources: []facts.Source{{Title: "Linux manual pages, symlink(7)", URL: "https://man7.org/linux/man-pages/man7/symlink.7.html", Date: "2026-11-30"}},
	},
	{
		ID: "folder-too-deep", Severity: lint.Error, Subject: lint.Input,
		Title:   "A folder is deeper or holds more than is read",
		Why:     "What lies further down is not checked.",
		Fix:     "Name the folders that hold manifests.",
		Sources: []facts.Source{{Title: "Linux manual pages, path_resolution(7)", URL: "https://man7.org/linux/man-pages/man7/path_resolution.7.html", Date: "2026-11-30"}},
	},
	{
		ID: "kustomize-remote", Severity: lint.Warning, Subject: lint.Input,
		Title:   "A kustomization takes something from elsewhere",
		Why:     "Nothing is fetched and no plugin is run: what it gives, and what patches make of it, is not checked. It may change between two applies, too.",
		Fix:     "Keep a copy beside the kustomization, or lint what comes out: kubectl kustomize DIR | assay lint -",
		Sources: []facts.Source{{Title: "Kubernetes, Declarative Management of Kubernetes Objects Using Kustomize", URL: "https://kubernetes.io/docs/tasks/manage-kubernetes-objects/kustomization/", Date: "2026-11-30"}},
	},
	{
		ID: "kustomize-build", Severity: lint.Error, Subject: lint.Input,
		Title:   "A kustomization cannot be built",
		Why:     "kubectl apply -k ends with this error and applies nothing. The files that it lists were checked as they stand.",
		Fix:     "Mend the field or the path named.",
		Sources: []facts.Source{{Title: "Kubernetes, Declarative Management of Kubernetes Objects Using Kustomize", URL: "https://kubernetes.io/docs/tasks/manage-kubernetes-objects/kustomization/", Date: "2026-11-30"}},
	},
	{
		ID: "helm-missing", Severity: lint.Warning, Subject: lint.Input,
		Title:   "A chart is not read, since helm is not there",
		Why:     "Templates are no YAML before helm has rendered them: nothing of the chart is checked.",
		Fix:     "Put helm into PATH, or lint what it gives: helm template CHART --values FILE | assay lint -",
		Sources: []facts.Source{{Title: "Helm, helm template", URL: "https://helm.sh/docs/helm/helm_template/", Date: "2026-11-30"}},
	},
	{
		ID: "helm-dependency", Severity: lint.Warning, Subject: lint.Input,
		Title:   "A chart takes in another one that does not lie in it",
		Why:     "helm renders nothing while a dependency is missing from charts/, and nothing is fetched here: nothing of the chart is checked.",
		Fix:     "Run helm dependency build CHART, then lint again.",
		Sources: []facts.Source{{Title: "Helm, helm dependency", URL: "https://helm.sh/docs/helm/helm_dependency/", Date: "2026-11-30"}},
	},
	{
		ID: "helm-template", Severity: lint.Error, Subject: lint.Input,
		Title:   "helm cannot render a chart",
		Why:     "helm install and upgrade end with this error; nothing of the chart is checked. Where the chart asks for a value, the finding is unknown instead of failed.",
		Fix:     "Mend the template at the place named, or give the values that it needs with --values.",
		Sources: []facts.Source{{Title: "Helm, Debugging Templates", URL: "https://helm.sh/docs/chart_template_guide/debugging/", Date: "2026-11-30"}},
	},
	{
		ID: "cluster-unread", Severity: lint.Warning, Subject: lint.Input,
		Title:   "Objects of a cluster cannot be read",
		Why:     "They are not checked, and what other objects need of them is not seen.",
		Fix:     "Grant list on the resource named; docs/cluster.md has the least ClusterRole.",
		Sources: []facts.Source{{Title: "Kubernetes, Using RBAC Authorization", URL: "https://kubernetes.io/docs/reference/access-authn-authz/rbac/", Date: "2026-11-30"}},
	},
	{
		ID: "unset-value", Severity: lint.Error, Subject: lint.Input,
		Title:   "A value that must be known was never set",
		Why:     "assay render writes unset-NAME where it was told no value and must not invent one: the object is taken by the API server, and does not work.",
		Fix:     "Give the value in assay.yaml and render again, or write it in its place.",
		Sources: []facts.Source{{Title: "Assay, what render marks", URL: "docs/render.md", Date: "2026-11-30"}},
		Object:  unsetValue,
	},
}

// unsetValue looks at every scalar: a mark may stand anywhere.
func unsetValue(p *lint.Pass, o *lint.Object) {
	walk(o.Root, func(v source.Value) {
		for _, m := range practice.Marks(v.Text()) {
			p.Unknown(v, "%s stands for a value that nobody gave", m)
		}
	})
}

// walk visits all scalars of a value, keys left out.
func walk(v source.Value, visit func(source.Value)) {
	switch {
	case v.IsScalar():
		visit(v)
	case v.IsList():
		for _, item := range v.Items() {
			walk(item, visit)
		}
	default:
		for _, item := range v.Pairs() {
			walk(item, visit)
		}
	}
}
