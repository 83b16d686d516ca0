package facts

import "testing"

func TestChipReported(t *testing.T) {
	for name, want := range map[string]string{
		"NVIDIA H100 80GB HBM3": "H100",
		"NVIDIA A100-SXM4-80GB": "A100-80",
		"NVIDIA A100-SXM4-40GB": "A100-40",
		"NVIDIA A10G":           "A10G",
		"nvidia l40s":           "L40S",
		"NVIDIA H100 PCIe":      "H100-PCIE",
		"NVIDIA H100 NVL":       "H100-NVL",
		"NVIDIA H200 NVL":       "",
		"NVIDIA A100-PCIE-40GB": "A100-PCIE-40",
		"NVIDIA A100 80GB PCIe": "A100-PCIE-80",
		"Tesla V100-SXM2-16GB":  "",
		"Tesla T4":              "T4",
		"AMD Instinct MI300X":   "MI300X",
		"NVIDIA RTX PRO 6000 Blackwell Server Edition":      "RTX-PRO-6000",
		"NVIDIA RTX PRO 6000 Blackwell Workstation Edition": "",
		"NVIDIA L4":              "L4",
		"NVIDIA ":                "",
		"":                       "",
		"NVIDIA Graphics Device": "",
	} {
		got, ok := ChipReported(name)
		if got.Name != want || ok != (want != "") {
			t.Errorf("ChipReported(%q) = %q, %v; want %q", name, got.Name, ok, want)
		}
	}
}
