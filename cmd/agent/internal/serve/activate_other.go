//go:build !unix

package serve

import (
	"net"

	"example.com/assay/cmd/agent/internal/cli"
)

// activated returns no socket: this system has no systemd.
func activated(cli.Environment) (net.Listener, error) { return nil, nil }
