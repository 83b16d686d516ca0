// Package own reads rules that users write, as CEL expressions in a YAML file, into
// rules like the program's own. The environment is that of Kubernetes: the same
// functions as in the rules of custom resources and in ValidatingAdmissionPolicies, the
// same limits of cost, so that no expression runs long.
//
//	rules, err := own.Read("rules.yaml")
package own
