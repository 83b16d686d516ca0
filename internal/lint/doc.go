// Package lint holds Kubernetes objects against practices: rules over one object or
// over all of them, findings with a place, three states. A rule fails, passes, or is
// unknown where what it needs cannot be seen; unknown is never a failure.
//
// The rules themselves are in lint/rules, what is read in lint/source, schemas in
// lint/schema. Objects are read, judged and let go one by one; what rules across
// objects need is kept in an Index of a few fields each.
package lint
