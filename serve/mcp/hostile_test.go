package mcp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/serve/mcp"
	"example.com/assay/serve/runs"
)

// Fifty clients at once, of both versions, each get their own outputs, and those of one
// tenant nothing of the other's.
func TestManySessions(t *testing.T) {
	m := mounted(t, mcp.Options{})
	s := httptest.NewServer(m.Handler(func(r *http.Request) string { return r.Header.Get("X-Tenant") }))
	defer s.Close()
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			tenant, version := []string{"ann", "bob"}[i%2], []string{"2026-07-28", "2025-06-18"}[i/2%2]
			c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(),
				&sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &http.Client{Transport: as(tenant)}}, &sdk.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = c.Close() }()
			for n := range 10 {
				word := fmt.Sprintf("%d-%d", i, n)
				res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": word}})
				want := fmt.Sprintf("map[parts:[%s] text:%s: %s]", word, tenant, strings.Repeat(word[:1], 3))
				if err != nil || fmt.Sprint(res.StructuredContent) != want {
					t.Errorf("client %d: %v, %v", i, res, err)
				}
			}
		})
	}
	all.Wait()
}

// as is a client of a tenant.
type as string

func (a as) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Tenant", string(a))
	return http.DefaultTransport.RoundTrip(r)
}

// begin begins the session of an old client, and returns the status.
func begin(t *testing.T, url string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// Sessions of old clients are bounded, and end by themselves; new clients need none.
func TestSessionsBounded(t *testing.T) {
	caller := func(*http.Request) string { return "ann" }
	s := httptest.NewServer(mounted(t, mcp.Bounded(mcp.Options{}, 3, time.Hour)).Handler(caller))
	defer s.Close()
	for i, want := range []int{200, 200, 200, 503, 503} {
		if status := begin(t, s.URL); status != want {
			t.Errorf("session %d begins with %d", i+1, status)
		}
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: s.URL}, &sdk.ClientSessionOptions{ProtocolVersion: "2026-07-28"})
	if err != nil {
		t.Fatalf("a client without a session: %v", err)
	}
	_ = c.Close()
	short := httptest.NewServer(mounted(t, mcp.Bounded(mcp.Options{}, 1, time.Millisecond)).Handler(caller))
	defer short.Close()
	for range 3 {
		for until := time.Now().Add(30 * time.Second); begin(t, short.URL) != http.StatusOK; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatal("idle sessions do not end")
			}
		}
	}
}

// What a client began ends when it vanishes: with its connection over HTTP, with its pipe
// over standard input.
func TestVanish(t *testing.T) {
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"endless","arguments":{"text":"it"},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"}}}}`
	for name, begin := range map[string]func(t *testing.T, m *mcp.Mounting) (vanish func()){
		"http": func(t *testing.T, m *mcp.Mounting) func() {
			s := httptest.NewServer(m.Handler(func(*http.Request) string { return "ann" }))
			t.Cleanup(s.Close)
			ctx, stop := context.WithCancel(t.Context())
			r, err := http.NewRequestWithContext(ctx, "POST", s.URL, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "endless"} {
				r.Header.Set(name, value)
			}
			go func() {
				if res, err := http.DefaultClient.Do(r); err == nil {
					said, _ := io.ReadAll(res.Body)
					_ = res.Body.Close()
					if ctx.Err() == nil {
						t.Errorf("it ends by itself: %s", said)
					}
				}
			}()
			return stop
		},
		"stdio": func(t *testing.T, m *mcp.Mounting) func() {
			in, client := io.Pipe()
			served := make(chan error, 1)
			go func() { served <- m.Serve(context.Background(), "ann", in, quiet{}) }()
			if _, err := io.WriteString(client, body+"\n"); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := <-served; err != nil {
					t.Error(err)
				}
			})
			return func() { _ = client.Close() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			began, ended := make(chan string, 1), make(chan string, 1)
			manager, done := opened(t, t.TempDir(), runs.Graph{Name: "endless", App: endless(began, ended).App()})
			defer done()
			vanish := begin(t, mounted(t, mcp.Options{Space: spaces(manager)}))
			<-began
			vanish()
			select {
			case <-ended:
			case <-time.After(30 * time.Second):
				t.Error("the run goes on")
			}
		})
	}
}

// quiet is an output that nobody reads.
type quiet struct{}

func (quiet) Write(p []byte) (int, error) { return len(p), nil }
func (quiet) Close() error                { return nil }
