package httpd

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The page on the simulator names the faults of the engine and of the machine, and
// none that is not there.
func TestThePageNamesTheFaults(t *testing.T) {
	page, err := os.ReadFile("../../../docs/simulator.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## Faults")
	table, _, _ = strings.Cut(table, "## Where")
	var named []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(table, -1) {
		for _, key := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[1], -1) {
			named = append(named, key[1])
		}
	}
	all := FaultNames()
	for _, key := range named {
		if !slices.Contains(all, key) {
			t.Errorf("the page names %s, which is no fault", key)
		}
	}
	for _, key := range all[slices.Index(all, "engine_stall"):] {
		if !slices.Contains(named, key) {
			t.Errorf("the page does not name %s", key)
		}
	}
}
