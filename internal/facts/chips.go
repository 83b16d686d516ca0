package facts

import (
	"fmt"
	"strings"
)

// readOn is when the documents below were read.
const readOn = "2026-11-30"

func sheet(title, url string) Source { return Source{title, url, readOn} }

// report is a report of PyTorch that CUDA is out of memory, which names the
// capacity that CUDA gives an engine ("GPU 0 has a total capacity of ... GiB").
// It varies by some 0.1 GiB with driver and ECC.
func report(capacity, repository, issue string) Source {
	return Source{"out-of-memory report, " + repository + " issue " + issue + ": " + capacity, "https://github.com/" + repository + "/issues/" + issue, readOn}
}

// reports are many such reports in the code and notes of public repositories, for
// a chip of which no issue was found: the link is the search that finds them.
func reports(capacity, others string) Source {
	return Source{"out-of-memory reports in public repositories, by full-text search: " + capacity + others,
		"https://github.com/search?type=code&q=%22total+capacity+of+" + strings.ReplaceAll(capacity, " ", "+") + "%22", readOn}
}

// limits are what nvidia-smi lists on a chip, as people write it into the notes and
// results of public repositories: the link is the search that finds them.
func limits(chip string, mhz, watts float64) Source {
	return Source{fmt.Sprintf("nvidia-smi in public repositories, by full-text search: Max Clocks, SM, of the %s %.0f MHz, power limit %.0f W", chip, mhz, watts),
		fmt.Sprintf("https://github.com/search?type=code&q=%%22%.0f+MHz%%22+%s", mhz, chip), readOn}
}

// gib is a size that was read in GiB with two decimals.
func gib(x float64) int64 { return int64(x * GiB) }

var chips = []Chip{
	{
		Name: "L4", BF16: 121e12, FP8: 242e12,
		Bandwidth: 300e9, Nominal: 24e9, Usable: gib(22.03), Link: 32e9,
		SMClock: 2040, Power: 72,
		Datasheet: sheet("NVIDIA L4 datasheet (tables with sparsity halved)", "https://www.nvidia.com/en-us/data-center/l4/"),
		Memory:    reports("22.03 GiB", ""),
		Clock:     limits("L4", 2040, 72),
	},
	{
		Name: "A10G", BF16: 70e12,
		Bandwidth: 600e9, Nominal: 24e9, Usable: gib(22.06), Link: 32e9,
		SMClock: 1710, Power: 300,
		Datasheet: sheet("NVIDIA A10G datasheet", "https://d1.awsstatic.com/product-marketing/ec2/NVIDIA_AWS_A10G_DataSheet_FINAL_02_17_2022.pdf"),
		Memory:    report("22.06 GiB (A10, the same memory)", "vllm-project/vllm", "928"),
		Clock:     limits("A10G", 1710, 300),
	},
	{
		Name: "A100-40", Aliases: []string{"A100-40GB", "A100-SXM4-40GB"}, BF16: 312e12,
		Bandwidth: 1555e9, Nominal: 40e9, Usable: gib(39.50), Link: 300e9, NVLink: true,
		SMClock: 1410, Power: 400,
		Datasheet: sheet("NVIDIA A100 datasheet", "https://www.nvidia.com/en-us/data-center/a100/"),
		Memory:    report("39.50 GiB", "TianheWu/CoSeR", "10"),
		Clock:     limits("A100", 1410, 400),
	},
	{
		Name: "L40S", BF16: 362e12, FP8: 733e12,
		Bandwidth: 864e9, Nominal: 48e9, Usable: gib(44.42), Link: 32e9,
		SMClock: 2520, Power: 350,
		Datasheet: sheet("NVIDIA L40S datasheet (dense columns)", "https://www.nvidia.com/en-us/data-center/l40s/"),
		Memory:    report("44.42 GiB", "stepfun-ai/Step-Video-T2V", "8"),
		Clock:     limits("L40S", 2520, 350),
	},
	{
		Name: "A100-80", Aliases: []string{"A100", "A100-80GB", "A100-SXM4-80GB"}, BF16: 312e12,
		Bandwidth: 2039e9, Nominal: 80e9, Usable: gib(79.15), Link: 300e9, NVLink: true,
		SMClock: 1410, Power: 400,
		Datasheet: sheet("NVIDIA A100 datasheet, SXM", "https://www.nvidia.com/en-us/data-center/a100/"),
		Memory:    report("79.15 GiB", "vllm-project/vllm", "4408"),
		Clock:     limits("A100", 1410, 400),
	},
	{
		Name: "H100", Aliases: []string{"H100-80", "H100-SXM", "H100-80GB"}, BF16: 989.4e12, FP8: 1978.9e12,
		Bandwidth: 3350e9, Nominal: 80e9, Usable: gib(79.11), Link: 450e9, NVLink: true,
		SMClock: 1980, Power: 700,
		Datasheet: sheet("NVIDIA H100 datasheet, SXM (tables with sparsity halved)", "https://www.nvidia.com/en-us/data-center/h100/"),
		Memory:    report("79.11 GiB", "vllm-project/vllm", "27508"),
		Clock:     limits("H100", 1980, 700),
	},
	{
		Name: "H200", Aliases: []string{"H200-SXM", "H200-141"}, BF16: 989.4e12, FP8: 1978.9e12,
		Bandwidth: 4800e9, Nominal: 141e9, Usable: gib(139.80), Link: 450e9, NVLink: true,
		SMClock: 1980, Power: 700,
		Datasheet: sheet("NVIDIA H200 datasheet, SXM (tables with sparsity halved)", "https://www.nvidia.com/en-us/data-center/h200/"),
		Memory:    reports("139.80 GiB", " (139.72 to 139.81)"),
		Clock:     limits("H200", 1980, 700),
	},
	{
		Name: "B200", Aliases: []string{"B200-SXM", "B200-180"}, BF16: 2250e12, FP8: 4500e12,
		Bandwidth: 7700e9, Nominal: 180e9, Usable: gib(178.35), Link: 900e9, NVLink: true,
		SMClock: 1965, Power: 1000,
		Datasheet: sheet("NVIDIA Blackwell datasheet, HGX B200, a GPU (dense)", "https://www.nvidia.com/en-us/data-center/hgx/"),
		Memory:    reports("178.35 GiB", ""),
		Clock:     limits("B200", 1965, 1000),
	},
}
