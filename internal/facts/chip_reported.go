package facts

import (
	"slices"
	"strings"
)

// variants of a chip that share its name and have another memory or link.
var variants = []string{"PCIE", "NVL", "SUPER", "MAX-Q"}

// ChipReported finds the chip of a name as its driver reports it and exporters
// label it: "NVIDIA H100 80GB HBM3", "NVIDIA A10G". A variant that is sold under
// the same name with other figures is known by its whole name or not at all.
func ChipReported(name string) (Chip, bool) {
	name = strings.TrimSpace(name)
	if len(name) >= 7 && strings.EqualFold(name[:7], "NVIDIA ") {
		name = strings.TrimSpace(name[7:])
	}
	if name == "" {
		return Chip{}, false
	}
	if c, err := ChipNamed(name); err == nil {
		return c, true
	}
	words := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return r == ' ' || r == '-' })
	if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(variants, w) }) {
		return Chip{}, false
	}
	first, _, _ := strings.Cut(name, " ")
	c, err := ChipNamed(first)
	return c, err == nil
}
