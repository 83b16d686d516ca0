package train

import (
	"fmt"
	"math"

	"assay/internal/facts"
	"assay/internal/figure"
)

// What is assumed of failures and checkpoints where nothing is said.
var (
	llamaFailures = facts.Source{Title: "Llama Team, The Llama 3 Herd of Models, section 3.3.4: 419 unexpected interruptions of 16,384 H100 in 54 days", URL: "https://arxiv.org/abs/2407.21783", Date: readOn}
	dalySource    = facts.Source{Title: "Daly, A higher order estimate of the optimum checkpoint interval for restart dumps, after Young (1974)", URL: "https://doi.org/10.1016/j.future.2004.11.016", Date: readOn}

	// GPU-hours between interruptions. Smaller clusters than Meta's were seen to fail
	// up to three times as often, and well-kept ones less.
	publishedFailureHours = 54 * 24 * 16384.0 / 419
	failureSpread         = 3.0

	// Bytes a second that one node writes to shared storage.
	assumedWrite = figure.Range{Low: 0.5e9, Mid: 1e9, High: 3e9}
	// Seconds from an interruption to the next step: a node replaced, pods placed, the
	// checkpoint read.
	restart = figure.Range{Low: 300, Mid: 900, High: 1800}
)

// longest interval between checkpoints, however seldom failures are: work lost for
// other reasons counts, too.
const longestInterval = 4 * 3600.0

// Checkpoint is how often a checkpoint is written, and what that and failures cost.
type Checkpoint struct {
	Bytes    int64        `json:"bytes"` // weights and the optimizer's state of what is trained
	Write    figure.Range `json:"write_s"`
	Interval float64      `json:"interval_s"`
	Failures figure.Range `json:"failure_interval_s"` // between failures of all GPUs together
	Lost     figure.Range `json:"lost_share"`         // writing, work done again, restarts: of the time
	PerFail  float64      `json:"gpu_hours_between_failures"`
	Assumed  []string     `json:"assumed"`
	Where    string       `json:"where"` // the command that says
}

// checkpoint says how often to write: Daly's interval for the time of a write and
// the mean time between failures.
func (r Request) checkpoint(bytes int64, instance string, nodes, gpus int) Checkpoint {
	c := Checkpoint{Bytes: bytes, PerFail: r.FailureHours}
	rate := figure.Exactly(r.CheckpointRate)
	if r.CheckpointRate == 0 {
		rate = assumedWrite
		c.Assumed = append(c.Assumed, "a node writes 1 GB/s (0.5 to 3) to shared storage: --checkpoint-rate")
	}
	spread := 1.0
	if c.PerFail == 0 {
		c.PerFail, spread = publishedFailureHours, failureSpread
		c.Assumed = append(c.Assumed, "GPUs fail as Meta's did, one in 50,676 GPU-hours, or three times as often or seldom: --mtbf")
	}
	c.Write = rate.Scale(float64(nodes)).Inverse(float64(bytes))
	mean := c.PerFail * 3600 / float64(gpus)
	c.Failures = figure.Range{Low: mean / spread, Mid: mean, High: mean * spread}
	c.Interval = math.Min(longestInterval, daly(c.Write.Mid, mean))
	c.Lost = figure.Range{
		Low:  lost(c.Write.Low, c.Interval, restart.Low, c.Failures.High),
		Mid:  lost(c.Write.Mid, c.Interval, restart.Mid, c.Failures.Mid),
		High: lost(c.Write.High, c.Interval, restart.High, c.Failures.Low),
	}
	c.Where = storageCommand(instance, nodes, bytes, rate.Mid*float64(nodes))
	return c
}

// storageCommand asks where to write: room for two checkpoints, so that one is whole
// while the next is written, at the rate that the interval was worked out with.
func storageCommand(instance string, nodes int, bytes int64, rate float64) string {
	return fmt.Sprintf("assay plan storage --use checkpoint --size %.0fMB --readers %d --write-rate %.0fMB/s --instance %s", math.Max(1, math.Ceil(2*float64(bytes)/1e6)), nodes, rate/1e6, instance)
}

// daly is the interval between checkpoints that loses least, in seconds, for the time
// of one write and the mean time between failures. Where a write takes as long as
// that, it is the mean time itself.
func daly(write, mean float64) float64 {
	if write >= 2*mean {
		return mean
	}
	x := write / (2 * mean)
	return math.Max(write, math.Sqrt(2*write*mean)*(1+math.Sqrt(x)/3+x/9)-write)
}

// lost is the share of time that goes into writes, into work done again and into
// restarts, on top of the work itself.
func lost(write, interval, restart, mean float64) float64 {
	return write/interval + (interval/2+write+restart)/mean
}
