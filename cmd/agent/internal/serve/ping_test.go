package serve

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/clitest"
)

func TestPing(t *testing.T) {
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" || r.Host != "localhost" {
			status = http.StatusNotFound
		}
		w.WriteHeader(status)
	}))
	addr := strings.TrimPrefix(server.URL, "http://")
	ping := func() int {
		a, _, _ := clitest.App(t.TempDir())
		return clitest.Run(t.Context(), a, []string{"serve", "--ping", "--addr", addr}, Command(a, "test"))
	}
	if code := ping(); code != 0 {
		t.Errorf("a ready server: exit code %d", code)
	}
	if status = http.StatusServiceUnavailable; ping() != 1 {
		t.Error("a server that is not ready is taken for one")
	}
	server.Close()
	if ping() != 1 {
		t.Error("a server that is not there is taken for one")
	}
}
