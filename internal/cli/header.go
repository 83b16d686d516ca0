package cli

import (
	"fmt"
	"strings"

	"assay/internal/record"
	"assay/internal/wire"
)

// mostSecretBytes bounds a file that holds the value of a header or the URL of a
// proxy.
const mostSecretBytes = 16 << 10

// secretFrom resolves a value written as env:VARIABLE or file:PATH; given is
// false for any other.
func secretFrom(env *Env, flag, value string) (secret string, given bool, err error) {
	if variable, ok := strings.CutPrefix(value, "env:"); ok {
		secret = strings.TrimSpace(env.Getenv(variable))
		if secret == "" {
			return "", true, fmt.Errorf("%s: the environment variable %s is not set or empty", flag, variable)
		}
		return secret, true, nil
	}
	path, ok := strings.CutPrefix(value, "file:")
	if !ok {
		return "", false, nil
	}
	b, err := record.ReadFile(path, mostSecretBytes)
	if err != nil {
		return "", true, fmt.Errorf("%s: %w", flag, err)
	}
	secret = strings.TrimSpace(string(b))
	if secret == "" || strings.ContainsAny(secret, "\r\n") {
		return "", true, fmt.Errorf("%s: %s must hold one value on one line", flag, path)
	}
	return secret, true, nil
}

// readHeaders reads --header NAME=VALUE or 'NAME: VALUE'.
func readHeaders(env *Env, typed []string) ([]wire.Header, error) {
	var headers []wire.Header
	for _, t := range typed {
		at := strings.IndexAny(t, "=:")
		if at < 1 {
			return nil, fmt.Errorf("--header: it is NAME=VALUE, NAME=env:VARIABLE or NAME=file:PATH")
		}
		name, value := strings.TrimSpace(t[:at]), strings.TrimSpace(t[at+1:])
		secret, isSecret, err := secretFrom(env, "--header "+name, value)
		if err != nil {
			return nil, err
		}
		read := wire.NewHeader
		if isSecret {
			read, value = wire.NewSecretHeader, secret
		}
		h, err := read(name, value)
		if err != nil {
			return nil, fmt.Errorf("--header: %w", err)
		}
		headers = append(headers, h)
	}
	return headers, nil
}
