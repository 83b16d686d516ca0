package spec

import (
	"regexp"
	"time"

	"go.yaml.in/yaml/v4"
)

// How pods sign in to AWS.
const (
	AuthIRSA        = "irsa"
	AuthPodIdentity = "pod-identity"
)

// RenderSecrets is the section render.secrets: keys that lie in AWS Secrets Manager.
type RenderSecrets struct {
	HuggingFace SecretKey
	NGC         SecretKey

	Auth         string // irsa, pod-identity; empty: pod-identity
	Account      string // AWS account, 12 digits
	Role         string // name of the IAM role; empty: the service's with -secrets
	OIDCProvider string // of the cluster, for IRSA: oidc.eks.REGION.amazonaws.com/id/ID
	KMSKey       string // ARN of the key that encrypts the secrets; empty: AWS's own
	Refresh      time.Duration
}

// SecretKey is where a key lies in AWS Secrets Manager.
type SecretKey struct {
	Secret   string // its name, such as models/hub-token; empty: none
	Property string // a key of the JSON in it; empty: all of it is the key
}

// Wanted says that the section names the key.
func (k SecretKey) Wanted() bool { return k.Secret != "" }

var (
	accountID    = form{regexp.MustCompile(`^[0-9]{12}$`), "an AWS account of 12 digits, in quotes"}
	oidcProvider = form{regexp.MustCompile(`^oidc\.eks\.[a-z0-9-]+\.amazonaws\.com(\.cn)?/id/[A-F0-9]{16,64}$`), "a cluster's OIDC provider without https://, such as oidc.eks.eu-central-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF"}
	kmsKey       = form{regexp.MustCompile(`^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+$`), "the ARN of a KMS key"}
	secretID     = form{regexp.MustCompile(`^[A-Za-z0-9/_+=.@-]{1,512}$`), "the name of a secret in AWS Secrets Manager, such as models/hub-token"}
	secretField  = form{regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`), "a key of the JSON in the secret"}
)

func (r *reader) renderSecrets(n *yaml.Node, s *RenderSecrets) {
	const at = "render.secrets."
	r.mapping(n, "render.secrets", fields{
		"hugging_face":  func(v *yaml.Node) { s.HuggingFace = r.secretKey(v, at+"hugging_face") },
		"ngc":           func(v *yaml.Node) { s.NGC = r.secretKey(v, at+"ngc") },
		"auth":          func(v *yaml.Node) { s.Auth = r.oneOf(v, at+"auth", []string{AuthIRSA, AuthPodIdentity}) },
		"account":       func(v *yaml.Node) { s.Account = r.matching(v, at+"account", accountID) },
		"role":          func(v *yaml.Node) { s.Role = r.matching(v, at+"role", roleName) },
		"oidc_provider": func(v *yaml.Node) { s.OIDCProvider = r.matching(v, at+"oidc_provider", oidcProvider) },
		"kms_key":       func(v *yaml.Node) { s.KMSKey = r.matching(v, at+"kms_key", kmsKey) },
		"refresh": func(v *yaml.Node) {
			if s.Refresh = r.duration(v, at+"refresh"); s.Refresh > 0 && s.Refresh < time.Minute {
				r.errorf(v, "%srefresh %s: each is a paid call for each key; take 1m or more, such as 1h", at, s.Refresh)
			}
		},
	})
	if s.Auth != AuthIRSA && s.OIDCProvider != "" {
		r.errorf(n, "render.secrets.oidc_provider is of IRSA: set auth: irsa, or leave it out")
	}
}

// secretKey reads the name of a secret, or a mapping of secret and property.
func (r *reader) secretKey(n *yaml.Node, what string) SecretKey {
	var k SecretKey
	if n.Kind == yaml.ScalarNode {
		k.Secret = r.matching(n, what, secretID)
		return k
	}
	before := len(r.errs)
	r.mapping(n, what, fields{
		"secret":   func(v *yaml.Node) { k.Secret = r.matching(v, what+".secret", secretID) },
		"property": func(v *yaml.Node) { k.Property = r.matching(v, what+".property", secretField) },
	})
	if k.Secret == "" && len(r.errs) == before {
		r.errorf(n, "%s needs the name of its secret: secret: models/hub-token", what)
	}
	return k
}
