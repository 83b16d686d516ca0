package source

import (
	"strings"
	"testing"
)

// BenchmarkRead reads 10,000 Deployments: one core has to take less than a second, half
// of what lint may take on two.
func BenchmarkRead(b *testing.B) {
	body := []byte(strings.Repeat("---\n"+deployment, 10_000))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		f := &File{Name: "x.yaml", Body: body}
		if p := f.decode(); p != nil {
			b.Fatal(p)
		}
		for _, c := range f.Chunks() {
			if _, problems := c.Parse(); len(problems) > 0 {
				b.Fatal(problems)
			}
		}
	}
}
