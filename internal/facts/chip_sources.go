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

// margin stands for a report where none was found: the GiB as sold, less what
// drivers and ECC took of others with that kind of memory.
func margin(sold, share float64) Source {
	return Source{Title: fmt.Sprintf("no report found: %g GiB less a margin of %g %% is %.2f GiB", sold, 100*share, sold*(1-share)), Date: readOn}
}

// What drivers and ECC took of the chips with reports: 1 to 1.5 % of HBM and GDDR7,
// 7.5 to 9 % of GDDR6, where ECC lives in the same memory.
const (
	marginHBM   = 0.015
	marginGDDR6 = 0.08
)

// gib is a size that was read in GiB with two decimals.
func gib(x float64) int64 { return int64(x * GiB) }
