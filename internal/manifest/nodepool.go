package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/plan"
	"assay/internal/practice"
	"assay/internal/spec"
)

// NodePool writes Karpenter's NodePool and EC2NodeClass for what the service runs on,
// and on request a DaemonSet that pulls images before they are needed.
func NodePool(in Input) ([]Written, error) {
	p, err := in.pool()
	if err != nil {
		return nil, err
	}
	all := []Written{p.nodePool(), p.nodeClass()}
	all[0].Remarks = p.remarks
	return append(all, p.prefetch()...), nil
}

// pool is what is known of the nodes.
type pool struct {
	Input
	spec      spec.RenderNodePool
	instances []facts.Instance // that it may launch, the plan's first
	resource  string           // under which pods ask for its accelerators
	capacity  []string
	serves    *server // what runs on it; nil: nothing that is planned
	local     bool    // all instances have an instance store, and the kubelet's files lie on it
	soci      practice.SOCI
	remarks   []string
}

func (p *pool) remark(format string, args ...any) {
	p.remarks = append(p.remarks, fmt.Sprintf(format, args...))
}

// pool resolves what is written.
func (in Input) pool() (*pool, error) {
	p := &pool{Input: in, spec: in.Spec.NodePool}
	if err := p.resolveInstances(); err != nil {
		return nil, err
	}
	if in.Option != nil {
		s, err := in.server()
		if err != nil {
			return nil, err
		}
		p.serves = s
	}
	p.resolveCapacity()
	p.resolveDisks()
	if p.spec.Placement != "" && len(p.Spec.Zones) != 1 {
		p.remark("a cluster placement group lies in one zone: name it in render.zones, or nodes of other zones are never launched")
	}
	if p.spec.Placement != "" && slices.Contains(p.capacity, karpenter.Reserved) {
		p.remark("a capacity reservation counts in the placement group %s only where it was made in that group", p.spec.Placement)
	}
	return p, nil
}

// resolveDisks settles where images and the kubelet's files lie, and how images are pulled.
func (p *pool) resolveDisks() {
	stores := !slices.ContainsFunc(p.instances, func(i facts.Instance) bool { return i.NVMe == 0 })
	p.local = stores && p.spec.Snapshot == ""
	p.soci = practice.SOCIOf(p.os(), p.spec.AMI)
	switch {
	case stores && p.spec.Snapshot != "":
		p.remark("the instance store of %s is left unused beside a snapshot: what pods write lies on the EBS volume, weights from the hub too", p.instances[0].Name)
	case !p.spec.PlainPulls && !p.soci.Pulls:
		p.remark("%s has no parallel pulls: images are pulled as containerd does by default. Bottlerocket has them from 1.44 on, AL2023 from v20250821", p.ami())
	case p.local && !p.plainPulls() && !p.soci.OnInstanceStore:
		p.remark("parallel pulls of %s lie on the EBS volume, not on the instance store: Bottlerocket from 1.46 on and AL2023 of 2026 have them there", p.ami())
	}
}

// localImages says that images lie on the instance store, and the volume holds the system
// alone.
func (p *pool) localImages() bool { return p.local && (p.plainPulls() || p.soci.OnInstanceStore) }

// resolveInstances settles the types: the user's, else the plan's and those like it.
func (p *pool) resolveInstances() error {
	names := p.spec.Instances
	switch {
	case len(names) > 0:
	case p.Option != nil:
		names = []string{p.Option.Instance}
	case p.Spec.Train.Instance != "":
		names = []string{p.Spec.Train.Instance}
	default:
		return &plan.UsageError{What: "it is not known which instance types the pool is of", Way: "give --plan, or render.nodepool.instances in assay.yaml"}
	}
	for _, name := range names {
		i, err := facts.InstanceNamed(name)
		if err != nil {
			return err
		}
		p.instances = append(p.instances, i)
	}
	first := p.instances[0]
	p.resource, _ = karpenter.Resource(first)
	for _, i := range p.instances {
		if r, _ := karpenter.Resource(i); r != p.resource {
			return fmt.Errorf("%s and %s have accelerators of different makers: give each a pool of its own", first.Name, i.Name)
		}
	}
	if len(p.spec.Instances) == 0 && !p.spec.EFA && !p.coupled() {
		p.instances = append(p.instances, practice.Alike(first)...)
	}
	return nil
}

// coupled says that several nodes work as one: they are to be of one type.
func (p *pool) coupled() bool {
	return p.Option != nil && p.Option.PP > 1 || p.Option == nil
}

// resolveCapacity settles the kinds of capacity, in Karpenter's order.
func (p *pool) resolveCapacity() {
	asked := p.spec.Capacity
	switch {
	case len(asked) > 0:
	case p.serves != nil:
		asked = p.serves.capacity
	case p.Spec.Train.Capacity != "":
		asked = []string{p.Spec.Train.Capacity}
	default:
		asked = []string{facts.OnDemand}
	}
	for _, c := range []string{karpenter.Reserved, facts.Spot, facts.OnDemand} {
		if slices.Contains(asked, c) {
			p.capacity = append(p.capacity, c)
		}
	}
	if p.serves != nil && !slices.ContainsFunc(p.serves.capacity, func(c string) bool { return slices.Contains(p.capacity, c) }) {
		p.remark("the pool launches %s (render.nodepool.capacity), and the service asks for %s (render.serve.capacity): no pod gets a node", strings.Join(p.capacity, ", "), strings.Join(p.serves.capacity, ", "))
	}
	if slices.Equal(p.capacity, []string{facts.Spot}) && len(p.instances) == 1 {
		p.remark("a Spot pool of %s alone starts nothing while Spot has none of it: on-demand beside it (render.nodepool.capacity) does", p.instances[0].Name)
	}
}

// nodePool is Karpenter's NodePool.
func (p *pool) nodePool() Written {
	o := object{
		{"apiVersion", "karpenter.sh/v1", ""},
		{"kind", "NodePool", ""},
		{"metadata", p.clusterMeta(p.name()), ""},
		{"spec", object{
			{"template", object{
				{"metadata", object{{"labels", object{{poolLabel, p.name(), "what pods of the service select"}}, ""}}, ""},
				{"spec", p.template(), ""},
			}, ""},
			{"limits", object{{p.resource, p.limit(), p.whyLimit()}}, ""},
			{"disruption", p.disruption(), ""},
		}, ""},
	}
	return Written{Name: p.name() + "-nodepool.yaml", Head: p.head(), Object: o}
}

func (p *pool) head() string {
	first := p.instances[0]
	return fmt.Sprintf("Nodes for %s: %d %s each. Fields are those of Karpenter 1.14.", p.name(), first.Count, accelerator(first))
}

// accelerator is how an instance's chip is called.
func accelerator(i facts.Instance) string {
	if chip, err := facts.ChipNamed(i.Accelerator); err == nil && chip.Vendor != "NVIDIA" { // whose chips have their memory in the name
		return chip.Name
	}
	return strings.ToUpper(i.Accelerator)
}

// template is of the nodes.
func (p *pool) template() object {
	o := object{
		{"nodeClassRef", object{{"group", "karpenter.k8s.aws", ""}, {"kind", "EC2NodeClass", ""}, {"name", p.name(), ""}}, ""},
		{"requirements", p.requirements(), ""},
		{"taints", []object{{{"key", p.resource, ""}, {"value", "true", ""}, {"effect", "NoSchedule", ""}}}, "pods that ask for no accelerator stay away, and do not hold the node when it is to go"},
	}
	expire, why := p.expiry()
	o = append(o, field{"expireAfter", expire, why})
	if grace, why := p.nodeGrace(); grace != "" {
		o = append(o, field{"terminationGracePeriod", grace, why})
	}
	return o
}

func (p *pool) requirements() []object {
	names := make([]string, len(p.instances))
	for i, instance := range p.instances {
		names[i] = instance.Name
	}
	all := []object{
		{{"key", "node.kubernetes.io/instance-type", p.whyTypes()}, {"operator", "In", ""}, {"values", names, ""}},
		{{"key", "karpenter.sh/capacity-type", p.whyCapacity()}, {"operator", "In", ""}, {"values", p.capacity, ""}},
		{{"key", "kubernetes.io/arch", ""}, {"operator", "In", ""}, {"values", []string{p.instances[0].Architecture()}, ""}},
		{{"key", "kubernetes.io/os", ""}, {"operator", "In", ""}, {"values", []string{"linux"}, ""}},
	}
	if len(p.Spec.Zones) > 0 {
		all = append(all, object{{"key", "topology.kubernetes.io/zone", ""}, {"operator", "In", ""}, {"values", p.Spec.Zones, ""}})
	}
	return all
}

func (p *pool) whyTypes() string {
	first := p.instances[0]
	switch {
	case len(p.spec.Instances) > 0:
		return "as asked for"
	case len(p.instances) > 1:
		return fmt.Sprintf("%s as planned, and the types that have as many %s and no less beside them: Karpenter takes the cheapest that is to be had", first.Name, accelerator(first))
	}
	return first.Name + " as planned"
}

func (p *pool) whyCapacity() string {
	if len(p.capacity) == 1 {
		return ""
	}
	return "Karpenter tries " + strings.Join(p.capacity, ", then ")
}

// limit is the most accelerators of the pool: room for the autoscaler and for a node
// that takes another's place.
func (p *pool) limit() int {
	if p.spec.GPUs > 0 {
		return p.spec.GPUs
	}
	nodes, spare := p.nodes()
	if nodes == 0 {
		nodes = 2
	}
	return p.instances[0].Count * (nodes + spare)
}

// nodes that the pool may come to need, and those beside them; none where it is not known
// what runs on it.
func (p *pool) nodes() (nodes, spare int) {
	if p.serves != nil {
		return p.serves.nodesOf(p.serves.ceiling()), p.serves.nodes
	}
	return max(p.Spec.Train.Nodes, p.Spec.Train.Quota), 1
}

func (p *pool) whyLimit() string {
	if p.spec.GPUs > 0 {
		return "as asked for"
	}
	n, spare := p.nodes()
	switch {
	case n == 0:
		return fmt.Sprintf("three nodes of %d: raise it with the load (render.nodepool.gpus)", p.instances[0].Count)
	case p.serves == nil:
		return fmt.Sprintf("%s of the training jobs, and one that takes another's place", plural(n, "node"))
	}
	return fmt.Sprintf("%s for %s, the most there may be, and %d more: for the replica that a rollout starts beside, or in another's place", plural(n, "node"), plural(p.serves.ceiling(), "replica"), spare)
}

// plural is a number of things.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// disruption is when nodes may go that nothing is wrong with.
func (p *pool) disruption() object {
	policy, why := "WhenEmpty", "nodes that serve are not moved to save money: a move costs a cold start. Empty ones go"
	if p.spec.Consolidation == spec.WhenUnderutilized {
		policy, why = "WhenEmptyOrUnderutilized", "pods are moved to fewer or cheaper nodes, as asked for; each move is a cold start"
	}
	after, whyAfter := "1h", "a load that comes back within the hour finds its node, image and weights still there"
	switch d := p.spec.ConsolidateAfter; {
	case d == spec.Off:
		after, whyAfter = "Never", "as asked for"
	case d > 0:
		after, whyAfter = hoursMinutesSeconds(d), "as asked for"
	}
	return object{
		{"consolidationPolicy", policy, why},
		{"consolidateAfter", after, whyAfter},
		{"budgets", p.budgets(), ""},
	}
}

// budgets always have one without a schedule: beside scheduled ones alone the rest of
// the week would have no bound.
func (p *pool) budgets() []object {
	nodes := cmp.Or(p.spec.Budget, "10%")
	why := "counts always: where only scheduled budgets stand, all else of the week is unbounded. Rounded up: one node of a small pool"
	if !strings.HasSuffix(nodes, "%") {
		why = "counts always: where only scheduled budgets stand, all else of the week is unbounded"
	}
	all := []object{{{"nodes", nodes, why}}}
	hours, ok := p.hours()
	if !ok {
		return all
	}
	schedule, lasts, err := hours.Closing()
	if err != nil {
		p.remark("business hours are left out of the pool's budgets: %v", err)
		return all
	}
	return append(all, object{
		{"nodes", "0", p.whyClosed(hours, lasts)},
		{"schedule", schedule, ""},
		{"duration", practice.HoursMinutes(lasts), ""},
		{"reasons", []string{"Underutilized", "Drifted"}, "empty nodes may go at any hour: nobody is served by them"},
	})
}

// hours are the user's business hours, in a zone that is known.
func (p *pool) hours() (practice.Hours, bool) {
	h := p.spec.Hours
	if h.Days == "" {
		return practice.Hours{}, false
	}
	zone, err := practice.Zone(p.Spec.TimeZone)
	if err != nil {
		p.remark("business hours are left out of the pool's budgets: they are of no time zone; give render.time_zone, such as Europe/Berlin")
		return practice.Hours{}, false
	}
	days, errDays := practice.Weekdays(h.Days)
	from, errFrom := practice.Clock(h.From)
	to, errTo := practice.Clock(h.To)
	if errDays != nil || errFrom != nil || errTo != nil {
		return practice.Hours{}, false // spec has refused them
	}
	return practice.Hours{Zone: zone, Days: days, From: from, To: to}, true
}

func (p *pool) whyClosed(h practice.Hours, lasts time.Duration) string {
	why := fmt.Sprintf("closed %s from %s to %s in %s", p.spec.Hours.Days, p.spec.Hours.From, p.spec.Hours.To, h.Zone)
	offsets := practice.Offsets(h.Zone)
	if n := len(offsets); n > 1 {
		why += fmt.Sprintf(". Budgets count in UTC, and the zone is %s to %s from it over the year: %s cover both", offset(offsets[0]), offset(offsets[n-1]), practice.HoursMinutes(lasts))
	} else {
		why += fmt.Sprintf(", which is %s from UTC, in which budgets count", offset(offsets[0]))
	}
	if h.Shifted() {
		why += "; the weekdays are those of UTC"
	}
	return why
}

// offset writes a difference from UTC: +1h, -3h30m.
func offset(d time.Duration) string {
	if d < 0 {
		return "-" + practice.HoursMinutes(-d)
	}
	return "+" + practice.HoursMinutes(d)
}

// expiry is expireAfter. It asks no budget.
func (p *pool) expiry() (after, why string) {
	_, closed := p.hours()
	switch d := p.spec.ExpireAfter; {
	case d == spec.Off:
		return "Never", "as asked for: nodes are replaced when their AMI changes"
	case d > 0:
		return hoursMinutesSeconds(d), "as asked for. Expiry asks no budget: it may come in business hours"
	case closed:
		return "Never", "expiry asks no budget, so it would come in business hours too. Nodes are replaced when the AMI of the EC2NodeClass is changed, and that obeys the budgets: change it once a month"
	case p.Option == nil && !p.Spec.Names("train"):
		return "Never", "expiry asks no budget, and what runs here is not known. Nodes go when they are empty"
	case p.coupled():
		return "Never", "expiry asks no budget: it would end at any point what several nodes do together. Nodes go when they are empty"
	}
	return "720h", "30 days, Karpenter's default; expiry asks no budget"
}

// nodeGrace is how long a node waits for its pods.
func (p *pool) nodeGrace() (grace, why string) {
	pods := time.Duration(0)
	if p.serves != nil {
		pods = p.serves.drain.Grace()
	}
	switch {
	case p.spec.Grace > 0 && p.spec.Grace < pods:
		p.remark("render.nodepool.grace %s is shorter than the %s that pods take to drain: they are deleted before", p.spec.Grace, pods)
		return hoursMinutesSeconds(p.spec.Grace), "as asked for, which is LESS than the pods take to drain"
	case p.spec.Grace > 0:
		return hoursMinutesSeconds(p.spec.Grace), "as asked for"
	case pods == 0:
		return "", ""
	}
	wait := max(10*time.Minute, (4 * pods).Round(time.Minute))
	return hoursMinutesSeconds(wait), fmt.Sprintf("a node that goes waits so long for its pods, whose own grace is %s, and for disruption budgets that hold them back; then they are deleted", pods)
}

// hoursMinutesSeconds writes a duration as NodePools take it: 336h, 1h30m, 90s.
func hoursMinutesSeconds(d time.Duration) string {
	s := d.Round(time.Second).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
