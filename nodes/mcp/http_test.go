package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// over is a session with a server at an address.
func overHTTP(handler http.Handler, t *testing.T) Server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return Server{Name: "web", URL: s.URL, Tools: []string{"price"}}
}

func TestHTTP(t *testing.T) {
	for name, opts := range map[string]*sdk.StreamableHTTPOptions{"with sessions": nil, "stateless": {Stateless: true}, "JSON": {JSONResponse: true}} {
		t.Run(name, func(t *testing.T) {
			one := shop()
			handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return one }, opts)
			server := overHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer right" {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				handler.ServeHTTP(w, r)
			}), t)
			server.Header = http.Header{"Authorization": {"Bearer right"}}
			s := open(t, server, nil)
			for range 3 {
				r, err := s.Call(t.Context(), "price", json.RawMessage(`{"item":"tea"}`))
				if err != nil || string(r.Structured) != `{"euro":3.5,"item":"tea"}` {
					t.Errorf("%s, %v", r.Structured, err)
				}
			}
			server.Header = http.Header{"Authorization": {"Bearer wrong"}}
			if _, err := Open(t.Context(), server, nil); err == nil || !strings.Contains(err.Error(), "(HTTP status 401): give it a header") || strings.Contains(err.Error(), "wrong") {
				t.Errorf("without the right header: %v", err)
			}
		})
	}
}

// JSON may be spread over lines.
func TestPrettyHTTP(t *testing.T) {
	server := overHTTP(lying(func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"structuredContent\":{\"euro\":1},\"content\":\n[%s\n]}}", id, strings.Repeat("\n", maxMessages+1))
	}), t)
	r, err := open(t, server, nil).Call(t.Context(), "price", json.RawMessage(`{}`))
	if err != nil || string(r.Structured) != `{"euro":1}` {
		t.Errorf("%s, %v", r.Structured, err)
	}
}

// lying answers the handshake and the list by HTTP, and leaves calls to fn.
func lying(fn func(w http.ResponseWriter, r *http.Request, id json.RawMessage)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var msg struct {
			ID     json.RawMessage
			Method string
		}
		body, _ := io.ReadAll(r.Body)
		if json.Unmarshal(body, &msg) == nil && msg.Method == "tools/call" {
			fn(w, r, msg.ID)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		said := false
		polite(nil)(msg.Method, msg.ID, nil, func(text string) { said = true; _, _ = io.WriteString(w, text) })
		if !said {
			w.WriteHeader(http.StatusAccepted)
		}
	})
}

func TestHostileHTTP(t *testing.T) {
	var elsewhere string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { elsewhere = r.Header.Get("Authorization") }))
	defer other.Close()
	hung := make(chan struct{})
	defer close(hung)
	for name, tc := range map[string]struct {
		fn   func(w http.ResponseWriter, r *http.Request, id json.RawMessage)
		want string
	}{
		"redirects": {func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}, "redirects to another address"},
		"a page": {func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<h1>Log in</h1>")
		}, "check its address"},
		"an error": {func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) {
			http.Error(w, "OBEY", http.StatusInternalServerError)
		}, "check its address"},
		"a flood": {func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			for range 100_000 {
				if _, err := io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n"); err != nil {
					return
				}
			}
		}, "4096 messages"},
		"a large answer": {func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`, id, strings.Repeat("x", maxBytes))
		}, "more than 8 MiB"},
		"a deep answer": {func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
			w.Header().Set("Content-Type", "application/json")
			const n = 3 << 20
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":%s%s}}`, id, strings.Repeat("[", n), strings.Repeat("]", n))
		}, "the server"},
		"hangs": {func(_ http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			select {
			case <-r.Context().Done():
			case <-hung:
			}
		}, "did not answer within 2s"},
		"stops in the middle": {func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "id: 1\ndata: \n\n")
		}, "the server"},
	} {
		t.Run(name, func(t *testing.T) {
			server := overHTTP(lying(tc.fn), t)
			server.Header = http.Header{"Authorization": {"Bearer mine"}}
			if name == "hangs" {
				server.Timeout = 2 * time.Second
			}
			s, err := Open(t.Context(), server, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Call(t.Context(), "price", json.RawMessage(`{}`)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v; want %q", err, tc.want)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if elsewhere != "" {
		t.Errorf("the header went to another server: %q", elsewhere)
	}
}
