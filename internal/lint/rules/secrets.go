package rules

import (
	"encoding/base64"
	"strings"
	"time"

	"assay/internal/facts"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

var (
	secretGuide = facts.Source{Title: "Kubernetes, good practices for secrets", URL: "https://kubernetes.io/docs/concepts/security/secrets-good-practices/", Date: "2026-11-30"}
	eksSecrets  = facts.Source{Title: "Amazon EKS best practices, data encryption and secrets management", URL: "https://docs.aws.amazon.com/eks/latest/best-practices/data-encryption-and-secrets-management.html", Date: "2026-11-30"}
	esoAPI      = facts.Source{Title: "External Secrets Operator, API of v1.3", URL: "https://external-secrets.io/latest/api/spec/", Date: "2026-11-30"}
	esoAWS      = facts.Source{Title: "External Secrets Operator, AWS authentication", URL: "https://external-secrets.io/latest/provider/aws-access/", Date: "2026-11-30"}
	secretPrice = facts.Source{Title: "AWS Secrets Manager pricing", URL: "https://aws.amazon.com/secrets-manager/pricing/", Date: "2026-11-30"}
	hubEnv      = facts.Source{Title: "Hugging Face Hub, environment variables", URL: "https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables", Date: "2026-11-30"}
	subPath     = facts.Source{Title: "Kubernetes, secrets mounted as files", URL: "https://kubernetes.io/docs/concepts/configuration/secret/", Date: "2026-11-30"}
	ngcGuide    = facts.Source{Title: "NVIDIA NGC catalog user guide", URL: "https://docs.nvidia.com/ngc/gpu-cloud/ngc-catalog-user-guide/index.html", Date: "2026-11-30"}
	pullSecret  = facts.Source{Title: "Kubernetes, pull an image from a private registry", URL: "https://kubernetes.io/docs/tasks/configure-pod-container/pull-image-private-registry/", Date: "2026-11-30"}
)

const plainFix = "Revoke it: whoever read the file has it. Keep the new one in a secret manager, and take it by a mounted file or secretKeyRef (assay render secrets writes both)."

var secretRules = []*lint.Rule{
	{
		ID: "secret-in-env", Severity: lint.Error, Subject: lint.Secrets,
		Title:     "A secret stands as plain text in a variable",
		Why:       "Everyone who may read the file, the object or the history of the repository has it, and it never rotates.",
		Fix:       plainFix,
		Sources:   []facts.Source{secretGuide, eksSecrets},
		Container: secretInEnv,
	},
	{
		ID: "secret-in-command", Severity: lint.Error, Subject: lint.Secrets,
		Title:     "A secret stands as plain text in a command",
		Why:       "Besides being in the file, arguments are shown by the process list, kubectl describe and audit logs.",
		Fix:       plainFix,
		Sources:   []facts.Source{secretGuide, eksSecrets},
		Container: secretInCommand,
	},
	{
		ID: "secret-in-configmap", Severity: lint.Error, Subject: lint.Secrets, Kinds: []string{"ConfigMap"},
		Title:   "A secret stands in a ConfigMap",
		Why:     "ConfigMaps are not encrypted by the cluster's KMS key, and most roles may read them.",
		Fix:     plainFix,
		Sources: []facts.Source{secretGuide, eksSecrets},
		Object:  secretInConfigMap,
	},
	{
		ID: "secret-committed", Severity: lint.Error, Subject: lint.Secrets, Kinds: []string{"Secret"},
		Title:   "A Secret holds a real key in a file",
		Why:     "Base64 hides nothing: with the file in a repository, everyone who may clone it has the key, also after it was taken out.",
		Fix:     "Revoke the key, keep the new one in a secret manager, and write an ExternalSecret that fetches it (assay render secrets).",
		Sources: []facts.Source{secretGuide, eksSecrets},
		Object:  secretCommitted,
	},
	{
		ID: "external-secrets-dead-version", Severity: lint.Error, Subject: lint.Secrets,
		Kinds:   []string{"ExternalSecret", "SecretStore", "ClusterSecretStore", "ClusterExternalSecret"},
		Title:   "A version of External Secrets that is served no more",
		Why:     "The operator serves v1 alone since its 0.17: the API server answers \"no matches for kind\", and the secret is never written.",
		Fix:     "Write external-secrets.io/v1: the fields that were in v1beta1 are the same.",
		Sources: []facts.Source{esoAPI},
		Object:  deadVersion,
	},
	{
		ID: "external-secrets-interval", Severity: lint.Error, Subject: lint.Secrets, Kinds: []string{"ExternalSecret"},
		Title:   "A refresh interval that the operator cannot read",
		Why:     "It is a duration of Go: hours are the largest unit, and a number alone has none. The API server takes any text, and the operator cannot read the object.",
		Fix:     "Write it in h, m and s: 24h, 30m.",
		Sources: []facts.Source{esoAPI},
		Object:  refreshUnreadable,
	},
	{
		ID: "external-secrets-refresh-often", Severity: lint.Warning, Subject: lint.Secrets, Kinds: []string{"ExternalSecret"},
		Title:   "A secret is fetched more than once a minute",
		Why:     "Each key is a call of AWS Secrets Manager, 0.05 USD for 10,000: every 10 s that is 259,000 calls and 1.30 USD a month a key, and many of them meet the limit of calls. A rotated key is seldom wanted within seconds.",
		Fix:     "Take 1h, or what the rotation asks for.",
		Sources: []facts.Source{secretPrice, esoAPI},
		Object:  refreshOften,
	},
	{
		ID: "external-secrets-refresh-never", Severity: lint.Info, Subject: lint.Secrets, Kinds: []string{"ExternalSecret"},
		Title:   "A secret is fetched once and never again",
		Why:     "With an interval of 0 a rotated key never reaches the cluster, and pods fail when the old one is revoked.",
		Fix:     "Give an interval, such as 1h; where once is meant, say refreshPolicy: CreatedOnce.",
		Sources: []facts.Source{esoAPI},
		Object:  refreshNever,
	},
	{
		ID: "secret-store-static-key", Severity: lint.Warning, Subject: lint.Secrets, Kinds: []string{"SecretStore", "ClusterSecretStore"},
		Title:   "A secret store reaches AWS by a long-lived access key",
		Why:     "The key opens every secret of the store, does not expire, and is itself a secret that somebody must keep and rotate.",
		Fix:     "Use IRSA (auth.jwt.serviceAccountRef) or EKS Pod Identity (no auth at all): credentials that last an hour.",
		Sources: []facts.Source{esoAWS, eksSecrets},
		Object:  staticKey,
	},
	{
		ID: "hub-token-path", Severity: lint.Error, Subject: lint.Secrets,
		Title:     "HF_TOKEN_PATH names a file that is mounted nowhere",
		Why:       "huggingface_hub finds no token there and asks without one: gated models answer 401.",
		Fix:       "Mount the Secret at the folder of that file, with a key of its name.",
		Sources:   []facts.Source{hubEnv},
		Container: tokenPath,
	},
	{
		ID: "hub-token-subpath", Severity: lint.Warning, Subject: lint.Secrets,
		Title:     "The file of HF_TOKEN_PATH is mounted by subPath",
		Why:       "The kubelet never updates a file that is mounted by subPath: a rotated token is not seen until the pod starts again, which is what the file was for.",
		Fix:       "Mount the Secret as a folder, and let HF_TOKEN_PATH name the file within.",
		Sources:   []facts.Source{subPath, hubEnv},
		Container: tokenSubPath,
	},
	{
		ID: "ngc-username", Severity: lint.Error, Subject: lint.Secrets,
		Title:   "A pull secret for nvcr.io with another user name than $oauthtoken",
		Why:     "NGC takes an API key only under the user name $oauthtoken, literally: pulls answer 401.",
		Fix:     "Write \"username\": \"$oauthtoken\".",
		Sources: []facts.Source{ngcGuide},
		Kinds:   []string{"Secret", "ExternalSecret"},
		Object:  ngcUsername,
	},
	{
		ID: "pull-secret-type", Severity: lint.Error, Subject: lint.Secrets, Kinds: []string{"Secret", "ExternalSecret"},
		Title:   "Registry credentials in a Secret that is not of their type",
		Why:     "The kubelet reads .dockerconfigjson only of Secrets of type kubernetes.io/dockerconfigjson: pods that name it in imagePullSecrets pull without credentials.",
		Fix:     "Set type: kubernetes.io/dockerconfigjson; of an ExternalSecret under spec.target.template.",
		Sources: []facts.Source{pullSecret},
		Object:  pullSecretType,
	},
}

func secretInEnv(p *lint.Pass, c *lint.Container) {
	for _, s := range settings(c) {
		if !s.Entry.Exists() {
			continue
		}
		if found, ok := practice.SecretIn(s.Value); ok {
			p.Fail(s.At, "%s holds %s as plain text", s.Name, found.Kind)
		} else if practice.PlainSecret(s.Name, s.Value) {
			p.Fail(s.At, "%s holds its secret as plain text", s.Name)
		}
	}
}

// secretInCommand looks at command, arguments and what probes and hooks run or send.
func secretInCommand(p *lint.Pass, c *lint.Container) {
	for _, of := range []source.Value{
		c.Get("command"), c.Get("args"), c.Get("lifecycle"),
		c.Get("startupProbe"), c.Get("readinessProbe"), c.Get("livenessProbe"),
	} {
		walk(of, func(v source.Value) { secretInWord(p, v) })
	}
	secretFlags(p, c)
}

// secretInWord reports the first secret of an argument, by shape or as NAME=value.
func secretInWord(p *lint.Pass, v source.Value) {
	text := v.Text()
	if found, ok := practice.SecretIn(text); ok {
		p.FailIn(v, found.Begin, "%s stands in a command", found.Kind)
		return
	}
	for _, s := range assignments(v) {
		if practice.PlainSecret(s.Name, s.Value) {
			s.fail(p, "%s is set to its secret in a command", s.Name)
			return
		}
	}
}

// secretFlags reports flags such as --api-key whose value is plain.
func secretFlags(p *lint.Pass, c *lint.Container) {
	words := c.Words().All
	for i, w := range words {
		name, value, joined := strings.Cut(w.Text, "=")
		if !strings.HasPrefix(name, "--") || !practice.NamesSecret(name) {
			continue
		}
		at := w.At
		if !joined && i+1 < len(words) && !strings.HasPrefix(words[i+1].Text, "--") {
			value, at = words[i+1].Text, words[i+1].At
		}
		if _, shaped := practice.SecretIn(value); !shaped && practice.PlainSecret(name, value) {
			p.FailIn(at, strings.Index(at.Text(), value), "%s holds its secret as plain text", name)
		}
	}
}

func secretInConfigMap(p *lint.Pass, o *lint.Object) {
	for k, v := range o.Get("data").Pairs() {
		text := v.Text()
		if found, ok := practice.SecretIn(text); ok {
			p.FailIn(v, found.Begin, "%s holds %s", k.Text(), found.Kind)
			continue
		}
		if practice.PlainSecret(k.Text(), text) && !strings.Contains(text, "\n") {
			p.Fail(v, "%s holds its secret as plain text", k.Text())
			continue
		}
		for _, s := range assignments(v) {
			if practice.PlainSecret(s.Name, s.Value) {
				s.fail(p, "%s sets %s to its secret", k.Text(), s.Name)
				break
			}
		}
	}
}

// secretCommitted leaves out what is rendered or lives in a cluster: every Secret holds
// its data there.
func secretCommitted(p *lint.Pass, o *lint.Object) {
	if o.File.Rendered {
		return
	}
	for k, v := range o.Get("stringData").Pairs() {
		if found, ok := practice.SecretIn(v.Text()); ok {
			p.FailIn(v, found.Begin, "%s is %s", k.Text(), found.Kind)
		}
	}
	for k, v := range o.Get("data").Pairs() {
		plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(v.Text()), ""))
		if err != nil {
			continue
		}
		if found, ok := practice.SecretIn(string(plain)); ok {
			p.Fail(v, "%s is %s, in base64", k.Text(), found.Kind)
		}
	}
}

const esoGroup = "external-secrets.io"

func deadVersion(p *lint.Pass, o *lint.Object) {
	if o.Group() != esoGroup || o.APIVersion == esoGroup+"/v1" {
		return
	}
	p.Fail(o.Get("apiVersion"), "%s is served no more; write %s/v1", o.APIVersion, esoGroup)
}

// refresh is the interval of an ExternalSecret.
func refresh(o *lint.Object) (at source.Value, d time.Duration, ok bool) {
	at = o.Get("spec", "refreshInterval")
	if o.Group() != esoGroup || !at.IsScalar() || at.Open() || at.Text() == "" {
		return at, 0, false
	}
	d, err := time.ParseDuration(at.Text())
	return at, d, err == nil
}

func refreshUnreadable(p *lint.Pass, o *lint.Object) {
	at, _, ok := refresh(o)
	if ok || o.Group() != esoGroup || at.Tag() != "!!str" || at.Open() {
		return
	}
	p.Fail(at, "refreshInterval %q is no duration in h, m and s", at.Text())
}

func refreshOften(p *lint.Pass, o *lint.Object) {
	if at, d, ok := refresh(o); ok && d > 0 && d < time.Minute {
		calls := int(30 * 24 * time.Hour / d)
		p.Fail(at, "each key is fetched every %s: %d calls a month", d, calls)
	}
}

func refreshNever(p *lint.Pass, o *lint.Object) {
	if at, d, ok := refresh(o); ok && d == 0 && !o.Get("spec", "refreshPolicy").Exists() {
		p.Fail(at, "refreshInterval %s fetches the secret once", at.Text())
	}
}

func staticKey(p *lint.Pass, o *lint.Object) {
	if o.Group() != esoGroup {
		return
	}
	if auth := o.Get("spec", "provider", "aws", "auth"); auth.Get("secretRef").Exists() {
		p.Fail(auth.Key("secretRef"), "the store signs in with an access key of an IAM user")
	}
}

// tokenFile is where HF_TOKEN_PATH points, and the mount that holds it.
func tokenFile(c *lint.Container) (at source.Value, mount source.Value) {
	at = c.Env("HF_TOKEN_PATH").Get("value")
	if !strings.HasPrefix(at.Text(), "/") || at.Open() {
		return source.Value{}, mount
	}
	longest := 0
	for _, m := range c.Get("volumeMounts").Items() {
		path := strings.TrimRight(m.Get("mountPath").Text(), "/")
		if (at.Text() == path || strings.HasPrefix(at.Text(), path+"/")) && len(path) >= longest {
			mount, longest = m, len(path)
		}
	}
	return at, mount
}

func tokenPath(p *lint.Pass, c *lint.Container) {
	if at, mount := tokenFile(c); at.Exists() && !mount.Exists() {
		p.Fail(at, "no volume is mounted where HF_TOKEN_PATH points: %s", at.Text())
	}
}

func tokenSubPath(p *lint.Pass, c *lint.Container) {
	_, mount := tokenFile(c)
	for _, key := range []string{"subPath", "subPathExpr"} {
		if mount.Get(key).Exists() && secretVolume(c.Pod, mount.Get("name").Text()) {
			p.Fail(mount.Get(key), "%s is mounted by %s: it stays as it was when the pod started", mount.Get("mountPath").Text(), key)
		}
	}
}

func secretVolume(p *lint.Pod, name string) bool {
	for _, v := range p.Get("volumes").Items() {
		if v.Get("name").Text() == name {
			return v.Get("secret").Exists() || v.Get("projected").Exists()
		}
	}
	return false
}

// dockerConfig is the registry configuration of a Secret, or of the template of an
// ExternalSecret.
func dockerConfig(o *lint.Object) (at source.Value, text string, holder source.Value) {
	const key = ".dockerconfigjson"
	switch o.Kind {
	case "ExternalSecret":
		holder = o.Get("spec", "target", "template")
		at = holder.Get("data", key)
		return at, at.Text(), holder
	case "Secret":
		if at = o.Get("stringData", key); at.Exists() {
			return at, at.Text(), o.Root
		}
		at = o.Get("data", key)
		plain, err := base64.StdEncoding.DecodeString(at.Text())
		if err != nil {
			return at, "", o.Root
		}
		return at, string(plain), o.Root
	}
	return at, "", holder
}

func ngcUsername(p *lint.Pass, o *lint.Object) {
	at, text, _ := dockerConfig(o)
	if !at.Exists() || !strings.Contains(text, "nvcr.io") {
		return
	}
	name, begin, ok := username(text)
	if ok && name != "$oauthtoken" && !strings.Contains(name, "{{") {
		p.FailIn(at, begin, "the user name for nvcr.io is %q; NGC takes $oauthtoken alone", name)
	}
}

// username is the first of a registry configuration, and where it stands; a template
// need not be JSON.
func username(text string) (name string, at int, ok bool) {
	const key = `"username"`
	i := strings.Index(text, key)
	if i < 0 {
		return "", 0, false
	}
	rest := strings.TrimLeft(text[i+len(key):], " \t\n:")
	if !strings.HasPrefix(rest, `"`) {
		return "", 0, false
	}
	name, _, ok = strings.Cut(rest[1:], `"`)
	return name, i, ok
}

func pullSecretType(p *lint.Pass, o *lint.Object) {
	at, _, holder := dockerConfig(o)
	if !at.Exists() {
		return
	}
	const want = "kubernetes.io/dockerconfigjson"
	switch t := holder.Get("type"); {
	case !t.Exists() && o.Get("spec", "target", "creationPolicy").Text() != "Merge":
		p.Fail(keyOf(holder, at), "the Secret is of type Opaque; the kubelet reads .dockerconfigjson of type %s alone", want)
	case t.Exists() && t.Text() != want && !t.Open():
		p.Fail(t, "the Secret is of type %s; the kubelet reads .dockerconfigjson of type %s alone", t.Text(), want)
	}
}

// keyOf is the key .dockerconfigjson itself.
func keyOf(holder, at source.Value) source.Value {
	for _, list := range []string{"data", "stringData"} {
		if k := holder.Get(list).Key(".dockerconfigjson"); k.Exists() {
			return k
		}
	}
	return at
}
