// Package e2e runs the assay program, as built, against a real vLLM and holds
// what it recorded against the server's own counters.
package e2e
