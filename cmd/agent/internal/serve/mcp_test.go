package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/serve"
)

// An assistant is a client of MCP.
type assistant struct {
	*sdk.ClientSession
	t        *testing.T
	progress *said
}

// piped starts agent mcp, and talks to it as an assistant with this version of the protocol.
func piped(t *testing.T, home, version string, args ...string) assistant {
	t.Helper()
	a, _ := pipedAt(t, home, version, time.Now, args...)
	return a
}

// pipedAt is piped at another time. The function end stops it before the test ends.
func pipedAt(t *testing.T, home, version string, now func() time.Time, args ...string) (_ assistant, end func()) {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	errs := &said{}
	a := cli.New(in, out, errs, []string{cli.EnvHome + "=" + home})
	a.Models, a.Now = open.Local(), now
	ended := make(chan int, 1)
	go func() {
		ended <- clitest.Run(context.WithoutCancel(t.Context()), a, append([]string{"mcp"}, args...), serve.MCPCommand(a, "test"))
		_ = out.Close()
	}()
	end = sync.OnceFunc(func() {
		_ = toServer.Close()
		if code := <-ended; code != cli.ExitDone {
			t.Errorf("agent mcp ended with %d: %s", code, errs)
		}
	})
	t.Cleanup(end)
	return join(t, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, version), end
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// overHTTP talks to agent serve.
func overHTTP(t *testing.T, url, token, version string) assistant {
	t.Helper()
	return join(t, &sdk.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}}, version)
}

func join(t *testing.T, by sdk.Transport, version string) assistant {
	t.Helper()
	told := &said{}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, p *sdk.ProgressNotificationClientRequest) {
		fmt.Fprintln(told, p.Params.Message)
	}}).Connect(t.Context(), by, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return assistant{c, t, told}
}

// call calls a tool, and returns its output as JSON, or its error.
func (a assistant) call(tool string, args map[string]any) string {
	a.t.Helper()
	p := &sdk.CallToolParams{Name: tool, Arguments: args}
	p.SetProgressToken("p")
	res, err := a.CallTool(a.t.Context(), p)
	if err != nil {
		return "protocol: " + err.Error()
	}
	if res.IsError {
		return "tool: " + res.Content[0].(*sdk.TextContent).Text
	}
	data, err := json.Marshal(res.StructuredContent)
	if err != nil {
		a.t.Fatal(err)
	}
	return string(data)
}

// wants reports an output without an expected part.
func (a assistant) wants(tool string, args map[string]any, parts ...string) string {
	a.t.Helper()
	got := a.call(tool, args)
	for _, part := range parts {
		if !strings.Contains(got, part) {
			a.t.Errorf("%s %v lacks %s:\n%.1500s", tool, args, part, got)
		}
	}
	return got
}

const (
	permit      = "What are the elements of a valid lantern permit?"
	permitQuote = `"text":"a written application to the harbour office;","uri":"assay://corpus/default/permits.md?start=`
)

type object = map[string]any

// allTools calls every tool that reads.
func (a assistant) allTools() {
	a.wants("ask", object{"question": permit}, `"status":"answered"`, `"corpus":"default"`, `"verdict":"supported"`, permitQuote)
	a.wants("ask", object{"question": "How tall is the lighthouse of Ys?"}, `"status":"no_evidence"`)
	a.wants("search_passages", object{"query": "lantern permit", "k": 1}, `"corpus":"default"`, `"doc":"permits.md"`, `"uri":"assay://corpus/default/permits.md?start=`)
	a.wants("verify", object{"text": "A lantern permit expires after two winters. A lantern permit costs nine crowns."}, `"verdict":"supported"`, `"verdict":"unsupported"`, `"uri":"assay://corpus/default/permits.md?start=`)
	a.wants("verify", object{"text": "The gate is red.", "context": []object{{"name": "gates", "text": "The gate is red."}}}, `"verdict":"supported"`, `"doc":"gates"`)
	a.wants("comply", object{"question": "What must an applicant for a lantern permit pay?"}, `"status":`, `"trace":"assay://trace/`)
	a.wants("extract", object{"text": "\n Invoice 7, total 12.50 EUR", "schema": object{"type": "object", "properties": object{"total": object{"type": "number"}}}}, `"fields":{"total":12.5}`, `"start":19`, `"text":"12.50"`)
	a.wants("verify_edges", object{"edges": []object{{"cause": "a failed inspection", "effect": "no renewal"}}}, `"text":"a failed inspection → no renewal"`, `"about":"edge e1"`)
	a.wants("list_corpora", nil, `"name":"default"`, `"name":"sample"`)
	var found struct {
		Results []struct{ ID, Title, URL string }
	}
	if err := json.Unmarshal([]byte(a.wants("search", object{"query": "lantern permit expiry"}, `"results":[{"id":"assay://`)), &found); err != nil {
		a.t.Fatal(err)
	}
	a.wants("fetch", object{"id": found.Results[0].ID}, `"text":"A lantern permit expires after two winters.`, `"metadata":{"corpus":"default"}`)
	a.wants("fetch", object{"id": "assay://corpus/default/permits.md"}, `"text":"# Lantern permits`)
	if told := a.progress.String(); !strings.Contains(told, "retrieve\n") || !strings.Contains(told, "judge\n") {
		a.t.Errorf("progress is %q", told)
	}
}

// read reads a resource.
func (a assistant) read(uri string) (text, kind string) {
	a.t.Helper()
	res, err := a.ReadResource(a.t.Context(), &sdk.ReadResourceParams{URI: uri})
	if err != nil {
		return err.Error(), "error"
	}
	return res.Contents[0].Text, res.Contents[0].MIMEType
}

// library reads every kind of resource, completes, and gets every prompt.
func (a assistant) library() {
	a.t.Helper()
	ctx := a.t.Context()
	list, err := a.ListResources(ctx, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	var listed []string
	for _, r := range list.Resources {
		listed = append(listed, r.URI)
	}
	if got := fmt.Sprint(listed); got != "[ui://assay/evidence assay://corpus/default assay://corpus/sample assay://corpus/sample-county]" {
		a.t.Errorf("listed are %s", got)
	}
	templates, err := a.ListResourceTemplates(ctx, nil)
	if err != nil || len(templates.ResourceTemplates) != 5 {
		a.t.Errorf("templates %v, %v", templates, err)
	}
	var answer struct{ URI, Trace string }
	if err := json.Unmarshal([]byte(a.call("ask", object{"question": permit})), &answer); err != nil {
		a.t.Fatal(err)
	}
	for uri, want := range map[string][2]string{
		"assay://corpus/default":                          {"application/json", `{"corpus":"default","documents_count":1,"documents":["assay://corpus/default/permits.md"]}`},
		"assay://corpus/default/permits.md":               {"text/plain; charset=utf-8", "# Lantern permits"},
		"assay://corpus/default/permits.md?start=2&end=9": {"text/plain; charset=utf-8", "Lantern"},
		answer.URI:                                 {"application/json", `"question":"` + permit},
		answer.Trace:                               {"application/jsonl", `"node":"detect_injection"`},
		"ui://assay/evidence":                      {"text/html;profile=mcp-app", "ui/initialize"},
		"assay://answer/nothing":                   {"error", "there is no answer"},
		"assay://trace/nothing":                    {"error", "there is no answer"},
		"assay://corpus/nowhere":                   {"error", `there is no corpus "nowhere"`},
		"assay://corpus/default/no.md":             {"error", "has no document"},
		"assay://corpus/default/../../serve.token": {"error", "has no document"},
		"assay://corpus/..":                        {"error", "corpus is"},
		"assay://answer/x/y":                       {"error", "not found"},
		"file:///etc/passwd":                       {"error", "not found"},
	} {
		if text, kind := a.read(uri); kind != want[0] || !strings.Contains(text, want[1]) {
			a.t.Errorf("%s is %s: %.300s", uri, kind, text)
		}
	}
	complete := func(uri, name, value string, earlier map[string]string) string {
		res, err := a.Complete(ctx, &sdk.CompleteParams{
			Ref: &sdk.CompleteReference{Type: "ref/resource", URI: uri}, Argument: sdk.CompleteParamsArgument{Name: name, Value: value}, Context: &sdk.CompleteContext{Arguments: earlier},
		})
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(res.Completion.Values)
	}
	const docs = "assay://corpus/{corpus}/{+document}"
	run := strings.TrimPrefix(answer.URI, "assay://answer/")
	for got, want := range map[string]string{
		complete(docs, "corpus", "sam", nil):                                            "[sample sample-county]",
		complete(docs, "document", "per", map[string]string{"corpus": "default"}):       "[permits.md]",
		complete(docs, "document", "torts/batt", map[string]string{"corpus": "sample"}): "[torts/battery.md]",
		complete("assay://answer/{run}", "run", run, nil):                               "[" + run + "]",
		complete(docs, "start", "", nil):                                                "[]",
	} {
		if got != want {
			a.t.Errorf("completed to %s, want %s", got, want)
		}
	}
	if got := complete(docs, "document", "", map[string]string{"corpus": "../x"}); !strings.Contains(got, "corpus is") {
		a.t.Error(got)
	}
	prompts, err := a.ListPrompts(ctx, nil)
	if err != nil || len(prompts.Prompts) != 6 {
		a.t.Fatalf("prompts %v, %v", prompts, err)
	}
	for _, p := range prompts.Prompts {
		args := map[string]string{}
		for _, arg := range p.Arguments {
			args[arg.Name] = "the " + arg.Name
		}
		res, err := a.GetPrompt(ctx, &sdk.GetPromptParams{Name: p.Name, Arguments: args})
		if err != nil {
			a.t.Fatal(err)
		}
		text := res.Messages[0].Content.(*sdk.TextContent).Text
		for _, value := range args {
			if !strings.Contains(text, value) || strings.Contains(text, "%!") {
				a.t.Errorf("prompt %s lacks %q: %s", p.Name, value, text)
			}
		}
		if _, err := a.GetPrompt(ctx, &sdk.GetPromptParams{Name: p.Name}); err == nil || !strings.Contains(err.Error(), "needs the argument") {
			a.t.Errorf("prompt %s without arguments: %v", p.Name, err)
		}
	}
}

// refusals are wrong calls that a model can correct by the error.
func (a assistant) refusals() {
	for _, c := range []struct {
		tool string
		args object
		want string
	}{
		{"ask", object{"question": "  "}, "tool: the question is empty"},
		{"ask", object{"question": permit, "corpus": "../default"}, "tool: corpus is \"../default\""},
		{"ask", object{"question": permit, "corpus": "nowhere"}, "tool: there is no corpus \"nowhere\""},
		{"ask", object{"question": permit, "max_tokens": 1}, `"left_out":`},
		{"ask", object{"questions": permit}, "tool: validating"},
		{"search_passages", object{"query": "x", "corpus": "/etc"}, "tool: corpus is \"/etc\""},
		{"search_passages", object{"query": ""}, "tool: give a query"},
		{"search_passages", object{"query": "x", "k": 5000}, "tool: give a query"},
		{"search_passages", object{"query": "x", "filter": []string{"topic"}}, "tool: "},
		{"verify", object{}, "tool: give a text, or a file"},
		{"verify", object{"text": strings.Repeat("The gate is red. ", 300_000)}, "tool: the text has 5100000 bytes, and may have 1048576"},
		{"verify", object{"text": "x", "context": []object{{"text": strings.Repeat("y", 1<<20)}}}, "tool: the texts have 1048577 bytes together"},
		{"verify", object{"file": "a.txt"}, "tool: this server reads no files"},
		{"extract", object{"text": "x", "schema": object{"type": 7}}, "tool: reading the schema"},
		{"verify_edges", object{"edges": []object{{"cause": "a => b", "effect": "c"}}}, "tool: the edge"},
		{"verify_edges", object{"edges": []object{}}, "tool: name an edge"},
		{"fetch", object{"id": "assay://corpus/default/../../etc/passwd"}, "tool: corpus \"default\" has no document"},
		{"fetch", object{"id": "assay://corpus/default/..%2F..%2Fetc%2Fpasswd"}, "tool: corpus \"default\" has no document"},
		{"fetch", object{"id": "assay://corpus/..%2Fx/permits.md"}, "tool: corpus is \"../x\""},
		{"fetch", object{"id": "file:///etc/passwd"}, "is not an address of this server"},
		{"fetch", object{"id": "assay://corpus/default/permits.md?start=9&end=1"}, "tool: the document has "},
		{"fetch", object{"id": "assay://corpus/default/permits.md?start=-1"}, "start and end must be numbers"},
		{"fetch", object{"id": "assay://corpus/default/permits.md?end=99999999999"}, "tool: the document has "},
		{"ingest", object{"paths": []string{"."}, "corpus": "x"}, "protocol: "},
	} {
		a.wants(c.tool, c.args, c.want)
	}
}

// Every tool answers over standard input and output and over HTTP, for clients of this version
// of the protocol and of an older one. It refuses names that lead out of the corpora.
func TestMCP(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home)
	token, err := os.ReadFile(filepath.Join(home, "serve.token"))
	if err != nil {
		t.Fatal(err)
	}
	key := strings.TrimSpace(string(token))
	for name, a := range map[string]func(t *testing.T) assistant{
		"stdio":     func(t *testing.T) assistant { return piped(t, home, "") },
		"stdio old": func(t *testing.T) assistant { return piped(t, home, "2025-06-18") },
		"http":      func(t *testing.T) assistant { return overHTTP(t, s.url, key, "2026-07-28") },
		"http old":  func(t *testing.T) assistant { return overHTTP(t, s.url, key, "2025-03-26") },
	} {
		t.Run(name, func(t *testing.T) {
			a := a(t)
			a.allTools()
			a.library()
			if name == "stdio" || name == "http" {
				a.refusals()
			}
		})
	}
}

// A tenant's tools read only its corpora, and do not say where files are.
func TestMCPTenants(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	file := filepath.Join(t.TempDir(), "tenants.yaml")
	if err := os.WriteFile(file, []byte("- {name: ann, token: the-token-of-ann, corpora: [default]}\n- {name: bob, token: the-token-of-bob, corpora: [sample]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, home, "--tenants", file)
	ann, bob := overHTTP(t, s.url, "the-token-of-ann", ""), overHTTP(t, s.url, "the-token-of-bob", "")
	got := ann.wants("ask", object{"question": permit}, permitQuote)
	if strings.Contains(got, filepath.Dir(home)) {
		t.Errorf("it says where files are: %s", got)
	}
	if got := bob.wants("list_corpora", nil, `"name":"sample"`); strings.Contains(got, "default") {
		t.Errorf("bob sees %s", got)
	}
	for _, args := range []object{{"id": "assay://corpus/default/permits.md"}, {"id": "assay://corpus/sample-county/x"}} {
		bob.wants("fetch", args, "for you; there are sample")
	}
	bob.wants("ask", object{"question": permit, "corpus": "default"}, "for you; there are sample")
	var answer struct{ URI, Trace string }
	if err := json.Unmarshal([]byte(got), &answer); err != nil {
		t.Fatal(err)
	}
	for _, uri := range []string{answer.URI, answer.Trace} {
		if text, kind := ann.read(uri); kind == "error" || strings.Contains(text, filepath.Dir(home)) {
			t.Errorf("ann reads %s: %s", kind, text)
		}
		if text, kind := bob.read(uri); kind != "error" || !strings.Contains(text, "there is no answer") {
			t.Errorf("bob reads %s: %s", kind, text)
		}
	}
	if text, kind := bob.read("assay://corpus/default/permits.md"); kind != "error" || !strings.Contains(text, "for you") {
		t.Errorf("bob reads %s: %s", kind, text)
	}
}

// With --root the tools read files below it, and no others; with --allow-write they ingest them.
func TestMCPFiles(t *testing.T) {
	home, root, outside := t.TempDir(), t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(root, "docs", "permits.md"): clitest.Permits, filepath.Join(root, "claim.txt"): "A lantern permit expires after two winters.",
		filepath.Join(outside, "secret.txt"): "The secret is quartzfinch.",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link.txt": filepath.Join(outside, "secret.txt"), "out": outside} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	a := piped(t, home, "", "--root", root, "--allow-write")
	a.wants("ingest", object{"paths": []string{"docs"}, "corpus": "default"}, `"corpus":"default"`, `"added":1`)
	a.wants("ask", object{"question": permit}, `"status":"answered"`, permitQuote)
	a.wants("verify", object{"file": "claim.txt"}, `"verdict":"supported"`)
	a.wants("extract", object{"file": "claim.txt", "schema": object{"type": "object", "properties": object{"holder": object{"type": "string"}}}}, `"status":`)
	for _, name := range []string{"link.txt", "out/secret.txt", "../" + filepath.Base(outside) + "/secret.txt", filepath.Join(outside, "secret.txt"), "docs/../../x", "nothing.txt", "docs", ""} {
		for tool, args := range map[string]object{
			"verify": {"file": name}, "extract": {"file": name, "schema": object{"type": "object"}}, "ingest": {"paths": []string{name}, "corpus": "default"},
		} {
			if tool == "ingest" && (name == "docs" || name == "") {
				continue
			}
			if got := a.call(tool, args); !strings.HasPrefix(got, "tool: ") || strings.Contains(got, "quartzfinch") || strings.Contains(got, root) {
				t.Errorf("%s %q: %s", tool, name, got)
			}
		}
	}
	for corpus, want := range map[string]string{"sample": "tool: the corpus \"sample\" is", "../x": "tool: corpus is \"../x\"", "": "tool: corpus is"} {
		a.wants("ingest", object{"paths": []string{"docs"}, "corpus": corpus}, want)
	}
	without := piped(t, home, "", "--root", root)
	without.wants("ingest", object{"paths": []string{"docs"}, "corpus": "x"}, "protocol: ")
}

// A later session can read an answer. After a week it is gone.
func TestMCPKeeps(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	a, end := pipedAt(t, home, "", time.Now)
	var answer struct{ URI string }
	if err := json.Unmarshal([]byte(a.call("ask", object{"question": permit})), &answer); err != nil {
		t.Fatal(err)
	}
	end()
	a, end = pipedAt(t, home, "", func() time.Time { return time.Now().Add(6 * 24 * time.Hour) })
	if text, kind := a.read(answer.URI); kind == "error" {
		t.Errorf("after six days: %s", text)
	}
	end()
	a, _ = pipedAt(t, home, "", func() time.Time { return time.Now().Add(8 * 24 * time.Hour) })
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, kind := a.read(answer.URI); kind == "error" {
			break
		}
		if time.Now().After(until) {
			t.Fatal("after eight days it is still there")
		}
	}
}
