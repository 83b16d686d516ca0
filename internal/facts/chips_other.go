package facts

// amd are AMD's; Link is seven Infinity Fabric links, one to each of the others.
var amd = []Chip{
	{
		Name: "MI300X", Aliases: []string{"AMD Instinct MI300X", "Instinct MI300X"},
		Vendor: "AMD", Architecture: "cdna3",
		BF16: 1307.4e12, FP8: 2614.9e12, INT8: 2614.9e12, Bandwidth: 5300e9, Nominal: 192e9, Usable: gib(191.98), Link: 448e9, NVLink: true, Domain: 8,
		Datasheet: sheet("AMD Instinct MI300X datasheet (dense)", "https://www.amd.com/en/products/accelerators/instinct/mi300/mi300x.html"),
		Memory:    reports("191.98 GiB", " (191.69 to 191.98)"),
	},
	{
		Name: "MI325X", Aliases: []string{"AMD Instinct MI325X", "Instinct MI325X"},
		Vendor: "AMD", Architecture: "cdna3",
		BF16: 1307.4e12, FP8: 2614.9e12, INT8: 2614.9e12, Bandwidth: 6000e9, Nominal: 256e9, Usable: gib(255.98), Link: 448e9, NVLink: true, Domain: 8,
		Datasheet: sheet("AMD Instinct MI325X datasheet (dense)", "https://www.amd.com/en/products/accelerators/instinct/mi300/mi325x.html"),
		Memory:    reports("255.98 GiB", " (255.69 to 255.98)"),
	},
	{
		Name: "MI355X", Aliases: []string{"AMD Instinct MI355X", "Instinct MI355X"},
		Vendor: "AMD", Architecture: "cdna4",
		BF16: 2516.6e12, FP8: 5033.2e12, FP4: 10066.3e12, INT8: 5033.2e12, Bandwidth: 8000e9, Nominal: 288e9, Usable: gib(287.98), Link: 537.6e9, NVLink: true, Domain: 8,
		Datasheet: sheet("AMD Instinct MI355X datasheet (dense)", "https://www.amd.com/en/products/accelerators/instinct/mi350/mi355x.html"),
		Memory:    reports("287.98 GiB", ""),
	},
}

// aws are AWS's own. Neuron leaves a model nearly all of the memory; what the
// runtime takes was not read anywhere, so a margin stands for it.
var aws = []Chip{
	{
		Name: "Inferentia", Aliases: []string{"Inferentia1", "Inf1"},
		Vendor: "AWS", Architecture: "neuron-v1",
		BF16: 64e12, INT8: 128e12, Bandwidth: 50e9, Nominal: 8 * GiB, Usable: gib(8 * (1 - marginHBM)), Estimated: true, Link: 32e9,
		Datasheet: neuron("inferentia"), Memory: margin(8, marginHBM),
	},
	{
		Name: "Inferentia2", Aliases: []string{"Inf2"},
		Vendor: "AWS", Architecture: "neuron-v2",
		BF16: 190e12, FP8: 190e12, INT8: 380e12, Bandwidth: 820 * GiB, Nominal: 32 * GiB, Usable: gib(32 * (1 - marginHBM)), Estimated: true, Link: 96e9, NVLink: true, Domain: 12,
		Datasheet: neuron("inferentia2"), Memory: margin(32, marginHBM),
		Remark: "NeuronLink: 192 GB/s as sold for inf2, taken for both directions",
	},
	{
		Name: "Trainium", Aliases: []string{"Trainium1", "Trn1"},
		Vendor: "AWS", Architecture: "neuron-v2",
		BF16: 190e12, FP8: 190e12, INT8: 380e12, Bandwidth: 820 * GiB, Nominal: 32 * GiB, Usable: gib(32 * (1 - marginHBM)), Estimated: true, Link: 192e9, NVLink: true, Domain: 16,
		Datasheet: neuron("trainium"), Memory: margin(32, marginHBM),
		Remark: "NeuronLink: 384 GB/s a chip, taken for both directions",
	},
	{
		Name: "Trainium2", Aliases: []string{"Trn2"},
		Vendor: "AWS", Architecture: "neuron-v3",
		BF16: 667e12, FP8: 1299e12, Bandwidth: 2900e9, Nominal: 96 * GiB, Usable: gib(96 * (1 - marginHBM)), Estimated: true, Link: 640e9, NVLink: true, Domain: 16,
		Datasheet: neuron("trainium2"), Memory: margin(96, marginHBM),
		Remark: "NeuronLink: 1280 GB/s a chip, taken for both directions; 64 chips in a trn2u",
	},
}

func neuron(chip string) Source {
	return sheet("AWS Neuron documentation, architecture of "+chip, "https://github.com/aws-neuron/aws-neuron-sdk/blob/master/about-neuron/arch/neuron-hardware/"+chip+".rst")
}

// otherChips are in EC2's accelerated types, and no engine that Assay plans for runs there.
var otherChips = []Chip{
	{
		Name: "Radeon-Pro-V520", Aliases: []string{"V520"},
		Vendor: "AMD", Architecture: "rdna1",
		Bandwidth: 512e9, Nominal: 8e9, Usable: gib(8 * (1 - marginHBM)), Estimated: true, Link: 16e9,
		Datasheet: sheet("AMD Radeon Pro V520", "https://www.amd.com/en/products/professional-graphics/amd-radeon-pro-v520"),
		Memory:    margin(8, marginHBM),
	},
	{
		Name: "Qualcomm-AI100", Aliases: []string{"AI100", "Cloud AI 100"},
		Vendor: "Qualcomm", Architecture: "ai100",
		FP16: 175e12, INT8: 350e12, Bandwidth: 136.5e9, Nominal: 16e9, Usable: gib(16 * (1 - marginHBM)), Estimated: true, Link: 16e9,
		Datasheet: sheet("AWS, EC2 dl2q: 8 x Qualcomm AI100, 1.4 PFLOPS of FP16 and 2.8 POPS of INT8, 128 GB", "https://aws.amazon.com/ec2/instance-types/dl2q/"),
		Memory:    margin(16, marginHBM),
	},
	{
		Name: "Gaudi2", Aliases: []string{"HL-225"},
		Vendor: "Intel", Architecture: "gaudi2",
		BF16: 432e12, FP8: 865e12, Bandwidth: 2450e9, Nominal: 96e9, Usable: gib(96 * (1 - marginHBM)), Estimated: true, Link: 262.5e9, NVLink: true, Domain: 8,
		Datasheet: sheet("Intel Gaudi 2 white paper", "https://www.intel.com/content/www/us/en/products/details/processors/ai-accelerators/gaudi.html"),
		Memory:    margin(96, marginHBM),
	},
	{
		Name: "Gaudi3", Aliases: []string{"HL-325L"},
		Vendor: "Intel", Architecture: "gaudi3",
		BF16: 1835e12, FP8: 1835e12, Bandwidth: 3700e9, Nominal: 128e9, Usable: gib(128 * (1 - marginHBM)), Estimated: true, Link: 525e9, NVLink: true, Domain: 8,
		Datasheet: sheet("Intel Gaudi 3 white paper", "https://www.intel.com/content/www/us/en/products/details/processors/ai-accelerators/gaudi.html"),
		Memory:    margin(128, marginHBM),
	},
}
