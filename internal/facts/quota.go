package facts

import "strings"

// VCPUQuota is the EC2 quota that instances of a kind count against, in vCPUs, for an
// account in a region. New accounts have 0 of most.
type VCPUQuota struct {
	Name   string // as Service Quotas shows it
	Code   string // --quota-code of aws service-quotas
	VCPU   int    // that one instance takes
	Source Source
}

// Capacity types, as Karpenter and EC2 name them.
const (
	OnDemand = "on-demand"
	Spot     = "spot"
)

var quotaSource = sheet("Amazon EC2 endpoints and quotas, AWS General Reference; codes as public scripts list them (aws service-quotas list-service-quotas)",
	"https://docs.aws.amazon.com/general/latest/gr/ec2-service.html")

// quotaKinds by the beginning of the family's name, longest first.
var quotaKinds = []struct{ prefix, capacity, name, code string }{
	{"trn", OnDemand, "Running On-Demand Trn instances", "L-2C3B7624"},
	{"trn", Spot, "All Trn Spot Instance Requests", "L-6B0D517C"},
	{"inf", OnDemand, "Running On-Demand Inf instances", "L-1945791B"},
	{"inf", Spot, "All Inf Spot Instance Requests", "L-B5D1601B"},
	{"dl", OnDemand, "Running On-Demand DL instances", "L-6E869C2A"},
	{"dl", Spot, "All DL Spot Instance Requests", "L-85EED4F7"},
	{"p3", Spot, "All P4, P3 and P2 Spot Instance Requests", "L-7212CCBC"},
	{"p4", Spot, "All P4, P3 and P2 Spot Instance Requests", "L-7212CCBC"},
	{"p5", Spot, "All P5 Spot Instance Requests", "L-C4BD4855"},
	{"p", OnDemand, "Running On-Demand P instances", "L-417A185B"},
	{"g", OnDemand, "Running On-Demand G and VT instances", "L-DB2E81BA"},
	{"g", Spot, "All G and VT Spot Instance Requests", "L-3819A6DF"},
}

// Quota is what an instance counts against, for on-demand or spot capacity; false
// where it is not known: of Spot for P6, which no source settles.
func Quota(i Instance, capacity string) (VCPUQuota, bool) {
	for _, k := range quotaKinds {
		if k.capacity == capacity && strings.HasPrefix(i.Family, k.prefix) {
			return VCPUQuota{Name: k.name, Code: k.code, VCPU: i.VCPU, Source: quotaSource}, true
		}
	}
	return VCPUQuota{}, false
}
