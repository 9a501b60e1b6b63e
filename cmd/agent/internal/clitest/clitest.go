// Package clitest starts the program in tests, without the machine's streams, clock and variables.
package clitest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/memory"
)

// App is a program with buffers for streams and a home.
func App(home string) (a *cli.App, stdout, stderr *bytes.Buffer) {
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	a = cli.New(strings.NewReader(""), stdout, stderr, []string{cli.EnvHome + "=" + home})
	a.Models = open.Local()
	a.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	a.Random = bytes.NewReader(make([]byte, 1000))
	return a, stdout, stderr
}

// Permits is a text that answers questions about lantern permits.
const Permits = `# Lantern permits

## Elements of a valid permit

A valid lantern permit has three elements:

1. a written application to the harbour office;
2. payment of the lantern fee in full;
3. an inspection of the lantern by a wardkeeper.

## Expiry

A lantern permit expires after two winters. The holder may renew the permit before it expires, except where the lantern failed an inspection.
`

// PermitQuestion is a question that Permits answers.
const PermitQuestion = "What are the elements of a valid lantern permit?"

// Run executes a command line with these verbs and returns the exit code.
func Run(ctx context.Context, a *cli.App, args []string, verbs ...*cobra.Command) int {
	root := &cobra.Command{Use: "agent", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(verbs...)
	root.SetArgs(args)
	return a.Finish(root.ExecuteContext(ctx), args)
}

// Ingest makes the default corpus from one markdown file, and returns the file's path.
func Ingest(t *testing.T, home, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "permits.md")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: config.DefaultCorpus, Paths: []string{file}}); err != nil {
		t.Fatal(err)
	}
	return file
}
