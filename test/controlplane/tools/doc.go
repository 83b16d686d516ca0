// Package tools is where the versions of the Kubernetes API server, etcd and
// kubectl are fixed that tests run against. It is a module of its own: their
// dependencies are none of the program's.
package tools
