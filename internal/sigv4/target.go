package sigv4

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/config"

	"assay/internal/wire"
)

// Wanted is what a user said of an endpoint that may be AWS's.
type Wanted struct {
	Target string // a URL, or bedrock or sagemaker for AWS's own of a region
	API    string // as in wire.Endpoint, or auto
	Scope  string // SERVICE, SERVICE/REGION, auto, none, or empty
	Region string
	Key    bool // the user gave a key or an Authorization header
}

// Words of Wanted.Scope.
const (
	scopeAuto = "auto" // the service is the API's
	scopeNone = "none" // not signed, whatever the host
)

// Resolve finds the endpoint's URL and API, and who signs its requests: nobody,
// where the target is none of AWS's, or a key is sent instead, and the user did
// not ask for it.
func Resolve(ctx context.Context, w Wanted, getenv func(string) string) (target, api string, signer wire.Signer, err error) {
	service, region, _ := strings.Cut(w.Scope, "/")
	if w.Region != "" && region != "" && w.Region != region {
		return "", "", nil, fmt.Errorf("--aws-region %s and --aws-sigv4 %s name two regions", w.Region, w.Scope)
	}
	scope := Scope{Service: service, Region: cmp.Or(region, w.Region)}
	if scope.Service == scopeAuto || scope.Service == scopeNone {
		scope.Service = ""
	}
	target, api, named := w.Target, w.API, false
	if host, of := hostOf(w.Target); host != "" {
		if scope.Region = cmp.Or(scope.Region, regionOf(ctx, getenv)); scope.Region == "" {
			return "", "", nil, fmt.Errorf("--target %s needs a region: give --aws-region, set AWS_REGION, or name a profile with one", w.Target)
		}
		if !isRegion(scope.Region) {
			return "", "", nil, fmt.Errorf("AWS region %q: it is one such as us-east-1", scope.Region)
		}
		named, target = true, "https://"+fmt.Sprintf(host, scope.Region)+domain(scope.Region)
		api = chosen(api, of)
	}
	host, path := place(target)
	if path == "" {
		api = chosen(api, apiAt(host))
	}
	scope.Service = cmp.Or(scope.Service, wire.ServiceOf(api), serviceIn(host))
	asked := w.Scope != "" && service != scopeNone
	if service == scopeNone || !asked && (w.Key || !named && !isAWS(host)) {
		return target, api, nil, nil
	}
	if scope.Region = cmp.Or(scope.Region, regionIn(host)); scope.Region == "" {
		scope.Region = regionOf(ctx, getenv)
	}
	switch {
	case scope.Service == "":
		return "", "", nil, errors.New("--aws-sigv4 needs a service, such as bedrock, sagemaker or execute-api: give --aws-sigv4 SERVICE/REGION")
	case scope.Region == "":
		return "", "", nil, errors.New("--aws-sigv4 needs a region: give --aws-region, set AWS_REGION, or name a profile with one")
	case !isRegion(scope.Region):
		return "", "", nil, fmt.Errorf("AWS region %q: it is one such as us-east-1", scope.Region)
	}
	s, err := New(ctx, scope)
	if err != nil {
		return "", "", nil, err
	}
	return target, api, s, nil
}

// hostOf is the host that a service's name stands for, without its domain and
// with a place for the region, and the service's own API.
func hostOf(name string) (host, api string) {
	switch name {
	case "bedrock":
		return "bedrock-runtime.%s", wire.BedrockConverse
	case "sagemaker":
		return "runtime.sagemaker.%s", wire.SageMaker
	}
	return "", ""
}

func domain(region string) string {
	if strings.HasPrefix(region, "cn-") {
		return ".amazonaws.com.cn"
	}
	return ".amazonaws.com"
}

// place is the host and the path of a target, both empty for what is no URL.
func place(target string) (host, path string) {
	if !strings.Contains(target, "://") {
		target = "http://" + target
	}
	u, err := url.Parse(target)
	if err != nil {
		return "", ""
	}
	return strings.ToLower(u.Hostname()), strings.Trim(u.Path, "/")
}

// automatic is the API of a user who leaves its choice to Assay.
const automatic = wire.Auto

// chosen is the API that the user named, else the one found.
func chosen(named, found string) string {
	if found != "" && (named == "" || named == automatic) {
		return found
	}
	return named
}

// apiAt is the API at the root of AWS's own endpoints, empty for other hosts.
func apiAt(host string) string {
	switch serviceIn(host) {
	case "bedrock":
		return wire.BedrockConverse
	case "sagemaker":
		return wire.SageMaker
	}
	return ""
}

func isAWS(host string) bool {
	return strings.HasSuffix(host, ".amazonaws.com") || strings.HasSuffix(host, ".amazonaws.com.cn")
}

var region = regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+){1,3}-\d{1,2}$`)

func isRegion(s string) bool { return region.MatchString(s) }

// regionIn is the region that a host of AWS's names, empty for none.
func regionIn(host string) string {
	if !isAWS(host) {
		return ""
	}
	for label := range strings.SplitSeq(host, ".") {
		if isRegion(label) {
			return label
		}
	}
	return ""
}

// serviceIn is the service for which requests to a host of AWS's are signed, as
// far as its name is not that of the service; empty where it is not known.
func serviceIn(host string) string {
	if !isAWS(host) {
		return ""
	}
	for label := range strings.SplitSeq(host, ".") {
		switch label {
		case "bedrock-runtime", "bedrock-runtime-fips":
			return "bedrock"
		case "sagemaker", "execute-api":
			return label
		}
	}
	return ""
}

// regionOf is the region of the environment, else of the shared configuration's
// profile.
func regionOf(ctx context.Context, getenv func(string) string) string {
	if named := cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION")); named != "" {
		return named
	}
	c, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return "" // New says why, where it is asked
	}
	return c.Region
}
