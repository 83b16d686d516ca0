package sigv4

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/google/go-cmp/cmp"
)

// The example of AWS's General Reference, "Signature Version 4 signing process":
// GET ListUsers of IAM, 2015-08-30.
func TestTheDocumentedExample(t *testing.T) {
	s := &Signer{
		scope: Scope{Service: "iam", Region: "us-east-1"}, signer: v4.NewSigner(),
		provider: providing(aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"}),
		now:      func() time.Time { return time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC) },
	}
	r, err := http.NewRequest(http.MethodGet, "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	r.Header.Set("User-Agent", "not signed")
	if _, err := s.Sign(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	want := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
	if diff := cmp.Diff(want, r.Header.Get("Authorization")); diff != "" {
		t.Error(diff)
	}
	if got := r.Header.Get("X-Amz-Date"); got != "20150830T123600Z" {
		t.Errorf("X-Amz-Date %s", got)
	}
}

func TestATokenIsSentAndIsSecret(t *testing.T) {
	s := &Signer{
		scope: Scope{Service: "bedrock", Region: "us-east-1"}, signer: v4.NewSigner(), now: time.Now,
		provider: providing(aws.Credentials{AccessKeyID: "A", SecretAccessKey: "the-secret", SessionToken: "the-token"}),
	}
	r, _ := http.NewRequest(http.MethodPost, "https://host/model/a%3A0/converse-stream", nil)
	r.Header.Set("X-Amz-Target", "own")
	secrets, err := s.Sign(t.Context(), r, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"the-secret", "the-token"}, secrets); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(r.Header.Get("Authorization"), "x-amz-target") {
		t.Errorf("a header of AWS's own is not signed: %v", r.Header)
	}
	if r.Header.Get("X-Amz-Security-Token") != "the-token" || !strings.Contains(r.Header.Get("Authorization"), "x-amz-security-token") {
		t.Errorf("the token is not sent or not signed: %v", r.Header)
	}
}

type provider func() (aws.Credentials, error)

func (p provider) Retrieve(context.Context) (aws.Credentials, error) { return p() }

func providing(c aws.Credentials) provider {
	return func() (aws.Credentials, error) { return c, nil }
}

// Credentials are renewed before they end; a renewal that fails is tried again
// after a pause, and is no failure while the old ones hold.
func TestCredentialsAreRenewedAhead(t *testing.T) {
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	asked, failing := 0, false
	s := &Signer{now: func() time.Time { return now }, provider: provider(func() (aws.Credentials, error) {
		asked++
		if failing {
			return aws.Credentials{}, errors.New("no route to the token service")
		}
		return aws.Credentials{AccessKeyID: "A", SecretAccessKey: "s", CanExpire: true, Expires: now.Add(time.Hour)}, nil
	})}
	for _, step := range []struct {
		name    string
		forward time.Duration
		failing bool
		asked   int
		fails   bool
	}{
		{"the first", 0, false, 1, false},
		{"while they hold", 54 * time.Minute, false, 1, false},
		{"ahead of their end", 2 * time.Minute, false, 2, false},
		{"the new ones", 54 * time.Minute, true, 2, false},
		{"a renewal that fails", 2 * time.Minute, true, 3, false},
		{"no sooner again", time.Second, true, 3, false},
		{"after the pause", refreshAgain, true, 4, false},
		{"past the end", 5 * time.Minute, true, 5, true},
		{"back again", time.Minute, false, 6, false},
	} {
		now, failing = now.Add(step.forward), step.failing
		_, err := s.credentials(t.Context())
		if asked != step.asked || (err != nil) != step.fails {
			t.Errorf("%s: asked %d times, want %d; error %v", step.name, asked, step.asked, err)
		}
	}
}

// AWS's own client keeps what it retrieves. Ahead of their end credentials are
// asked for anew all the same, and hold while that fails.
func TestCredentialsOfAServiceAreRenewedAhead(t *testing.T) {
	asked := 0
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked > 1 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, `{"AccessKeyId":"A","SecretAccessKey":"s","Token":"t","Expiration":%q}`, time.Now().Add(refreshAhead-time.Minute).Format(time.RFC3339))
	}))
	defer service.Close()
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", service.URL)
	t.Setenv("AWS_CONFIG_FILE", "testdata/none")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "testdata/none")
	s, err := New(t.Context(), Scope{Service: "bedrock", Region: "us-east-1"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 2, 2} { // the first, a try that fails, and the pause
		r, _ := http.NewRequest(http.MethodPost, "https://host/", nil)
		if _, err := s.Sign(t.Context(), r, nil); err != nil || asked != want {
			t.Errorf("request %d: asked %d times, want %d; error %v", i, asked, want, err)
		}
	}
}

func TestNoCredentials(t *testing.T) {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", "testdata/none")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "testdata/none")
	s, err := New(t.Context(), Scope{Service: "bedrock", Region: "us-east-1"})
	if err != nil {
		t.Fatal(err)
	}
	r, _ := http.NewRequest(http.MethodPost, "https://host/", nil)
	if _, err := s.Sign(t.Context(), r, nil); err == nil || !strings.Contains(err.Error(), "no AWS credentials") {
		t.Errorf("got error %v", err)
	}
}

func TestTheRegionOfAProfile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte("[profile mine]\nregion = eu-north-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_CONFIG_FILE", file)
	t.Setenv("AWS_PROFILE", "mine")
	target, _, _, err := Resolve(t.Context(), Wanted{Target: "bedrock"}, func(string) string { return "" })
	if want := "https://bedrock-runtime.eu-north-1.amazonaws.com"; err != nil || target != want {
		t.Errorf("got %s, %v; want %s", target, err, want)
	}
}

func TestResolve(t *testing.T) {
	t.Setenv("AWS_CONFIG_FILE", "testdata/none")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "testdata/none")
	t.Setenv("AWS_PROFILE", "")
	env := map[string]string{}
	for _, tt := range []struct {
		name        string
		wanted      Wanted
		env         string // AWS_REGION
		target, api string
		scope       Scope // the zero one: not signed
		why         string
	}{
		{"another's endpoint", Wanted{Target: "http://host:8000", API: "chat"}, "eu-west-1", "http://host:8000", "chat", Scope{}, ""},
		{"by name", Wanted{Target: "bedrock", API: automatic}, "eu-west-1", "https://bedrock-runtime.eu-west-1.amazonaws.com", "bedrock-converse", Scope{"bedrock", "eu-west-1"}, ""},
		{"by name in China", Wanted{Target: "sagemaker", API: automatic, Region: "cn-north-1"}, "", "https://runtime.sagemaker.cn-north-1.amazonaws.com.cn", "sagemaker", Scope{"sagemaker", "cn-north-1"}, ""},
		{"by name with a key", Wanted{Target: "bedrock", API: automatic, Region: "us-east-1", Key: true}, "", "https://bedrock-runtime.us-east-1.amazonaws.com", "bedrock-converse", Scope{}, ""},
		{"by host", Wanted{Target: "https://bedrock-runtime.us-west-2.amazonaws.com", API: automatic}, "eu-west-1", "https://bedrock-runtime.us-west-2.amazonaws.com", "bedrock-converse", Scope{"bedrock", "us-west-2"}, ""},
		{"OpenAI's API of Bedrock", Wanted{Target: "https://bedrock-runtime.us-west-2.amazonaws.com/openai", API: automatic}, "", "https://bedrock-runtime.us-west-2.amazonaws.com/openai", automatic, Scope{"bedrock", "us-west-2"}, ""},
		{"a private link", Wanted{Target: "https://vpce-1a2b.bedrock-runtime.eu-central-1.vpce.amazonaws.com", API: "bedrock-converse"}, "", "https://vpce-1a2b.bedrock-runtime.eu-central-1.vpce.amazonaws.com", "bedrock-converse", Scope{"bedrock", "eu-central-1"}, ""},
		{"GovCloud", Wanted{Target: "https://runtime.sagemaker.us-gov-west-1.amazonaws.com", API: automatic}, "", "https://runtime.sagemaker.us-gov-west-1.amazonaws.com", "sagemaker", Scope{"sagemaker", "us-gov-west-1"}, ""},
		{"asked for", Wanted{Target: "http://127.0.0.1:1", API: "bedrock-converse", Scope: "bedrock/us-east-1"}, "", "http://127.0.0.1:1", "bedrock-converse", Scope{"bedrock", "us-east-1"}, ""},
		{"the API's service", Wanted{Target: "http://127.0.0.1:1", API: "sagemaker", Scope: "auto", Region: "us-east-1", Key: true}, "", "http://127.0.0.1:1", "sagemaker", Scope{"sagemaker", "us-east-1"}, ""},
		{"a gateway", Wanted{Target: "https://abc.execute-api.us-east-2.amazonaws.com/prod", API: "chat"}, "", "https://abc.execute-api.us-east-2.amazonaws.com/prod", "chat", Scope{"execute-api", "us-east-2"}, ""},
		{"not to be signed", Wanted{Target: "bedrock", API: automatic, Region: "us-east-1", Scope: "none"}, "", "https://bedrock-runtime.us-east-1.amazonaws.com", "bedrock-converse", Scope{}, ""},
		{"a host that only looks so", Wanted{Target: "https://bedrock-runtime.us-west-2.amazonaws.com.example.org", API: "chat"}, "", "https://bedrock-runtime.us-west-2.amazonaws.com.example.org", "chat", Scope{}, ""},
		{"two regions", Wanted{Target: "http://h", API: "chat", Scope: "bedrock/us-east-1", Region: "us-west-2"}, "", "", "", Scope{}, "two regions"},
		{"no region", Wanted{Target: "bedrock", API: automatic}, "", "", "", Scope{}, "AWS_REGION"},
		{"no region of a URL", Wanted{Target: "http://h", API: "chat", Scope: "bedrock"}, "", "", "", Scope{}, "AWS_REGION"},
		{"no service", Wanted{Target: "http://h", API: "chat", Scope: "auto", Region: "us-east-1"}, "", "", "", Scope{}, "needs a service"},
		{"no such region", Wanted{Target: "bedrock", API: "chat", Region: "evil.example/x"}, "", "", "", Scope{}, "evil.example"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env["AWS_REGION"] = tt.env
			target, api, signer, err := Resolve(t.Context(), tt.wanted, func(name string) string { return env[name] })
			if tt.why != "" {
				if err == nil || !strings.Contains(err.Error(), tt.why) {
					t.Errorf("got error %v, want one about %q", err, tt.why)
				}
				return
			}
			var scope Scope
			if s, ok := signer.(*Signer); ok {
				scope = s.scope
			}
			if err != nil || target != tt.target || api != tt.api || scope != tt.scope {
				t.Errorf("got %s, %s, %v, %v", target, api, scope, err)
			}
		})
	}
}
