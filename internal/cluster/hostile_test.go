package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/diagnose"
)

// What may not be read is left out, and said; only without pods there is nothing.
func TestForbiddenResources(t *testing.T) {
	f := recorded(t)
	no := refuse(http.StatusForbidden, `nodes "gpu-a" is forbidden: User "assay" cannot get resource "nodes" in API group "" at the cluster scope`)
	f.answers["/api/v1/nodes/gpu-a"] = no
	f.answers["/api/v1/namespaces/inference/events"] = refuse(http.StatusForbidden, "events is forbidden")
	var remarks []string
	found, err := Incidents(t.Context(), f.options(t, &remarks))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range found {
		if strings.HasPrefix(i.Object, "node") {
			t.Errorf("an incident of a node that may not be read: %+v", i)
		}
		if i.Kind == diagnose.Restarted && strings.Contains(i.Fact, "probe failed") {
			t.Errorf("a probe's failure without events: %s", i.Fact)
		}
	}
	if len(found) == 0 {
		t.Error("pods could be read, and nothing is told of them")
	}
	said := strings.Join(remarks, "\n")
	for _, want := range []string{"left out: the state of nodes", "left out: events of pods", "docs/cluster.md"} {
		if !strings.Contains(said, want) {
			t.Errorf("remarks %q do not say %q", said, want)
		}
	}

	f.answers["/api/v1/namespaces/inference/pods"] = no
	_, err = Incidents(t.Context(), f.options(t, &remarks))
	var hint interface{ Hint() string }
	if !errors.As(err, &hint) || !strings.Contains(hint.Hint(), "docs/cluster.md") || !strings.Contains(err.Error(), "403 Forbidden") {
		t.Errorf("without pods: %v", err)
	}
}

func TestErrorsSayWhatToDoAndNoSecret(t *testing.T) {
	var remarks []string
	f := recorded(t)
	o := f.options(t, &remarks)
	o.Context = "production"
	if _, err := Incidents(t.Context(), o); err == nil || !strings.Contains(err.Error(), `context "production" does not exist; kubectl config get-contexts`) {
		t.Errorf("an unknown context: %v", err)
	}

	o = f.options(t, &remarks)
	o.Kubeconfig = f.kubeconfig(t, "{token: not-"+secret+"}")
	if _, err := Incidents(t.Context(), o); err == nil || !strings.Contains(err.Error(), "401 Unauthorized") || strings.Contains(err.Error(), secret) {
		t.Errorf("a wrong token: %v", err)
	}

	o.Kubeconfig = filepath.Join(t.TempDir(), "absent")
	if _, err := Incidents(t.Context(), o); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("a kubeconfig that is not there: %v", err)
	}

	o = f.options(t, &remarks)
	f.Close()
	if _, err := Incidents(t.Context(), o); err == nil || !strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "limit=") {
		t.Errorf("a server that is gone: %v", err)
	}
}

// client-go quotes a proxy-url that it does not like.
func TestKubeconfigsHideCredentials(t *testing.T) {
	for _, proxy := range []string{"http://me:" + secret + "%zz@127.0.0.1:1", "ftp://me:" + secret + "@127.0.0.1:1/?key=" + secret, "ftp://me:a/" + secret + "@h"} {
		path := filepath.Join(t.TempDir(), "config")
		body := fmt.Sprintf("{apiVersion: v1, kind: Config, current-context: c, clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1', proxy-url: %q}}], contexts: [{name: c, context: {cluster: c, user: u}}], users: [{name: u, user: {token: %s}}]}", proxy, secret)
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, context := range []string{"", "c"} {
			_, err := Incidents(t.Context(), Options{Kubeconfig: path, Context: context})
			if err == nil || !strings.Contains(err.Error(), "proxy-url") || strings.Contains(err.Error(), secret) {
				t.Errorf("%v", err)
			}
		}
	}
}

func TestNoClusterAtHand(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if _, err := Incidents(t.Context(), Options{}); !errors.Is(err, ErrNoCluster) {
		t.Errorf("got %v, want ErrNoCluster", err)
	}
}

// A credential plugin, as EKS uses one, gives the token.
func TestCredentialPlugin(t *testing.T) {
	plugin := filepath.Join(t.TempDir(), "get-token")
	script := "#!/bin/sh\n" + `echo '{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","status":{"token":"` + secret + `"}}'` + "\n"
	if err := os.WriteFile(plugin, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	f := recorded(t)
	var remarks []string
	o := f.options(t, &remarks)
	o.Kubeconfig = f.kubeconfig(t, fmt.Sprintf("{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: %q, args: [--cluster-name, prod], interactiveMode: IfAvailable}}", plugin))
	if found, err := Incidents(t.Context(), o); err != nil || len(found) == 0 {
		t.Errorf("%d incidents, %v", len(found), err)
	}
}

// A plugin that hangs does not hang the program.
func TestCredentialPluginThatHangs(t *testing.T) {
	plugin := filepath.Join(t.TempDir(), "get-token")
	// It ends when the folder of the test is removed.
	script := "#!/bin/sh\nwhile [ -e \"$0\" ]; do sleep 0.1; done\n"
	if err := os.WriteFile(plugin, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	f := recorded(t)
	var remarks []string
	o := f.options(t, &remarks)
	o.Kubeconfig = f.kubeconfig(t, fmt.Sprintf("{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: %q, interactiveMode: IfAvailable}}", plugin))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := Incidents(ctx, o); err == nil || !strings.Contains(err.Error(), "credential plugin "+plugin) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// A server that is no Kubernetes API, or one that never ends.
func TestHostileAnswers(t *testing.T) {
	page := func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"metadata":{"continue":"again"},"items":[`)
		for i := range pageSize {
			fmt.Fprintf(w, `%s{"metadata":{"name":"p%d","namespace":"inference"},"status":{"phase":"Failed","reason":"Evicted"}}`, strings.Repeat(",", min(i, 1)), i)
		}
		fmt.Fprint(w, `]}`)
	}
	for name, c := range map[string]struct {
		pods http.HandlerFunc
		want string // in the error; empty: none
		said string // in the remarks
	}{
		"html":        {text("<html>sign in</html>"), "not what a Kubernetes API gives", ""},
		"wrong types": {text(`{"items":[{"status":{"phase":7}}]}`), "not what a Kubernetes API gives", ""},
		"cut off":     {text(`{"items":[{"status":`), "not what a Kubernetes API gives", ""},
		"an odd refusal": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "\x1b[31mgo away\x00\n", http.StatusTeapot)
		}, "418 I'm a teapot: [31mgo away", ""},
		"pages for ever": {page, "", "more than 1000 pods"},
		"empty for ever": {text(`{"metadata":{"continue":"again"},"items":[]}`), "", "more than 1000 pods"},
		"nothing":        {text(`{}`), "", "has no pods"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t)
			f.answers["/api/v1/namespaces/inference/pods"] = c.pods
			f.answers["/api/v1/namespaces/inference/events"] = text(`{"items":[]}`)
			var remarks []string
			found, err := Incidents(t.Context(), f.options(t, &remarks))
			switch {
			case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error %v, want %q", err, c.want)
			case err != nil && strings.ContainsAny(err.Error(), "\x1b\x00\n"):
				t.Errorf("control characters in %q", err)
			}
			if said := strings.Join(remarks, "\n"); !strings.Contains(said, c.said) {
				t.Errorf("remarks %q, want %q", said, c.said)
			}
			if len(found) > maxIncidents {
				t.Errorf("%d incidents", len(found))
			}
			if len(f.asked) > maxPods/pageSize+2 {
				t.Errorf("%d requests", len(f.asked))
			}
		})
	}
}

// Names and reasons cannot drive the terminal, nor lead to another path of the API.
func TestHostileNames(t *testing.T) {
	const evil = `evil\u001b[2J\u202e\nname`
	f := newFakeAPI(t)
	f.answers["/api/v1/namespaces/inference/pods"] = text(`{"items":[
		{"metadata":{"name":"` + evil + `","namespace":"inference"},"spec":{"nodeName":"../namespaces/kube-system/secrets/x"},
		 "status":{"phase":"Running","containerStatuses":[{"name":"` + evil + `","restartCount":2,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}},
		{"metadata":{"name":"p"},"spec":{"nodeName":"gpu-a"},"status":{"phase":"Running"}}]}`)
	f.answers["/api/v1/namespaces/inference/events"] = text(`{"items":[]}`)
	f.answers["/api/v1/nodes/gpu-a"] = text(`{"metadata":{"name":"gpu-a"},"status":{"conditions":[{"type":"Ready","status":"False","reason":"` + evil + `"}]}}`)
	f.answers["/api/v1/namespaces/default/events"] = text(`{"items":[{"type":"Warning","reason":"NvidiaDCGM","message":"` + evil + `","lastTimestamp":"2026-11-30T12:00:00Z"}]}`)
	var remarks []string
	found, err := Incidents(t.Context(), f.options(t, &remarks))
	if err != nil || len(found) != 2 {
		t.Fatalf("%+v, %v; want the pod's and the node's", found, err)
	}
	for _, i := range found {
		if s := i.Object + i.Fact; !strings.Contains(s, "evil") || strings.ContainsAny(s, "\x1b\u202e\n") {
			t.Errorf("%q", s)
		}
	}
	if s := strings.Join(remarks, ""); !strings.Contains(s, "evil") || strings.ContainsAny(s, "\x1b\u202e\n") {
		t.Errorf("remarks %q", s)
	}
	for _, path := range f.asked {
		if strings.Contains(path, "secrets") {
			t.Errorf("asked for %s", path)
		}
	}

	o := f.options(t, &remarks)
	o.Namespace = "../../secrets\x1b"
	before := len(f.asked)
	if _, err := Incidents(t.Context(), o); err == nil || !strings.Contains(err.Error(), `"../../secrets\x1b" is no name of a namespace`) || len(f.asked) > before {
		t.Errorf("%v, %q", err, f.asked[before:])
	}
}

// The transport would send the credentials along.
func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := newFakeAPI(t)
	f := newFakeAPI(t)
	f.answers["/api/v1/namespaces/inference/pods"] = func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}
	var remarks []string
	_, err := Incidents(t.Context(), f.options(t, &remarks))
	if err == nil || !strings.Contains(err.Error(), "307") || len(elsewhere.asked) > 0 {
		t.Errorf("%v; elsewhere was asked for %q", err, elsewhere.asked)
	}
}

// A token for the next page that has grown too old loses no page before it.
func TestExpiredContinuation(t *testing.T) {
	f := newFakeAPI(t)
	f.answers["/api/v1/namespaces/inference/pods"] = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("continue") != "" {
			status(w, http.StatusGone, "The provided continue parameter is too old")
			return
		}
		fmt.Fprint(w, `{"metadata":{"continue":"old"},"items":[{"metadata":{"name":"p","namespace":"inference","creationTimestamp":"2026-11-30T11:59:00Z"},"status":{"phase":"Pending"}}]}`)
	}
	f.answers["/api/v1/namespaces/inference/events"] = text(`{"items":[]}`)
	var remarks []string
	found, err := Incidents(t.Context(), f.options(t, &remarks))
	if err != nil || len(found) != 1 || found[0].Kind != diagnose.Pending {
		t.Errorf("%v, %v", found, err)
	}
	if !strings.Contains(strings.Join(remarks, "\n"), "more than") {
		t.Errorf("remarks %q do not say that there was more", remarks)
	}
}

func TestDocsHoldTheRoles(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "cluster.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, role := range map[string]string{"role.yaml": Role, "role_lint.yaml": LintRole} {
		if !bytes.Contains(page, []byte("```yaml\n"+role+"```")) {
			t.Errorf("docs/cluster.md does not hold internal/cluster/%s as it is", name)
		}
	}
}

// Whatever a pod, a node and events say, facts are single bounded lines.
func FuzzObjects(f *testing.F) {
	for _, name := range []string{"pods.json", "events.json", "gpu-a.json", "gpu-b.json", "events-gpu-a.json"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o := Options{}.defaults()
		w := watch{options: o, namespace: "n", since: clock}
		var found []diagnose.Incident
		var pods struct{ Items []pod }
		var events struct{ Items []event }
		var n node
		_ = json.Unmarshal(b, &events)
		if json.Unmarshal(b, &pods) == nil {
			for _, p := range pods.Items {
				found = append(found, w.incidentsOfPod(p, events.Items)...)
			}
		}
		if json.Unmarshal(b, &n) == nil {
			found = append(found, w.incidentsOfNode(n)...)
		}
		for _, e := range events.Items {
			if i, ok := w.acceleratorEvent("n", e); ok {
				found = append(found, i)
			}
		}
		for _, i := range found {
			if i.Kind == "" || i.Fact == "" || len(i.Fact) > 16<<10 || strings.ContainsAny(i.Fact, "\n\x00\x1b") {
				t.Fatalf("%+v", i)
			}
		}
	})
}
