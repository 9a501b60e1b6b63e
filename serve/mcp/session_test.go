package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/graph"
	"example.com/assay/serve/internal/servetest"
	"example.com/assay/serve/mcp"
	"example.com/assay/serve/runs"
)

// letter is the state of the graphs of these tests.
type letter struct {
	Text string `json:"text"`
	By   string `json:"by"`
	Copy int    `json:"copy"`
}

// form is an answer with fields of its own.
type form struct {
	Copies int `json:"copies"`
}

// approve is a graph that asks two questions, one after the other.
func approve() *graph.Compiled[letter] {
	text := graph.LastValue("text", func(s *letter) *string { return &s.Text })
	by := graph.LastValue("by", func(s *letter) *string { return &s.By })
	copies := graph.LastValue("copy", func(s *letter) *int { return &s.Copy })
	g := graph.NewStateGraph(text, by, copies)
	g.AddNode("ask", func(ctx context.Context, s letter) (graph.Update[letter], error) {
		answer, err := graph.Interrupt[string](ctx, "send", "Who sends "+s.Text+"?")
		return graph.Update[letter]{by.Set(answer)}, err
	})
	g.AddNode("count", func(ctx context.Context, _ letter) (graph.Update[letter], error) {
		answer, err := graph.Interrupt[form](ctx, "count", map[string]any{
			"message": "How many?", "schema": map[string]any{"type": "object", "properties": map[string]any{"copies": map[string]any{"type": "integer"}}},
		})
		return graph.Update[letter]{copies.Set(answer.Copies)}, err
	})
	g.AddEdge(graph.Start, "ask")
	g.AddEdge("ask", "count")
	return compiled(g, "approve")
}

// endless is a graph that waits until it is cancelled.
func endless(began, ended chan<- string) *graph.Compiled[letter] {
	text := graph.LastValue("text", func(s *letter) *string { return &s.Text })
	g := graph.NewStateGraph(text)
	g.AddNode("wait", func(ctx context.Context, s letter) (graph.Update[letter], error) {
		began <- s.Text
		<-ctx.Done()
		ended <- s.Text
		return nil, ctx.Err()
	})
	g.AddEdge(graph.Start, "wait")
	return compiled(g, "endless")
}

func compiled(g *graph.StateGraph[letter], name string) *graph.Compiled[letter] {
	app, err := g.Compile(&graph.CompileOptions{Name: name})
	if err != nil {
		panic(err)
	}
	return app
}

// opened is a manager of graphs, on files.
func opened(t *testing.T, folder string, graphs ...runs.Graph) (*runs.Manager, func()) {
	t.Helper()
	ctx := context.Background()
	files, err := servetest.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	m, err := runs.Open(ctx, graphs, runs.Options{Checkpointer: files.Saver, Store: files.Rows, Log: files.Log, Warn: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	return m, func() {
		m.Close(context.Background())
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	}
}

// spaces are those of a manager.
func spaces(m *runs.Manager) func(context.Context, string) (*runs.Space, error) {
	return func(_ context.Context, tenant string) (*runs.Space, error) { return m.Space(tenant), nil }
}

type word struct {
	Text string `json:"text" jsonschema:"what is said"`
	mcp.Limited
}

type echoed struct {
	Text  string   `json:"text"`
	Parts []string `json:"parts"`
	Left  int      `json:"left_out,omitempty"`
}

func (e *echoed) Cut() (mcp.Link, bool) {
	if len(e.Parts) == 0 {
		return mcp.Link{}, false
	}
	e.Parts, e.Left = e.Parts[:len(e.Parts)-1], e.Left+1
	return mcp.Link{URI: "test://parts", Name: "parts"}, true
}

// tools are one that answers at once, one that fails, and those that run graphs.
func tools() []mcp.Tool {
	return []mcp.Tool{
		mcp.NewTool(mcp.About{Name: "echo", Title: "Echo", Description: "Says it again."}, func(ctx context.Context, c *mcp.Call, in word) (echoed, error) {
			c.Progress(ctx, "listening")
			c.Progress(ctx, "speaking")
			return echoed{Text: c.Tenant + ": " + strings.Repeat(in.Text[:1], min(3, len(in.Text))), Parts: strings.Fields(in.Text)}, nil
		}),
		mcp.NewTool(mcp.About{Name: "fail", Writes: true}, func(context.Context, *mcp.Call, struct{}) (echoed, error) {
			return echoed{}, errors.New("the shelf is empty: fill it first")
		}),
		job("approve"), job("endless"),
	}
}

// job is a tool that runs a graph.
func job(name string) mcp.Tool {
	return mcp.NewTool(mcp.About{Name: name}, func(ctx context.Context, c *mcp.Call, in word) (letter, error) {
		values, err := json.Marshal(map[string]string{"text": in.Text})
		if err != nil {
			return letter{}, err
		}
		end, err := c.Run(ctx, mcp.Job{Graph: name, Values: values})
		if err != nil {
			return letter{}, err
		}
		var out letter
		return out, json.Unmarshal(end.Values, &out)
	})
}

// A road leads a client to a mounting.
type road struct {
	name, version string
	connect       func(t *testing.T, m *mcp.Mounting) sdk.Transport
}

// roads are the transports, for clients of this version of the protocol and of an older one.
var roads = []road{
	{"stdio", "", byPipes}, {"stdio, old", "2025-06-18", byPipes},
	{"http", "2026-07-28", byHTTP}, {"http, old", "2025-06-18", byHTTP},
}

func byPipes(t *testing.T, m *mcp.Mounting) sdk.Transport {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- m.Serve(context.Background(), "ann", in, out) }()
	t.Cleanup(func() {
		_ = toServer.Close()
		if err := <-done; err != nil {
			t.Errorf("serving: %v", err)
		}
	})
	return &sdk.IOTransport{Reader: fromServer, Writer: toServer}
}

func byHTTP(t *testing.T, m *mcp.Mounting) sdk.Transport {
	s := httptest.NewServer(m.Handler(func(*http.Request) string { return "ann" }))
	t.Cleanup(s.Close)
	return &sdk.StreamableClientTransport{Endpoint: s.URL}
}

// join connects a client of the SDK.
func (r road) join(t *testing.T, m *mcp.Mounting, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	if o == nil {
		o = &sdk.ClientOptions{}
	}
	o.Capabilities = &sdk.ClientCapabilities{}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, o).Connect(t.Context(), r.connect(t, m), &sdk.ClientSessionOptions{ProtocolVersion: r.version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // its server may be gone
	return c
}

func mounted(t *testing.T, o mcp.Options) *mcp.Mounting {
	t.Helper()
	o.Name = "test"
	if o.Tools == nil {
		o.Tools = tools()
	}
	m, err := mcp.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// ask calls a tool, and returns its structured output or its error.
func ask(t *testing.T, c *sdk.ClientSession, tool string, args any) (string, *sdk.CallToolResult) {
	t.Helper()
	p := &sdk.CallToolParams{Name: tool, Arguments: args}
	p.SetProgressToken("p")
	res, err := c.CallTool(t.Context(), p)
	if err != nil {
		return "protocol: " + err.Error(), nil
	}
	if res.IsError {
		return "tool: " + res.Content[0].(*sdk.TextContent).Text, res
	}
	data, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	return string(data), res
}

// By every road a client sees the tools with their schemas and hints, gets outputs, progress
// and errors that it can act on, and is refused what does not fit a schema.
func TestTools(t *testing.T) {
	for _, r := range roads {
		t.Run(r.name, func(t *testing.T) {
			told := make(chan string, 10)
			c := r.join(t, mounted(t, mcp.Options{}), &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, p *sdk.ProgressNotificationClientRequest) {
				told <- fmt.Sprint(p.Params.Progress, " ", p.Params.Message)
			}})
			list, err := c.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			schema, err := json.Marshal([]any{list.Tools[1].InputSchema, list.Tools[1].OutputSchema})
			if err != nil {
				t.Fatal(err)
			}
			if len(list.Tools) != 4 || list.Tools[1].Name != "echo" || !list.Tools[1].Annotations.ReadOnlyHint || list.Tools[3].Annotations.ReadOnlyHint || list.Tools[1].OutputSchema == nil || !strings.Contains(string(schema), "what is said") || strings.Contains(string(schema), "null") {
				t.Errorf("the tools are %s", schema)
			}
			for in, want := range map[string]string{
				`{"text":"x y"}`: `{"parts":["x","y"],"text":"ann: xxx"}`,
				`{"txt":"x"}`:    `tool: validating "arguments"`,
				`{"text":7}`:     `tool: validating "arguments"`,
			} {
				if got, _ := ask(t, c, "echo", json.RawMessage(in)); !strings.HasPrefix(got, want) {
					t.Errorf("echo %s: %s", in, got)
				}
			}
			if first, second := <-told, <-told; first != "1 listening" || second != "2 speaking" {
				t.Errorf("progress is %s, %s", first, second)
			}
			if got, _ := ask(t, c, "fail", nil); got != "tool: the shelf is empty: fill it first" {
				t.Error(got)
			}
			if got, _ := ask(t, c, "nothing", nil); !strings.HasPrefix(got, "protocol: ") {
				t.Error(got)
			}
		})
	}
}

// A long output is cut to what the caller wants, and links to the rest; one that cannot be
// cut any more is an error.
func TestLimit(t *testing.T) {
	c := roads[0].join(t, mounted(t, mcp.Options{}), nil)
	long := strings.Repeat("word ", 1000)
	got, res := ask(t, c, "echo", word{Text: long, Limited: mcp.Limited{MaxTokens: 300}})
	if len(got) > 900 || !strings.Contains(got, `"left_out":878`) {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if n := len(res.Content); n != 2 || len(res.Content[0].(*sdk.TextContent).Text) != len(got) || res.Content[1].(*sdk.ResourceLink).URI != "test://parts" {
		t.Errorf("the content has %d parts", n)
	}
	if got, res := ask(t, c, "echo", word{Text: long}); len(got) < 5000 || len(res.Content) != 1 {
		t.Errorf("without a limit: %d bytes", len(got))
	}
}

// A run that asks is gone on with by the answers, also in another process with the same key;
// a state that was changed, or is another tool's, is refused.
func TestQuestions(t *testing.T) {
	key, folder := []byte(strings.Repeat("k", 32)), t.TempDir()
	graphs := []runs.Graph{{Name: "approve", App: approve().App()}}
	for _, r := range roads {
		t.Run(r.name, func(t *testing.T) {
			m, done := opened(t, folder, graphs...)
			defer done()
			var asked []string
			c := r.join(t, mounted(t, mcp.Options{Key: key, Space: spaces(m)}), &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, e *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				asked = append(asked, e.Params.Message)
				return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": "Ann", "copies": 3}}, nil
			}})
			got, _ := ask(t, c, "approve", word{Text: "it"})
			want, old := `{"by":"Ann","copy":3,"text":"it"}`, strings.HasSuffix(r.name, "old")
			if old {
				want = "tool: a person must answer first: How many?. This client is asked once per call: it needs version 2026-07-28 of the protocol"
			}
			if got != want || asked[0] != "Who sends it?" {
				t.Errorf("%s, asked %v", got, asked)
			}
			if got, _ := ask(t, r.join(t, mounted(t, mcp.Options{Space: spaces(m)}), nil), "approve", word{Text: "it"}); !strings.Contains(got, "This client cannot ask") {
				t.Error(got)
			}
		})
	}
	t.Run("restart", func(t *testing.T) {
		m, done := opened(t, folder, graphs...)
		byHand := func(m *runs.Manager) *sdk.ClientSession {
			return roads[2].join(t, mounted(t, mcp.Options{Key: key, Space: spaces(m)}), &sdk.ClientOptions{
				MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true}, ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) { return nil, nil },
			})
		}
		_, first := ask(t, byHand(m), "approve", word{Text: "it"})
		done()
		m, done = opened(t, folder, graphs...)
		defer done()
		c := byHand(m)
		bob := road{"http of bob", "2026-07-28", func(t *testing.T, m *mcp.Mounting) sdk.Transport {
			s := httptest.NewServer(m.Handler(func(*http.Request) string { return "bob" }))
			t.Cleanup(s.Close)
			return &sdk.StreamableClientTransport{Endpoint: s.URL}
		}}.join(t, mounted(t, mcp.Options{Key: key, Space: spaces(m)}), nil)
		tryOf := func(c *sdk.ClientSession, tool, state, action string) string {
			p := &sdk.CallToolParams{Name: tool, Arguments: word{Text: "it"}, RequestState: state, InputResponses: sdk.InputResponseMap{}}
			for id := range first.InputRequests {
				p.InputResponses[id] = &sdk.ElicitResult{Action: action, Content: map[string]any{"answer": "Ann"}}
			}
			res, err := c.CallTool(t.Context(), p)
			switch {
			case err != nil:
				return err.Error()
			case res.IsError:
				return res.Content[0].(*sdk.TextContent).Text
			}
			return fmt.Sprint(len(res.InputRequests), " more")
		}
		try := func(tool, state, action string) string { return tryOf(c, tool, state, action) }
		state := first.RequestState
		if got := tryOf(bob, "approve", state, "accept"); !strings.Contains(got, "requestState was changed") {
			t.Errorf("of another tenant: %s", got)
		}
		for _, at := range []int{0, len(state) / 2, len(state) - 2} {
			if got := try("approve", state[:at]+flipped(state[at])+state[at+1:], "accept"); !strings.Contains(got, "requestState was changed") {
				t.Errorf("changed at %d: %s", at, got)
			}
		}
		if got := try("endless", state, "accept"); !strings.Contains(got, "requestState was changed") {
			t.Error(got)
		}
		if got := try("approve", state, "decline"); !strings.Contains(got, "did not answer") {
			t.Error(got)
		}
		if got := try("approve", state, "accept"); got != "1 more" {
			t.Error(got)
		}
	})
}

func flipped(b byte) string {
	if b == 'A' {
		return "B"
	}
	return "A"
}

// A call that is cancelled, or whose client vanishes, ends its run.
func TestCancel(t *testing.T) {
	for _, r := range roads {
		t.Run(r.name, func(t *testing.T) {
			began, ended := make(chan string, 1), make(chan string, 1)
			m, done := opened(t, t.TempDir(), runs.Graph{Name: "endless", App: endless(began, ended).App()})
			defer done()
			c := r.join(t, mounted(t, mcp.Options{Space: spaces(m)}), nil)
			ctx, stop := context.WithCancel(t.Context())
			go func() {
				<-began
				stop()
			}()
			if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "endless", Arguments: word{Text: "it"}}); err == nil {
				t.Error("a cancelled call has an output")
			}
			select {
			case <-ended:
			case <-time.After(30 * time.Second):
				t.Error("the run goes on")
			}
		})
	}
}
