package mcp_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/graph/eventlog"
	notes "example.com/assay/graph/store/sqlite"
	"example.com/assay/internal/npmtest"
	"example.com/assay/serve"
	"example.com/assay/serve/mcp"
)

// suite serves the fixtures of the conformance suite behind the guard of package serve.
func suite(t *testing.T) *httptest.Server {
	t.Helper()
	ctx, folder := context.Background(), t.TempDir()
	saver, err := sqlite.Open(ctx, filepath.Join(folder, "threads.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := notes.Open(ctx, filepath.Join(folder, "runs.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	log, err := eventlog.OpenFile(ctx, filepath.Join(folder, "events.db"))
	if err != nil {
		t.Fatal(err)
	}
	o := mcp.Options{Name: "suite", Tools: fixtureTools(), Library: shelf{}, Prompts: suitePrompts()}
	mcp.Extend(&o, tuned, fixtures)
	s, err := serve.New(ctx, serve.Options{Graphs: []serve.Graph{serve.Register("rounds", rounds(), nil)}, Checkpointer: saver, Store: rows, Log: log, Open: true, MCP: &o})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		s.Close(ctx)
		h.Close()
		if err := errors.Join(log.Close(), rows.Close(), saver.Close()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// kit installs the programs of npm.
func kit(t *testing.T) (dir string) {
	t.Helper()
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
