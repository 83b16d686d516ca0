package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/prometheus/common/expfmt"
)

const (
	// ScrapeTimeout bounds one scrape. Prometheus's default is 10 s; a level's
	// edge cannot wait that long.
	ScrapeTimeout = 5 * time.Second
	// MaxBody bounds what is read of one scrape. vLLM's is about 65 KiB.
	MaxBody = 16 << 20
)

// Scrape reads a server's metrics once. At is the middle of the exchange. The
// error never holds the URL, which may hold a key.
func Scrape(ctx context.Context, target string, client *http.Client) (Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, ScrapeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return Snapshot{}, fmt.Errorf("scrape metrics: %w", withoutURL(err))
	}
	req.Header.Set("Accept", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
	start := time.Now()
	resp, err := client.Do(req)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errLate
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("scrape metrics: %w", withoutURL(err))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Snapshot{}, fmt.Errorf("scrape metrics: %w", StatusError(resp.StatusCode))
	}
	s, err := Parse(resp.Body)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errLate
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("scrape metrics: %w", err)
	}
	s.At = start.Add(time.Since(start) / 2)
	return s, nil
}

var errLate = fmt.Errorf("no whole answer within %v", ScrapeTimeout)

// StatusError is an answer with another status than 200.
type StatusError int

func (e StatusError) Error() string { return fmt.Sprintf("HTTP %d", int(e)) }

func withoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
