package explain

import (
	"strings"
	"testing"

	"assay/internal/manifest"
)

func TestAlertsAreSaidWithoutTemplates(t *testing.T) {
	for _, a := range manifest.Alerts {
		p := alertPage(a)
		for _, f := range p.Facts {
			if f.Name == "says" && strings.ContainsAny(f.Value, "{}$") {
				t.Errorf("%s says %q", a.Name, f.Value)
			}
		}
	}
	if got, want := withoutTemplate("{{ or $labels.pod $labels.instance }}: {{ $value | humanize }} requests wait"), "POD: VALUE requests wait"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
