package report

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"assay/internal/lint"
	"assay/internal/lint/source"
)

const nightPool = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: night}
spec:
  disruption:
    budgets:
`

func drawn(t *testing.T, budgets, zone, moment string) string {
	t.Helper()
	at, err := time.Parse(time.DateOnly, moment)
	if err != nil {
		t.Fatal(err)
	}
	in, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	file := &source.File{Name: "pool.yaml", Body: []byte(nightPool + budgets)}
	all, err := lint.Calendars(context.Background(), func(yield func(*source.File, []source.Problem) bool) { yield(file, nil) }, in, at)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := LintCalendar(&b, all, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// The same schedule over weeks in which the clocks change: an hour that is left out is
// blank, and the windows after it lie an hour later.
func TestCalendarDrawnOverADaylightChange(t *testing.T) {
	const budgets = "      - {nodes: \"0\", schedule: \"0 21 * * *\", duration: 8h}\n      - {nodes: 2}\n"
	day := func(name string, parts ...string) string { return name + " " + strings.Join(parts, "") }
	r := strings.Repeat
	winter := []string{r("·", 12), r("a", 32), r("·", 4)}
	summer := []string{r("·", 14), r("a", 32), r("·", 2)}
	for _, c := range []struct{ moment, sat, sun string }{
		{"2027-03-24", day("Sat", winter...), day("Sun", r("·", 4), " ", r("·", 8), r("a", 32), r("·", 2))},
		{"2026-10-21", day("Sat", summer...), day("Sun", winter...)},
		{"2026-12-02", day("Sat", winter...), day("Sun", winter...)},
	} {
		got := drawn(t, budgets, "Europe/Berlin", c.moment)
		for _, want := range []string{c.sat, c.sun} {
			if !strings.Contains(got, want) {
				t.Errorf("%s has no %q:\n%s", c.moment, want, got)
			}
		}
	}
	if got, want := drawn(t, budgets, "Europe/Berlin", "2026-12-02"), "from Sun 2027-03-28, when the clocks change, these windows lie an hour later."; !strings.Contains(got, want) {
		t.Errorf("it does not say that %q:\n%s", want, got)
	}
	if got := drawn(t, "      - {nodes: 2}\n", "Europe/Berlin", "2026-12-02"); strings.Contains(got, "clocks") {
		t.Errorf("there is no window that could move:\n%s", got)
	}
}

// What Karpenter makes of no budgets, of an empty list, and of a schedule that it cannot
// read are three things.
func TestCalendarDrawnOfMistakes(t *testing.T) {
	whole := strings.Repeat("#", 48)
	for budgets, want := range map[string]string{
		"":           strings.Repeat("a", 48) + " a up to 10%",
		"      []\n": whole + " # unbounded",
		"      - {nodes: \"3\", schedule: \"0 9 * * 1-9\", duration: 8h}\n": strings.Repeat("·", 48) + " · closed pool.yaml:7:9: ",
	} {
		if got := drawn(t, budgets, "UTC", "2026-12-02"); !strings.Contains(got, want) {
			t.Errorf("%q: want %q in\n%s", budgets, want, got)
		}
	}
	if got := drawn(t, "      - {nodes: \"3\", schedule: \"0 9 * * 1-9\", duration: 8h}\n", "UTC", "2026-12-02"); !strings.Contains(got, "as Karpenter takes it") {
		t.Errorf("a schedule that cannot be read is not explained:\n%s", got)
	}
}
