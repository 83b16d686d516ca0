package cli

import (
	"fmt"
	"net/url"
	"strings"
)

// readURL is the URL of metrics that a flag says: as typed, or from a variable or
// a file where it holds a secret. One without a path stands for that path.
func readURL(env *Env, flag, typed, path string) (*url.URL, error) {
	raw, secret, err := secretFrom(env, flag, typed)
	if err != nil {
		return nil, err
	}
	if !secret {
		raw = typed
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%s: it is a URL such as http://localhost:8000%s", flag, path) // its words may hold a key
	case u.User != nil && !secret:
		return nil, fmt.Errorf("%s: credentials are not taken from the command line, where process lists show them: give %s env:VARIABLE or file:PATH with the whole URL", flag, flag)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = path
	}
	return u, nil
}
