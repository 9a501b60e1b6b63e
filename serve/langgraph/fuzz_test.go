package langgraph_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	saved "example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/store"
	kept "example.com/assay/graph/store/memory"
	"example.com/assay/serve/langgraph"
	"example.com/assay/serve/runs"
)

// routes are the patterns of the wire, read from its sources, so that a new one is fuzzed.
func routes(t testing.TB) []string {
	t.Helper()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`"((?:GET|POST|PUT|PATCH|DELETE) /[^" ]*)"`)
	var out []string
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range pattern.FindAllSubmatch(source, -1) {
			out = append(out, string(m[1]))
		}
	}
	slices.Sort(out)
	if out = slices.Compact(out); len(out) < 40 {
		t.Fatalf("%d routes", len(out))
	}
	return out
}

// faults are what goes wrong behind the answers.
type faults struct {
	mu   sync.Mutex
	list []error
}

func (f *faults) add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, err)
}

func (f *faults) take() []error {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.list
	f.list = nil
	return list
}

// inMemory is a handler of graphs that end soon.
func inMemory(f *testing.F) (http.Handler, *faults) {
	ctx := context.Background()
	log, err := eventlog.OpenFile(ctx, filepath.Join(f.TempDir(), "events.db"))
	if err != nil {
		f.Fatal(err)
	}
	rows, err := kept.New(nil)
	if err != nil {
		f.Fatal(err)
	}
	var wrong faults
	m, err := runs.Open(ctx, []runs.Graph{
		{Name: "chain", App: line(f, "chain", step{"a", say("a")}, step{"ask", ask("who is it?")}, step{"b", say("b")}).App()},
		{Name: "fan", App: fan(f).App()}, {Name: "nested", App: nested(f).App()},
	}, runs.Options{Checkpointer: saved.New(), Store: rows, Log: log, Waiting: 1 << 20, KeepRuns: 3, Warn: wrong.add})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		at, stop := context.WithCancel(ctx)
		stop()
		m.Close(at)
		if err := log.Close(); err != nil {
			f.Error(err)
		}
	})
	mine := m.Space(runs.DefaultTenant)
	return langgraph.Handler(langgraph.Options{
		Space: func(*http.Request) (*runs.Space, error) { return mine, nil },
		Items: func(*http.Request) store.Store { return rows }, Heartbeat: 10 * time.Millisecond,
	}), &wrong
}

// answer calls the handler. A caller waits for a quarter of a second.
func answer(h http.Handler, method, path, query, last string, body []byte) *httptest.ResponseRecorder {
	ctx, stop := context.WithTimeout(context.Background(), 250*time.Millisecond)
	defer stop()
	r := httptest.NewRequestWithContext(ctx, method, "/", strings.NewReader(string(body)))
	r.URL = &url.URL{Path: path, RawQuery: query}
	r.Header.Set("Last-Event-ID", last)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// FuzzRequests sends any bytes to any route, as the body, the query, the ID of a thread and
// of the last event. The answer is what was asked for, or a refusal that says why; nothing
// is a fault of the server, and what the caller began ends.
func FuzzRequests(f *testing.F) {
	h, wrong := inMemory(f)
	all := routes(f)
	w := answer(h, "POST", "/threads", "", "", []byte(`{"thread_id":"t","metadata":{"a":1}}`))
	if w.Code != http.StatusOK {
		f.Fatal(w.Body)
	}
	run := answer(h, "POST", "/threads/t/runs/wait", "", "", []byte(`{"assistant_id":"chain","input":{"lines":["x"]},"stream_mode":["values","updates","debug","tasks"]}`)).Header().Get("Content-Location")
	known := map[string]string{"thread": "t", "run": filepath.Base(run), "assistant": "chain", "cron": "c", "checkpoint": "0000000001", "node": "a"}
	for i := range all {
		for _, body := range []string{
			``, `{}`, `[]`, `null`, `{"`, `{"limit":2,"offset":1,"metadata":{"a":{"b":1}},"sort_by":"created_at","sort_order":"asc","select":["thread_id"]}`,
			`{"assistant_id":"fan","input":{"items":[1,2,3]},"stream_mode":["values","updates","messages-tuple","debug","events","custom"],"stream_subgraphs":true}`,
			`{"assistant_id":"chain","command":{"resume":"ann","update":[["who","x"]],"goto":["b"]},"multitask_strategy":"enqueue"}`,
			`{"assistant_id":"nested","input":{"lines":["\u0000\ud800"]},"config":{"configurable":{"thread_id":"t"},"recursion_limit":3,"tags":["x"]},"durability":"async","on_completion":"keep","interrupt_before":["*"]}`,
			`[{"assistant_id":"chain","input":{},"after_seconds":1e300},{"assistant_id":"chain","input":null,"checkpoint":{"checkpoint_id":"0000000001","checkpoint_ns":"a:b|c:d","checkpoint_map":{}}}]`,
			`{"values":{"lines":["x"]},"as_node":"a","checkpoint_id":"0000000001"}`, `{"before":{"configurable":{"checkpoint_id":"x"}},"metadata":{"run_id":"x","source":"loop"},"limit":3}`,
			`{"namespace":["a","b"],"key":"k","value":{"x":[1,"\u0001"]}}`, `{"namespace_prefix":["a"],"filter":{"x":{"$gte":1,"$in":[1]}},"query":"x"}`, `{"prefix":["a"],"suffix":["b"],"max_depth":1}`,
			`{"graph_id":"chain","assistant_id":"x","supersteps":[{"updates":[{"values":{"lines":["x"]},"as_node":"a"}]}],"if_exists":"do_nothing"}`,
			`{"channels":["values","updates","messages","tools","lifecycle","custom:x"],"namespaces":[["a"],[]],"depth":1,"since":2}`,
			`{"id":1,"method":"run.start","params":{"assistant_id":"chain","input":{"lines":["x"]},"config":{"recursion_limit":5},"metadata":{"a":1}}}`,
			`{"id":2,"method":"input.respond","params":{"namespace":["a"],"interrupt_id":"0123456789abcdef0123456789abcdef","response":"ann"}}`,
			`{"id":3,"method":"state.get","params":{"namespace":[]}}`, `{"thread_ids":["x","t"],"strategy":"keep_latest"}`,
			`{"assistant_id":"chain","schedule":"0 0 * * 5-7","timezone":"Europe/Berlin","end_time":"2100-01-01T00:00:00","enabled":false,"metadata":{"a":1},"input":{}}`,
			`{"metadata":{},"ttl":{"ttl":1e9,"strategy":"keep_latest"},"webhook":"http://10.0.0.1","assistant_id":"chain","input":{}}`, `[{"assistantId":"chain","signal":{},"interruptBefore":["a"]}]`,
		} {
			f.Add(uint8(i), "", "limit=3&offset=0&stream_mode=values,debug&subgraphs=true", "2.1", []byte(body))
		}
		f.Add(uint8(i), "a/../b", "limit=99999999999999999999&offset=-1&stream_mode=&wait=1&action=rollback&namespace=a.b&key=%00&xray=1&recurse=yes&%zz", "99999999999999999999.-1", []byte(`{"a":1}`))
	}
	part := regexp.MustCompile(`\{(\w+)\}`)
	f.Fuzz(func(t *testing.T, route uint8, name, query, last string, body []byte) {
		method, path, _ := strings.Cut(all[int(route)%len(all)], " ")
		path = part.ReplaceAllStringFunc(path, func(p string) string {
			if name != "" && !strings.Contains(name, "/") {
				return name
			}
			return known[p[1:len(p)-1]]
		})
		if strings.Contains(path, "/t") && method == "DELETE" {
			return // it is needed
		}
		began := time.Now()
		w := answer(h, method, path, query, last, body)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s %s?%s of %q takes %v", method, path, query, body, took)
		}
		if w.Code >= 500 {
			t.Errorf("%s %s?%s of %q: %d %s", method, path, query, body, w.Code, w.Body)
		}
		if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") && w.Body.Len() > 0 && strings.TrimSpace(w.Body.String()) != "" && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s %s?%s of %q: no JSON: %d %s", method, path, query, body, w.Code, w.Body)
		}
		var refused struct {
			Detail string `json:"detail"`
		}
		if w.Code >= 400 && (json.Unmarshal(w.Body.Bytes(), &refused) != nil || refused.Detail == "") && !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
			t.Errorf("%s %s?%s of %q: refused without a word: %d %s", method, path, query, body, w.Code, w.Body)
		}
		for _, err := range wrong.take() {
			t.Errorf("%s %s?%s of %q: %v", method, path, query, body, err)
		}
	})
}
