package manifest

import (
	"fmt"
	"strings"
	"time"

	"assay/internal/spec"
)

// Names that the Secrets have after the service's, and their keys.
const (
	hubTokenSuffix = "-hub-token"
	hubTokenKey    = "token" // the file's name, where it is mounted
	ngcSuffix      = "-ngc"
	ngcKey         = "NGC_API_KEY" // as NVIDIA's containers call the variable
	ngcPullSuffix  = "-ngc-pull"
)

// hubTokenSecret is the Secret with the token of Hugging Face, if it is written.
func (in Input) hubTokenSecret() (string, bool) {
	return in.name() + hubTokenSuffix, in.Spec.Secrets.HuggingFace.Wanted()
}

// ngcPullSecret is the Secret with which images of nvcr.io are pulled, if it is written.
func (in Input) ngcPullSecret() (string, bool) {
	return in.name() + ngcPullSuffix, in.Spec.Secrets.NGC.Wanted()
}

// Secrets writes what fetches keys from AWS Secrets Manager by External Secrets, and the
// policies of the role that it does so with. No key stands in any of it.
func Secrets(in Input) ([]Written, error) {
	s := in.Spec.Secrets
	if !s.HuggingFace.Wanted() && !s.NGC.Wanted() {
		return nil, fmt.Errorf("no key is named: give render.secrets.hugging_face or render.secrets.ngc, the names of secrets in AWS Secrets Manager, in assay.yaml")
	}
	var all []Written
	if s.Auth == spec.AuthIRSA {
		all = append(all, in.secretsAccount())
	}
	all = append(all, in.secretStore())
	if s.HuggingFace.Wanted() {
		all = append(all, in.hubToken())
	}
	if s.NGC.Wanted() {
		all = append(all, in.ngcEnv(), in.ngcPull())
	}
	for _, beside := range []struct {
		name     string
		document policy
	}{{"secrets-policy.json", in.secretsPolicy()}, {"secrets-trust.json", in.secretsTrust()}} {
		body, err := policyJSON(beside.document)
		if err != nil {
			return nil, err
		}
		all = append(all, Written{Name: beside.name, Beside: body})
	}
	return all, nil
}

// storeName is of the SecretStore and, with IRSA, of its ServiceAccount.
func (in Input) storeName() string { return in.name() + "-secrets" }

func (in Input) secretsRole() string {
	if in.Spec.Secrets.Role != "" {
		return in.Spec.Secrets.Role
	}
	return in.name() + "-secrets"
}

func (in Input) secretsAccount() Written {
	meta := append(in.meta(in.storeName()), field{"annotations", object{
		{"eks.amazonaws.com/role-arn", fmt.Sprintf("arn:%s:iam::%s:role/%s", partition(in.region()), in.account(), in.secretsRole()), "trusts this account alone: secrets-trust.json; may read these secrets alone: secrets-policy.json"},
	}, ""})
	return Written{
		Name: in.storeName() + "-serviceaccount.yaml",
		Head: "The account as which the store reads. No pod runs as it.",
		Object: object{
			{"apiVersion", "v1", ""},
			{"kind", "ServiceAccount", ""},
			{"metadata", meta, ""},
			{"automountServiceAccountToken", false, "the operator asks for a token of its own, for sts.amazonaws.com alone"},
		},
	}
}

func (in Input) secretStore() Written {
	aws := object{{"service", "SecretsManager", ""}, {"region", in.region(), ""}}
	head := fmt.Sprintf(`Where the keys lie. Make the role once:
aws iam create-role --role-name %[1]s \
--assume-role-policy-document file://secrets-trust.json
aws iam put-role-policy --role-name %[1]s --policy-name read-keys \
--policy-document file://secrets-policy.json
`, in.secretsRole())
	if in.Spec.Secrets.Auth == spec.AuthIRSA {
		head += "The store signs in as an account of this namespace (IRSA): no store of another namespace may read these keys."
		aws = append(aws, field{"auth", object{{"jwt", object{{"serviceAccountRef", object{{"name", in.storeName(), ""}}, ""}}, ""}}, ""})
	} else {
		head += fmt.Sprintf(`EKS Pod Identity signs in; give the role to the operator:
aws eks create-pod-identity-association --cluster-name %s \
--namespace external-secrets --service-account external-secrets \
--role-arn arn:%s:iam::%s:role/%s
It is then of all stores that name no account. Where teams must not read each other's keys, use auth: irsa.`, in.cluster(), partition(in.region()), in.account(), in.secretsRole())
	}
	if key := in.Spec.Secrets.KMSKey; key != "" {
		head += "\nThe keys are encrypted by " + key + ", which the role may decrypt with, through Secrets Manager alone."
	} else {
		head += "\nThe keys are encrypted by AWS's own key of Secrets Manager, for which the role needs no permission; render.secrets.kms_key names another."
	}
	return Written{
		Name: in.storeName() + "-store.yaml", Head: head,
		Object: object{
			{"apiVersion", esoVersion, ""},
			{"kind", "SecretStore", ""},
			{"metadata", in.meta(in.storeName()), ""},
			{"spec", object{{"provider", object{{"aws", aws, ""}}, ""}}, ""},
		},
	}
}

const esoVersion = "external-secrets.io/v1"

// external is an ExternalSecret with one key.
func (in Input) external(name, head, key string, from spec.SecretKey, template object) Written {
	remote := object{{"key", from.Secret, ""}, {"property", from.Property, ""}}
	target := object{{"name", name, ""}, {"creationPolicy", "Owner", "the Secret goes with this object"}, {"template", template, ""}}
	refresh := in.Spec.Secrets.Refresh
	if refresh == 0 {
		refresh = time.Hour
	}
	return Written{
		Name: name + ".yaml", Head: head,
		Object: object{
			{"apiVersion", esoVersion, ""},
			{"kind", "ExternalSecret", ""},
			{"metadata", in.meta(name), ""},
			{"spec", object{
				{"refreshInterval", brief(refresh), fmt.Sprintf("a rotated key is in the cluster that long after, at %d paid calls a month", int(30*24*time.Hour/refresh))},
				{"secretStoreRef", object{{"kind", "SecretStore", ""}, {"name", in.storeName(), ""}}, ""},
				{"target", target, ""},
				{"data", []object{{{"secretKey", key, ""}, {"remoteRef", remote, ""}}}, ""},
			}, ""},
		},
	}
}

// brief is a duration without parts of nothing: 1h, where Go writes 1h0m0s.
func brief(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func (in Input) hubToken() Written {
	name, _ := in.hubTokenSecret()
	return in.external(name, `The token of Hugging Face, for gated models. Mount it as a folder, never by subPath, and let HF_TOKEN_PATH name the file `+hubTokenKey+` in it:
the kubelet renews the file within about a minute and huggingface_hub reads it at each use, so that a rotated token needs no restart.
As a variable (HF_TOKEN) it would stay what it was until the pod starts again.`, hubTokenKey, in.Spec.Secrets.HuggingFace, nil)
}

func (in Input) ngcEnv() Written {
	return in.external(in.name()+ngcSuffix, `The key of NGC for NVIDIA's containers, which read the variable `+ngcKey+` alone: take it by secretKeyRef.
A variable is set when the pod starts: after a rotation restart the pods (kubectl rollout restart), before the old key is revoked.`, ngcKey, in.Spec.Secrets.NGC, nil)
}

func (in Input) ngcPull() Written {
	name, _ := in.ngcPullSecret()
	return in.external(name, `The same key as a pull secret for nvcr.io: name it in imagePullSecrets.
The kubelet reads it at each pull, so that a rotated key needs no restart.`, "key", in.Spec.Secrets.NGC, object{
		{"type", "kubernetes.io/dockerconfigjson", "the kubelet reads .dockerconfigjson of no other type"},
		{"data", object{
			{".dockerconfigjson", `{"auths": {"nvcr.io": {
  "username": "$oauthtoken",
  "password": {{ .key | toJson }},
  "auth": {{ printf "$oauthtoken:%s" .key | b64enc | toJson }}
}}}
`, "NGC takes an API key under the user name $oauthtoken alone, literally"},
		}, ""},
	})
}

func (in Input) region() string {
	if in.Spec.Region != "" {
		return in.Spec.Region
	}
	return unset("region")
}

func (in Input) account() string {
	if in.Spec.Secrets.Account != "" {
		return in.Spec.Secrets.Account
	}
	return unset("secrets.account")
}

func (in Input) cluster() string {
	if in.Spec.Cluster != "" {
		return in.Spec.Cluster
	}
	return unset("cluster")
}
