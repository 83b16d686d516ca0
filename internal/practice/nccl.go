package practice

import (
	"strings"

	"assay/internal/facts"
)

// NetworkSetting finds what is known of an environment variable of NCCL, libfabric or
// RDMA in pods that train over EFA.
func NetworkSetting(name string) (facts.Setting, bool) {
	for _, s := range facts.NetworkSettings() {
		if s.Name == name || s.Advice == facts.Never && strings.HasPrefix(name, "RDMAV_") {
			return s, true
		}
	}
	return facts.Setting{}, false
}

// NetworkEnvironment are the variables that training over EFA wants to be set.
func NetworkEnvironment() []facts.Setting {
	var all []facts.Setting
	for _, s := range facts.NetworkSettings() {
		if s.Advice == facts.Set {
			all = append(all, s)
		}
	}
	return all
}
