package pgtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A wire carries all bytes, hangs up when it is cut, and accepts programs again.
func TestWire(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
	defer server.Close()
	wire := NewWire(t, "tcp", strings.TrimPrefix(server.URL, "http://"))
	ask := func() (string, error) {
		answer, err := http.Post("http://"+wire.Addr, "text/plain", strings.NewReader("over the wire"))
		if err != nil {
			return "", err
		}
		defer answer.Body.Close()
		data, err := io.ReadAll(answer.Body)
		return string(data), err
	}
	for _, refuses := range []bool{false, true, false} {
		wire.Cut(refuses)
		if said, err := ask(); refuses == (err == nil) || !refuses && said != "over the wire" {
			t.Errorf("refuses %v: %q, %v", refuses, said, err)
		}
	}
}
