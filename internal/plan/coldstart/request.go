package coldstart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/internal/calibrate"
	"assay/internal/facts"
)

// From is where the weights come from.
type From string

// Places of the weights.
const (
	S3    From = "s3"
	EFS   From = "efs"
	FSx   From = "fsx"
	EBS   From = "ebs"
	NVMe  From = "nvme" // fetched from S3 to the node's disks first
	Image From = "image"
)

// Places are all of them.
var Places = []From{S3, EFS, FSx, EBS, NVMe, Image}

// OS is the operating system of the node.
type OS string

// Operating systems.
const (
	AL2023       OS = "al2023"
	Bottlerocket OS = "bottlerocket"
)

// Disk is where images are unpacked.
type Disk struct {
	NVMe       bool    // the instance store, as RAID 0
	Throughput float64 // bytes/s of the gp3 volume; 0: the 125 MiB/s that come with it
}

// Request is a start to plan.
type Request struct {
	Image    int64 // bytes, compressed, as the registry has them, without weights
	Unpacked int64 // bytes on disk; 0: not said
	Weights  int64 // bytes
	Instance facts.Instance
	From     From // "": S3
	OS       OS   // "": AL2023
	Root     Disk
	Storage  float64 // bytes/s that the place of the weights gives a node; 0: its limits
	Replicas int     // nodes that start at once and share it; 0: one
	Engine   string  // "": vllm
	SLO      time.Duration
	Chosen   []Technique    // besides the table: these together
	Log      *calibrate.Log // measured phases of the engine
}

func (r Request) check() (Request, error) {
	r.From, r.OS, r.Engine = cmp.Or(r.From, S3), cmp.Or(r.OS, AL2023), cmp.Or(r.Engine, "vllm")
	r.Replicas = cmp.Or(r.Replicas, 1)
	r.Root.Throughput = cmp.Or(r.Root.Throughput, facts.GP3.BaseThroughput)
	name, _, _ := strings.Cut(r.Engine, "@")
	switch {
	case r.Image <= 0:
		return r, fmt.Errorf("image of %d bytes: must be above 0", r.Image)
	case r.Weights <= 0:
		return r, fmt.Errorf("weights of %d bytes: must be above 0", r.Weights)
	case r.Unpacked != 0 && r.Unpacked < r.Image:
		return r, fmt.Errorf("an image of %d bytes does not unpack to less (%d)", r.Image, r.Unpacked)
	case r.Instance.Name == "":
		return r, fmt.Errorf("no instance: what its network, EBS bandwidth and disks allow decides")
	case !slices.Contains(Places, r.From):
		return r, fmt.Errorf("weights from %q: want s3, efs, fsx, ebs, nvme or image", r.From)
	case r.OS != AL2023 && r.OS != Bottlerocket:
		return r, fmt.Errorf("operating system %q: want al2023 or bottlerocket", r.OS)
	case name != "vllm":
		return r, fmt.Errorf("engine %q: what is known of starts is of vllm", r.Engine)
	case r.Root.Throughput < facts.GP3.BaseThroughput || r.Root.Throughput > facts.GP3.MostThroughput:
		return r, fmt.Errorf("root volume of %.0f MiB/s: gp3 has 125 to 2,000", r.Root.Throughput/facts.MiB)
	case (r.From == NVMe || r.Root.NVMe) && r.Instance.NVMe == 0:
		return r, fmt.Errorf("%s has no instance store", r.Instance.Name)
	case r.From == NVMe && r.Weights > r.Instance.NVMe:
		return r, fmt.Errorf("the instance store of %s holds %.0f GB, the weights are %.0f", r.Instance.Name, float64(r.Instance.NVMe)/1e9, float64(r.Weights)/1e9)
	case r.Replicas < 1 || r.Replicas > 10_000:
		return r, fmt.Errorf("%d replicas: between 1 and 10,000", r.Replicas)
	case r.Storage < 0 || r.SLO < 0:
		return r, fmt.Errorf("rates and times must be above 0")
	}
	if chip, ok := r.Instance.Chip(); ok && r.Log != nil {
		if err := r.Log.Check(chip); err != nil {
			return r, err
		}
	}
	for _, t := range r.Chosen {
		if _, ok := techniqueOf(t); !ok {
			return r, fmt.Errorf("technique %q is not known: want %s", t, strings.Join(TechniqueNames(), ", "))
		}
	}
	return r, exclude(set(r.Chosen))
}
