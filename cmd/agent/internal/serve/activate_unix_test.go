//go:build unix

package serve_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/serve"
)

// envServes makes the test's program run agent serve in a separate process.
const envServes = "ASSAY_TEST_SERVES"

func TestMain(m *testing.M) {
	if os.Getenv(envServes) == "" {
		os.Exit(m.Run())
	}
	a := cli.New(os.Stdin, os.Stdout, os.Stderr, os.Environ())
	a.Models = open.Local()
	os.Exit(clitest.Run(context.Background(), a, []string{"serve", "--no-auth", "--addr", "127.0.0.1:1"}, serve.Command(a, "test")))
}

// The server serves a socket that systemd passes. The socket stays open between two servers: the
// next one answers a request that came without a server.
func TestSocketOfSystemd(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	file, err := socket.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	serves := func() *exec.Cmd {
		cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ LISTEN_FDS=1 exec "$0"`, os.Args[0])
		cmd.Env, cmd.ExtraFiles, cmd.Stderr = append(os.Environ(), envServes+"=1", cli.EnvHome+"="+home), []*os.File{file}, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	for range 2 {
		cmd := serves()
		res, err := client.Get("http://" + socket.Addr().String() + "/ok")
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("%s, %v", res.Status, err)
		}
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the error says that it was killed
	}
}
