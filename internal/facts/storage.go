package facts

// Sources of the limits of AWS storage.
var (
	ebsVolume = sheet("CreateVolume, valid ranges of gp3 and io2 (since September 2025: 64 TiB, 80,000 IOPS, 2,000 MiB/s)", "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVolume.html")
	ebsTypes  = sheet("Amazon EBS volume types", "https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html")
	efsSpeed  = sheet("Amazon EFS performance specifications", "https://docs.aws.amazon.com/efs/latest/ug/performance.html")
	fsxSSD    = sheet("FSx for Lustre, performance of SSD storage", "https://docs.aws.amazon.com/fsx/latest/LustreGuide/ssd-storage.html")
	fsxINT    = sheet("FSx for Lustre, performance of Intelligent-Tiering storage", "https://docs.aws.amazon.com/fsx/latest/LustreGuide/intelligent-tiering-file-systems.html")
	fsxClient = sheet("FSx for Lustre, throughput to individual client instances", "https://docs.aws.amazon.com/fsx/latest/LustreGuide/performance.html#throughput-clients")
	s3Rates   = sheet("Amazon S3, optimizing performance", "https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance.html")
	s3Pattern = sheet("Amazon S3, performance design patterns", "https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance-design-patterns.html")
	s3Express = sheet("Amazon S3 Express One Zone, request rates of a directory bucket", "https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-express-performance.html")
	p4Page    = sheet("Amazon EC2 P4 instances: 8 TB of local NVMe read at 16 GB/s", "https://aws.amazon.com/ec2/instance-types/p4/")
)

// Volume is what one EBS volume of a type can be given.
type Volume struct {
	MostSize          int64   // bytes
	BaseIOPS          float64 // included in the price of its size
	MostIOPS          float64
	IOPSPerGiB        float64
	BaseThroughput    float64 // bytes/s, included
	MostThroughput    float64 // bytes/s
	ThroughputPerIOPS float64 // bytes/s that each provisioned IOPS allows
	OlderSize         int64   // bytes; the limits before September 2025, which older drivers check against
	OlderThroughput   float64 // bytes/s
	OlderIOPS         float64
	MostNodes         int // that attach it at once, as a raw block device; 1: one node
	Source            Source
}

// GP3 is the general-purpose volume, IO2 the one of io2 Block Express.
var (
	GP3 = Volume{
		MostSize: 64 << 40, BaseIOPS: 3000, MostIOPS: 80_000, IOPSPerGiB: 500,
		BaseThroughput: 125 * MiB, MostThroughput: 2000 * MiB, ThroughputPerIOPS: 0.25 * MiB,
		OlderSize: 16 << 40, OlderThroughput: 1000 * MiB, OlderIOPS: 16_000, MostNodes: 1, Source: ebsVolume,
	}
	IO2 = Volume{
		MostSize: 64 << 40, BaseIOPS: 100, MostIOPS: 256_000, IOPSPerGiB: 1000,
		MostThroughput: 4000 * MiB, ThroughputPerIOPS: 0.256 * MiB, MostNodes: 16, Source: ebsTypes,
	}
)

// FileSystem is what one EFS file system gives in a throughput mode. Where AWS
// gives a span over its regions, both ends are kept.
type FileSystem struct {
	ReadLow, ReadHigh   float64 // bytes/s, of all clients together
	WriteLow, WriteHigh float64 // bytes/s
	Client              float64 // bytes/s, of one client
	Zones               bool    // whether it spans zones
	Source              Source
}

// EFS by type and throughput mode.
var (
	EFSElastic     = FileSystem{ReadLow: 20 * GiB, ReadHigh: 60 * GiB, WriteLow: 1 * GiB, WriteHigh: 5 * GiB, Client: 1500 * MiB, Zones: true, Source: efsSpeed}
	EFSProvisioned = FileSystem{ReadLow: 3 * GiB, ReadHigh: 10 * GiB, WriteLow: 1 * GiB, WriteHigh: 3.33 * GiB, Client: 500 * MiB, Zones: true, Source: efsSpeed}
	EFSBursting    = FileSystem{ReadLow: 3 * GiB, ReadHigh: 5 * GiB, WriteLow: 1 * GiB, WriteHigh: 3 * GiB, Client: 500 * MiB, Zones: true, Source: efsSpeed}
	EFSOneZone     = FileSystem{ReadLow: 3 * GiB, ReadHigh: 3 * GiB, WriteLow: 1 * GiB, WriteHigh: 1 * GiB, Client: 500 * MiB, Source: efsSpeed}
)

// EFSBaseline is the rate of writes that each stored byte earns in bursting mode;
// reads count a third. EFSBurst is what it may use while it has credits.
var (
	EFSBaseline = Number{50 * MiB / float64(1<<40), "bytes/s per stored byte", efsSpeed}
	EFSBurst    = Number{100 * MiB / float64(1<<40), "bytes/s per stored byte", efsSpeed}
	EFSReadCost = Number{1.0 / 3, "of a write", efsSpeed}
	EFSMostMiBs = Number{3414 * MiB, "bytes/s", sheet("EFS, ProvisionedThroughputInMibps: 1 to 3414, by region", "https://docs.aws.amazon.com/efs/latest/ug/API_CreateFileSystem.html")}
)

// Lustre is one way to deploy FSx for Lustre on SSD. Rates are of each TiB, as AWS
// counts it: 1,200 GiB are 1.2 TiB.
type Lustre struct {
	Deployment        string // deploymentType of the API and the CSI driver
	PerTiB            []int  // perUnitStorageThroughput values; nil: it takes none
	DiskRead          map[int]float64
	DiskWrite         map[int]float64
	BurstRead         map[int]float64 // disk; absent: no burst
	Durable           bool            // replicated in its zone
	S3ImportPath      bool            // the driver's s3ImportPath; else a data repository association
	SmallestGiB, Step int64           // capacities: the smallest, its double, then steps
	Source            Source
}

// Lustres are the deployments on SSD.
var Lustres = []Lustre{
	{
		Deployment: "SCRATCH_2", DiskRead: map[int]float64{0: 200e6}, DiskWrite: map[int]float64{0: 100e6}, BurstRead: map[int]float64{},
		S3ImportPath: true, SmallestGiB: 1200, Step: 2400, Source: fsxSSD,
	},
	{
		Deployment: "PERSISTENT_1", PerTiB: []int{50, 100, 200},
		DiskRead: map[int]float64{50: 50e6, 100: 100e6, 200: 200e6}, DiskWrite: map[int]float64{50: 50e6, 100: 100e6, 200: 200e6},
		BurstRead: map[int]float64{50: 240e6, 100: 240e6, 200: 240e6},
		Durable:   true, S3ImportPath: true, SmallestGiB: 1200, Step: 2400, Source: fsxSSD,
	},
	{
		Deployment: "PERSISTENT_2", PerTiB: []int{125, 250, 500, 1000},
		DiskRead:  map[int]float64{125: 125e6, 250: 250e6, 500: 500e6, 1000: 1000e6},
		DiskWrite: map[int]float64{125: 125e6, 250: 250e6, 500: 500e6, 1000: 1000e6},
		BurstRead: map[int]float64{125: 500e6, 250: 500e6},
		Durable:   true, SmallestGiB: 1200, Step: 2400, Source: fsxSSD,
	},
}

// Limits of Lustre's other storage class and of one client.
var (
	LustreTieringStep = Number{4000e6, "bytes/s", fsxINT} // of throughput capacity; the SSD cache reads as fast
	LustreClient      = Number{100e9 / 8, "bytes/s", fsxClient}
	LustrePerTarget   = Number{5e9 / 8, "bytes/s", fsxClient} // of one client to one object storage target of 1.2 TiB, without EFA
	LustreClientEFA   = Number{700e9 / 8, "bytes/s", fsxClient}
	LustreQuotaGiB    = Number{100_800, "GiB", sheet("FSx for Lustre quotas, default storage of an account", "https://docs.aws.amazon.com/fsx/latest/LustreGuide/limits.html")}
)

// Limits of S3 and of Mountpoint, which reads in parts over one network interface.
var (
	S3GetsPerPrefix = Number{5500, "requests/s", s3Rates}
	S3ExpressGets   = Number{200_000, "requests/s", s3Express}
	S3Client        = Number{100e9 / 8, "bytes/s", s3Pattern} // AWS tells of clients of 100 Gbit/s, of none beyond
	MountpointPart  = Number{8 * MiB, "bytes", sheet("Mountpoint for Amazon S3, --read-part-size and --write-part-size", "https://github.com/awslabs/mountpoint-s3/blob/main/doc/CONFIGURATION.md")}
	// S3OfNetwork is the share of a node's network that parallel readers got out of S3.
	S3OfNetwork = Spread{0.25, 0.6, 0.9, "of the network card", Source{"measured: 8.0 GB/s on 100 Gbit/s (AWS, 2019); 1.78 to 3.07 GB/s on 40 Gbit/s with 16 to 32 streams (Run:ai, 2024-10-29)", "https://run.ai/blog/run-ai-model-streamer-performance-benchmarks", readOn}}
	// EFSOneReader is what one reader got out of EFS: seen, supposed, and the most that
	// is allowed.
	EFSOneReader = Spread{355 * MiB, 900 * MiB, 1500 * MiB, "bytes/s", Source{"measured: 894 GiB over EFS Elastic in 43 minutes, 355 MiB/s (modelplane issue 204); at most 1,500 MiB/s, with efs-utils 2 or the EFS CSI driver", "https://github.com/modelplaneai/modelplane/issues/204", readOn}}
)

// InstanceStore is the read rate of local NVMe by its size: AWS publishes it for few
// types, and small disks are slower.
var InstanceStore = Spread{0.3e9 / 1e12, 1e9 / 1e12, 2e9 / 1e12, "bytes/s per byte of size", p4Page}

// HydrationDefault is how fast blocks of a volume made from a snapshot come the first
// time that they are read.
var HydrationDefault = Spread{20e6, 60e6, 150e6, "bytes/s", sheet("Initialize Amazon EBS volumes: the default rate fluctuates and is not promised; the span is an estimate", "https://docs.aws.amazon.com/ebs/latest/userguide/initalize-volume.html")}
