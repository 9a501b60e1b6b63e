//go:build unix

package langgraph_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/serve/internal/npmtest"
)

// reference starts LangGraph's own development server.
func reference(t *testing.T, dir string) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("npx", "langgraphjs", "dev", "--no-browser", "--port", port)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LANGSMITH_TRACING=false", "LANGGRAPH_CLI_NO_ANALYTICS=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it starts processes of its own
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	url = "http://127.0.0.1:" + port
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		if answer, err := http.Get(url + "/ok"); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return url
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("the reference server does not start")
		}
	}
}

// driven is what the clients get of a server, by scenario.
func driven(t *testing.T, dir, url string) map[string]any {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "node", "drive.mjs", url)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	data, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// What clients read of this server is what they read of LangGraph's.
func TestOracle(t *testing.T) {
	if os.Getenv("ASSAY_TEST_ORACLE") == "" {
		t.Skip("ASSAY_TEST_ORACLE is not set; differences remain, see docs/rough_edges.md")
	}
	dir := npmtest.Clients(t, "oracle")
	ours := driven(t, dir, served(t).URL)
	theirs := driven(t, dir, reference(t, dir))
	for name, want := range theirs {
		if diff := cmp.Diff(want, ours[name]); diff != "" {
			t.Errorf("%s: - LangGraph's server, + this one:\n%s", name, diff)
		}
	}
	if len(ours) != len(theirs) {
		t.Errorf("%d and %d scenarios", len(ours), len(theirs))
	}
}
