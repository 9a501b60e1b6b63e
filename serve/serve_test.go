package serve_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/nodes/conversation"
	"example.com/assay/serve"
	"example.com/assay/serve/internal/servetest"
)

type count struct {
	N int `json:"n"`
}

// counter is a graph that adds to a number.
func counter(name string, by int) *graph.Compiled[count] {
	n := graph.LastValue("n", func(s *count) *int { return &s.N })
	g := graph.NewStateGraph(n)
	g.AddNode("add", func(_ context.Context, s count) (graph.Update[count], error) {
		return graph.Update[count]{n.Set(s.N + by)}, nil
	})
	g.AddEdge(graph.Start, "add")
	app, err := g.Compile(&graph.CompileOptions{Name: name})
	if err != nil {
		panic(err)
	}
	return app
}

// talk is a conversation about a number.
func talk(t *testing.T) *graph.Compiled[conversation.State] {
	t.Helper()
	chat, err := conversation.Graph("talk", conversation.Pipeline[count]{
		Graph: counter("talk", 1),
		Ask:   func(conversation.Turn) graph.Update[count] { return graph.Update[count]{} },
		Reply: func(s count) conversation.Reply { return conversation.Reply{Text: fmt.Sprint(s.N)} },
	})
	if err != nil {
		t.Fatal(err)
	}
	return chat
}

// kept is options with files in a folder, and what closes them.
func kept(folder string) (o serve.Options, done func() error, err error) {
	files, err := servetest.Open(folder)
	return serve.Options{Checkpointer: files.Saver, Store: files.Rows, Log: files.Log}, files.Close, err
}

// served is a server with two tenants.
func served(t *testing.T, change func(*serve.Options)) *httptest.Server {
	t.Helper()
	o, done, err := kept(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o.Graphs = []serve.Graph{serve.Register("one", counter("one", 1), nil), serve.Register("talk", talk(t), nil)}
	o.Tenants = []serve.Tenant{{Name: "ann", Token: "the-token-of-ann"}, {Name: "bob", Token: "the-token-of-bob"}}
	if change != nil {
		change(&o)
	}
	s, err := serve.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewUnstartedServer(nil)
	h.Config = s.HTTP()
	h.Start()
	t.Cleanup(func() {
		h.Close()
		s.Close(context.Background())
		if err := done(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func call(t *testing.T, method, url, body string, header map[string]string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(data), answer.Header
}

const ann, bob = "the-token-of-ann", "the-token-of-bob"

// Who may not call is told why, and learns nothing.
func TestGuard(t *testing.T) {
	h := served(t, func(o *serve.Options) {
		o.Origins, o.Hosts, o.MaxBody = []string{"https://chat.example.com"}, []string{"assay.example.com"}, 1000
	})
	key := func(more ...string) map[string]string {
		m := map[string]string{"X-Api-Key": ann}
		for i := 0; i < len(more); i += 2 {
			m[more[i]] = more[i+1]
		}
		return m
	}
	for _, c := range []struct {
		name, method, path, body string
		header                   map[string]string
		status                   int
		says                     string
	}{
		{"no token", "GET", "/info", "", nil, 401, "needs its token"},
		{"a wrong token", "GET", "/info", "", map[string]string{"X-Api-Key": "another"}, 401, "needs its token"},
		{"a token", "GET", "/info", "", key(), 200, "version"},
		{"a bearer", "GET", "/info", "", map[string]string{"Authorization": "bearer " + bob}, 200, "version"},
		{"life", "GET", "/healthz", "", nil, 200, "true"},
		{"readiness", "GET", "/readyz", "", nil, 200, "true"},
		{"metrics", "GET", "/metrics", "", nil, 401, ""},
		{"metrics with a token", "GET", "/metrics", "", key(), 200, "assay_runs_running 0"},
		{"another host", "GET", "/info", "", key("Host", "evil.example.com"), 403, "evil.example.com"},
		{"another host, no token", "GET", "/healthz", "", map[string]string{"Host": "evil.example.com:80"}, 403, ""},
		{"its host", "GET", "/info", "", key("Host", "Assay.example.com:443"), 200, ""},
		{"a foreign page", "GET", "/info", "", key("Origin", "https://evil.example.com"), 403, "pages of"},
		{"a page without an origin", "GET", "/info", "", key("Origin", "null"), 403, ""},
		{"a foreign page that posts", "POST", "/threads", "{}", key("Sec-Fetch-Site", "cross-site"), 403, "another origin"},
		{"a page that is named", "POST", "/threads", "{}", key("Origin", "https://chat.example.com", "Sec-Fetch-Site", "cross-site"), 200, "thread_id"},
		{"a preflight", "OPTIONS", "/threads", "", map[string]string{"Origin": "https://chat.example.com", "Access-Control-Request-Method": "POST"}, 204, ""},
		{"a foreign preflight", "OPTIONS", "/threads", "", map[string]string{"Origin": "https://evil.example.com"}, 403, ""},
		{"a long body", "POST", "/threads", `{"metadata":{"a":"` + strings.Repeat("x", 2000) + `"}}`, key(), 413, "longer than 1000 bytes"},
		{"a path above", "GET", "/threads/..%2f..%2fetc%2fpasswd", "", key(), 404, ""},
	} {
		status, body, header := call(t, c.method, h.URL+c.path, c.body, c.header)
		if status != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s: %d %s; want %d and %q", c.name, status, body, c.status, c.says)
		}
		if strings.Contains(body, ann) || header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %s, %v", c.name, body, header)
		}
		if origin := header.Get("Access-Control-Allow-Origin"); origin != "" && c.header["Origin"] != "https://chat.example.com" {
			t.Errorf("%s: pages of %s may read the answer", c.name, origin)
		}
	}
}

// A tenant sees nothing of another, not even by ID.
func TestTenants(t *testing.T) {
	h := served(t, nil)
	_, body, header := call(t, "POST", h.URL+"/runs/wait", `{"assistant_id":"one","input":{"n":1},"on_completion":"keep"}`, map[string]string{"X-Api-Key": ann})
	if body != `{"n":2}` {
		t.Fatalf("a run gives %s", body)
	}
	run := header.Get("Content-Location")
	if status, body, _ := call(t, "PUT", h.URL+"/store/items", `{"namespace":["n"],"key":"k","value":{"a":1}}`, map[string]string{"X-Api-Key": ann}); status != 204 {
		t.Fatalf("%d %s", status, body)
	}
	for path, want := range map[string][2]string{
		"GET " + run + "/stream":                  {"event: values", "there is no run"},
		"POST /threads/count":                     {"1", "0"},
		"GET /store/items?namespace=n&key=k":      {`"a":1`, "null"},
		"POST /store/namespaces":                  {`[["n"]]`, `[]`},
		"GET /store/items?namespace=serve&key=ok": {"null", "null"},
	} {
		method, path, _ := strings.Cut(path, " ")
		for i, token := range []string{ann, bob} {
			if _, body, _ := call(t, method, h.URL+path, "{}", map[string]string{"X-Api-Key": token}); !strings.Contains(body, want[i]) {
				t.Errorf("%s of tenant %d: %s; want %q", path, i, body, want[i])
			}
		}
	}
}

// A body that does not arrive ends its request, and no other.
func TestSlowBody(t *testing.T) {
	h := served(t, func(o *serve.Options) { o.BodyTime = 100 * time.Millisecond })
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /threads HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: %s\r\nContent-Length: 100\r\n\r\n{", ann)
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.Contains(string(answer), "408 Request Timeout") {
		t.Errorf("%s, %v", answer, err)
	}
}

// Options that make no safe server are refused.
func TestOptions(t *testing.T) {
	o, done, err := kept(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = done() }()
	o.Graphs = []serve.Graph{serve.Register("one", counter("one", 1), nil)}
	for says, change := range map[string]func(*serve.Options){
		"tenants":          func(*serve.Options) {},
		"too short":        func(o *serve.Options) { o.Tenants = []serve.Tenant{{"ann", "short"}} },
		"letters":          func(o *serve.Options) { o.Tenants = []serve.Tenant{{"../ann", ann}} },
		"twice":            func(o *serve.Options) { o.Tenants = []serve.Tenant{{"ann", ann}, {"bob", ann}} },
		"no tenants":       func(o *serve.Options) { o.Open, o.Tenants = true, []serve.Tenant{{"ann", ann}} },
		"needs a graph":    func(o *serve.Options) { o.Open, o.Graphs = true, nil },
		"a checkpointer":   func(o *serve.Options) { o.Open, o.Log = true, nil },
		"registered twice": func(o *serve.Options) { o.Open, o.Graphs = true, append(o.Graphs, o.Graphs...) },
	} {
		bad := o
		change(&bad)
		if _, err := serve.New(t.Context(), bad); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want %q", err, says)
		}
	}
}
