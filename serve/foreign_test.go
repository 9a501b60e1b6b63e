package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// routes are the patterns of all wires, read from their sources: a wire cannot forget one.
func routes(t *testing.T) []string {
	t.Helper()
	pattern := regexp.MustCompile(`"((?:GET|POST|PUT|PATCH|DELETE) /[^" ]*)"`)
	var out []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range pattern.FindAllSubmatch(source, -1) {
			out = append(out, string(m[1]))
		}
		return err
	})
	if err != nil || len(out) < 40 {
		t.Fatalf("%d routes, error %v", len(out), err)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// things are what a tenant has, by the names that routes give their parts.
type things map[string]string

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// fill puts values into a route or a body. Parts that are not known fail the test.
func (th things) fill(t *testing.T, text string) string {
	t.Helper()
	return placeholder.ReplaceAllStringFunc(text, func(part string) string {
		value, ok := th[part[1:len(part)-1]]
		if !ok {
			t.Errorf("nothing is known of %s in %q: add it to the things of a tenant", part, text)
		}
		return value
	})
}

const secret = "a secret of ann"

// hers is ann's number in the state of a run; a graph that adds one keeps all digits but the
// last. It is too long to come up by chance in a run's id or a time.
const hers = "4711471147"

// own makes a thread with a run and its state, an assistant and an item.
func own(t *testing.T, url, token string) things {
	t.Helper()
	th := things{"node": "add", "graph": "one", "model": "talk"}
	ask := func(method, path, body string) (answer map[string]any) {
		t.Helper()
		status, text, _ := call(t, method, url+path, body, map[string]string{"X-Api-Key": token})
		if status >= 300 || text != "" && json.Unmarshal([]byte(text), &answer) != nil {
			t.Fatalf("%s %s: %d %s", method, path, status, text)
		}
		return answer
	}
	th["assistant"] = ask("POST", "/assistants", fmt.Sprintf(`{"graph_id":"one","name":%q,"metadata":{"note":%q}}`, secret, secret))["assistant_id"].(string)
	th["thread"] = ask("POST", "/threads", fmt.Sprintf(`{"metadata":{"note":%q}}`, secret))["thread_id"].(string)
	run := fmt.Sprintf(`{"assistant_id":"one","input":{"n":%s1},"metadata":{"note":%q}}`, hers, secret)
	th["run"] = ask("POST", "/threads/"+th["thread"]+"/runs", run)["run_id"].(string)
	ask("GET", "/threads/"+th["thread"]+"/runs/"+th["run"]+"/join", "")
	th["checkpoint"] = ask("GET", "/threads/"+th["thread"]+"/state", "")["checkpoint"].(map[string]any)["checkpoint_id"].(string)
	th["cron"] = ask("POST", "/threads/"+th["thread"]+"/runs/crons", run[:len(run)-1]+`,"schedule":"0 0 29 2 *"}`)["cron_id"].(string)
	ask("PUT", "/store/items", fmt.Sprintf(`{"namespace":["n"],"key":"k","value":{"note":%q}}`, secret))
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":%q}]},"metadata":{"graph":"talk"}}}`, secret)
	th["task"] = ask("POST", "/a2a?A2A-Version=1.0", text)["result"].(map[string]any)["task"].(map[string]any)["id"].(string)
	th["response"] = ask("POST", "/v1/responses", fmt.Sprintf(`{"model":"talk","input":%q}`, secret))["id"].(string)
	return th
}

// endless is the route of a stream that waits for a thread which may not be there yet.
const endless = "POST /threads/{thread}/stream/events"

// joined is the route of another, of a thread that is there.
const joined = "GET /threads/{thread}/stream"

// everybodys are routes to what all tenants have.
var everybodys = []string{"GET /v1/models/{model}", "POST /agui/{graph}", "POST /a2a/{graph}", "GET /a2a/{graph}/.well-known/agent-card.json"}

// asked is what each route that takes a body or a query is asked about one's things.
var asked = map[string]string{
	"POST /assistants":                             `{"graph_id":"one","assistant_id":"{assistant}","if_exists":"do_nothing"}`,
	"POST /assistants/search":                      `{"limit":1000}`,
	"POST /assistants/count":                       `{}`,
	"PATCH /assistants/{assistant}":                `{"name":"mine"}`,
	"POST /assistants/{assistant}/latest":          `{"version":1}`,
	"POST /assistants/{assistant}/versions":        `{}`,
	"POST /threads":                                `{"thread_id":"{thread}","if_exists":"do_nothing"}`,
	"POST /threads/search":                         `{"limit":1000,"ids":["{thread}"]}`,
	"POST /threads/count":                          `{"ids":["{thread}"]}`,
	"POST /threads/prune":                          `{"thread_ids":["{thread}"],"strategy":"keep_latest"}`,
	"PATCH /threads/{thread}":                      `{"metadata":{"mine":1}}`,
	"POST /threads/{thread}/copy":                  `{}`,
	"POST /threads/{thread}/state":                 `{"values":{"n":1},"checkpoint_id":"{checkpoint}"}`,
	"POST /threads/{thread}/state/checkpoint":      `{"checkpoint":{"thread_id":"{thread}","checkpoint_id":"{checkpoint}","checkpoint_ns":""}}`,
	"POST /threads/{thread}/history":               `{}`,
	"POST /threads/{thread}/runs":                  `{"assistant_id":"{assistant}","input":{"n":1},"multitask_strategy":"enqueue"}`,
	"POST /threads/{thread}/runs/stream":           `{"assistant_id":"{assistant}","input":{"n":1},"multitask_strategy":"enqueue"}`,
	"POST /threads/{thread}/runs/wait":             `{"assistant_id":"{assistant}","input":{"n":1},"multitask_strategy":"enqueue"}`,
	"POST /threads/{thread}/runs/{run}/cancel":     ``,
	"POST /threads/{thread}/commands":              `{"id":1,"method":"state.get","params":{}}`,
	joined:                                         ``,
	endless:                                        `{"channels":["values","updates","lifecycle"]}`,
	"POST /runs":                                   `{"assistant_id":"{assistant}","input":{"n":1}}`,
	"POST /runs/stream":                            `{"assistant_id":"{assistant}","input":{"n":1}}`,
	"POST /runs/wait":                              `{"assistant_id":"{assistant}","input":{"n":1}}`,
	"POST /runs/batch":                             `[{"assistant_id":"{assistant}","input":{"n":1}}]`,
	"POST /threads/{thread}/runs/crons":            `{"assistant_id":"{assistant}","schedule":"0 0 29 2 *","input":{"n":1}}`,
	"POST /runs/crons":                             `{"assistant_id":"{assistant}","schedule":"0 0 29 2 *","input":{"n":1}}`,
	"POST /runs/crons/search":                      `{"limit":1000}`,
	"POST /runs/crons/count":                       `{"thread_id":"{thread}"}`,
	"PATCH /runs/crons/{cron}":                     `{"enabled":false}`,
	"DELETE /runs/crons/{cron}":                    ``,
	"POST /runs/cancel":                            `{"thread_id":"{thread}","run_ids":["{run}"]}`,
	"PUT /store/items":                             `{"namespace":["mine"],"key":"k","value":{"a":1}}`,
	"GET /store/items":                             `?namespace=n&key=k`,
	"DELETE /store/items":                          `{"namespace":["n"],"key":"k"}`,
	"POST /store/items/search":                     `{"namespace_prefix":["n"],"limit":1000}`,
	"POST /store/namespaces":                       `{}`,
	"GET /assistants/{assistant}":                  ``,
	"GET /assistants/{assistant}/graph":            `?xray=true`,
	"GET /assistants/{assistant}/schemas":          ``,
	"GET /assistants/{assistant}/subgraphs":        ``,
	"GET /assistants/{assistant}/subgraphs/{node}": ``,
	"DELETE /assistants/{assistant}":               ``,
	"GET /threads/{thread}":                        ``,
	"DELETE /threads/{thread}":                     ``,
	"GET /threads/{thread}/state":                  `?subgraphs=true`,
	"GET /threads/{thread}/state/{checkpoint}":     ``,
	"GET /threads/{thread}/history":                `?limit=100`,
	"GET /threads/{thread}/runs":                   `?limit=100`,
	"GET /threads/{thread}/runs/{run}":             ``,
	"DELETE /threads/{thread}/runs/{run}":          ``,
	"GET /threads/{thread}/runs/{run}/join":        ``,
	"GET /threads/{thread}/runs/{run}/stream":      `?stream_mode=values,updates,debug`,
	"GET /runs/{run}/stream":                       ``,
	"GET /v1/models/{model}":                       ``,
	"POST /agui":                                   `{"threadId":"{thread}","runId":"{run}","forwardedProps":{"assistant":"talk"}}`,
	"POST /agui/{graph}":                           `{"threadId":"another"}`,
	"GET /v1/models":                               ``,
	"POST /v1/chat/completions":                    `{"model":"{model}","messages":[{"role":"user","content":"{thread}"},{"role":"assistant","content":"0"},{"role":"user","content":"{thread}"}]}`,
	"POST /v1/responses":                           `{"model":"{model}","input":"again","previous_response_id":"{response}"}`,
	"POST /v1/responses/{response}/cancel":         ``,
	"GET /v1/responses/{response}":                 ``,
	"GET /v1/responses/{response}/input_items":     ``,
	"DELETE /v1/responses/{response}":              ``,
	"POST /a2a":                                    `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"{task}"}}`,
	"POST /a2a/{graph}":                            `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"includeArtifacts":true}}`,
	"GET /.well-known/agent-card.json":             ``,
	"GET /a2a/{graph}/.well-known/agent-card.json": ``,
	"GET /ok":      ``,
	"GET /info":    ``,
	"GET /metrics": ``,
	"GET /healthz": ``,
	"GET /readyz":  ``,
}

// ask makes the request of a route for things, with a token.
func (th things) ask(t *testing.T, url, route, token string) (int, string) {
	t.Helper()
	with, ok := asked[route]
	if !ok {
		t.Errorf("the route %q is new: say here how a tenant could ask it for another's things", route)
		return 0, ""
	}
	method, path, _ := strings.Cut(th.fill(t, route), " ")
	with, query := th.fill(t, with), ""
	if strings.HasPrefix(with, "?") {
		with, query = "", with
	}
	if route == endless || route == joined {
		return begun(t, method, url+path, with, token)
	}
	status, body, _ := call(t, method, url+path+query, with, map[string]string{"X-Api-Key": token, "A2A-Version": "1.0"})
	return status, body
}

// begun is how a stream begins that does not end.
func begun(t *testing.T, method, url, body, token string) (int, string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, _ := io.ReadAll(answer.Body) // it ends by the time
	return answer.StatusCode, string(data)
}

// late sorts what removes things behind what needs them.
func late(routes []string) []string {
	out := slices.Clone(routes)
	slices.SortStableFunc(out, func(a, b string) int {
		weight := func(r string) int {
			if !strings.HasPrefix(r, "DELETE") {
				return 0
			}
			return 10 - strings.Count(r, "{")
		}
		return weight(a) - weight(b)
	})
	return out
}

// A tenant that knows all names of another's things gets none of them by any route, and
// changes none. The same requests, made by their owner, are answered.
func TestForeignNames(t *testing.T) {
	h := served(t, nil)
	th := own(t, h.URL, ann)
	all := func() (text string) {
		for _, route := range routes(t) {
			if strings.HasPrefix(route, "GET") && !strings.Contains(route, "/metrics") || strings.HasSuffix(route, "/search") || strings.HasSuffix(route, "/count") || strings.HasSuffix(route, "/namespaces") {
				status, body := th.ask(t, h.URL, route, ann)
				text += fmt.Sprintln(route, status, body)
			}
		}
		return text
	}
	before := all()
	if n := strings.Count(before, secret); n < 10 {
		t.Fatalf("the owner sees its secret only %d times: %s", n, before)
	}
	for _, named := range []bool{true, false} { // others may make a thread of the same name
		for _, route := range routes(t) {
			if strings.Contains(route, "{") != named {
				continue
			}
			status, body := th.ask(t, h.URL, route, bob)
			if strings.Contains(body, secret) || strings.Contains(body, hers) {
				t.Errorf("%s shows another's: %d %s", route, status, body)
			}
			if strings.Contains(route, "{") && status != http.StatusNotFound && route != endless && !slices.Contains(everybodys, route) {
				t.Errorf("%s of another's: %d %s", route, status, body)
			}
		}
	}
	if after := all(); after != before {
		t.Errorf("another tenant changed\n%s\ninto\n%s", before, after)
	}
	for _, route := range late(routes(t)) {
		if status, body := th.ask(t, h.URL, route, ann); status < 200 || status > 299 {
			t.Errorf("%s of the owner: %d %s", route, status, body)
		}
	}
}

// Names that lead out of where they stand, or that nothing can have, are refused by every
// route, without a word on the server's files.
func TestNames(t *testing.T) {
	h := served(t, nil)
	th := own(t, h.URL, ann)
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(folder)
	for _, name := range []string{
		"..%2f..%2fetc%2fpasswd", "%2e%2e", "%2e%2e%2f", "..%5c..", "a%00b", "%00", "%ff%fe", "a%0d%0aSet-Cookie:%20x=1", "a.b",
		"bob%2f" + th["thread"], "ann%2f" + th["thread"], "run%2f" + th["run"], "langgraph", "serve", "open", "%20", "-", "%25", "%F0%9F%92%A5", strings.Repeat("x", 10_000), strings.Repeat("%2f", 3000),
	} {
		for _, route := range routes(t) {
			for _, part := range placeholder.FindAllString(route, -1) {
				if part == "{node}" || route == endless { // a node that the graph does not have, a thread that may come
					continue
				}
				method, path, _ := strings.Cut(th.fill(t, strings.Replace(route, part, "\x00", 1)), " ")
				status, body, header := call(t, method, h.URL+strings.Replace(path, "\x00", name, 1), th.fill(t, strings.TrimPrefix(asked[route], "?")), map[string]string{"X-Api-Key": ann})
				if status < 400 || status > 499 || strings.Contains(body, filepath.Dir(folder)) || header.Get("Set-Cookie") != "" {
					t.Errorf("%s with %.40q: %d %.300s", route, name, status, body)
				}
				if len(body) > 4000 {
					t.Errorf("%s with %.40q is answered with %d bytes", route, name, len(body))
				}
			}
		}
		plain, err := httpUnescape(name)
		if err != nil {
			t.Fatal(err)
		}
		for route, body := range map[string]string{
			"POST /threads": `{"thread_id":%s}`, "POST /runs": `{"assistant_id":%s,"input":{}}`, "POST /runs/cancel": `{"thread_id":%s}`,
			"POST /assistants": `{"graph_id":%s}`, "PUT /store/items": `{"namespace":["n"],"key":"k","value":{},"index":%s}`,
			"POST /agui": `{"threadId":%s,"forwardedProps":{"assistant":"one"}}`,
		} {
			quoted, _ := json.Marshal(plain) // a string can always be encoded
			method, path, _ := strings.Cut(route, " ")
			status, answer, _ := call(t, method, h.URL+path, fmt.Sprintf(body, quoted), map[string]string{"X-Api-Key": ann})
			harmless := (route == "POST /threads" || route == "POST /runs/cancel" || route == "POST /agui") && utf8.ValidString(plain) && !strings.ContainsAny(plain, "./\x00\r") && len(plain) < 256
			if status >= 500 || status < 400 && !harmless {
				t.Errorf("%s with %.40q: %d %.300s", route, plain, status, answer)
			}
		}
	}
}

func httpUnescape(name string) (string, error) {
	r, err := http.NewRequest("GET", "http://a/"+name, nil)
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(r.URL.Path, "/"), nil
}
