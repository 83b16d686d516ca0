package spelling

import (
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"kv", "vk", 2}, {"same", "same", 0}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestDistanceOfHostileNames(t *testing.T) {
	long := strings.Repeat("a", 20<<20)
	if got := Distance(long, long+"b"); got != len(long)+1 {
		t.Errorf("two long names are %d apart", got)
	}
	if got := Distance("a", long); got != len(long) {
		t.Errorf("a long name is %d from a short one", got)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"image", "images", "imago"}
	for name, want := range map[string]string{"imag": "image", "imagos": "images", "other": "", "images": "images"} {
		if got := Nearest(name, names, 3); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
