package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

// tlsConfig is for connections to host, which a ServerName replaces.
func (e Endpoint) tlsConfig(host string, protocols ...string) (*tls.Config, error) {
	if e.ServerName != "" {
		host = e.ServerName
	}
	c := &tls.Config{ServerName: host, InsecureSkipVerify: e.InsecureTLS, NextProtos: protocols}
	var err error
	if c.RootCAs, err = authorities(e.CAFile); err != nil {
		return nil, err
	}
	if c.Certificates, err = clientCertificate(e.CertFile, e.KeyFile, time.Now()); err != nil {
		return nil, err
	}
	return c, nil
}

// authorities reads a PEM file; without one they are nil, which means the system's.
func authorities(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read certificate authorities: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", file)
	}
	return pool, nil
}

// clientCertificate reads and checks what the client shows of itself: a server
// that refuses it often says no more than that the connection is over.
func clientCertificate(certFile, keyFile string, now time.Time) ([]tls.Certificate, error) {
	switch {
	case certFile == "" && keyFile == "":
		return nil, nil
	case keyFile == "":
		return nil, fmt.Errorf("--cert %s needs its key: give --key FILE", certFile)
	case certFile == "":
		return nil, fmt.Errorf("--key %s needs its certificate: give --cert FILE", keyFile)
	}
	certPEM, err := os.ReadFile(certFile)
	if err != nil {
		return nil, fmt.Errorf("read client certificate: %w", err)
	}
	keyPEM, err := os.ReadFile(keyFile)
	if err != nil {
		return nil, fmt.Errorf("read client key: %w", err)
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("client certificate %s with key %s: %w", certFile, keyFile, err)
	}
	leaf := pair.Leaf
	switch {
	case now.After(leaf.NotAfter):
		return nil, fmt.Errorf("client certificate %s expired on %s", certFile, leaf.NotAfter.UTC().Format(time.DateTime))
	case now.Before(leaf.NotBefore):
		return nil, fmt.Errorf("client certificate %s is valid only from %s on", certFile, leaf.NotBefore.UTC().Format(time.DateTime))
	case !mayIdentifyClients(leaf):
		return nil, fmt.Errorf("client certificate %s is not for clients: its extended key usage has no clientAuth", certFile)
	}
	return []tls.Certificate{pair}, nil
}

func mayIdentifyClients(leaf *x509.Certificate) bool {
	if len(leaf.ExtKeyUsage) == 0 && len(leaf.UnknownExtKeyUsage) == 0 {
		return true
	}
	for _, u := range leaf.ExtKeyUsage {
		if u == x509.ExtKeyUsageClientAuth || u == x509.ExtKeyUsageAny {
			return true
		}
	}
	return false
}

// refusedCertificate is what to do about an alert by which a server misses or
// refuses the client's certificate; "" for any other error. With TLS 1.3 it
// comes as the answer to the first request. crypto/tls names alerts in words only.
func refusedCertificate(err error) string {
	var remote *net.OpError
	if !errors.As(err, &remote) || remote.Op != "remote error" {
		return ""
	}
	switch words := remote.Err.Error(); {
	case strings.Contains(words, "certificate required"):
		return "the server wants a client certificate: give --cert and --key"
	case strings.Contains(words, "certificate"), strings.Contains(words, "access denied"):
		return "the server misses or refuses the client certificate; see --cert and --key"
	case strings.Contains(words, "handshake failure"): // with TLS 1.2 it may be that, too
		return "the server may want another client certificate; see --cert and --key"
	}
	return ""
}
