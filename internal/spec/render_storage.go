package spec

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Kinds of storage.
const (
	OnEBS = "ebs"
	OnEFS = "efs"
	OnFSx = "fsx"
	OnS3  = "s3"
)

// What a volume is for.
const (
	ForWeights     = "weights"
	ForCheckpoints = "checkpoints"
	ForData        = "data"
)

// RenderStorage is the section render.storage: volumes, each with its claim.
type RenderStorage struct {
	Volumes []RenderVolume
}

// For is the first volume for a purpose.
func (s RenderStorage) For(purpose string) (RenderVolume, bool) {
	for _, v := range s.Volumes {
		if v.For == purpose {
			return v, true
		}
	}
	return RenderVolume{}, false
}

// RenderVolume is one place to keep data. Which fields count is a matter of its kind;
// what exists already (FileSystem, Bucket) is mounted as it is, all else is made.
type RenderVolume struct {
	Name string // of the claim, after the service's name; empty: what it is for
	Kind string // ebs, efs, fsx, s3
	For  string // weights, checkpoints, data; empty: weights
	GiB  int

	FileSystem  string // of EFS or FSx, fs-…
	AccessPoint string // of that EFS, fsap-…
	DNSName     string // of that FSx
	MountName   string // of that FSx

	Type       string // of EBS: gp3, io2; empty: gp3
	IOPS       int
	Throughput int // MiB/s, of gp3

	Deployment  string // of FSx: SCRATCH_2, PERSISTENT_1, PERSISTENT_2; empty: by what it is for
	PerTiB      int    // MB/s of each TiB of FSx
	Subnet      string
	Groups      []string
	ImportPath  string // s3://… that FSx reads from
	ExportPath  string
	Compression bool // of FSx, by LZ4
	EFA         bool // clients of FSx reach it by EFA

	Bucket  string
	Prefix  string // of the bucket's keys
	Write   bool   // S3 takes new objects, and deletes
	Cache   int    // GiB on the node's disk, of S3
	Express bool   // the bucket is of S3 Express One Zone
}

// Claim is the name of a volume's claim, of a service.
func (v RenderVolume) Claim(service string) string { return service + "-" + v.Name }

var (
	fileSystemID  = form{regexp.MustCompile(`^fs-[0-9a-f]+$`), "a file system's id, such as fs-0a1b2c3d"}
	accessPointID = form{regexp.MustCompile(`^fsap-[0-9a-f]+$`), "an access point's id, such as fsap-0a1b2c3d"}
	dnsName       = form{regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+$`), "a DNS name, such as fs-0a1b2c3d.fsx.eu-central-1.amazonaws.com"}
	mountName     = form{regexp.MustCompile(`^[a-z0-9]{1,8}$`), "a mount name of FSx for Lustre: up to eight letters and digits"}
	s3Path        = form{regexp.MustCompile(`^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^\s]*)?$`), "a path in S3, such as s3://models/llama"}
	bucketName    = form{regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`), "a bucket's name, such as models-prod"}
	keyPrefix     = form{regexp.MustCompile(`^[^\s/][^\s]*/$`), "a prefix of keys that ends in /, such as llama/"}
)

func (r *reader) renderStorage(n *yaml.Node, s *RenderStorage) {
	each(n, func(item *yaml.Node) {
		v := RenderVolume{For: ForWeights}
		r.renderVolume(item, &v)
		if v.Name == "" {
			v.Name = v.For
		}
		for _, other := range s.Volumes {
			if other.Name == v.Name {
				r.errorf(item, "two volumes of render.storage are called %s: give one another name", v.Name)
			}
		}
		s.Volumes = append(s.Volumes, v)
	})
}

func (r *reader) renderVolume(n *yaml.Node, out *RenderVolume) {
	const at = "render.storage."
	before := len(r.errs)
	r.mapping(n, "render.storage", fields{
		"name": func(v *yaml.Node) { out.Name = r.label(v, at+"name", 20) },
		"kind": func(v *yaml.Node) { out.Kind = r.oneOf(v, at+"kind", []string{OnEBS, OnEFS, OnFSx, OnS3}) },
		"for":  func(v *yaml.Node) { out.For = r.oneOf(v, at+"for", []string{ForWeights, ForCheckpoints, ForData}) },
		"size": func(v *yaml.Node) { out.GiB = r.gib(v, at+"size", 1<<20) },

		"file_system":  func(v *yaml.Node) { out.FileSystem = r.matching(v, at+"file_system", fileSystemID) },
		"access_point": func(v *yaml.Node) { out.AccessPoint = r.matching(v, at+"access_point", accessPointID) },
		"dns_name":     func(v *yaml.Node) { out.DNSName = r.matching(v, at+"dns_name", dnsName) },
		"mount_name":   func(v *yaml.Node) { out.MountName = r.matching(v, at+"mount_name", mountName) },

		"type":       func(v *yaml.Node) { out.Type = r.oneOf(v, at+"type", []string{"gp3", "io2"}) },
		"iops":       func(v *yaml.Node) { out.IOPS = r.integer(v, at+"iops", 1) },
		"throughput": func(v *yaml.Node) { out.Throughput = r.integer(v, at+"throughput", 1) },

		"deployment": func(v *yaml.Node) {
			out.Deployment = r.oneOf(v, at+"deployment", []string{"SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"})
		},
		"per_tib":         func(v *yaml.Node) { out.PerTiB = r.integer(v, at+"per_tib", 1) },
		"subnet":          func(v *yaml.Node) { out.Subnet = r.matching(v, at+"subnet", subnetID) },
		"security_groups": func(v *yaml.Node) { out.Groups = r.several(v, at+"security_groups", groupID) },
		"import_path":     func(v *yaml.Node) { out.ImportPath = r.matching(v, at+"import_path", s3Path) },
		"export_path":     func(v *yaml.Node) { out.ExportPath = r.matching(v, at+"export_path", s3Path) },
		"compression":     func(v *yaml.Node) { out.Compression = r.boolean(v, at+"compression") },
		"efa":             func(v *yaml.Node) { out.EFA = r.boolean(v, at+"efa") },

		"bucket":  func(v *yaml.Node) { out.Bucket = r.matching(v, at+"bucket", bucketName) },
		"prefix":  func(v *yaml.Node) { out.Prefix = r.matching(v, at+"prefix", keyPrefix) },
		"write":   func(v *yaml.Node) { out.Write = r.boolean(v, at+"write") },
		"cache":   func(v *yaml.Node) { out.Cache = r.gib(v, at+"cache", 65536) },
		"express": func(v *yaml.Node) { out.Express = r.boolean(v, at+"express") },
	})
	if out.Kind == "" && len(r.errs) == before {
		r.errorf(n, "render.storage needs a kind: ebs, efs, fsx or s3")
	}
}

// gib reads a size such as 500Gi or 2Ti; a bare number is GiB.
func (r *reader) gib(n *yaml.Node, what string, most int) int {
	text, scale := n.Value, 1
	if rest, ok := strings.CutSuffix(text, "Ti"); ok {
		text, scale = rest, 1024
	} else if rest, ok := strings.CutSuffix(text, "Gi"); ok {
		text = rest
	}
	v, err := strconv.Atoi(text)
	if n.Kind != yaml.ScalarNode || err != nil || v < 1 || v > most/scale {
		r.errorf(n, "%s must be a size between 1Gi and %dGi, such as 500Gi, not %s", what, most, shown(n))
		return 0
	}
	return v * scale
}
