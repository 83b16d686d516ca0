package predict

import (
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"assay/internal/facts"
)

// TestThinChipsAreSound holds the extra points against the table of chips: each is of
// a chip that is known with all conditions, and of a source that the
// legend names.
func TestThinChipsAreSound(t *testing.T) {
	f, err := os.Open("points/thin_chips.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	legend, err := os.ReadFile("points/thin_chips.md")
	if err != nil {
		t.Fatal(err)
	}
	column := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	for i, row := range rows[1:] {
		if _, err := facts.ChipNamed(column(row, "system")); err != nil {
			t.Errorf("row %d: %v", i+1, err)
		}
		if !strings.Contains(string(legend), "| "+column(row, "source")+" |") {
			t.Errorf("row %d: source %q is not in the legend", i+1, column(row, "source"))
		}
		for _, name := range []string{"isl", "osl", "concurrency", "tp", "tpot_ms"} {
			if v, err := strconv.ParseFloat(column(row, name), 64); err != nil || v <= 0 {
				t.Errorf("row %d: %s is %q", i+1, name, column(row, name))
			}
		}
	}
	if len(rows) < 30 {
		t.Errorf("%d rows", len(rows))
	}
}
