package trace

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

func zstdOf(t testing.TB, s string) string {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestZstd(t *testing.T) {
	packed := zstdOf(t, `{"prompt": "a"}`+"\n"+`{"prompt": "b"}`)
	got, err := all(open(t, packed, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Row{{Text: "a"}, {Text: "b"}}, got, noPlace); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if _, err := Open(write(t, packed[:len(packed)-9]), Options{}); err == nil {
		t.Error("a file that is cut off is taken for an empty one")
	}
}

// What is null in a row is as if it were not there.
func TestNullIsNothing(t *testing.T) {
	got, err := all(open(t, `{"prompt": "a", "messages": null, "image": null}`+"\n", Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Row{{Text: "a"}}, got, noPlace); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
