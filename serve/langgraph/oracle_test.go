//go:build unix

package langgraph_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// clients is a folder with the scripts of the oracle and the packages that they need, which
// are installed once, outside of the checkout.
func clients(t *testing.T) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the clients of LangGraph need %s", program)
		}
	}
	packages, err := os.ReadFile("oracle/package.json")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(packages)
	installed := filepath.Join(cache, "assay-ci", "clients-"+hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(filepath.Join(installed, "complete")); err != nil {
		if err := os.MkdirAll(installed, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(installed, "package.json"), packages)
		cmd := exec.Command("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent")
		if cmd.Dir = installed; cmd.Run() != nil {
			t.Skip("the clients of LangGraph cannot be installed: npm install failed")
		}
		write(t, filepath.Join(installed, "complete"), nil)
	}
	dir := t.TempDir()
	scripts, err := filepath.Glob("oracle/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, filepath.Base(name)), data)
	}
	if err := os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

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

// driven is what the clients of a script get of a server, by scenario.
func driven(t *testing.T, dir, script, url string) map[string]any {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "node", script, url)
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
	dir := clients(t)
	own, other := served(t).URL, reference(t, dir)
	for _, script := range []string{"drive.mjs", "hooks.mjs"} {
		ours, theirs := driven(t, dir, script, own), driven(t, dir, script, other)
		for name, want := range theirs {
			if diff := cmp.Diff(want, ours[name]); diff != "" {
				t.Errorf("%s: - LangGraph's server, + this one:\n%s", name, diff)
			}
		}
		if len(ours) != len(theirs) {
			t.Errorf("%s: %d and %d scenarios", script, len(ours), len(theirs))
		}
	}
}
