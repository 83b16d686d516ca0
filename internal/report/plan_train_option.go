package report

import (
	"fmt"
	"strings"

	"assay/internal/facts"
	"assay/internal/plan/train"
)

// trainOption says of the first option what goes into memory and time, how often to
// write a checkpoint, how its nodes are bought, placed and connected.
func (t *textWriter) trainOption(r train.Result, o train.Option) {
	t.line("")
	t.wrap("", "The first: "+o.ID, bold)
	for _, line := range trainLines(r, o) {
		t.wrap(fmt.Sprintf("  %-12s", line[0]), line[1], "")
	}
}

// trainLines are what is said of one option, each with what it is about.
func trainLines(r train.Result, o train.Option) [][2]string {
	lines := [][2]string{
		{"layout", trainLayoutExplained(o.Layout)},
		{"memory", trainMemoryWords(o.Memory)},
		{"step", trainStepWords(r, o)},
		{"time", trainPhaseWords(o.Phases)},
		{"checkpoint", trainCheckpointWords(o.Checkpoint)},
		{"capacity", trainCapacityWords(o)},
		{"network", trainNetworkWords(o)},
	}
	if o.Count > 1 && o.Connect.EFA > 0 && !strings.HasPrefix(o.GPU.Name, "Trainium") {
		lines = append(lines, [2]string{"settings", trainSettingWords(r.Network.Environment)})
	}
	for _, s := range o.Remarks {
		lines = append(lines, [2]string{"note", sentence(trainCapital(s))})
	}
	return lines
}

// trainLayoutExplained says what the degrees mean.
func trainLayoutExplained(l train.Layout) string {
	var parts []string
	if l.DP > 1 {
		parts = append(parts, fmt.Sprintf("%d copies of the model, their optimizer sharded over them (ZeRO-1)", l.DP))
	}
	if l.FSDP > 1 {
		parts = append(parts, fmt.Sprintf("weights, gradients and optimizer sharded over %d GPUs (FSDP)", l.FSDP))
	}
	if l.TP > 1 {
		parts = append(parts, fmt.Sprintf("each matrix product shared by %d GPUs, with sequence parallelism", l.TP))
	}
	if l.PP > 1 {
		parts = append(parts, fmt.Sprintf("%d pipeline stages", l.PP))
	}
	if l.EP > 1 {
		parts = append(parts, fmt.Sprintf("experts spread over %d GPUs", l.EP))
	}
	if len(parts) == 0 {
		parts = append(parts, "one GPU")
	}
	return fmt.Sprintf("%s; %s in a step, %s at once on a GPU; activation checkpointing: %s", strings.Join(parts, ", "),
		plural(l.Accumulation*l.MicroBatch, "sequence"), count(l.MicroBatch), l.Recompute)
}

func trainMemoryWords(m train.Memory) string {
	var parts []string
	for _, p := range []struct {
		name  string
		bytes int64
	}{
		{"weights", m.Weights}, {"gradients", m.Gradients}, {"optimizer", m.Optimizer}, {"activations", m.Activations},
		{"logits", m.Logits}, {"FSDP buffers", m.Gather}, {"overhead", m.Overhead},
	} {
		if p.bytes > 0 {
			parts = append(parts, p.name+" "+byteSize(float64(p.bytes)))
		}
	}
	return fmt.Sprintf("%s of %s usable: %s", byteSize(float64(m.Total)), byteSize(float64(m.Usable)), strings.Join(parts, ", "))
}

func trainStepWords(r train.Result, o train.Option) string {
	return fmt.Sprintf("%s (%s to %s): %s of compute at %.0f %% of the peak (%.0f to %.0f; %s), transfers of %s of which %s shows; %s tokens/s in all",
		trainWall(o.Step.Total.Mid), trainWall(o.Step.Total.Low), trainWall(o.Step.Total.High), trainWall(o.Step.Compute.Mid),
		100*o.Efficiency.Mid, 100*o.Efficiency.Low, 100*o.Efficiency.High, o.Rests,
		trainWall(o.Step.Transfers), trainWall(o.Step.Tensor.Mid+o.Step.Shards.Mid+o.Step.Experts.Mid+o.Step.Stages.Mid), num(o.TokensPerS.Mid))
}

func trainPhaseWords(phases []train.Phase) string {
	var parts []string
	for _, p := range phases {
		if p.Share < 0.0005 {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %.1f %%", p.Name, 100*p.Share))
	}
	return strings.Join(parts, ", ")
}

func trainCheckpointWords(c train.Checkpoint) string {
	s := fmt.Sprintf("%s every %s (Daly): %s to write, a failure every %s, %.1f %% of the time lost (%.1f to %.1f). Where to: %s.",
		byteSize(float64(c.Bytes)), trainWall(c.Interval), trainWall(c.Write.Mid), trainWall(c.Failures.Mid), 100*c.Lost.Mid, 100*c.Lost.Low, 100*c.Lost.High, c.Where)
	if len(c.Assumed) > 0 {
		s += " Assumed: " + strings.Join(c.Assumed, "; ") + "."
	}
	return s
}

func trainCapacityWords(o train.Option) string {
	c := o.Capacity
	s := c.Advice + ": " + c.Why + "."
	if c.BlockDays > 0 {
		price := "its price is what aws ec2 describe-capacity-block-offerings says that day"
		if c.BlockUSD != nil {
			price = usd(*c.BlockUSD) + " an hour and instance"
		}
		s += fmt.Sprintf(" A block of %s holds it; %s.", plural(c.BlockDays, "day"), price)
	}
	if o.Price != nil && o.Price.Spot != nil && o.Price.Kind != facts.Spot {
		s += fmt.Sprintf(" Spot was sold at %s to %s an hour and instance, as of %s.", usd(o.Price.Spot.Low), usd(o.Price.Spot.High), o.Price.Spot.AsOf)
	}
	if c.Quota != nil {
		s += fmt.Sprintf(" Quota to have: %d vCPU of %q (%s).", c.VCPU, c.Quota.Name, c.Quota.Code)
	}
	for _, r := range c.Remarks {
		s += " " + ended(trainCapital(r))
	}
	return s
}

func trainNetworkWords(o train.Option) string {
	n := o.Connect
	s := ended(trainCapital(n.Why))
	if n.EFA > 0 {
		s += fmt.Sprintf(" Each pod asks for vpc.amazonaws.com/efa: %d, hugepages-2Mi: %s and memory of %s or more.", n.EFA, n.HugePages, n.Memory)
	}
	if n.Placement == "none" {
		return s
	}
	if o.Capacity.Advice == train.CapacityBlock {
		return s + " One zone; a Capacity Block places its nodes close together, elsewhere a cluster placement group does."
	}
	return s + " One zone, and a placement group with strategy " + n.Placement + " (docs/train.md says how it is made)."
}

// trainSettingWords are the variables to set, and those that old guides set and that are
// better left out.
func trainSettingWords(settings []facts.Setting) string {
	var set, out []string
	for _, s := range settings {
		switch s.Advice {
		case facts.Set:
			set = append(set, s.Name+"="+s.Value)
		case facts.NotNeeded, facts.LeaveOut, facts.Never:
			out = append(out, s.Name)
		}
	}
	return "set " + strings.Join(set, ", ") + "; leave out " + strings.Join(out, ", ") + " (libfabric 1.18 and aws-ofi-nccl 1.7 or later; -o json has the reasons)"
}
