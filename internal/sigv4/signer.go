package sigv4

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/config"
)

// Scope is what a signature is good for.
type Scope struct {
	Service string // such as bedrock
	Region  string // such as us-east-1
}

// Signer signs requests. It may be used by many goroutines at once.
type Signer struct {
	scope    Scope
	provider aws.CredentialsProvider
	signer   *v4.Signer
	now      func() time.Time

	current atomic.Pointer[aws.Credentials]
	renew   sync.Mutex
	retryAt time.Time // guarded by renew: no sooner after a try ahead of the end
}

const (
	// refreshAhead is how long before their end credentials are renewed, so that
	// none end between the signature and the server's look at it.
	refreshAhead = 5 * time.Minute
	// refreshAgain is the pause after a renewal that failed, or brought nothing
	// that holds longer, while the old credentials still hold.
	refreshAgain = 30 * time.Second
	// retrieveFor bounds one retrieval: off AWS the search ends at an address
	// where nobody answers.
	retrieveFor = 30 * time.Second
)

// New reads the configuration. Credentials are retrieved with the first request.
// The client's own cache gets no window: it would take it off the end that it
// says, and nothing would hold while a renewal fails.
func New(ctx context.Context, scope Scope) (*Signer, error) {
	c, err := config.LoadDefaultConfig(ctx, config.WithRegion(scope.Region),
		config.WithCredentialsCacheOptions(func(o *aws.CredentialsCacheOptions) { o.ExpiryWindow = 0 }))
	if err != nil {
		return nil, fmt.Errorf("read the AWS configuration: %w", err)
	}
	return &Signer{scope: scope, provider: c.Credentials, signer: v4.NewSigner(), now: time.Now}, nil
}

// Sign adds Authorization, X-Amz-Date and, for credentials that end,
// X-Amz-Security-Token to a request whose whole body is given. The session's
// token is the secret among them: a service quotes it where signatures differ.
// The host, the media type, the length and what is AWS's own are signed; what a
// proxy may change is not.
func (s *Signer) Sign(ctx context.Context, r *http.Request, body []byte) (secrets []string, err error) {
	c, err := s.credentials(ctx)
	if err != nil {
		return nil, err
	}
	signed := &http.Request{Method: r.Method, URL: r.URL, Host: r.Host, ContentLength: int64(len(body)), Header: http.Header{}}
	for name, values := range r.Header {
		if name == "Content-Type" || strings.HasPrefix(name, "X-Amz-") {
			signed.Header[name] = values
		}
	}
	sum := sha256.Sum256(body)
	if err := s.signer.SignHTTP(ctx, *c, signed, hex.EncodeToString(sum[:]), s.scope.Service, s.scope.Region, s.now()); err != nil {
		return nil, fmt.Errorf("sign for %s in %s: %w", s.scope.Service, s.scope.Region, err)
	}
	for _, name := range []string{"Authorization", "X-Amz-Date", "X-Amz-Security-Token"} {
		if value := signed.Header.Get(name); value != "" {
			r.Header.Set(name, value)
		}
	}
	secrets = []string{c.SecretAccessKey}
	if c.SessionToken != "" {
		secrets = append(secrets, c.SessionToken)
	}
	return secrets, nil
}

// credentials are those at hand. Near their end one caller renews them while the
// others go on with what still holds.
func (s *Signer) credentials(ctx context.Context) (*aws.Credentials, error) {
	c := s.current.Load()
	left := s.left(c)
	if left > refreshAhead {
		return c, nil
	}
	if left > 0 {
		if !s.renew.TryLock() {
			return c, nil
		}
		defer s.renew.Unlock()
		if s.now().Before(s.retryAt) {
			return s.current.Load(), nil
		}
		s.retryAt = s.now().Add(refreshAgain)
		if fresh, err := s.retrieve(ctx); err == nil {
			return fresh, nil
		}
		return s.current.Load(), nil
	}
	s.renew.Lock()
	defer s.renew.Unlock()
	if c := s.current.Load(); s.left(c) > 0 { // another has
		return c, nil
	}
	return s.retrieve(ctx)
}

// left is how long credentials hold yet; not at all for none.
func (s *Signer) left(c *aws.Credentials) time.Duration {
	switch {
	case c == nil:
		return 0
	case !c.CanExpire:
		return time.Hour
	}
	return c.Expires.Sub(s.now())
}

func (s *Signer) retrieve(ctx context.Context) (*aws.Credentials, error) {
	ctx, cancel := context.WithTimeout(ctx, retrieveFor)
	defer cancel()
	if cache, ok := s.provider.(*aws.CredentialsCache); ok {
		cache.Invalidate() // it would give what still holds
	}
	c, err := s.provider.Retrieve(ctx)
	if err != nil {
		return nil, fmt.Errorf("no AWS credentials: %w", err)
	}
	s.current.Store(&c)
	return &c, nil
}
