package lint

// Claim is a PersistentVolumeClaim.
type Claim struct {
	At      Spot
	Modes   []string // access modes
	ModesAt Spot
	Class   string // storageClassName; see HasClass
	ClassAt Spot
	// HasClass tells an empty class, which takes no dynamic volume, from none at all.
	HasClass bool
	Volume   string // volumeName
	Size     string // as written
	SizeAt   Spot
}

func (x *Index) claim(o *Object) {
	spec := o.Get("spec")
	class, modes, size := spec.Get("storageClassName"), spec.Get("accessModes"), spec.Get("resources", "requests", "storage")
	x.Claims = append(x.Claims, Claim{
		At: o.Spot(o.Get("metadata", "name")), Modes: modes.Texts(), ModesAt: o.Spot(modes),
		Class: class.Text(), ClassAt: o.Spot(class), HasClass: class.Exists(),
		Volume: spec.Get("volumeName").Text(), Size: size.Text(), SizeAt: o.Spot(size),
	})
}

// Volume is a PersistentVolume.
type Volume struct {
	At      Spot
	Class   string
	Driver  string // of CSI
	Zones   []string
	ZonesAt Spot
	Claim   Ref // claimRef
}

func (x *Index) volume(o *Object) {
	v := Volume{
		At: o.Spot(o.Get("metadata", "name")), Class: o.Get("spec", "storageClassName").Text(), Driver: o.Get("spec", "csi", "driver").Text(),
		Claim: Ref{Kind: "PersistentVolumeClaim", Namespace: o.Get("spec", "claimRef", "namespace").Text(), Name: o.Get("spec", "claimRef", "name").Text()},
	}
	for _, term := range o.Get("spec", "nodeAffinity", "required", "nodeSelectorTerms").Items() {
		for _, e := range term.Get("matchExpressions").Items() {
			if zoneKeys[e.Get("key").Text()] && e.Get("operator").Text() == "In" {
				v.Zones, v.ZonesAt = append(v.Zones, e.Get("values").Texts()...), o.Spot(e.Get("values"))
			}
		}
	}
	x.Volumes = append(x.Volumes, v)
}

// zoneKeys are the labels by which volumes name their zone.
var zoneKeys = map[string]bool{
	"topology.kubernetes.io/zone": true, "topology.ebs.csi.aws.com/zone": true,
	"failure-domain.beta.kubernetes.io/zone": true,
}

// StorageClass is what makes volumes.
type StorageClass struct {
	At      Spot
	Driver  string
	Zones   []string // of allowedTopologies
	ZonesAt Spot
	Waits   bool // volumeBindingMode WaitForFirstConsumer
	// Parameters are those of the driver; nil where one of them is filled in later.
	Parameters map[string]string
	RateAt     Spot // of what decides how fast its volumes are
}

func (x *Index) storageClass(o *Object) {
	c := StorageClass{At: o.Spot(o.Get("metadata", "name")), Driver: o.Get("provisioner").Text(), Waits: o.Get("volumeBindingMode").Text() == "WaitForFirstConsumer"}
	c.Parameters, c.RateAt = map[string]string{}, c.At
	for k, v := range o.Get("parameters").Pairs() {
		if v.Open() {
			c.Parameters = nil
			break
		}
		c.Parameters[k.Text()] = v.Text()
	}
	for _, key := range []string{"throughput", "perUnitStorageThroughput", "iops", "type", "deploymentType"} {
		if v := o.Get("parameters", key); v.Exists() {
			c.RateAt = o.Spot(v)
			break
		}
	}
	for _, t := range o.Get("allowedTopologies").Items() {
		for _, e := range t.Get("matchLabelExpressions").Items() {
			if zoneKeys[e.Get("key").Text()] {
				c.Zones, c.ZonesAt = append(c.Zones, e.Get("values").Texts()...), o.Spot(e.Get("values"))
			}
		}
	}
	x.StorageClasses = append(x.StorageClasses, c)
}

// Queue is one of Kueue's objects that others name.
type Queue struct {
	At       Spot
	Names    string // the ClusterQueue that a LocalQueue names
	NamesAt  Spot
	Flavors  []string // that a ClusterQueue names
	FlavorAt []Spot
}

func (x *Index) queue(o *Object) {
	if o.Group() != "kueue.x-k8s.io" {
		return
	}
	q := Queue{At: o.Spot(o.Get("metadata", "name")), Names: o.Get("spec", "clusterQueue").Text(), NamesAt: o.Spot(o.Get("spec", "clusterQueue"))}
	for _, g := range o.Get("spec", "resourceGroups").Items() {
		for _, f := range g.Get("flavors").Items() {
			q.Flavors, q.FlavorAt = append(q.Flavors, f.Get("name").Text()), append(q.FlavorAt, o.Spot(f.Get("name")))
		}
	}
	x.Queues = append(x.Queues, q)
}
