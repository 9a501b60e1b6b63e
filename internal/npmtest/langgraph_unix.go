//go:build unix

package npmtest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// LangGraph starts LangGraph's development server in a folder that Clients made, and returns its
// address. It ends with the test.
func LangGraph(t testing.TB, dir string) (url string) {
	t.Helper()
	free := httptest.NewServer(nil) // finds a free port
	url = free.URL
	free.Close()
	cmd := exec.Command("npx", "langgraphjs", "dev", "--no-browser", "--port", url[strings.LastIndex(url, ":")+1:])
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LANGSMITH_TRACING=false", "LANGGRAPH_CLI_NO_ANALYTICS=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it starts further processes
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait() // it was killed
	})
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if answer, err := http.Get(url + "/ok"); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return url
			}
		}
	}
	t.Fatal("LangGraph's server does not start")
	return ""
}
