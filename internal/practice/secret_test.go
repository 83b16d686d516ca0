package practice

import (
	"strings"
	"testing"
)

// letters stand for what is random in a key.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789"

func TestSecretIn(t *testing.T) {
	for text, want := range map[string]string{
		"hf_" + letters[:34]:                              "a Hugging Face token",
		"nvapi-" + letters:                                "an NGC API key",
		"AKIA" + strings.Repeat("Q7", 8):                  "an AWS access key",
		"export GH=ghp_" + letters[:36]:                   "a GitHub token",
		"sk-proj-" + letters:                              "an API key",
		"Authorization: Bearer " + letters:                "a bearer token",
		"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNza":  "a private key",
		"hf_hub_download":                                 "",
		"task-management-service-for-orders-and-invoices": "",
		"-----BEGIN CERTIFICATE-----":                     "",
		"AKIAB":                                           "",
	} {
		s, ok := SecretIn(text)
		if s.Kind != want || ok != (want != "") {
			t.Errorf("SecretIn(%.20q…) = %q, %v; want %q", text, s.Kind, ok, want)
		}
		if v := Veil(text); ok && strings.Contains(v, text[s.Begin:s.End]) {
			t.Errorf("Veil leaves %q", v)
		} else if !ok && v != text {
			t.Errorf("Veil changes %q to %q", text, v)
		}
	}
}

func TestPlainSecret(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"HF_TOKEN", "hf_abc123", true},
		{"NGC_API_KEY", "changeme", true},
		{"POSTGRES_PASSWORD", "postgres", true},
		{"POSTGRES_PASSWORD", "12345", true},
		{"PGPASSWORD", "hunter2", true},
		{"--api-key", "token-abc123", true},
		{"db.password", "hunter2", true},
		{"AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI", true},
		{"OPENAI_API_KEY", "EMPTY", false},
		{"OPENAI_API_KEY", "sk-no-key-required", false},
		{"OPENAI_API_KEY", "$(KEY)", false},
		{"HF_TOKEN", "{{ .Values.token }}", false},
		{"HF_TOKEN", "", false},
		{"HF_TOKEN", "unset-hf-token", false},
		{"HF_TOKEN_PATH", "/secrets/token", false},
		{"AUTH_TOKEN", "/var/run/secrets/token", false},
		{"DB_PASSWORD", "arn:aws:secretsmanager:us-east-1:111122223333:secret:db", false},
		{"DB_PASSWORD", "ENC[AES256_GCM,data:xx]", false},
		{"MAX_TOKEN", "4096", false},
		{"PAD_TOKEN", "<pad>", false},
		{"EOS_TOKEN", "endoftext", false},
		{"TOKENIZER", "meta-llama/Llama-3.1-8B", false},
		{"PULL_SECRET", "regcred", false},
		{"SORT_KEY", "created_at", false},
		{"PUBLIC_TOKEN", "pk-frontend", false},
	} {
		if got := PlainSecret(c.name, c.value); got != c.want {
			t.Errorf("PlainSecret(%q, %q) = %v, want %v", c.name, c.value, got, c.want)
		}
	}
}

func TestVeilLine(t *testing.T) {
	for text, want := range map[string]string{
		`  password: "hunter2 hunter3`:                         `  password: ` + Hidden,
		`  - {name: DB_PASSWORD, value: hunter2, x: 1`:         `  - {name: DB_PASSWORD, value: ` + Hidden,
		`  - {"name": "DB_PASSWORD", "value": "hunter2"`:       `  - {"name": "DB_PASSWORD", "value": ` + Hidden,
		`ENV API_KEY=hunter2 A=b`:                              `ENV API_KEY=` + Hidden,
		`ENV API_KEY hunter2`:                                  `ENV API_KEY ` + Hidden,
		`  args: [--api-key, "hunter2"`:                        `  args: [--api-key, ` + Hidden,
		`  args: [--api-key=hunter2`:                           `  args: [--api-key=` + Hidden,
		`  command: x --api-key hunter2 --port 1`:              `  command: x --api-key ` + Hidden,
		`  token: hf_ABCDEFGHIJKLMNOPQRSTUVWXYZabcd`:           `  token: ` + Hidden,
		`  a: hf_ABCDEFGHIJKLMNOPQRSTUVWXYZabcd # why`:         `  a: ` + Hidden + ` # why`,
		`  - {name: HF_TOKEN_PATH, value: /secrets/hub/token}`: `  - {name: HF_TOKEN_PATH, value: /secrets/hub/token}`,
		`  url: postgres://app:hunter2@db:5432/x`:              `  url: postgres://app:` + Hidden + `@db:5432/x`,
		`  url: postgres://app:$(PASSWORD)@db:5432/x`:          `  url: postgres://app:$(PASSWORD)@db:5432/x`,
		`  url: http://prometheus:9090/x?a=b@c`:                `  url: http://prometheus:9090/x?a=b@c`,
		`  image: vllm/vllm-openai:v0.32.0`:                    `  image: vllm/vllm-openai:v0.32.0`,
		`  password: $(PASSWORD)`:                              `  password: $(PASSWORD)`,
		`  max-tokens: 4096`:                                   `  max-tokens: 4096`,
	} {
		if got := VeilLine(text); got != want {
			t.Errorf("VeilLine(%q) = %q, want %q", text, got, want)
		}
	}
}
