package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// ErrNoCluster says that there is no kubeconfig, and that this is no pod.
var ErrNoCluster = errors.New("no cluster is at hand: no kubeconfig was found, and this is not a pod")

// connect finds the API and the namespace as kubectl would.
func connect(o Options) (*api, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	// A kubeconfig that KUBECONFIG names and that is not there is no reason to
	// write to stderr.
	rules.WarnIfAllMissing = false
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: o.Context})
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, "", configError(o, err)
	}
	namespace := o.Namespace
	if namespace == "" {
		if namespace, _, err = loader.Namespace(); err != nil {
			return nil, "", configError(o, err)
		}
	}
	plugin := ""
	if config.ExecProvider != nil {
		plugin = config.ExecProvider.Command
		config.ExecProvider.StdinUnavailable = true
		config.ExecProvider.StdinUnavailableMessage = "assay asks nothing: log in first, for example with aws sso login"
	}
	config.UserAgent = "assay"
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, "", configError(o, err)
	}
	// The transport adds the credentials to any request, so also to one that a
	// redirect leads to another host.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, "", fmt.Errorf("the server of the kubeconfig is no URL; kubectl config view shows it")
	}
	base.User, base.RawQuery, base.Fragment = nil, "", ""
	return &api{base: base, client: client, plugin: plugin}, cmp.Or(namespace, "default"), nil
}

// configError says what of a kubeconfig is wrong.
func configError(o Options, err error) error {
	switch {
	case clientcmd.IsEmptyConfig(err) && o.Context == "" && o.Kubeconfig == "":
		return ErrNoCluster
	case clientcmd.IsEmptyConfig(err):
		return fmt.Errorf("kubeconfig %s: it has no cluster to talk to", cmp.Or(o.Kubeconfig, "as kubectl finds it"))
	case o.Context != "":
		return fmt.Errorf("kubeconfig: %s; kubectl config get-contexts lists what there is", withoutCredentials(err.Error()))
	}
	return fmt.Errorf("kubeconfig: %s", withoutCredentials(err.Error()))
}

// credentials are what a URL may hold of them: user info, and a query.
var credentials = regexp.MustCompile(`//[^\s"]*@|\?[^\s"]*`)

// withoutCredentials hides them in an error of client-go, which quotes a proxy-url
// that it does not like.
func withoutCredentials(s string) string {
	return credentials.ReplaceAllStringFunc(s, func(found string) string {
		if found[0] == '?' {
			return "?[hidden]"
		}
		return "//[hidden]@"
	})
}
