package load

import (
	"fmt"
	"strings"

	"assay/internal/wire"
)

// checkPath refuses a request body that is meant for another API than the one
// that is measured.
func checkPath(url, api string) error {
	if want := endpoint(api); want != "" && url != "" && !pathEnds(url, want) {
		return fmt.Errorf("the request is for %s, but the %s API is benchmarked: give a file for /v1/%s or choose the other API", url, api, want)
	}
	return nil
}

func endpoint(api string) string {
	switch api {
	case wire.Chat:
		return "chat/completions"
	case wire.Completions:
		return "completions"
	}
	return ""
}

// pathEnds says whether a URL's path is that of an endpoint below its version:
// /v1/chat/completions does not end in completions.
func pathEnds(url, endpoint string) bool {
	rest, ok := strings.CutSuffix(strings.TrimRight(url, "/"), endpoint)
	return ok && !strings.HasSuffix(rest, "chat/")
}
