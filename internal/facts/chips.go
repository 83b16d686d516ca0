package facts

// cudaMemory is where the usable sizes come from: the capacity that PyTorch
// prints when CUDA is out of memory ("GPU 0 has a total capacity of ... GiB"),
// over several reports each. It varies by some 0.1 GiB with driver and ECC.
const cudaMemory = "https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management"

func sheet(title, url string) Source { return Source{title, url, "2026-11-30"} }

func seen(reports string) Source {
	return Source{"PyTorch's out-of-memory reports: " + reports, cudaMemory, "2026-11-30"}
}

var chips = []Chip{
	{
		Name: "L4", BF16: 121e12, FP8: 242e12,
		Bandwidth: 300e9, Nominal: 24e9, Usable: 22*GiB + 8*GiB/100, Link: 32e9,
		Datasheet: sheet("NVIDIA L4 datasheet (tables with sparsity halved)", "https://www.nvidia.com/en-us/data-center/l4/"),
		Memory:    seen("22.0 to 22.2 GiB"),
	},
	{
		Name: "A10G", BF16: 70e12,
		Bandwidth: 600e9, Nominal: 24e9, Usable: 22*GiB + 8*GiB/100, Link: 32e9,
		Datasheet: sheet("NVIDIA A10G datasheet", "https://d1.awsstatic.com/product-marketing/ec2/NVIDIA_AWS_A10G_DataSheet_FINAL_02_17_2022.pdf"),
		Memory:    seen("22.0 to 22.2 GiB (vllm-project/vllm issues 928 and 17835)"),
	},
	{
		Name: "A100-40", Aliases: []string{"A100-40GB", "A100-SXM4-40GB"}, BF16: 312e12,
		Bandwidth: 1555e9, Nominal: 40e9, Usable: 39*GiB + 39*GiB/100, Link: 300e9, NVLink: true,
		Datasheet: sheet("NVIDIA A100 datasheet", "https://www.nvidia.com/en-us/data-center/a100/"),
		Memory:    seen("39.38 to 39.56 GiB"),
	},
	{
		Name: "L40S", BF16: 362e12, FP8: 733e12,
		Bandwidth: 864e9, Nominal: 48e9, Usable: 44*GiB + 40*GiB/100, Link: 32e9,
		Datasheet: sheet("NVIDIA L40S datasheet (dense columns)", "https://www.nvidia.com/en-us/data-center/l40s/"),
		Memory:    seen("44.34 to 44.47 GiB"),
	},
	{
		Name: "A100-80", Aliases: []string{"A100", "A100-80GB", "A100-SXM4-80GB"}, BF16: 312e12,
		Bandwidth: 2039e9, Nominal: 80e9, Usable: 79*GiB + 14*GiB/100, Link: 300e9, NVLink: true,
		Datasheet: sheet("NVIDIA A100 datasheet, SXM", "https://www.nvidia.com/en-us/data-center/a100/"),
		Memory:    seen("79.1 to 79.3 GiB (vllm-project/vllm issues 4408 and 27508)"),
	},
	{
		Name: "H100", Aliases: []string{"H100-80", "H100-SXM", "H100-80GB"}, BF16: 989.4e12, FP8: 1978.9e12,
		Bandwidth: 3350e9, Nominal: 80e9, Usable: 79*GiB + 19*GiB/100, Link: 450e9, NVLink: true,
		Datasheet: sheet("NVIDIA H100 datasheet, SXM (tables with sparsity halved)", "https://www.nvidia.com/en-us/data-center/h100/"),
		Memory:    seen("79.1 to 79.3 GiB (vllm-project/vllm issues 4408 and 27508)"),
	},
	{
		Name: "H200", Aliases: []string{"H200-SXM", "H200-141"}, BF16: 989.4e12, FP8: 1978.9e12,
		Bandwidth: 4800e9, Nominal: 141e9, Usable: 139*GiB + 72*GiB/100, Link: 450e9, NVLink: true,
		Datasheet: sheet("NVIDIA H200 datasheet, SXM (tables with sparsity halved)", "https://www.nvidia.com/en-us/data-center/h200/"),
		Memory:    seen("139.72 to 139.81 GiB"),
	},
	{
		Name: "B200", Aliases: []string{"B200-SXM", "B200-180"}, BF16: 2250e12, FP8: 4500e12,
		Bandwidth: 7700e9, Nominal: 180e9, Usable: 178*GiB + 35*GiB/100, Link: 900e9, NVLink: true,
		Datasheet: sheet("NVIDIA Blackwell datasheet, HGX B200, a GPU (dense)", "https://www.nvidia.com/en-us/data-center/hgx/"),
		Memory:    seen("178.35 GiB"),
	},
}
