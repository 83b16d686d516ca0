package wire

import (
	"context"
	"errors"
	"net/http"
)

// resetPaths empty a prefix cache: vLLM's in development mode
// (VLLM_SERVER_DEV_MODE=1) and SGLang's. Both take an empty body and answer 200.
// Source: vllm/entrypoints/serve/cache/api_router.py, SGLang's http_server.py,
// both read 2026-11.
var resetPaths = []string{"/reset_prefix_cache", "/flush_cache"}

// ResetCache asks the server to empty its prefix cache. Neither server says
// whether it did: both do only while no request runs.
func (c *Client) ResetCache(ctx context.Context) error {
	var first error
	for _, path := range resetPaths {
		_, err := c.ask(ctx, http.MethodPost, path, nil, nil)
		if err == nil {
			return nil
		}
		var target *TargetError
		if !errors.As(err, &target) || target.Cause.Kind != KindNotFound {
			return err
		}
		if first == nil {
			first = err
		}
	}
	return first
}
