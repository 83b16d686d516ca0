package cli

import (
	"fmt"
	"strings"

	"assay/internal/record"
	"assay/internal/wire"
)

// mostKeyBytes bounds a key file: keys are some hundred bytes, tokens a few KiB.
const mostKeyBytes = 8 << 10

// readKey takes the API key from a file or the environment. It never comes
// from a flag's value: process lists and shell histories show those. No other
// service's variable is read: a key must not reach a target it was not meant for.
func readKey(env *Env, variable, file string) (wire.Key, error) {
	if file != "" {
		b, err := record.ReadFile(file, mostKeyBytes)
		if err != nil {
			return wire.Key{}, fmt.Errorf("read --api-key-file: %w", err)
		}
		key := strings.TrimSpace(string(b))
		if key == "" || strings.ContainsAny(key, "\r\n") {
			return wire.Key{}, fmt.Errorf("--api-key-file %s: it must hold one key on one line", file)
		}
		return wire.NewKey(key), nil
	}
	key := strings.TrimSpace(env.Getenv(variable))
	if key == "" {
		return wire.Key{}, nil
	}
	return wire.NewKey(key), nil
}
