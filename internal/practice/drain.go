package practice

import "time"

// Times of a drain. A pod is sent SIGTERM when its preStop hook ends, and SIGKILL when
// its grace period does; both count from the start of its deletion.
const (
	// DefaultGrace is what Kubernetes gives a pod that says nothing.
	DefaultGrace = 30 * time.Second
	// SpotNotice is how long EC2 warns before it takes a Spot instance: AWS, Spot
	// Instance interruption notices, read 2026-11-30.
	SpotNotice = 120 * time.Second
	// SpotLatency is taken from the notice until pods are deleted: EventBridge, SQS,
	// Karpenter's polling and the eviction. Ours: no bound is published.
	SpotLatency = 20 * time.Second
	// DefaultPreStop is how long a pod stays ready to be asked after its deletion began:
	// until every kube-proxy and load balancer has left it out. Ours; KServe's
	// LLMInferenceService sleeps 15 s (PR 5485, read 2026-08-21).
	DefaultPreStop = 10 * time.Second
	// DefaultShutdown is for running requests to end where no run says how long they take.
	DefaultShutdown = 60 * time.Second
	// LeastShutdown is even where answers are short: a batch of them ends slower than one.
	LeastShutdown = 20 * time.Second
	// DrainSlack is for the process to end after its last request: 1.5 to 2.6 s were
	// measured of an idle vLLM 0.32, 4 to 5 s more after streams that it cuts.
	DrainSlack = 10 * time.Second
	// DrainFactor is how much longer than the measured response requests are given: they
	// drain beside others, and prompts may grow.
	DrainFactor = 1.5
	// MostShutdown bounds what a service waits: an hour of reasoning is no drain.
	MostShutdown = time.Hour
)

// SpotGrace is the longest grace period that ends within the notice of a Spot node.
const SpotGrace = SpotNotice - SpotLatency

// Drain is how a serving pod ends: it is asked for PreStop longer, then finishes what
// runs within Shutdown, and is killed after Grace.
type Drain struct {
	PreStop, Shutdown, Slack time.Duration
	// Cut says that Spot's notice is shorter than what requests need: Wanted of Shutdown.
	Cut    bool
	Wanted time.Duration
}

// Grace is terminationGracePeriodSeconds.
func (d Drain) Grace() time.Duration { return d.PreStop + d.Shutdown + d.Slack }

// Responses are how long whole answers take, as far as it is known.
type Responses struct {
	Usual time.Duration // by the highest percentile that a run supports; 0: not known
	// Longest is the longest answer, where the run is too small for a p99 and its
	// percentile says little of the slowest; else 0.
	Longest time.Duration
}

// need is what is waited for at least.
func (r Responses) need() time.Duration { return max(r.Usual, r.Longest) }

// shutdown is the time that running requests are given, where the node does not bound it.
func (r Responses) shutdown() time.Duration {
	if r.need() == 0 {
		return DefaultShutdown
	}
	return min(MostShutdown, max(LeastShutdown, upTo(max(time.Duration(DrainFactor*float64(r.Usual)), r.Longest), 10*time.Second)))
}

// DrainFor is the drain of a service whose responses take so long. On Spot it ends within
// the notice, whatever the requests need, and says so.
func DrainFor(preStop time.Duration, r Responses, spot bool) Drain {
	d := Drain{PreStop: preStop, Shutdown: r.shutdown(), Slack: DrainSlack}
	d.Wanted = d.Shutdown
	if spot && d.Grace() > SpotGrace {
		d.Shutdown = SpotGrace - d.PreStop - d.Slack
		d.Cut = d.Shutdown < r.need() || r.need() == 0
	}
	return d
}

// DrainBehind is the drain behind a load balancer of EC2. It cuts what is in flight when
// its deregistration delay ends, so that responses end within preStop, within which the
// delay does: the server serves on while it sleeps. Shutdown is for what is left.
func DrainBehind(r Responses, spot bool) Drain {
	d := DrainFor(0, r, false)
	d.PreStop, d.Shutdown = max(d.Shutdown, LeastBehind), LeastShutdown
	d.Wanted = d.PreStop
	if spot && d.Grace() > SpotGrace {
		d.PreStop = SpotGrace - d.Shutdown - d.Slack
		d.Cut = d.Room() < r.need() || r.need() == 0
	}
	return d
}

// Deregistration is the delay after which a load balancer closes what it still has open to
// a pod: its controller learns of the deletion some seconds after preStop began, and all
// is over when it ends.
func (d Drain) Deregistration() time.Duration {
	return max(d.PreStop-DefaultPreStop, d.PreStop/2)
}

// LeastBehind is the shortest preStop behind a load balancer: its controller sees a pod
// go, deregisters the target, and the nodes of the balancer learn of it. Ours; AWS names
// no bound.
const LeastBehind = 30 * time.Second

// Room is how long a request may take that was among the last to come: the server serves
// on while preStop sleeps, of which it takes DefaultPreStop until the last one comes.
func (d Drain) Room() time.Duration {
	return max(0, d.PreStop-DefaultPreStop) + d.Shutdown
}

// upTo rounds up to a multiple.
func upTo(d, step time.Duration) time.Duration { return (d + step - 1) / step * step }
