package facts

import (
	"cmp"
	"slices"
)

// chips are those of EC2's accelerated instances and of public benchmarks.
var chips = bySize(nvidia, nvidiaOther, amd, aws, otherChips)

func bySize(tables ...[]Chip) []Chip {
	all := slices.Concat(tables...)
	slices.SortStableFunc(all, func(a, b Chip) int { return cmp.Compare(a.Nominal, b.Nominal) })
	return all
}

// nvidia are those whose clocks and power were read, too.
var nvidia = []Chip{
	{
		Name: "L4", BF16: 121e12, FP8: 242e12,
		Vendor: "NVIDIA", Architecture: "ada", Capability: 89, INT8: 242e12,
		Bandwidth: 300e9, Nominal: 24e9, Usable: gib(22.03), Link: 32e9,
		SMClock: 2040, Power: 72,
		Datasheet: sheet("NVIDIA L4 datasheet (tables with sparsity halved)", "https://www.nvidia.com/en-us/data-center/l4/"),
		Memory:    reports("22.03 GiB", ""),
		Clock:     limits("L4", 2040, 72),
	},
	{
		Name: "A10G", BF16: 70e12,
		Vendor: "NVIDIA", Architecture: "ampere", Capability: 86, INT8: 140e12,
		Bandwidth: 600e9, Nominal: 24e9, Usable: gib(22.06), Link: 32e9,
		SMClock: 1710, Power: 300,
		Datasheet: sheet("NVIDIA A10G datasheet", "https://d1.awsstatic.com/product-marketing/ec2/NVIDIA_AWS_A10G_DataSheet_FINAL_02_17_2022.pdf"),
		Memory:    report("22.06 GiB (A10, the same memory)", "vllm-project/vllm", "928"),
		Clock:     limits("A10G", 1710, 300),
		Remark:    "peak BF16: 70 TFLOPS on its own datasheet, 125 on that of the A10, which has the same chip; not settled in public, the lower is kept",
	},
	{
		Name: "A100-40", Aliases: []string{"A100-40GB", "A100-SXM-40GB", "A100-SXM4-40GB"}, BF16: 312e12,
		Vendor: "NVIDIA", Architecture: "ampere", Capability: 80, INT8: 624e12, Domain: 8,
		Bandwidth: 1555e9, Nominal: 40e9, Usable: gib(39.50), Link: 300e9, NVLink: true,
		SMClock: 1410, Power: 400,
		Datasheet: sheet("NVIDIA A100 datasheet", "https://www.nvidia.com/en-us/data-center/a100/"),
		Memory:    report("39.50 GiB", "TianheWu/CoSeR", "10"),
		Clock:     limits("A100", 1410, 400),
	},
	{
		Name: "L40S", BF16: 362e12, FP8: 733e12,
		Vendor: "NVIDIA", Architecture: "ada", Capability: 89, INT8: 733e12,
		Bandwidth: 864e9, Nominal: 48e9, Usable: gib(44.42), Link: 32e9,
		SMClock: 2520, Power: 350,
		Datasheet: sheet("NVIDIA L40S datasheet (dense columns)", "https://www.nvidia.com/en-us/data-center/l40s/"),
		Memory:    report("44.42 GiB", "stepfun-ai/Step-Video-T2V", "8"),
		Clock:     limits("L40S", 2520, 350),
	},
	{
		Name: "A100-80", Aliases: []string{"A100", "A100-80GB", "A100-SXM", "A100-SXM4-80GB"}, BF16: 312e12,
		Vendor: "NVIDIA", Architecture: "ampere", Capability: 80, INT8: 624e12, Domain: 8,
		Bandwidth: 2039e9, Nominal: 80e9, Usable: gib(79.15), Link: 300e9, NVLink: true,
		SMClock: 1410, Power: 400,
		Datasheet: sheet("NVIDIA A100 datasheet, SXM", "https://www.nvidia.com/en-us/data-center/a100/"),
		Memory:    report("79.15 GiB", "vllm-project/vllm", "4408"),
		Clock:     limits("A100", 1410, 400),
	},
	{
		Name: "H100", Aliases: []string{"H100-80", "H100-SXM", "H100-SXM5", "H100-80GB"}, BF16: 989.4e12, FP8: 1978.9e12,
		Vendor: "NVIDIA", Architecture: "hopper", Capability: 90, INT8: 1978.9e12, Domain: 8,
		Bandwidth: 3350e9, Nominal: 80e9, Usable: gib(79.11), Link: 450e9, NVLink: true,
		SMClock: 1980, Power: 700,
		Datasheet: sheet("NVIDIA H100 datasheet, SXM (tables with sparsity halved)", "https://www.nvidia.com/en-us/data-center/h100/"),
		Memory:    report("79.11 GiB", "vllm-project/vllm", "27508"),
		Clock:     limits("H100", 1980, 700),
	},
	{
		Name: "H200", Aliases: []string{"H200-SXM", "H200-141"}, BF16: 989.4e12, FP8: 1978.9e12,
		Vendor: "NVIDIA", Architecture: "hopper", Capability: 90, INT8: 1978.9e12, Domain: 8,
		Bandwidth: 4800e9, Nominal: 141e9, Usable: gib(139.80), Link: 450e9, NVLink: true,
		SMClock: 1980, Power: 700,
		Datasheet: sheet("NVIDIA H200 datasheet, SXM (tables with sparsity halved)", "https://www.nvidia.com/en-us/data-center/h200/"),
		Memory:    reports("139.80 GiB", " (139.72 to 139.81)"),
		Clock:     limits("H200", 1980, 700),
	},
	{
		Name: "B200", Aliases: []string{"B200-SXM", "B200-180"}, BF16: 2250e12, FP8: 4500e12,
		Vendor: "NVIDIA", Architecture: "blackwell", Capability: 100, FP4: 9000e12, INT8: 4500e12, Domain: 8,
		Bandwidth: 7700e9, Nominal: 180e9, Usable: gib(178.35), Link: 900e9, NVLink: true,
		SMClock: 1965, Power: 1000,
		Datasheet: sheet("NVIDIA Blackwell datasheet, HGX B200, a GPU (dense)", "https://www.nvidia.com/en-us/data-center/hgx/"),
		Memory:    reports("178.35 GiB", ""),
		Clock:     limits("B200", 1965, 1000),
	},
}
