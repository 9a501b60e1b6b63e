package config

import (
	"cmp"
	"errors"
	"net"
	"strings"

	"github.com/spf13/pflag"

	"example.com/assay/cmd/agent/internal/cli"
)

// A Temporal is the Temporal server whose workers run pipelines. The zero value is
// none: this process runs them.
type Temporal struct {
	Address   string // HOST:PORT
	Namespace string
}

// temporalExample is an address with a namespace.
const temporalExample = "temporal.example.com:7233/default"

// RegisterTemporal adds the flag of verbs that know runs on a server.
func RegisterTemporal(flags *pflag.FlagSet) {
	flags.String("temporal", "", "`ADDRESS` of a Temporal server whose workers (agent worker) run the pipeline, such as "+temporalExample+"; it needs --store")
}

func temporalSetting() Setting {
	return Setting{
		key: "temporal", variable: "ASSAY_TEMPORAL", flag: "temporal", example: temporalExample,
		about: "The Temporal server, HOST:PORT[/NAMESPACE], whose workers run pipelines and keep them running when one of them dies; none by default. It needs a store.",
		set: func(p *parser, s *Settings, from origin, text string) {
			at, err := parseTemporal(text)
			if err != nil {
				p.fail(cli.Usagef("%s is %q: %w", from, text, err))
			}
			s.Temporal = at
		},
		show: func(s *Settings) string {
			if s.Temporal.Address == "" {
				return ""
			}
			return s.Temporal.Address + "/" + s.Temporal.Namespace
		},
	}
}

func parseTemporal(text string) (Temporal, error) {
	if text == "" {
		return Temporal{}, nil
	}
	address, namespace, _ := strings.Cut(text, "/")
	if host, port, err := net.SplitHostPort(address); err != nil || host == "" || port == "" || strings.Contains(namespace, "/") {
		return Temporal{}, errors.New("it must be HOST:PORT or HOST:PORT/NAMESPACE, such as " + temporalExample)
	}
	return Temporal{address, cmp.Or(namespace, "default")}, nil
}
