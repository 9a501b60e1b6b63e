package mcp_test

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/internal/npmtest"
	"example.com/assay/serve"
	"example.com/assay/serve/internal/servetest"
	"example.com/assay/serve/mcp"
)

// suite serves the fixtures of the conformance suite behind the guard of package serve.
func suite(t *testing.T) *httptest.Server {
	t.Helper()
	ctx, folder := context.Background(), t.TempDir()
	files, err := servetest.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	o := mcp.Options{Name: "suite", Tools: fixtureTools(), Library: shelf{}, Prompts: suitePrompts()}
	mcp.Extend(&o, tuned, fixtures)
	s, err := serve.New(ctx, serve.Options{Graphs: []serve.Graph{serve.Register("rounds", rounds(), nil)}, Checkpointer: files.Saver, Store: files.Rows, Log: files.Log, Open: true, MCP: &o})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		s.Close(ctx)
		h.Close()
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// kit installs the programs of npm.
func kit(t *testing.T) (dir string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs other people's programs")
	}
	if os.Getenv("ASSAY_TEST_ORACLE") == "" {
		t.Skip("ASSAY_TEST_ORACLE is not set: it makes this test install the conformance suite and the inspector of MCP from npm")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("the conformance suite needs npm")
	}
	return npmtest.Clients(t, "suite")
}

// program runs a program of npm, and returns what it prints and whether it succeeds.
func program(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Clients of both versions of the protocol find what their specification demands: each
// scenario that the SDK's own fixtures pass.
func TestConformance(t *testing.T) {
	dir, h := kit(t), suite(t)
	for version, c := range map[string]struct {
		suite string
		least int // scenarios
	}{"2025-11-25": {"active", 30}, "2026-07-28": {"all", 40}} {
		t.Run(version, func(t *testing.T) {
			out, err := program(t, dir, "node_modules/conformance-"+version+"/dist/index.js", "server", "--url", h.URL+mcp.Path, "--spec-version", version, "--suite", c.suite)
			_, summary, _ := strings.Cut(out, "=== SUMMARY ===")
			passed := regexp.MustCompile(`(?m)^✓ \S+: [1-9]\d* passed, 0 failed$`).FindAllString(summary, -1)
			if err != nil || len(passed) < c.least {
				t.Errorf("%d scenarios pass, error %v\n%s", len(passed), err, out)
			}
		})
	}
}

// agent builds the command, with a home in which the sample is indexed.
func agent(t testing.TB) (path string) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "agent")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/agent").CombinedOutput(); err != nil {
		t.Fatalf("building the command: %v\n%s", err, out)
	}
	t.Setenv("ASSAY_HOME", dir)
	if out, err := exec.Command(path, "search", "battery").CombinedOutput(); err != nil {
		t.Fatalf("indexing the sample: %v\n%s", err, out)
	}
	return path
}

// The inspector lists and calls tools, reads and prompts, and does not find a schema that
// some client cannot take.
func TestInspector(t *testing.T) {
	dir := kit(t)
	path := agent(t)
	for method, c := range map[string]struct {
		args []string
		want string
	}{
		"tools/list":               {[]string{"--strict"}, `"name": "verify_edges"`},
		"tools/call":               {[]string{"--tool-name", "ask", "--tool-arg", "question=What must a plaintiff prove for battery?"}, `assay://corpus/sample/torts/battery.md?start=`},
		"resources/list":           {nil, `"uri": "assay://corpus/sample"`},
		"resources/templates/list": {nil, `assay://corpus/{corpus}/{+document}{?start,end}`},
		"resources/read":           {[]string{"--uri", "assay://corpus/sample/torts/battery.md?start=118&end=256"}, "Battery is the intentional infliction"},
		"prompts/list":             {nil, `"name": "comply"`},
		"prompts/get":              {[]string{"--prompt-name", "verify", "--prompt-args", "text=It is so."}, "It is so."},
	} {
		args := append([]string{"node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli", path, "mcp", "--method", method}, c.args...)
		out, err := program(t, dir, args...)
		if err != nil || !strings.Contains(out, c.want) || strings.Contains(out, "Warning:") || strings.Contains(out, "Error:") {
			t.Errorf("%s: %v\n%s", method, err, out)
		}
	}
}

// From the start of the program to its first answers, and the processor's time for that and
// its end.
func BenchmarkStart(b *testing.B) {
	path := agent(b)
	for name, ask := range map[string]*sdk.CallToolParams{
		"tools": nil, "search": {Name: "search_passages", Arguments: map[string]any{"query": "elements of battery"}},
		"ask": {Name: "ask", Arguments: map[string]any{"question": "What must a plaintiff prove for battery?"}},
	} {
		b.Run(name, func(b *testing.B) {
			var worked time.Duration
			for b.Loop() {
				program := exec.Command(path, "mcp")
				c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(b.Context(), &sdk.CommandTransport{Command: program}, nil)
				if err == nil && ask == nil {
					_, err = c.ListTools(b.Context(), nil)
				} else if err == nil {
					_, err = c.CallTool(b.Context(), ask)
				}
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := c.Close(); err != nil {
					b.Fatal(err)
				}
				worked += program.ProcessState.UserTime() + program.ProcessState.SystemTime()
				b.StartTimer()
			}
			b.ReportMetric(float64(worked.Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}
