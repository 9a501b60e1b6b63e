//go:build !unix

package serve

import (
	"net"
	"os/exec"

	"example.com/assay/cmd/agent/internal/cli"
)

// activated returns no socket: this system has no systemd.
func activated(cli.Environment) (net.Listener, error) { return nil, nil }

// apart does nothing: see the other systems.
func apart(*exec.Cmd) {}
