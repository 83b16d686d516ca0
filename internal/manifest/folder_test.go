package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFolderListsObjectsAndLeavesOutWhatStandsBeside(t *testing.T) {
	files, err := Folder("A title.", []Written{
		{Name: "b.yaml", Head: "First.", Object: object{
			{"kind", "B", ""},
			{"args", []item{{"serve", ""}, {"--x=1", "one is enough"}}, "a list"},
			{"emptyDir", blank{}, ""},
			{"left", object{}, "never seen"},
		}},
		{Name: "policy.json", Beside: []byte("{}\n")},
		{Name: "a.yaml", Object: object{{"kind", "A", ""}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, f := range files {
		got += "--- " + f.Name + "\n" + string(f.Body)
	}
	want := `--- kustomization.yaml
# A title.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - b.yaml
  - a.yaml
--- b.yaml
# First.
kind: B
# a list
args:
  - serve
  # one is enough
  - --x=1
emptyDir: {}
--- policy.json
{}
--- a.yaml
kind: A
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if _, err := Folder("", []Written{{Name: "a.yaml"}, {Name: "a.yaml"}}); err == nil || !strings.Contains(err.Error(), "a.yaml") {
		t.Errorf("two objects in one file: %v, want an error that names it", err)
	}
}

func TestMarksSayWhereTheyAreSet(t *testing.T) {
	files := []File{{Name: "a.yaml", Body: []byte("# of unset-cluster a comment may speak\nrole: " + unset("serve.image") + "\ncluster: unset-cluster\n")}}
	var got []string
	for _, u := range MarksIn(files) {
		got = append(got, u.String())
	}
	want := []string{
		"a.yaml:2: unset-serve-image: set render.serve.image in assay.yaml",
		"a.yaml:3: unset-cluster: set render.cluster in assay.yaml",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
