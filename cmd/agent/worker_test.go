package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/graph/temporal/temporaltest"
	"example.com/assay/internal/pgtest"
)

// works runs agent worker until the returned function is called.
func (u storeUser) works(args ...string) (stop func()) {
	u.t.Helper()
	a, stdout, stderr := u.app()
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(u.t.Context()))
	ended := make(chan int, 1)
	go func() { ended <- execute(ctx, a, append([]string{"worker"}, args...)) }()
	return func() {
		u.t.Helper()
		cancel(cli.ErrInterrupted)
		if code := <-ended; code != cli.ExitDone {
			u.t.Errorf("the worker ended with code %d\n%s%s", code, stdout, stderr)
		}
	}
}

// A worker on one machine answers the question of another machine, with the same answer. The
// thread of both machines has it. A worker with other documents refuses the question.
func TestWorkerAnswers(t *testing.T) {
	server := temporaltest.Address(t)
	asks, works := twoHomes(t, pgtest.URL(t, pgtest.Schema(t)))
	want := asks.run(cli.ExitDone, "ask", clitest.PermitQuestion)
	for _, u := range []storeUser{asks, works} {
		u.env["ASSAY_TEMPORAL"] = server
	}
	stop := works.works()
	got := asks.run(cli.ExitDone, "ask", "--thread", "lease", clitest.PermitQuestion)
	same := regexp.MustCompile(regexp.QuoteMeta(asks.home) + "|" + regexp.QuoteMeta(works.home))
	if got, want := same.ReplaceAllString(got, "HOME"), same.ReplaceAllString(want, "HOME"); got != want {
		t.Errorf("a worker answers\n%s\nthis process\n%s", got, want)
	}
	asks.shows(`(?m)^lease .*default  What are the elements`, "threads", "list")
	asks.shows(`(?m)^lease .*  ended  research$`, "threads", "runs")
	asks.shows(`"status": "answered"`, "resume", "lease", "--json")
	asks.env["ASSAY_SKILLS"] = overlay(t)
	if got := asks.run(cli.ExitFailed, "ask", clitest.PermitQuestion); !strings.Contains(got, "other prompts") {
		t.Errorf("a worker with other prompts: %s", got)
	}
	delete(asks.env, "ASSAY_SKILLS")
	stop()
	other := storeUser{t: t, home: t.TempDir(), env: map[string]string{config.EnvStore: works.env[config.EnvStore], "ASSAY_TEMPORAL": server}}
	stop = other.works()
	defer stop()
	if got := asks.run(cli.ExitFailed, "ask", clitest.PermitQuestion); !strings.Contains(got, "ingest the same documents here") {
		t.Errorf("a worker with other documents: %s", got)
	}
}

// overlay is a folder with a changed prompt.
func overlay(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash("../../skills/plan_synthesis.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plan_synthesis.md"), append(data, "\nBe brief.\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A Temporal server in the environment matters to agent ask only: a session runs in its own
// process.
func TestSessionIgnoresTemporal(t *testing.T) {
	a, stdout, stderr := clitest.App(t.TempDir())
	a.Env["ASSAY_TEMPORAL"], a.Stdin = "127.0.0.1:1", strings.NewReader("What is consideration?\n")
	if code := execute(t.Context(), a, nil); code != cli.ExitDone {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// Missing settings are reported before anything runs.
func TestWorkerUsage(t *testing.T) {
	u := storeUser{t: t, home: t.TempDir(), env: map[string]string{}}
	for what, args := range map[string][]string{
		"add --temporal HOST:PORT": {"worker"},
		"add --store postgres://":  {"worker", "--temporal", "127.0.0.1:1"},
		"it must be HOST:PORT":     {"ask", "--temporal", "nowhere", "What?"},
		"for runs in this process": {"ask", "--temporal", "127.0.0.1:1", "--replay", "x.cassette", "What?"},
		"name the Temporal server": {"threads", "runs"},
		"it must be at least 1":    {"worker", "--temporal", "127.0.0.1:1", "--at-once", "0"},
		"there are: running, wait": {"threads", "runs", "--phase", "lost"},
		"the name of a thread":     {"threads", "cancel"},
	} {
		if got := u.run(cli.ExitUsage, args...); !strings.Contains(got, what) {
			t.Errorf("%q says %q, want %q", args, got, what)
		}
	}
}

// New runs go to the version that was made current last, and only to its workers.
func TestWorkerVersions(t *testing.T) {
	u := storeUser{t: t, home: t.TempDir(), env: map[string]string{config.EnvStore: pgtest.URL(t, pgtest.Schema(t)), "ASSAY_TEMPORAL": temporaltest.Address(t)}}
	clitest.Ingest(t, u.home, clitest.Permits)
	for _, build := range []string{"one", "two"} {
		stop := u.works("--build", build, "--current")
		u.run(cli.ExitDone, "ask", "--thread", build, clitest.PermitQuestion)
		stop()
	}
	stop := u.works("--build", "one")
	if got := u.run(cli.ExitFailed, "ask", "--timeout", "3s", "--thread", "three", clitest.PermitQuestion); !strings.Contains(got, "stopped after 3s") {
		t.Errorf("a worker of an earlier version answers: %s", got)
	}
	u.shows(`worker of the current version "two" on queue .*, and 1 of other versions`, "doctor") // "two" asked a moment ago
	stop()
	defer u.works("--current")()
	u.run(cli.ExitDone, "ask", "--timeout", "20s", "--thread", "four", clitest.PermitQuestion)
}
