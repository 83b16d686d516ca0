package facts

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Instance is an EC2 instance type with accelerators. 0 is not known, where not
// said otherwise.
type Instance struct {
	Name        string
	Family      string // g5, p6-b200
	Size        string // 12xlarge
	VCPU        int
	Memory      int64   // bytes, of the host
	Accelerator string  // as Karpenter's labels write it: a10g, inferentia2
	Count       int     // accelerators; 0: a fraction of one
	ChipMemory  int64   // bytes of one accelerator, nominal
	Network     float64 // bytes per second, all cards together
	EBS         float64 // bytes per second, at most
	NVMe        int64   // bytes of instance store; 0: none
	EFA         int     // interfaces of vpc.amazonaws.com/efa; 0: none
	Pods        int     // that the node can hold
}

//go:embed instances.json
var instancesJSON []byte

// instanceTable is the embedded file; its legend gives the units.
type instanceTable struct {
	Source    string
	URL       string
	Date      string
	Instances []struct {
		T               string
		GPU             string
		CPU, Mem, N     int
		GM, Net, EBS    int
		NVMe, EFA, Pods int
	}
}

const (
	megabit  = 1e6 / 8
	gigabyte = 1_000_000_000
)

var loadInstances = sync.OnceValues(func() ([]Instance, Source) {
	var table instanceTable
	if err := json.Unmarshal(instancesJSON, &table); err != nil {
		panic(fmt.Sprintf("instances.json: %v", err)) // embedded, and read in a test
	}
	all := make([]Instance, len(table.Instances))
	for i, row := range table.Instances {
		family, size, _ := strings.Cut(row.T, ".")
		all[i] = Instance{
			Name: row.T, Family: family, Size: size,
			VCPU: row.CPU, Memory: int64(row.Mem) * MiB,
			Accelerator: row.GPU, Count: row.N, ChipMemory: int64(row.GM) * MiB,
			Network: float64(row.Net) * megabit, EBS: float64(row.EBS) * megabit,
			NVMe: int64(row.NVMe) * gigabyte, EFA: row.EFA, Pods: row.Pods,
		}
	}
	return all, Source{table.Source, table.URL, table.Date}
})

// Instances returns all accelerated types, by family and size; those with a fraction
// of an accelerator, too.
func Instances() []Instance {
	all, _ := loadInstances()
	return slices.Clone(all)
}

// InstanceSource is where the table of instances comes from.
func InstanceSource() Source {
	_, source := loadInstances()
	return source
}

// InstanceNamed finds a type by name, whatever the case. The error of an unknown one
// names those near it; a type with a fraction of an accelerator is a *FractionalError.
func InstanceNamed(name string) (Instance, error) {
	all, _ := loadInstances()
	want := strings.ToLower(strings.TrimSpace(name))
	for _, i := range all {
		if i.Name == want {
			if i.Fractional() {
				return Instance{}, &FractionalError{i}
			}
			return i, nil
		}
	}
	return Instance{}, fmt.Errorf("unknown accelerated instance type %q: near it are %s", name, strings.Join(nearInstances(want), ", "))
}

// Fractional says whether the instance has a part of an accelerator.
func (i Instance) Fractional() bool { return i.Count == 0 }

// A FractionalError refuses an instance with a part of an accelerator: what share of
// its arithmetic and bandwidth comes with it is published nowhere.
type FractionalError struct{ Instance Instance }

func (e *FractionalError) Error() string {
	i := e.Instance
	return fmt.Sprintf("%s has a fraction of an accelerator (%s, %d MiB of its memory), whose speed is published nowhere: take one with a whole, such as %s",
		i.Name, strings.ToUpper(i.Accelerator), i.ChipMemory/MiB, wholeOf(i))
}

// wholeOf is the smallest type with a whole accelerator of that kind.
func wholeOf(part Instance) string {
	all, _ := loadInstances()
	best := ""
	least := int64(0)
	for _, i := range all {
		if i.Accelerator == part.Accelerator && i.Count > 0 && (best == "" || i.Memory < least) {
			best, least = i.Name, i.Memory
		}
	}
	return best
}

// Chip is what is known of the instance's accelerators; false where it has a fraction
// of one, or one that is not in the table of chips.
func (i Instance) Chip() (Chip, bool) {
	if i.Fractional() {
		return Chip{}, false
	}
	name := i.Accelerator
	if name == "a100" { // sold with two sizes of memory
		name = fmt.Sprintf("a100-%d", i.ChipMemory>>30)
	}
	c, err := ChipNamed(name)
	return c, err == nil
}

// Architecture is the host's, as Kubernetes labels it: amd64 or arm64.
func (i Instance) Architecture() string {
	if i.Family == "g5g" {
		return "arm64"
	}
	return "amd64"
}

// What a node keeps of its memory. The hypervisor's share is Karpenter's default
// (vm-memory-overhead-percent), a safe one: real nodes show less. The rest is what
// the EKS AMI reserves for the kubelet and its eviction threshold. Source: Karpenter's
// AWS provider v1.14.0, pkg/providers/instancetype/types.go, read 2026-11-30.
const (
	hypervisorShare = 0.075
	kubeletPodBytes = 11 * MiB
	kubeletBytes    = 255 * MiB
	evictionBytes   = 100 * MiB
)

// Allocatable is the host memory, in bytes, that pods can count on: what Karpenter
// takes a node of the type to offer before it has seen one.
func (i Instance) Allocatable() int64 {
	left := float64(i.Memory)*(1-hypervisorShare) - float64(i.Pods)*kubeletPodBytes - kubeletBytes - evictionBytes
	return max(int64(left), 0)
}
