//go:build unix

package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/graph"
	"example.com/assay/internal/npmtest"
	"example.com/assay/nodes/conversation"
	"example.com/assay/serve"
)

// letter is the state of the graphs that a page asks.
type letter struct {
	Text     string     `json:"text"`
	Decision []decision `json:"decision,omitempty"`
}

// A decision is what a person answers on the page.
type decision struct {
	Type string          `json:"type"`
	Args json.RawMessage `json:"args"`
}

// A question is a question that the page shows with its answers.
type question struct {
	Action struct {
		Action string            `json:"action"`
		Args   map[string]string `json:"args"`
	} `json:"action_request"`
	Config struct {
		Respond bool `json:"allow_respond"`
		Accept  bool `json:"allow_accept"`
		Edit    bool `json:"allow_edit"`
		Ignore  bool `json:"allow_ignore"`
	} `json:"config"`
	Description string `json:"description"`
}

// chats are the graphs of the pages: one whose nodes go on when gate says so, and one that
// asks a person.
func chats(t *testing.T, gate <-chan struct{}) []serve.Graph {
	t.Helper()
	text := graph.LastValue("text", func(s *letter) *string { return &s.Text })
	decided := graph.LastValue("decision", func(s *letter) *[]decision { return &s.Decision })
	wait := func(ctx context.Context, _ letter) (graph.Update[letter], error) {
		select {
		case <-gate:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	ask := func(ctx context.Context, s letter) (graph.Update[letter], error) {
		q := question{Description: "May the letter be sent?"}
		q.Action.Action, q.Action.Args, q.Config.Accept = "send_letter", map[string]string{"text": s.Text}, true
		answer, err := graph.Interrupt[[]decision](ctx, "send", q)
		return graph.Update[letter]{decided.Set(answer)}, err
	}
	chat := func(name string, nodes map[string]graph.Node[letter], order ...string) serve.Graph {
		g := graph.NewStateGraph(text, decided)
		before := graph.Start
		for _, n := range order {
			g.AddNode(n, nodes[n])
			g.AddEdge(before, n)
			before = n
		}
		inner, err := g.Compile(&graph.CompileOptions{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		app, err := conversation.Graph(name, conversation.Pipeline[letter]{
			Graph: inner,
			Ask:   func(turn conversation.Turn) graph.Update[letter] { return graph.Update[letter]{text.Set(turn.Text)} },
			Reply: func(s letter) conversation.Reply {
				reply := conversation.Reply{Text: s.Text + ": done"}
				for _, d := range s.Decision {
					reply.Text += " by " + d.Type
				}
				return reply
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		out := serve.Register(name, app, nil)
		out.Steps = func(ev graph.Event[json.RawMessage]) string {
			if ev.Kind != graph.NodeStart {
				return ""
			}
			return ev.Node + " → "
		}
		return out
	}
	return []serve.Graph{
		chat("steps", map[string]graph.Node[letter]{"look": wait, "think": wait}, "look", "think"),
		chat("approve", map[string]graph.Node[letter]{"ask": ask}, "ask"),
	}
}

// page serves a built page, on which /next lets a node of the graphs go on.
func page(t *testing.T, dist string, gate chan<- struct{}) *httptest.Server {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(dist)))
	mux.HandleFunc("/next", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case gate <- struct{}{}:
		case <-r.Context().Done():
		}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// command builds the command, starts agent serve for pages, and returns its address and
// its token.
func command(t *testing.T, origins ...string) (url, token string) {
	t.Helper()
	home := t.TempDir()
	program := filepath.Join(home, "agent")
	if said, err := exec.Command("go", "build", "-o", program, "../cmd/agent").CombinedOutput(); err != nil {
		t.Fatalf("building the command: %v\n%s", err, said)
	}
	args := []string{"serve", "--addr", "127.0.0.1:0"}
	for _, o := range origins {
		args = append(args, "--origin", o)
	}
	cmd := exec.Command(program, args...)
	var log bytes.Buffer
	cmd.Env, cmd.Stderr = append(os.Environ(), "ASSAY_HOME="+home), &log
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the command ends: %v", err)
		}
		if t.Failed() {
			t.Logf("the command said\n%s", log.String())
		}
	})
	address := regexp.MustCompile(` on (http://\S+)`)
	lines := bufio.NewScanner(out)
	for url == "" && lines.Scan() {
		if m := address.FindStringSubmatch(lines.Text()); m != nil {
			url = m[1]
		}
	}
	data, err := os.ReadFile(filepath.Join(home, "serve.token"))
	if err != nil || url == "" {
		t.Fatalf("the command does not serve: %v", err)
	}
	return url, strings.TrimSpace(string(data))
}

// node runs a script of the page's folder and returns what it prints.
func node(t *testing.T, dir string, args ...string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	data, err := cmd.Output()
	if err != nil {
		t.Fatalf("node %s: %v\n%s", args[0], err, data)
	}
	return strings.TrimSpace(string(data))
}

// A person who uses agent-chat-ui sees the steps and the answer with its sources, asks on,
// is refused with a reason, approves, and finds all of it again when the page is loaded
// anew, as npm serves the page and with LangGraph's current packages.
func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a page")
	}
	if os.Getenv("ASSAY_TEST_PAGE") == "" {
		t.Skip("ASSAY_TEST_PAGE is not set: it makes this test build agent-chat-ui from npm, and use it in Chromium")
	}
	for _, program := range []string{"npm", "node", "chromium"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the page needs %s", program)
		}
	}
	dir, current := npmtest.Clients(t, "chatpage"), npmtest.Clients(t, "chatpage/current")
	gate := make(chan struct{})
	was, is := page(t, node(t, dir, "build.mjs"), gate), page(t, node(t, dir, "build.mjs", current), gate)
	agent, token := command(t, was.URL, is.URL)
	own := served(t, func(o *serve.Options) {
		o.Graphs, o.Tenants, o.Open, o.Origins = chats(t, gate), nil, true, []string{was.URL, is.URL}
	})
	for _, c := range []struct {
		name, url, joins, stepped string
	}{{"served", was.URL, "", "Again: done"}, {"current", is.URL, "joins", "Go: done"}} {
		t.Run(c.name, func(t *testing.T) {
			said := node(t, dir, "drive.mjs", c.url, agent, token, own.URL, t.ArtifactDir(), c.joins)
			want := map[string]any{
				"problems": []any{}, "headings": []any{"Rule", "Elements", "Exceptions", "Sources"}, "quotes": 8.0, "sources": []any{
					"[Source 1] Battery, The Rule and Its Elements, steps 1 to 4 (torts/battery.md, bytes 118–835)",
					"[Source 5] The Privilege of Self-Defense, Nature of the Privilege (torts/self-defense-privilege.md, bytes 138–880)",
				},
				"followUp": "searched for: what are the defences to a plaintiff?", "again": true,
				"threads": []any{"What must a plaintiff prove for battery?"}, "approved": []any{"Send the letter: done by accept"}, "stepped": []any{c.stepped},
			}
			var got map[string]any
			if err := json.Unmarshal([]byte(said), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("- wanted, + what is seen:\n%s", diff)
			}
		})
	}
}
