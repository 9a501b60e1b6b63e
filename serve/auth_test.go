package serve_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/serve"
	"example.com/assay/serve/mcp"
	pages "example.com/assay/serve/page"
	"example.com/assay/serve/runs"
)

// badges is a person's own way to know callers: a token "TENANT/SUBJECT/SCOPES" with commas.
func badges(r *http.Request) (serve.Caller, error) {
	parts := strings.Split(serve.TokenOf(r), "/")
	switch {
	case parts[0] == "eve":
		return serve.Caller{}, &serve.DeniedError{Forbidden: true, Reason: "you were told to leave"}
	case parts[0] == "broken":
		return serve.Caller{}, errors.New("the secret directory is down")
	case len(parts) != 3:
		return serve.Caller{}, &serve.DeniedError{Reason: "show your badge"}
	}
	return serve.Caller{Tenant: parts[0], Subject: parts[1], Scopes: strings.Split(parts[2], ",")}, nil
}

func badge(token string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json"}
}

// A person's own authentication decides who calls, beside the list of tokens; what it cannot decide
// is not the caller's fault, and its reason is only in the log.
func TestAuthenticate(t *testing.T) {
	var mu sync.Mutex
	var seen []serve.Access
	var warned []string
	h := served(t, func(o *serve.Options) {
		o.Authenticate = badges
		o.Access = func(a serve.Access) { mu.Lock(); seen = append(seen, a); mu.Unlock() }
		o.Runs.Warn = func(err error) { mu.Lock(); warned = append(warned, err.Error()); mu.Unlock() }
	})
	for token, want := range map[string]struct {
		status int
		says   string
	}{
		ann:                        {200, "[]"},
		"carol/c@example.com/read": {200, "[]"},
		"nobody":                   {401, "show your badge"},
		"eve":                      {403, "you were told to leave"},
		"broken":                   {503, "try again later"},
		"ca.rol/c/read":            {503, "try again later"},
		"/c/read":                  {503, "try again later"},
		"carol/c/":                 {403, `needs the scope \"read\"`},
		"carol/c/other":            {403, `needs the scope \"read\"`},
	} {
		status, body, header := call(t, "POST", h.URL+"/threads/search", "{}", badge(token))
		if status != want.status || !strings.Contains(body, want.says) || strings.Contains(body, "secret") {
			t.Errorf("%s: %d %s; want %d %s", token, status, body, want.status, want.says)
		}
		if (header.Get("WWW-Authenticate") != "") != (status == 401 || strings.Contains(want.says, "scope")) || (header.Get("Retry-After") != "") != (status == 503) {
			t.Errorf("%s: %v", token, header)
		}
	}
	h.Close()
	mu.Lock()
	defer mu.Unlock()
	subjects := map[string]bool{}
	for _, a := range seen {
		subjects[a.Tenant+" "+a.Subject] = true
	}
	if !subjects["carol c@example.com"] || !subjects["ann "] || !subjects[" "] || len(subjects) != 3 {
		t.Errorf("the log has %v", subjects)
	}
	if all := strings.Join(warned, "\n"); len(warned) != 3 || !strings.Contains(all, "the secret directory is down") || !strings.Contains(all, `the tenant "ca.rol"`) {
		t.Errorf("warnings:\n%s", all)
	}
}

// One who may only read changes nothing by any wire.
func TestScopes(t *testing.T) {
	h := served(t, func(o *serve.Options) {
		o.Authenticate, o.Page = badges, &pages.Options{Write: true}
		o.MCP = &mcp.Options{Name: "test", Tools: []mcp.Tool{add}}
	})
	write, read, admin := "carol/w/write", "carol/r/read", "carol/a/admin"
	_, body, _ := call(t, "POST", h.URL+"/threads", "{}", badge(write))
	var thread struct {
		ID string `json:"thread_id"`
	}
	if err := json.Unmarshal([]byte(body), &thread); err != nil || thread.ID == "" {
		t.Fatalf("%s, %v", body, err)
	}
	_, body, _ = call(t, "POST", h.URL+"/threads/"+thread.ID+"/runs", `{"assistant_id":"one","input":{"n":1}}`, badge(write))
	var run struct {
		ID string `json:"run_id"`
	}
	if err := json.Unmarshal([]byte(body), &run); err != nil || run.ID == "" {
		t.Fatalf("%s, %v", body, err)
	}
	at := "/threads/" + thread.ID
	reads := []string{
		"GET /info", "GET " + at, "GET " + at + "/state", "GET " + at + "/history", "POST " + at + "/history", "GET " + at + "/runs", "GET " + at + "/runs/" + run.ID + "/join", "POST /threads/search", "POST /threads/count",
		"POST /assistants/search", "POST /store/items/search", "POST /store/namespaces", "GET /v1/models", "GET /ui/", "GET /ui/runs/" + run.ID, "GET /ui/threads/" + thread.ID,
	}
	writes := []string{
		"POST /threads", "PATCH " + at, "POST " + at + "/copy", "POST " + at + "/state", "POST " + at + "/runs", "POST " + at + "/runs/wait", "POST " + at + "/runs/stream", "POST /runs", "POST /runs/wait", "POST /runs/stream", "POST /runs/batch", "POST /runs/cancel",
		"POST " + at + "/runs/" + run.ID + "/cancel", "GET " + at + "/runs/" + run.ID + "/join?cancel_on_disconnect=1", "GET " + at + "/runs/" + run.ID + "/stream?cancel_on_disconnect=true", "POST " + at + "/commands", "DELETE " + at + "/runs/" + run.ID,
		"POST /assistants", "PATCH /assistants/x", "DELETE /assistants/x", "POST /assistants/x/latest", "PUT /store/items", "DELETE /store/items", "POST /threads/prune", "DELETE " + at, "POST /v1/chat/completions", "POST /v1/responses", "POST /agui/talk", "POST /mcp",
		"POST /ui/ask", "POST /ui/runs/" + run.ID + "/stop", "POST /ui/threads/" + thread.ID + "/edit", "POST /threads/search/runs", "POST /anything/new",
	}
	ask := func(request, token string) (int, string) {
		method, path, _ := strings.Cut(request, " ")
		body := "{}"
		if method == "GET" {
			body = ""
		}
		status, text, _ := call(t, method, h.URL+path, body, badge(token))
		return status, text
	}
	for _, request := range reads {
		if status, body := ask(request, read); status != 200 {
			t.Errorf("%s: %d %.300s", request, status, body)
		}
	}
	for _, request := range writes {
		if status, body := ask(request, read); status != 403 || !strings.Contains(body, "needs the scope") {
			t.Errorf("%s: %d %.300s", request, status, body)
		}
	}
	for _, request := range writes {
		if status, body := ask(request, write); status == 403 || status == 401 || strings.Contains(body, "needs the scope") {
			t.Errorf("%s by one who may write: %d %.300s", request, status, body)
		}
	}
	for token, want := range map[string]int{read: 403, write: 403, admin: 200, ann: 200} {
		if status, _ := ask("GET /metrics", token); status != want {
			t.Errorf("metrics for %s: %d, want %d", token, status, want)
		}
	}
}

// A browser keeps a session by the person's own token, which is asked about each time; one that the
// authentication knows by itself needs no session, and its forms a ticket.
func TestPageOfOwnAuthentication(t *testing.T) {
	var mu sync.Mutex
	gone, known := false, false
	h := served(t, func(o *serve.Options) {
		o.Page, o.Tenants = &pages.Options{}, nil
		o.Authenticate = func(r *http.Request) (serve.Caller, error) {
			mu.Lock()
			defer mu.Unlock()
			if known {
				return serve.Caller{Tenant: "carol", Subject: "proxy", Scopes: []string{"write"}}, nil
			}
			if gone {
				return serve.Caller{}, &serve.DeniedError{Reason: "gone"}
			}
			return badges(r)
		}
	})
	set := func(g, k bool) { mu.Lock(); gone, known = g, k; mu.Unlock() }
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	do := func(method, path string, form url.Values) (int, string) {
		t.Helper()
		var answer *http.Response
		var err error
		if method == "GET" {
			answer, err = browser.Get(h.URL + path)
		} else {
			answer, err = browser.PostForm(h.URL+path, form)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(body)
	}
	ticket := regexp.MustCompile(`name="ticket" value="([^"]+)"`)
	if status, body := do("POST", "/ui/enter", url.Values{"token": {"eve"}}); status != 403 || !strings.Contains(body, "told to leave") {
		t.Errorf("eve: %d %s", status, body)
	}
	if status, body := do("POST", "/ui/enter", url.Values{"token": {"carol/c/" + strings.Repeat("x", 4000)}}); status != 413 {
		t.Errorf("a long token: %d %.200s", status, body)
	}
	if status, body := do("POST", "/ui/enter", url.Values{"token": {"carol/c/read"}}); status != 200 || !strings.Contains(body, "Runs") {
		t.Errorf("entering: %d %s", status, body)
	}
	if status, _ := do("GET", "/ui/ask", nil); status != 200 {
		t.Errorf("in the session: %d", status)
	}
	set(true, false)
	if _, body := do("GET", "/ui/ask", nil); !strings.Contains(body, `name="token"`) {
		t.Errorf("the token is not asked about again:\n%s", body)
	}
	set(false, true)
	_, body := do("GET", "/ui/ask", nil)
	found := ticket.FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("no ticket:\n%s", body)
	}
	if status, _ := do("POST", "/ui/leave", url.Values{}); status != 403 {
		t.Errorf("a form without a ticket: %d", status)
	}
	if status, _ := do("POST", "/ui/leave", url.Values{"ticket": {found[1]}}); status != 200 {
		t.Errorf("a form with its ticket: %d", status)
	}
}

// Runs of every wire record who began them.
func TestRunsRecordTheCaller(t *testing.T) {
	began := make(chan runs.Run, 10)
	h := served(t, func(o *serve.Options) {
		o.Authenticate, o.MCP = badges, &mcp.Options{Name: "test", Tools: []mcp.Tool{add}}
		o.Issuer = "https://login.example.com"
		o.Runs.Observe = func(r runs.Run) func(runs.Run) { began <- r; return func(runs.Run) {} }
	})
	token := "carol/c@example.com/write,extra"
	check := func(wire string) {
		t.Helper()
		if r := <-began; r.Subject != "c@example.com" || strings.Join(r.Scopes, " ") != "write extra" {
			t.Errorf("%s: %+v", wire, r)
		}
	}
	claims := `{"assistant_id":"one","input":{"n":1},"config":{"configurable":{"langgraph_auth_user_id":"eve","langgraph_auth_permissions":["admin"]}},"context":{"langgraph_auth_user":{"identity":"eve"}}}`
	for token, want := range map[string]string{token: `{"display_name":"c@example.com","identity":"c@example.com","is_authenticated":true,"permissions":["write","extra"]} "c@example.com" ["write","extra"]`, ann: "  "} {
		if status, body, _ := call(t, "POST", h.URL+"/runs/wait", claims, badge(token)); status != 200 {
			t.Fatalf("%d %s", status, body)
		}
		r := <-began
		if got := fmt.Sprintf("%s %s %s", r.Settings["langgraph_auth_user"], r.Settings["langgraph_auth_user_id"], r.Settings["langgraph_auth_permissions"]); got != want {
			t.Errorf("%s: a graph of LangGraph's sees %s, want %s", token, got, want)
		}
	}
	if status, body, _ := call(t, "POST", h.URL+"/runs/wait", `{"assistant_id":"one","input":{"n":1}}`, badge(token)); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	check("langgraph")
	if status, body, _ := call(t, "POST", h.URL+"/v1/chat/completions", `{"model":"talk","messages":[{"role":"user","content":"hi"}]}`, badge(token)); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	check("openai")
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(),
			&sdk.StreamableClientTransport{Endpoint: h.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}}, &sdk.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "add", Arguments: count{41}}); err != nil || answer.IsError {
			t.Fatalf("%+v, %v", answer, err)
		}
		check("mcp " + version)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, body, _ := call(t, "GET", h.URL+mcp.MetadataPath, "", nil); !strings.Contains(body, `"authorization_servers":["https://login.example.com"]`) {
		t.Errorf("%s", body)
	}
}

// A tenant with too many runs a minute is told by each wire when the next one may begin.
func TestQuotaByWire(t *testing.T) {
	h := served(t, func(o *serve.Options) {
		o.Page, o.MCP = &pages.Options{}, &mcp.Options{Name: "test", Tools: []mcp.Tool{add}}
		o.Runs.Quota.PerMinute = 1
	})
	key := map[string]string{"X-Api-Key": ann}
	if status, body, _ := call(t, "POST", h.URL+"/runs/wait", `{"assistant_id":"one","input":{"n":1}}`, key); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	form := map[string]string{"X-Api-Key": ann, "Content-Type": "application/x-www-form-urlencoded"}
	for _, c := range []struct {
		path, body string
		header     map[string]string
	}{
		{"/runs", `{"assistant_id":"one","input":{"n":1}}`, key}, {"/runs/wait", `{"assistant_id":"one","input":{"n":1}}`, key}, {"/runs/stream", `{"assistant_id":"one","input":{"n":1}}`, key},
		{"/v1/chat/completions", `{"model":"talk","messages":[{"role":"user","content":"hi"}]}`, key},
		{"/v1/responses", `{"model":"talk","input":"hi"}`, key},
		{"/agui/talk", `{"threadId":"t","runId":"r","state":{},"messages":[{"id":"1","role":"user","content":"hi"}],"tools":[],"context":[],"forwardedProps":{}}`, key},
		{"/ui/ask", "graph=talk&question=hi", form},
	} {
		status, body, header := call(t, "POST", h.URL+c.path, c.body, c.header)
		var after int
		if _, err := fmt.Sscan(header.Get("Retry-After"), &after); err != nil || status != 429 || after < 50 || after > 60 || !strings.Contains(body, "1 runs a minute") {
			t.Errorf("%s: %d, after %q, %.300s", c.path, status, header.Get("Retry-After"), body)
		}
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: h.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer(ann)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if answer, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "add", Arguments: count{1}}); err != nil || !answer.IsError || !strings.Contains(answer.Content[0].(*sdk.TextContent).Text, "try again in ") {
		t.Errorf("a tool: %+v, %v", answer, err)
	}
	if status, _, _ := call(t, "POST", h.URL+"/runs/wait", `{"assistant_id":"one","input":{"n":1}}`, map[string]string{"X-Api-Key": bob}); status != 200 {
		t.Errorf("another tenant: %d", status)
	}
}

// A person who opens an address in a browser is led to the page, or else to the sign-in page, and
// never gets JSON. Programs get what they got.
func TestEntrance(t *testing.T) {
	for name, change := range map[string]func(*serve.Options){
		"a token": func(o *serve.Options) {},
		"open":    func(o *serve.Options) { o.Open, o.Tenants = true, nil },
		"no page": func(o *serve.Options) { o.Page = nil },
	} {
		h := served(t, func(o *serve.Options) { o.Page = &pages.Options{}; change(o) })
		for _, c := range []struct {
			path, accept, key string
			person            bool
		}{
			{"/", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "", name != "no page"},
			{"/threads/x", "text/html", "", name == "a token"}, {"/v1/models", "text/html", "", name == "a token"}, {"/metrics", "text/html", "", name == "a token"},
			{"/", "*/*", "", false}, {"/", "application/json", "", false}, {"/", "application/json, text/html", "", false}, {"/", "text/html", "wrong", false}, {"/info", "*/*", "", false}, {"/healthz", "text/html", "", false},
		} {
			r, err := http.NewRequest("GET", h.URL+c.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept", c.accept)
			if c.key != "" {
				r.Header.Set("X-Api-Key", c.key)
			}
			answer, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if led := answer.StatusCode == http.StatusSeeOther && answer.Header.Get("Location") == "/ui/"; led != c.person {
				t.Errorf("%s: GET %s for %s: %s to %q", name, c.path, c.accept, answer.Status, answer.Header.Get("Location"))
			}
			if kind := answer.Header.Get("Content-Type"); !c.person && !strings.HasPrefix(kind, "application/json") && !strings.HasPrefix(kind, "text/plain") {
				t.Errorf("%s: GET %s for %s is %q", name, c.path, c.accept, kind)
			}
		}
	}
}
