package facts

// StorageRegion is the only region whose storage prices are known here.
const StorageRegion = "us-east-1"

// Where prices were read. AWS's pages list them by region in the browser alone; the
// figures are as quoted in the documents named, with their date.
var (
	ebsPrice  = Source{"Amazon EBS pricing, US East (N. Virginia), as quoted for gp2 and gp3", "https://www.saisci.com/aws/gp2-vs-gp3-cost-comparison-ebs-volumes/", "2021-02-04"}
	io2Price  = Source{"io2 Block Express pricing, most US regions, as quoted", "https://awsnegotiations.com/ebs-io2-block-express-cost.html", "2026-05-01"}
	efsPrice  = Source{"Amazon EFS pricing, us-east-1, as quoted", "https://www.factualminds.com/blog/amazon-efs-pricing-throughput-modes-storage-classes/", "2026-06-13"}
	efsMode   = Source{"Amazon EFS pricing, provisioned throughput above what the stored size includes, as quoted", "https://aws.amazon.com/efs/pricing/", readOn}
	fsxPrice  = Source{"AWS Price List API, AmazonFSx, us-east-1, as quoted in a public repository", "https://aws.amazon.com/fsx/lustre/pricing/", "2026-07-13"}
	fsxTiers  = Source{"AWS Price List of FSx for Lustre, us-west-2, as quoted in a public repository; N. Virginia is taken to cost the same", "https://aws.amazon.com/fsx/lustre/pricing/", "2026-06-01"}
	fsxTop    = Source{"FSx for Lustre pricing, $0.145 to $0.600 a GB-month over the throughput tiers, as quoted in a public repository", "https://aws.amazon.com/fsx/lustre/pricing/", readOn}
	fsxLine   = Source{"taken from the tiers of 125, 250 and 1,000 MB/s/TiB, which lie on a line of $0.52 a MB/s-month", "https://aws.amazon.com/fsx/lustre/pricing/", readOn}
	s3Price   = Source{"Amazon S3 pricing, US East, as quoted", "https://devnotes.tech/understanding-aws-s3-pricing-a-complete-cost-breakdown-with-examples", readOn}
	s3XPrice  = Source{"Amazon S3 FAQs, S3 Express One Zone, examples for US East (N. Virginia)", "https://aws.amazon.com/s3/faqs/", readOn}
	perGBMon  = "USD/GB-month"
	perIOPSMo = "USD/IOPS-month"
)

// Prices of EBS.
var (
	GP3Storage    = Number{0.08, perGBMon, ebsPrice}
	GP3IOPS       = Number{0.005, perIOPSMo, ebsPrice}        // above 3,000
	GP3Throughput = Number{0.04, "USD/MiB/s-month", ebsPrice} // above 125
	IO2Storage    = Number{0.125, perGBMon, io2Price}
)

// IO2Tiers are the prices of an IOPS-month of io2, each up to a number of IOPS.
var IO2Tiers = []struct {
	UpTo  float64
	Price Number
}{
	{32_000, Number{0.065, perIOPSMo, io2Price}},
	{64_000, Number{0.046, perIOPSMo, io2Price}},
	{1e9, Number{0.032, perIOPSMo, io2Price}},
}

// Prices of EFS; One Zone's are not known here.
var (
	EFSStorage     = Number{0.30, perGBMon, efsPrice}
	EFSRead        = Number{0.03, "USD/GB", efsPrice} // elastic throughput
	EFSWrite       = Number{0.06, "USD/GB", efsPrice}
	EFSThroughput  = Number{6.00, "USD/MB/s-month", efsMode}
	EFSIncludedMBs = Number{0.05, "MB/s per stored GB", efsMode}
)

// LustrePrice is the price of a GB-month of a deployment at a throughput per TiB;
// false where it is not known.
func LustrePrice(deployment string, perTiB int) (Number, bool) {
	switch deployment {
	case "SCRATCH_2":
		return Number{0.140, perGBMon, fsxPrice}, true
	case "PERSISTENT_2":
		switch perTiB {
		case 125:
			return Number{0.145, perGBMon, fsxPrice}, true
		case 250:
			return Number{0.210, perGBMon, fsxTiers}, true
		case 500:
			return Number{0.340, perGBMon, fsxLine}, true
		case 1000:
			return Number{0.600, perGBMon, fsxTop}, true
		}
	}
	return Number{}, false
}

// Prices of S3. Standard's falls by a little above 50 TB, which is left out: the
// figure is the first 50 TB's.
var (
	S3Storage        = Number{0.023, perGBMon, s3Price}
	S3Get            = Number{0.0004 / 1000, "USD/request", s3Price}
	S3Put            = Number{0.005 / 1000, "USD/request", s3Price}
	S3ExpressStorage = Number{0.11, perGBMon, s3XPrice}
	S3ExpressGet     = Number{0.00003 / 1000, "USD/request", s3XPrice}
	S3ExpressPut     = Number{0.00113 / 1000, "USD/request", s3XPrice}
	S3ExpressRead    = Number{0.0006, "USD/GB", s3XPrice}
	S3ExpressWrite   = Number{0.0032, "USD/GB", s3XPrice}
)
