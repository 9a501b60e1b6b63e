package open

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
)

// A server that cannot be opened makes each question fail; it is never left out silently.
func TestSessionsThatFail(t *testing.T) {
	s := config.Default(false)
	s.Servers = map[string]*config.Server{"a": {Name: "a", Command: "no-such-program"}, "b": {Name: "b", Command: "x", Env: []string{"NO_SUCH_VARIABLE"}}}
	x := PlainExchange(&cli.App{Env: cli.NewEnvironment(nil)}, s)
	for range 2 {
		sessions, err := x.Sessions(t.Context(), s)
		if err == nil || len(sessions) > 0 || !strings.Contains(err.Error(), `"no-such-program" cannot be started`) || !strings.Contains(err.Error(), "NO_SUCH_VARIABLE, which is not set") {
			t.Errorf("%v, %v", sessions, err)
		}
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

func TestServerOfSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "header")
	write := func(text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
	}
	env := cli.NewEnvironment([]string{"A=1", "EMPTY=", "B=2"})
	got, err := Server(env, &config.Server{Name: "a", Command: "x", Env: []string{"A", "EMPTY"}, Tools: []string{"read"}, Ask: []string{"write"}})
	if err != nil || cmp.Diff([]string{"A=1", "EMPTY="}, got.Env) != "" || cmp.Diff([]string{"read", "write"}, got.Tools) != "" {
		t.Errorf("%+v, %v", got, err)
	}
	web := &config.Server{Name: "a", URL: "https://host", HeaderFile: file}
	write("Authorization: Bearer hunter2\n\nX-Team: a: b\n", 0o600)
	if got, err := Server(env, web); err != nil || cmp.Diff(http.Header{"Authorization": {"Bearer hunter2"}, "X-Team": {"a: b"}}, got.Header) != "" {
		t.Errorf("%+v, %v", got.Header, err)
	}
	for text, want := range map[string]string{"hunter2": "line 1 of the file is not a header", "A: b\nhunter 2: x": "line 2", "A: b\x01hunter2": "line 1", "": "is empty"} {
		write(text, 0o600)
		if _, err := Server(env, web); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
	write("A: b", 0o644)
	if _, err := Server(env, web); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file that others may read: %v", err)
	}
}
