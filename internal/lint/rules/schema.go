package rules

import (
	"assay/internal/facts"
	"assay/internal/lint"
	"assay/internal/lint/schema"
)

var (
	fieldValidation = facts.Source{Title: "Kubernetes, API concepts, field validation", URL: "https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation", Date: "2026-11-30"}
	crdValidation   = facts.Source{Title: "Kubernetes, CustomResourceDefinitions, validation", URL: "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation", Date: "2026-11-30"}
	crdRules        = facts.Source{Title: "Kubernetes, CustomResourceDefinitions, validation rules", URL: "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules", Date: "2026-11-30"}
	deprecations    = facts.Source{Title: "Kubernetes, deprecated API migration guide", URL: "https://kubernetes.io/docs/reference/using-api/deprecation-guide/", Date: "2026-11-30"}
	apiReference    = facts.Source{Title: "Kubernetes API reference", URL: "https://kubernetes.io/docs/reference/kubernetes-api/", Date: "2026-11-30"}
)

// schemaRules say what an API server would refuse. Where a rule that knows more speaks
// of the same line, they are silent.
var schemaRules = []*lint.Rule{
	{
		ID: "unknown-field", Severity: lint.Error, Subject: lint.Schema,
		Title:   "A field that the kind does not have",
		Why:     "kubectl apply is refused. Tools that do not ask for validation, such as many operators and GitOps controllers, leave the field out instead: the object is taken and does not do what it says.",
		Fix:     "Write the name as the kind's schema has it, or move the field to where it belongs.",
		Sources: []facts.Source{fieldValidation},
		Object:  issues(schema.UnknownField),
	},
	{
		ID: "wrong-type", Severity: lint.Error, Subject: lint.Schema,
		Title:   "A value of a wrong type",
		Why:     "The object is refused. YAML reads an unquoted 8000, true or yes as a number or a truth value, where labels, annotations and variables must be text.",
		Fix:     "Put text into quotes, and take quotes off numbers and truth values.",
		Sources: []facts.Source{fieldValidation, apiReference},
		Object:  issues(schema.WrongType),
	},
	{
		ID: "missing-field", Severity: lint.Error, Subject: lint.Schema,
		Title:   "A field that the kind must have is absent",
		Why:     "The object is refused.",
		Fix:     "Write the field.",
		Sources: []facts.Source{apiReference, crdValidation},
		Object:  issues(schema.Required),
	},
	{
		ID: "bad-value", Severity: lint.Error, Subject: lint.Schema,
		Title:   "A value that the field does not take",
		Why:     "The object is refused: the value is none of those allowed, out of range, or of another form.",
		Fix:     "Write one of the values that the message names.",
		Sources: []facts.Source{apiReference, crdValidation},
		Object:  issues(schema.BadValue),
	},
	{
		ID: "duplicate-item", Severity: lint.Error, Subject: lint.Schema,
		Title:   "Two items of a list have the same key",
		Why:     "The object is refused: the items of such a list are told apart by that key.",
		Fix:     "Give the items different keys, or take one of them out.",
		Sources: []facts.Source{apiReference, crdValidation},
		Object:  issues(schema.Duplicate),
	},
	{
		ID: "cel-rule", Severity: lint.Error, Subject: lint.Schema,
		Title:   "A rule of the custom resource is broken",
		Why:     "The object is refused: its definition holds a validation rule (CEL) over several fields, which the API server evaluates. Assay evaluates the same rule with the server's own code.",
		Fix:     "Change the fields that the rule's message names.",
		Sources: []facts.Source{crdRules},
		Object:  issues(schema.BrokenRule),
	},
	{
		ID: "dead-api-version", Severity: lint.Error, Subject: lint.Schema,
		Title:   "An API version that is no longer served",
		Why:     `The object is refused: no matches for kind. Clusters that still serve the version stop with the next upgrade.`,
		Fix:     "Write the version that the message names, and look for fields that changed with it.",
		Sources: []facts.Source{deprecations},
		Object:  issues(schema.DeadVersion),
	},
	{
		ID: "unknown-kind", Severity: lint.Error, Subject: lint.Schema,
		Title:   "A kind that the API group does not have",
		Why:     "The object is refused: no matches for kind.",
		Fix:     "Write the kind as the API reference has it.",
		Sources: []facts.Source{apiReference},
		Object:  issues(schema.UnknownKind),
	},
}

// issues reports what the object's schema says of one kind.
func issues(kind schema.Kind) func(*lint.Pass, *lint.Object) {
	return func(p *lint.Pass, o *lint.Object) {
		all := lint.Once(o, "schema", func() []schema.Issue { return schema.Check(o.APIVersion, o.Kind, o.Root) })
		for _, i := range all {
			if i.Kind == kind {
				p.Fail(i.At, "%s", i.Message)
			}
		}
	}
}
