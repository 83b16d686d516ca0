package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// identity is a self-signed certificate with its key, as files.
type identity struct {
	cert      *x509.Certificate
	certFile  string
	keyFile   string
	authority *x509.CertPool // that trusts it
}

func newIdentity(t *testing.T, name string, change func(*x509.Certificate)) identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	if change != nil {
		change(template)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	id := identity{certFile: filepath.Join(dir, name+".crt"), keyFile: filepath.Join(dir, name+".key"), authority: x509.NewCertPool()}
	for file, block := range map[string]*pem.Block{
		id.certFile: {Type: "CERTIFICATE", Bytes: der}, id.keyFile: {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if id.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	id.authority.AddCert(id.cert)
	return id
}

func TestMutualTLS(t *testing.T) {
	server, alice, mallory := newIdentity(t, "llm.internal", nil), newIdentity(t, "alice", nil), newIdentity(t, "mallory", nil)
	pair, err := tls.LoadX509KeyPair(server.certFile, server.keyFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/models" {
				io.WriteString(w, `{"data":[{"id":"`+r.TLS.PeerCertificates[0].Subject.CommonName+`"}]}`)
				return
			}
			io.WriteString(w, role+content(r.TLS.PeerCertificates[0].Subject.CommonName)+last+done)
		}))
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.TLS = &tls.Config{
			MinVersion: version, MaxVersion: version,
			Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: alice.authority,
		}
		s.StartTLS()
		defer s.Close()
		for _, tt := range []struct {
			name         string
			as           identity
			kind, detail string
		}{
			{"the right certificate", alice, "", ""},
			{"another", mallory, KindTLS, "--cert"},
			{"none", identity{}, KindTLS, "--cert"},
		} {
			t.Run(tls.VersionName(version)+" "+tt.name, func(t *testing.T) {
				c := client(t, s.URL, func(e *Endpoint, o *Options) {
					e.CAFile, e.ServerName, e.CertFile, e.KeyFile = server.certFile, "llm.internal", tt.as.certFile, tt.as.keyFile
					o.KeepText = true
				})
				o := ask(c)
				failed(t, o, tt.kind, tt.detail)
				models, err := c.Models(t.Context())
				if tt.kind == "" && (o.Text != "alicex" || err != nil || models[0].ID != "alice") {
					t.Errorf("the server saw %q, and for a question %v, %v", o.Text, models, err)
				}
				if tt.kind != "" && (err == nil || !strings.Contains(err.Error(), "--cert")) {
					t.Errorf("a question: got error %v", err)
				}
			})
		}
	}
}

func TestClientCertificatesThatAreRefused(t *testing.T) {
	good, other := newIdentity(t, "good", nil), newIdentity(t, "other", nil)
	old := newIdentity(t, "old", func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })
	early := newIdentity(t, "early", func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) })
	served := newIdentity(t, "server", func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} })
	for _, tt := range []struct{ cert, key, why string }{
		{good.certFile, "", "--key FILE"},
		{"", good.keyFile, "--cert FILE"},
		{good.certFile, other.keyFile, "private key does not match"},
		{good.certFile, "missing.key", "no such file"},
		{good.keyFile, good.keyFile, "client certificate"},
		{old.certFile, old.keyFile, "expired on"},
		{early.certFile, early.keyFile, "valid only from"},
		{served.certFile, served.keyFile, "clientAuth"},
	} {
		_, err := New(Endpoint{URL: "https://host", CertFile: tt.cert, KeyFile: tt.key}, Options{})
		if err == nil || !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s with %s: got error %v, want one about %q", tt.cert, tt.key, err, tt.why)
		}
	}
	if _, err := New(Endpoint{URL: "http://host", CertFile: good.certFile, KeyFile: good.keyFile}, Options{}); err == nil || !strings.Contains(err.Error(), "https://") {
		t.Errorf("a certificate for a cleartext target: got error %v", err)
	}
}

func writePEM(t *testing.T, kind string, der []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
