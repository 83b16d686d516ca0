// Package schema holds Kubernetes objects against the schemas of their kinds, offline
// and with places: fields that a kind does not have, values of a wrong type or out of
// range, what is required and absent, and the CEL rules of custom resources. It answers
// as an API server does to a strict request (fieldValidation=Strict); test/controlplane
// compares the two. What a server checks in code alone, such as names and selectors of
// built-in kinds, is not known here.
//
//	for _, issue := range schema.Check("karpenter.sh/v1", "NodePool", doc.Root) {
//		fmt.Println(issue.At.Line(), issue.Message)
//	}
//
// The schemas are in derived/, made by tools/schemas from the files of vendored/, which
// are unchanged; vendored/table.json has their versions, hashes and licences.
package schema
