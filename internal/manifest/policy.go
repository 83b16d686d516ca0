package manifest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"assay/internal/spec"
)

// policy is an IAM policy document.
type policy struct {
	Version   string
	Statement []statement
}

type statement struct {
	Sid       string
	Effect    string
	Principal map[string]string `json:",omitempty"`
	Action    []string
	Resource  []string                     `json:",omitempty"`
	Condition map[string]map[string]string `json:",omitempty"`
}

const policyVersion = "2012-10-17" // of the policy language

// secretsPolicy lets a role read the secrets that are named, and nothing else.
func (in Input) secretsPolicy() policy {
	s, region := in.Spec.Secrets, in.region()
	read := statement{Sid: "ReadTheKeys", Effect: "Allow", Action: []string{"secretsmanager:GetSecretValue", "secretsmanager:DescribeSecret"}}
	for _, key := range []spec.SecretKey{s.HuggingFace, s.NGC} {
		if key.Wanted() {
			// Secrets Manager puts six characters of its own behind a secret's name.
			arn := "arn:" + partition(region) + ":secretsmanager:" + region + ":" + in.account() + ":secret:" + key.Secret + "-??????"
			if !slices.Contains(read.Resource, arn) {
				read.Resource = append(read.Resource, arn)
			}
		}
	}
	p := policy{policyVersion, []statement{read}}
	if s.KMSKey != "" {
		p.Statement = append(p.Statement, statement{
			Sid: "DecryptThem", Effect: "Allow", Action: []string{"kms:Decrypt"}, Resource: []string{s.KMSKey},
			Condition: map[string]map[string]string{"StringEquals": {"kms:ViaService": "secretsmanager." + region + "." + domain(region)}},
		})
	}
	return p
}

// secretsTrust says who may take the role.
func (in Input) secretsTrust() policy {
	if in.Spec.Secrets.Auth != spec.AuthIRSA {
		only := map[string]string{
			"aws:RequestTag/kubernetes-namespace":       "external-secrets",
			"aws:RequestTag/kubernetes-service-account": "external-secrets",
		}
		if in.Spec.Cluster != "" {
			only["aws:RequestTag/eks-cluster-name"] = in.Spec.Cluster
		}
		return policy{policyVersion, []statement{{
			Sid: "OnlyTheOperator", Effect: "Allow", Principal: map[string]string{"Service": "pods.eks.amazonaws.com"},
			Action:    []string{"sts:AssumeRole", "sts:TagSession"},
			Condition: map[string]map[string]string{"StringEquals": only},
		}}}
	}
	provider := cmp.Or(in.Spec.Secrets.OIDCProvider, unset("secrets.oidc_provider"))
	return policy{policyVersion, []statement{{
		Sid: "OnlyTheStore", Effect: "Allow",
		Principal: map[string]string{"Federated": "arn:" + partition(in.region()) + ":iam::" + in.account() + ":oidc-provider/" + provider},
		Action:    []string{"sts:AssumeRoleWithWebIdentity"},
		Condition: map[string]map[string]string{"StringEquals": {
			provider + ":sub": "system:serviceaccount:" + cmp.Or(in.Spec.Namespace, "default") + ":" + in.storeName(),
			provider + ":aud": "sts.amazonaws.com",
		}},
	}}}
}

func policyJSON(document any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(document)
	return b.Bytes(), err
}

// partition of AWS that a region is in, as ARNs begin.
func partition(region string) string {
	switch {
	case strings.HasPrefix(region, "cn-"):
		return "aws-cn"
	case strings.HasPrefix(region, "us-gov-"):
		return "aws-us-gov"
	}
	return "aws"
}

func domain(region string) string {
	if partition(region) == "aws-cn" {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
}
