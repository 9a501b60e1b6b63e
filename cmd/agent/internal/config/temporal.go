package config

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/memory/text"
)

// A Temporal is the Temporal server whose workers run pipelines. With the zero value this process
// runs them.
type Temporal struct {
	Address   string // HOST:PORT
	Namespace string
	TLS       *tls.Config // nil for a connection in the clear
	Shown     string      // the address for people
}

// EnvTemporalKey is the variable of the API key for a Temporal server.
const EnvTemporalKey = "ASSAY_TEMPORAL_KEY"

// Examples of addresses with a namespace, without encryption and with it.
const (
	temporalExample    = "temporal.example.com:7233/default"
	temporalTLSExample = "tls://temporal.example.com:7233/default"
)

// RegisterTemporal adds the flag of verbs whose runs can be on a Temporal server.
func RegisterTemporal(flags *pflag.FlagSet) {
	flags.String("temporal", "", "`ADDRESS` of a Temporal server whose workers (agent worker) run the pipeline, such as "+temporalExample+"; tls://… encrypts; it needs --store")
}

func temporalSetting() Setting {
	return Setting{
		key: "temporal", variable: "ASSAY_TEMPORAL", flag: "temporal", example: temporalTLSExample,
		about: "The Temporal server, HOST:PORT[/NAMESPACE] or tls://HOST:PORT[/NAMESPACE]?ca=FILE&cert=FILE&key=FILE&server_name=NAME, whose workers run pipelines and keep them running when one of them dies; none by default. It needs a store. " + EnvTemporalKey + " holds an API key.",
		set: func(p *parser, s *Settings, from origin, text string) {
			at, err := parseTemporal(text, from.path)
			if err != nil {
				p.fail(cli.Usagef("%s is %q: %w", from, text, err))
			}
			s.Temporal = at
		},
		show: func(s *Settings) string { return s.Temporal.Shown },
	}
}

// parseTemporal reads an address. Where makes its relative paths absolute.
func parseTemporal(given string, where func(string) string) (Temporal, error) {
	if given == "" {
		return Temporal{}, nil
	}
	if lean {
		return Temporal{}, cli.NotBuilt("Temporal")
	}
	plain, encrypted := strings.CutPrefix(given, "tls://")
	at, query, _ := strings.Cut(plain, "?")
	address, namespace, _ := strings.Cut(at, "/")
	if host, port, err := net.SplitHostPort(address); err != nil || host == "" || port == "" || strings.Contains(namespace, "/") || !encrypted && plain != at {
		return Temporal{}, fmt.Errorf("it must be HOST:PORT or HOST:PORT/NAMESPACE, such as %s, or with encryption %s", temporalExample, temporalTLSExample)
	}
	t := Temporal{Address: address, Namespace: cmp.Or(namespace, "default")}
	t.Shown = t.Address + "/" + t.Namespace
	if !encrypted {
		return t, nil
	}
	t.Shown = "tls://" + t.Shown
	options, err := url.ParseQuery(query)
	if err != nil {
		return t, fmt.Errorf("reading what follows the question mark: %w", err)
	}
	t.TLS, err = temporalTLS(options, where)
	return t, err
}

// temporalTLS makes the configuration of an encrypted connection. Without the option ca, the
// system's authorities vouch for the server.
func temporalTLS(options url.Values, where func(string) string) (*tls.Config, error) {
	known := []string{"ca", "cert", "key", "server_name"}
	for name, values := range options {
		if !slices.Contains(known, name) || len(values) != 1 || values[0] == "" {
			return nil, fmt.Errorf("the option %q is unknown, empty or given twice%s; there are ca, cert, key and server_name", name, text.DidYouMean(name, known))
		}
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: options.Get("server_name")}
	if ca := options.Get("ca"); ca != "" {
		data, err := os.ReadFile(where(ca))
		if err != nil {
			return nil, fmt.Errorf("reading the authority's certificates: %w", err)
		}
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("%s has no certificate in PEM", ca)
		}
	}
	switch cert, key := options.Get("cert"), options.Get("key"); {
	case (cert == "") != (key == ""):
		return nil, errors.New("cert and key belong together: give both or none")
	case cert != "":
		pair, err := tls.LoadX509KeyPair(where(cert), where(key))
		if err != nil {
			return nil, fmt.Errorf("reading the client's certificate: %w", err)
		}
		t.Certificates = []tls.Certificate{pair}
	}
	return t, nil
}
