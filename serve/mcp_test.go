package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/serve"
	"example.com/assay/serve/mcp"
)

// add is a tool that runs the graph one.
var add = mcp.NewTool(mcp.About{Name: "add"}, func(ctx context.Context, c *mcp.Call, in count) (count, error) {
	end, err := c.Run(ctx, mcp.Job{Graph: "one", Values: json.RawMessage(fmt.Sprintf(`{"n":%d}`, in.N))})
	if err != nil {
		return count{}, err
	}
	var out count
	return out, json.Unmarshal(end.Values, &out)
})

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// With its token a client calls tools, whose runs are the tenant's; without one it learns
// where it reads what it needs. The session of an old client is its tenant's alone.
func TestMCP(t *testing.T) {
	h := served(t, func(o *serve.Options) {
		o.MCP = &mcp.Options{Name: "test", Tools: []mcp.Tool{add}}
	})
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(),
			&sdk.StreamableClientTransport{Endpoint: h.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer("the-token-of-ann")}}, &sdk.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "add", Arguments: count{41}})
		if err != nil || res.IsError || fmt.Sprint(res.StructuredContent) != "map[n:42]" {
			t.Errorf("%s: %+v, %v", version, res, err)
		}
		if id := c.ID(); id != "" {
			header := map[string]string{"Authorization": "Bearer the-token-of-bob", "Mcp-Session-Id": id, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
			if status, body, _ := call(t, "POST", h.URL+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, header); status != http.StatusNotFound {
				t.Errorf("the session of another: %d %s", status, body)
			}
		} else if version < "2026" {
			t.Error("an old client has no session")
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	for token, n := range map[string]string{"the-token-of-ann": "2", "the-token-of-bob": "0"} {
		_, body, _ := call(t, "POST", h.URL+"/threads/count", `{}`, map[string]string{"X-Api-Key": token})
		if strings.TrimSpace(body) != n {
			t.Errorf("%s has %s threads, want %s", token, body, n)
		}
	}
	status, _, header := call(t, "POST", h.URL+"/mcp", `{}`, nil)
	at := h.URL + "/.well-known/oauth-protected-resource/mcp"
	if got := header.Get("WWW-Authenticate"); status != http.StatusUnauthorized || got != `Bearer resource_metadata="`+at+`"` {
		t.Errorf("without a token: %d %s", status, got)
	}
	if status, body, _ := call(t, "GET", at, "", nil); status != http.StatusOK || !strings.Contains(body, `"resource":"`+h.URL+`/mcp"`) || !strings.Contains(body, `"bearer_methods_supported":["header"]`) {
		t.Errorf("%d %s", status, body)
	}
	for name, header := range map[string]map[string]string{"host": {"Host": "evil.example"}, "origin": {"Origin": "http://evil.example"}} {
		header["Authorization"] = "Bearer the-token-of-ann"
		if status, body, _ := call(t, "POST", h.URL+"/mcp", `{}`, header); status != http.StatusForbidden {
			t.Errorf("a foreign %s: %d %s", name, status, body)
		}
	}
}
