package manifest

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/spec"
)

// goldenFolder compares the files of a part with what testdata holds.
func goldenFolder(t *testing.T, folder string, all []Written) []File {
	t.Helper()
	files, err := Folder("A title.", all)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, f := range files {
		b.WriteString("-- " + f.Name + " --\n")
		b.Write(f.Body)
	}
	golden(t, filepath.Join("testdata", folder+".txt"), b.String())
	return files
}

func secretsInput(auth string) Input {
	return Input{Spec: spec.Render{
		Name: "llama", Namespace: "models", Cluster: "prod", Region: "eu-central-1",
		Secrets: spec.RenderSecrets{
			HuggingFace: spec.SecretKey{Secret: "models/hub-token"}, NGC: spec.SecretKey{Secret: "models/ngc", Property: "key"},
			Auth: auth, Account: "111122223333", OIDCProvider: "oidc.eks.eu-central-1.amazonaws.com/id/0123456789ABCDEF",
			KMSKey: "arn:aws:kms:eu-central-1:111122223333:key/1b7c",
		},
	}}
}

func TestSecrets(t *testing.T) {
	for _, auth := range []string{spec.AuthIRSA, spec.AuthPodIdentity} {
		all, err := Secrets(secretsInput(auth))
		if err != nil {
			t.Fatal(err)
		}
		if marks := MarksIn(goldenFolder(t, "secrets-"+auth, all)); len(marks) > 0 {
			t.Errorf("%s: marks though all is given: %v", auth, marks)
		}
	}
}

// TestSecretsPolicyIsLeast reads the policy as AWS would: no wildcard but that of the
// six characters that Secrets Manager puts behind a name, and no action that writes.
func TestSecretsPolicyIsLeast(t *testing.T) {
	in := secretsInput(spec.AuthPodIdentity)
	for _, c := range []struct {
		key, region string
		statements  int
	}{{in.Spec.Secrets.KMSKey, "eu-central-1", 2}, {"", "cn-north-1", 1}} {
		in.Spec.Secrets.KMSKey, in.Spec.Region = c.key, c.region
		body, err := policyJSON(in.secretsPolicy())
		if err != nil {
			t.Fatal(err)
		}
		var got policy
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Statement) != c.statements {
			t.Errorf("%s: %d statements, want %d", c.region, len(got.Statement), c.statements)
		}
		for _, s := range got.Statement {
			for _, r := range s.Resource {
				if strings.Contains(strings.TrimSuffix(r, "-??????"), "?") || strings.Contains(r, "*") || !strings.HasPrefix(r, "arn:"+partition(c.region)+":") {
					t.Errorf("resource %s", r)
				}
			}
			for _, a := range s.Action {
				if a != "kms:Decrypt" && a != "secretsmanager:GetSecretValue" && a != "secretsmanager:DescribeSecret" {
					t.Errorf("action %s", a)
				}
			}
		}
	}
}

func TestSecretsMarkWhatIsNotKnown(t *testing.T) {
	all, err := Secrets(Input{Spec: spec.Render{Secrets: spec.RenderSecrets{HuggingFace: spec.SecretKey{Secret: "hub"}, Auth: spec.AuthIRSA}}})
	if err != nil {
		t.Fatal(err)
	}
	files, err := Folder("", all)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, u := range MarksIn(files) {
		keys[u.Key] = true
	}
	for _, key := range []string{"region", "secrets.account", "secrets.oidc_provider"} {
		if !keys[key] {
			t.Errorf("no mark says that render.%s is missing: %v", key, keys)
		}
	}
	if _, err := Secrets(Input{}); err == nil || !strings.Contains(err.Error(), "render.secrets.hugging_face") {
		t.Errorf("no key named: %v", err)
	}
}

func TestBrief(t *testing.T) {
	for d, want := range map[time.Duration]string{time.Hour: "1h", 90 * time.Minute: "1h30m", time.Minute: "1m", 90 * time.Second: "1m30s", 24 * time.Hour: "24h", 40 * time.Second: "40s"} {
		if got := brief(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
