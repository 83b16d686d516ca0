// Package rules holds the practices that lint checks, a file for each subject. A rule
// is here only with a source, and with two cases that differ in the fault alone:
// cases/ID.fail.yaml, whose lines say in a comment "# want ID" what is found there, and
// cases/ID.pass.yaml, in which nothing at all is found. Documents and explanations show
// both.
package rules
