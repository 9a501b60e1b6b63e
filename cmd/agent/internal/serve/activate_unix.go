//go:build unix

package serve

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"example.com/assay/cmd/agent/internal/cli"
)

// firstSocket is the number of the first file descriptor that systemd passes.
const firstSocket = 3

// activated returns the socket that systemd opened for this process, nil for none.
func activated(env cli.Environment) (net.Listener, error) {
	if env.Get("LISTEN_PID") != strconv.Itoa(os.Getpid()) {
		return nil, nil
	}
	if n := env.Get("LISTEN_FDS"); n != "1" {
		return nil, cli.Usagef("systemd hands over %s sockets: the socket unit must have one ListenStream", n)
	}
	file := os.NewFile(firstSocket, "socket of systemd")
	l, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("taking the socket of systemd: %w", err)
	}
	return l, file.Close()
}

// apart lets a program outlive the server: Ctrl-C in the terminal does not reach it.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
