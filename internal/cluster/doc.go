// Package cluster asks a Kubernetes API what happened to pods and to the nodes
// that hold them: kills for memory, restarts, crash loops, evictions, why a pod
// is not scheduled or not ready, and whether the accelerators are healthy.
//
// Objects reads what lint looks at.
//
// It reads and never writes; each request has a time limit and each answer a
// size limit. It finds the cluster as kubectl does: --kubeconfig, KUBECONFIG,
// ~/.kube/config, credential plugins included, else the pod that it runs in.
// What it may not read it leaves out, and says so (Options.Remark); Role is the
// least that it needs.
//
//	incidents, err := cluster.Incidents(ctx, cluster.Options{Namespace: "inference"})
package cluster
