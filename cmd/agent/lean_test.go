//go:build lean

package main

import (
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
)

// A lean build answers questions. It still knows the flags and verbs of Temporal and PostgreSQL,
// and its error says which build has them.
func TestLean(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	for _, c := range []struct {
		args []string
		want string // in the error; "" for success
	}{
		{[]string{"ask", clitest.PermitQuestion}, ""},
		{[]string{"threads", "list"}, ""},
		{[]string{"threads", "list", "--store", "postgres://ann@db/assay"}, "built without PostgreSQL"},
		{[]string{"ask", "--temporal", "127.0.0.1:7233", clitest.PermitQuestion}, "built without Temporal"},
		{[]string{"worker"}, "built without Temporal"},
		{[]string{"threads", "runs"}, "built without Temporal"},
		{[]string{"threads", "cancel", "lease"}, "built without Temporal"},
	} {
		a, _, stderr := clitest.App(home)
		code := execute(t.Context(), a, c.args)
		if done := c.want == ""; done != (code == cli.ExitDone) || !done && !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%q: exit code %d: %s", c.args, code, stderr)
		}
	}
}
