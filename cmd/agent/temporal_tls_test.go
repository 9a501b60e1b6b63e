package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/graph/temporal/temporaltest"
	"example.com/assay/internal/pgtest"
)

// certificates are the files of an authority and of a certificate that it signed, for both ends
// of a connection to 127.0.0.1.
type certificates struct{ ca, cert, key string }

func newCertificates(t *testing.T) certificates {
	t.Helper()
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	sign := func(c, parent *x509.Certificate, of, by *ecdsa.PrivateKey) []byte {
		t.Helper()
		c.SerialNumber, c.Subject = big.NewInt(int64(len(c.IPAddresses)+1)), pkix.Name{CommonName: "assay test"}
		c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		der, err := x509.CreateCertificate(rand.Reader, c, parent, &of.PublicKey, by)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	newKey := func() *ecdsa.PrivateKey {
		t.Helper()
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	root, own := newKey(), newKey()
	ca := &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	leaf := &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	signed := sign(ca, ca, root, root)
	key, err := x509.MarshalPKCS8PrivateKey(own)
	if err != nil {
		t.Fatal(err)
	}
	return certificates{write("ca.pem", "CERTIFICATE", signed), write("cert.pem", "CERTIFICATE", sign(leaf, ca, own, root)), write("key.pem", "PRIVATE KEY", key)}
}

// inTLS is the address of a server that demands TLS with a client's certificate, and passes all
// bytes to another server without encryption.
func inTLS(t *testing.T, c certificates, to string) string {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(c.ca)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(data)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: roots, ClientAuth: tls.RequireAndVerifyClientCert, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close() // ends Accept
		all.Wait()
	})
	all.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer near.Close()
				far, err := net.Dial("tcp", to)
				if err != nil {
					t.Error(err)
					return
				}
				all.Go(func() {
					defer far.Close()
					_, _ = io.Copy(far, near) // until one end closes, as clients do
				})
				_, _ = io.Copy(near, far)
			})
		}
	})
	return listener.Addr().String()
}

// A worker and a question reach the server by TLS, and the doctor counts the workers. The doctor
// says what is wrong when the address lacks the certificate of the server's authority.
func TestTemporalByTLS(t *testing.T) {
	own, other := newCertificates(t), newCertificates(t)
	address := inTLS(t, own, temporaltest.Address(t))
	u := storeUser{t: t, home: t.TempDir(), env: map[string]string{config.EnvStore: pgtest.URL(t, pgtest.Schema(t))}}
	clitest.Ingest(t, u.home, clitest.Permits)
	u.env["ASSAY_TEMPORAL"] = "tls://" + address + "?ca=" + own.ca + "&cert=" + own.cert + "&key=" + own.key
	u.shows(`(?m)^warn  temporal +tls://127.0.0.1:\d+/default: Temporal [0-9.]+.*(no worker on queue|without the search attributes)`, "doctor") // the first worker makes the attributes
	defer u.works()()
	u.shows("", "ask", clitest.PermitQuestion)
	u.shows(`(?m)^ok    temporal +tls://127.0.0.1:\d+/default: Temporal [0-9.]+, 1 worker on queue`, "doctor")
	for address, want := range map[string]string{
		"tls://" + address + "?ca=" + other.ca + "&cert=" + own.cert + "&key=" + own.key: "certificate signed by unknown authority",
		"tls://" + address + "?ca=" + own.ca:                                             "connecting to the Temporal server at tls://", // what a server without a certificate hears first is chance
		address:                                                                          "connecting to the Temporal server",
		"127.0.0.1:1":                                                                    "connection refused",
	} {
		if got := u.run(cli.ExitFailed, "doctor", "--temporal", address); !strings.Contains(got, want) {
			t.Errorf("%s: the doctor does not say %q:\n%s", address, want, got)
		}
	}
	if got := u.run(cli.ExitFailed, "doctor", "--temporal", temporaltest.Address(t)+"/nowhere"); !strings.Contains(got, "namespace create --namespace nowhere") {
		t.Errorf("a namespace that is not there: %s", got)
	}
}

// An API key goes to the server in its header, and never without encryption.
func TestTemporalKey(t *testing.T) {
	got := make(chan string, 100)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case got <- r.Header.Get("Authorization"):
		default: // the server is called again and again
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	address := server.Listener.Addr().String()
	u := storeUser{t: t, home: t.TempDir(), env: map[string]string{config.EnvStore: "postgres://assay@127.0.0.1:1/assay?connect_timeout=1", config.EnvTemporalKey: "s3cret"}}
	said := u.run(cli.ExitFailed, "doctor", "--temporal", "tls://"+address+"?ca="+ca)
	if key := <-got; key != "Bearer s3cret" || strings.Contains(said, "s3cret") {
		t.Errorf("the server got %q; the doctor says\n%s", key, said)
	}
	if said := u.run(cli.ExitUsage, "worker", "--temporal", address); !strings.Contains(said, "write tls://"+address) {
		t.Errorf("in the clear: %s", said)
	}
}
