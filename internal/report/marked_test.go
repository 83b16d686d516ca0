package report

import "testing"

func TestMarked(t *testing.T) {
	for text, want := range map[string]string{
		"run `assay bench`, or `assay <x>` & see": "run <code>assay bench</code>, or <code>assay &lt;x&gt;</code> &amp; see",
		"one ` alone, <b>":                        "one ` alone, &lt;b&gt;",
		"":                                        "",
	} {
		if got := string(marked(text)); got != want {
			t.Errorf("marked(%q) = %q, want %q", text, got, want)
		}
	}
}
