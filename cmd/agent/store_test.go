package main

import (
	"bytes"
	"crypto/rand"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/internal/pgtest"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
)

// A storeUser runs the command on a home with a store.
type storeUser struct {
	t    *testing.T
	home string
	env  map[string]string
	// model answers instead of the offline model. Default: the offline model.
	model func() llm.Model
}

// app is the program of the user.
func (u storeUser) app() (a *cli.App, stdout, stderr *bytes.Buffer) {
	a, stdout, stderr = clitest.App(u.home)
	a.Random = rand.Reader // one thread for each run
	for name, value := range u.env {
		a.Env[name] = value
	}
	if u.model != nil {
		a.Models[offline.Name] = u.model
	}
	return a, stdout, stderr
}

// run returns the output of a command line, which must end with the exit code.
func (u storeUser) run(code int, args ...string) string {
	u.t.Helper()
	a, stdout, stderr := u.app()
	if got := execute(u.t.Context(), a, args); got != code {
		u.t.Fatalf("%q: exit code %d, want %d\n%s%s", args, got, code, stdout, stderr)
	}
	return stdout.String() + stderr.String()
}

// shows fails unless the output of a command line matches a pattern.
func (u storeUser) shows(pattern string, args ...string) {
	u.t.Helper()
	if got := u.run(cli.ExitDone, args...); !regexp.MustCompile(pattern).MatchString(got) {
		u.t.Errorf("%q prints no %q:\n%s", args, pattern, got)
	}
}

// twoHomes returns two machines with the same documents and one store. The flags are for the
// ingest.
func twoHomes(t *testing.T, store string, flags ...string) (a, b storeUser) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "permits.md")
	if err := os.WriteFile(file, []byte(clitest.Permits), 0o644); err != nil {
		t.Fatal(err)
	}
	var users [2]storeUser
	for i := range users {
		users[i] = storeUser{t: t, home: t.TempDir(), env: map[string]string{config.EnvStore: store}}
		users[i].run(cli.ExitDone, append([]string{"ingest", file}, flags...)...)
	}
	return users[0], users[1]
}

// Two machines with one store continue each other's threads and serve each other's answers.
// Neither has its own files.
func TestStoreIsShared(t *testing.T) {
	store := pgtest.URL(t, pgtest.Schema(t))
	a, b := twoHomes(t, store)
	b.shows("no threads", "threads", "list")
	a.run(cli.ExitDone, "ask", "--memory", "--thread", "lease", clitest.PermitQuestion)
	b.shows(`"memory_hit": true`, "ask", "--memory", "--json", clitest.PermitQuestion)
	b.shows(`(?m)^lease .*default  What are the elements`, "threads", "list")
	b.shows(`"status": "answered"`, "resume", "lease", "--json")
	a.shows(`served +1 time`, "memory", "stats")
	b.shows("no notes", "memory", "notes")
	b.shows(`(?m)^ok    store +postgres://assay@.*: PostgreSQL \d+.*, user assay: its tables are those of this version`, "doctor")
	b.shows("forgot", "memory", "forget", "--all")
	a.shows("has no remembered answers", "memory", "list")
	b.run(cli.ExitDone, "threads", "remove", "lease")
	a.shows("no threads", "threads", "list")
	for _, home := range []string{a.home, b.home} {
		for _, name := range []string{"threads.db", "notes.db", "qa", "vectors"} {
			if _, err := os.Stat(filepath.Join(home, name)); err == nil {
				t.Errorf("%s is in the home", name)
			}
		}
	}
	// The flag overrides the variable, so the command reads the files again.
	a.shows("no threads", "threads", "list", "--store", "")
	if _, err := os.Stat(filepath.Join(a.home, "threads.db")); err != nil {
		t.Error(err)
	}
}

// rights returns the statements of a block of docs/scale.md, for the schema and the role
// of a test.
func rights(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.FromSlash("../../docs/scale.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(page), "```sql\n")
	block, _, closed := strings.Cut(block, "```")
	if !ok || !closed {
		t.Fatal("docs/scale.md has no block of SQL")
	}
	var out []string
	for s := range strings.SplitSeq(block, ";\n") {
		if s = strings.TrimSpace(s); s != "" && !strings.HasPrefix(s, "CREATE ") {
			s = strings.NewReplacer("SCHEMA assay ", "SCHEMA {s} ", "assay.", "{s}.", "assay_app", "{r}").Replace(s)
			out = append(out, s)
		}
	}
	if len(out) < 3 {
		t.Fatalf("docs/scale.md grants %q", out)
	}
	return out
}

// A role with the rights of docs/scale.md can do everything except make tables. The doctor names
// the rights that a weaker role lacks.
func TestStoreWithLeastRights(t *testing.T) {
	schema := pgtest.Schema(t)
	store := pgtest.URL(t, schema)
	owner, user := twoHomes(t, store, "--encoder", config.NoEncoder) // no vectors, so no tables yet
	as := func(role string) { user.env[config.EnvStore] = store + "&role=" + url.QueryEscape(role) }
	nobody := pgtest.Role(t, schema)
	as(nobody)
	got := user.run(cli.ExitFailed, "doctor")
	if !strings.Contains(got, "tables are missing or of an earlier version, and this user may not make them") {
		t.Errorf("without tables the doctor says:\n%s", got)
	}
	if got := user.run(cli.ExitFailed, "threads", "list"); !strings.Contains(got, "permission denied") || !strings.Contains(got, "agent doctor says what to do") {
		t.Errorf("without rights: %s", got)
	}
	owner.shows("no threads", "threads", "list") // makes the tables
	got = user.run(cli.ExitFailed, "doctor")
	if !strings.Contains(got, "may not USAGE ON SCHEMA") || !strings.Contains(got, "GRANT USAGE ON SCHEMA") {
		t.Errorf("without rights the doctor says:\n%s", got)
	}
	as(pgtest.Role(t, schema, "GRANT USAGE ON SCHEMA {s} TO {r}", "GRANT SELECT ON ALL TABLES IN SCHEMA {s} TO {r}"))
	if got = user.run(cli.ExitFailed, "doctor"); !strings.Contains(got, "may not DELETE ON checkpoints") || !strings.Contains(got, "more rights") {
		t.Errorf("with the right to read the doctor says:\n%s", got)
	}
	as(pgtest.Role(t, schema, rights(t)...))
	user.shows(`(?m)^ok    store `, "doctor")
	user.run(cli.ExitDone, "ask", "--memory", "--thread", "lease", clitest.PermitQuestion)
	user.run(cli.ExitDone, "ask", "--memory", "--thread", "lease", "When does a lantern permit expire?")
	user.run(cli.ExitDone, "resume", "lease")
	user.shows("forgot", "memory", "forget", "--all")
	user.run(cli.ExitDone, "threads", "remove", "lease")
	user.shows("no notes", "memory", "notes")
}

// A password in the address is never shown, not even when the server cannot be reached.
func TestStoreKeepsItsPassword(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	u := storeUser{t: t, home: home, env: map[string]string{config.EnvStore: "postgres://ann:s3cret@127.0.0.1:1/assay?sslpassword=s3cret&connect_timeout=2"}}
	traced := filepath.Join(t.TempDir(), "run.jsonl")
	var all bytes.Buffer
	for _, args := range [][]string{
		{"ask", "-v", "--thread", "lease", "--trace", traced, clitest.PermitQuestion},
		{"ask", "--memory", "--json", clitest.PermitQuestion},
		{"threads", "list"}, {"memory", "list"}, {"memory", "notes"}, {"resume", "lease", "--json"}, {"doctor"}, {"doctor", "--json"},
	} {
		got := u.run(cli.ExitFailed, args...)
		if !strings.Contains(got, "127.0.0.1:1") {
			t.Errorf("%q does not name the server: %s", args, got)
		}
		all.WriteString(got)
	}
	// A command that saves nothing does not connect to the store.
	all.WriteString(u.run(cli.ExitDone, "ask", "-v", "--trace", traced, clitest.PermitQuestion))
	trace, err := os.ReadFile(traced)
	if err != nil {
		t.Fatal(err)
	}
	all.Write(trace)
	u.env[config.EnvStore] = "postgres://ann:s3cret@db:port/assay"
	all.WriteString(u.run(cli.ExitUsage, "threads", "list"))
	if strings.Contains(all.String(), "s3cret") {
		t.Errorf("the password is shown:\n%s", all.String())
	}
}
