// Package tools is where the versions of Prometheus and promtool are fixed that
// the rules are tested with. It is a module of its own: their dependencies are
// none of the program's.
package tools
