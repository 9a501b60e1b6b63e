//go:build !unix

package serve

import (
	"net"

	"example.com/assay/cmd/agent/internal/cli"
)

// activated is the socket that systemd has opened, which there is none of here.
func activated(cli.Environment) (net.Listener, error) { return nil, nil }
