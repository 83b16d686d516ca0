package lint

import (
	"time"

	"assay/internal/karpenter"
)

// NodePool is Karpenter's, with the places of what is judged.
type NodePool struct {
	At Spot // its name
	karpenter.NodePool
	Spec      Spot // of spec.template
	ClassName Spot // of nodeClassRef.name
	ClassKind string
	// Grace is terminationGracePeriod; 0: not set, a node waits for its pods for ever.
	Grace   time.Duration
	GraceAt Spot
	// Expire is expireAfter; 0: never. 720 h where it is not set.
	Expire   time.Duration
	ExpireAt Spot
	Closed   bool // a budget of no nodes holds at times: disruption waits for a better hour
	Open     bool // something that decides is filled in later, or could not be read
}

// PlaceOf is where a requirement or a limit of the pool stands.
func (p NodePool) PlaceOf(at karpenter.Place) Spot { return p.At.within(at) }

// defaultExpire is Karpenter's for nodes without expireAfter (CRD of v1.14).
const defaultExpire = 720 * time.Hour

func (x *Index) nodePool(o *Object) {
	if o.Group() != "karpenter.sh" {
		return
	}
	pool, errs := karpenter.Of(o.File.Name, o.Root.Node())
	template := o.Get("spec", "template", "spec")
	p := NodePool{
		At: o.Spot(o.Get("metadata", "name")), NodePool: pool, Spec: o.Spot(o.Get("spec", "template")),
		ClassName: o.Spot(template.Get("nodeClassRef", "name")), ClassKind: template.Get("nodeClassRef", "kind").Text(),
		Expire: defaultExpire, ExpireAt: o.Spot(template.Get("expireAfter")), GraceAt: o.Spot(template.Get("terminationGracePeriod")),
		Open: len(errs) > 0 || pool.Templated(),
	}
	if v := template.Get("expireAfter"); v.Exists() {
		p.Expire, _ = time.ParseDuration(v.Text())
	}
	if v := template.Get("terminationGracePeriod"); v.Exists() {
		p.Grace, _ = time.ParseDuration(v.Text())
	}
	for _, b := range o.Get("spec", "disruption", "budgets").Items() {
		p.Closed = p.Closed || b.Get("nodes").Text() == "0" || b.Get("nodes").Text() == "0%"
	}
	x.NodePools = append(x.NodePools, p)
}

// NodeClass is an EC2NodeClass, or a NodeClass of EKS Auto Mode.
type NodeClass struct {
	At       Spot
	Latest   Spot    // of an alias that follows every new image; its Line is 0 where there is none
	Reserves bool    // it selects capacity reservations
	Reserved Spot    // capacityReservationSelectorTerms
	Room     float64 // for container images, GiB; 0: not known
	RoomSaid string
	RoomAt   Spot
}

func (x *Index) nodeClass(o *Object) {
	if o.Group() != "karpenter.k8s.aws" && o.Group() != "eks.amazonaws.com" {
		return
	}
	c := NodeClass{At: o.Spot(o.Get("metadata", "name"))}
	if o.Kind == "EC2NodeClass" {
		c.Room, c.RoomSaid = Class{o}.Room()
		c.RoomAt = o.Spot(o.Get("spec"))
		if size := (Class{o}).ImageDisk().Get("volumeSize"); size.Exists() {
			c.RoomAt = o.Spot(size)
		}
	}
	for _, term := range o.Get("spec", "amiSelectorTerms").Items() {
		if alias := term.Get("alias"); isLatest(alias.Text()) {
			c.Latest = o.Spot(alias)
		}
	}
	if terms := o.Get("spec", "capacityReservationSelectorTerms"); len(terms.Items()) > 0 {
		c.Reserves, c.Reserved = true, o.Spot(o.Get("spec").Key("capacityReservationSelectorTerms"))
	}
	x.NodeClasses = append(x.NodeClasses, c)
}

// isLatest says that an alias names no version. Windows' aliases have no other.
func isLatest(alias string) bool {
	return alias == "al2023@latest" || alias == "bottlerocket@latest" || alias == "al2@latest"
}

// CapacityAt is where the pool says which capacity it launches.
func (p NodePool) CapacityAt() Spot {
	for _, r := range p.Requirements {
		if r.Key == "karpenter.sh/capacity-type" {
			return p.At.within(r.Place)
		}
	}
	return p.At
}
