// Package controlplane holds what the program reads from a cluster against a real
// Kubernetes API server, with etcd behind it and no kubelet, scheduler or
// controller: tests write the objects that those would. build.sh builds the
// programs, at the versions of tools/go.mod; start.sh and stop.sh run them.
package controlplane
