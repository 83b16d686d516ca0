package cluster

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const groups = `{"groups":[
	{"name":"apps","preferredVersion":{"version":"v1"}},
	{"name":"karpenter.sh","preferredVersion":{"version":"v1"}},
	{"name":"../../../etc","preferredVersion":{"version":"v1"}},
	{"name":"keda.sh","preferredVersion":{"version":"v1alpha1"}}]}`

// objectsOf reads all that a fake API serves.
func objectsOf(t *testing.T, f *fakeAPI, namespace string) (files map[string]string, problems []string) {
	t.Helper()
	var remarks []string
	o := f.options(t, &remarks)
	o.Namespace = namespace
	all, err := Objects(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	for file, more := range all {
		if file != nil {
			files[file.Name] = string(file.Body)
			if !file.Rendered {
				t.Errorf("%s is said to be a file that a user edits", file.Name)
			}
		}
		for _, p := range more {
			problems = append(problems, fmt.Sprintf("%s %v %s: %s", p.ID, p.Unknown, p.Place.File, p.Message))
		}
	}
	return files, problems
}

func TestObjectsAreManifests(t *testing.T) {
	f := newFakeAPI(t)
	f.answers["/apis"] = text(groups)
	f.answers["/apis/apps/v1/deployments"] = text(`{"apiVersion":"apps/v1","kind":"DeploymentList","items":[
		{"metadata":{"name":"vllm","namespace":"serving","uid":"u","generation":3,"managedFields":[{"manager":"x"}],
		 "annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"token\":\"old\"}"}},
		 "spec":{"replicas":2},"status":{"replicas":1}},
		{"metadata":{"name":"made","namespace":"serving","ownerReferences":[{"kind":"X","controller":true}]}}]}`)
	f.answers["/apis/karpenter.sh/v1/nodepools"] = text(`{"apiVersion":"karpenter.sh/v1","kind":"NodePoolList","items":[
		{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"gpu"}}]}`)
	f.answers["/api/v1/services"] = refuse(http.StatusForbidden, "services is forbidden")
	files, problems := objectsOf(t, f, "")
	want := map[string]string{
		"cluster/serving/deployments/vllm": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: vllm\n  namespace: serving\nspec:\n  replicas: 2\n",
		"cluster/nodepools/gpu":            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: gpu\n",
	}
	if d := cmp.Diff(want, files); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"cluster-unread true cluster/services: the Kubernetes API refused to list services: 403 Forbidden: services is forbidden"}, problems); d != "" {
		t.Error(d)
	}
	for _, asked := range f.asked {
		if !strings.HasPrefix(asked, "GET ") || strings.Contains(asked, "secrets?") && strings.HasPrefix(asked, "GET /api/v1/") || strings.Contains(asked, "etc") {
			t.Errorf("asked %s", asked)
		}
	}
}

func TestObjectsOfANamespaceComePageByPage(t *testing.T) {
	f := newFakeAPI(t)
	f.answers["/apis"] = text(groups)
	f.answers["/apis/apps/v1/namespaces/serving/deployments"] = func(w http.ResponseWriter, r *http.Request) {
		page, next := r.URL.Query().Get("continue"), ""
		if page == "" {
			next = "more"
		}
		fmt.Fprintf(w, `{"apiVersion":"apps/v1","kind":"DeploymentList","metadata":{"continue":%q},"items":[{"metadata":{"name":"d%s","namespace":"serving"}}]}`, next, page)
	}
	f.answers["/apis/karpenter.sh/v1/nodepools"] = text(`{"kind":"NodePoolList","apiVersion":"karpenter.sh/v1","items":[{"metadata":{"name":"gpu"}}]}`)
	f.answers["/api/v1/namespaces"] = text(`{"kind":"NamespaceList","apiVersion":"v1","items":[{"metadata":{"name":"serving"}}]}`)
	files, problems := objectsOf(t, f, "serving")
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	if d := cmp.Diff([]string{"cluster/namespaces/serving", "cluster/nodepools/gpu", "cluster/serving/deployments/d", "cluster/serving/deployments/dmore"}, names); d != "" || len(problems) > 0 {
		t.Errorf("%s %v", d, problems)
	}
}

func TestObjectsOfABadCluster(t *testing.T) {
	f := newFakeAPI(t)
	var remarks []string
	if _, err := Objects(t.Context(), f.options(t, &remarks)); err == nil {
		t.Error("an API without groups is taken for a cluster")
	}
	o := f.options(t, &remarks)
	o.Kubeconfig = f.kubeconfig(t, "{token: wrong}")
	var refused *refusal
	if _, err := Objects(t.Context(), o); !errors.As(err, &refused) || refused.status != http.StatusUnauthorized {
		t.Errorf("a wrong token: %v", err)
	}
	f.answers["/apis"] = text(groups)
	f.answers["/apis/apps/v1/deployments"] = text(`{"kind":"DeploymentList","apiVersion":"apps/v1","items":[7,{"metadata":"x"},{"metadata":{"name":"a\u001b[2Jb","namespace":"n"}}]}`)
	f.answers["/api/v1/pods"] = text(`{"items":`)
	files, problems := objectsOf(t, f, "")
	if len(files) != 1 || files["cluster/n/deployments/a [2Jb"] == "" {
		t.Errorf("%q", files)
	}
	if len(problems) != 2 || !strings.Contains(problems[0], "cluster/pods") || !strings.Contains(problems[1], "one of the deployments is no object") {
		t.Errorf("%q", problems)
	}
}

// The role in the docs gives leave to list what is read, and nothing else.
func TestLintRoleIsWhatIsRead(t *testing.T) {
	var role struct {
		Rules []struct{ APIGroups, Resources, Verbs []string }
	}
	first, _, _ := strings.Cut(LintRole, "\n---\n")
	if err := yaml.Unmarshal([]byte(first), &role); err != nil {
		t.Fatal(err)
	}
	var got []kindRead
	for _, r := range role.Rules {
		if !slices.Equal(r.Verbs, []string{"list"}) {
			t.Errorf("%v may be %v", r.Resources, r.Verbs)
		}
		for _, group := range r.APIGroups {
			for _, resource := range r.Resources {
				got = append(got, kindRead{group, resource})
			}
		}
	}
	byName := func(a, b kindRead) int { return strings.Compare(a.group+"/"+a.resource, b.group+"/"+b.resource) }
	if d := cmp.Diff(slices.SortedFunc(slices.Values(kindsRead), byName), slices.SortedFunc(slices.Values(got), byName), cmp.AllowUnexported(kindRead{})); d != "" {
		t.Errorf("role_lint.yaml (-want +got):\n%s", d)
	}
}

func TestObjectsStopWhenTheCallerDoes(t *testing.T) {
	f := newFakeAPI(t)
	f.answers["/apis"] = text(groups)
	f.answers["/api/v1/services"] = text(`{"kind":"ServiceList","apiVersion":"v1","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}`)
	var remarks []string
	all, err := Objects(t.Context(), f.options(t, &remarks))
	if err != nil {
		t.Fatal(err)
	}
	for range all {
		break
	}
	if len(f.asked) != 2 {
		t.Errorf("asked %q after the caller had enough", f.asked)
	}
}
