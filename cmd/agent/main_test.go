package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// TestMain lets the test binary stand in for the program, so that scripts run the code under
// test.
func TestMain(m *testing.M) {
	testscript.Main(cleaning{m}, map[string]func(){
		"agent":       main,
		"agent-hang":  hangingMain,
		"agent-slow":  slowMain,
		"checkspans":  checkSpansMain,
		"stable":      stableMain,
		"permits-mcp": permitServerMain,
	})
}

// cleaning removes the files that tests share, after all tests.
type cleaning struct{ *testing.M }

func (c cleaning) Run() int {
	code := c.M.Run()
	if sampleDirShared != "" {
		if err := os.RemoveAll(sampleDirShared); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return code
}

// hangingMain is the program with a model that hangs when it is called to replan, or with a
// prompt that holds the word HANG: it makes the file BLOCKED and waits for the end of its
// context.
func hangingMain() {
	a := systemApp()
	a.Models[offline.Name] = func() llm.Model { return hanging{offline.New(nil), os.Getenv("BLOCKED")} }
	code := execute(context.Background(), a, os.Args[1:])
	fmt.Fprintf(os.Stderr, "exit code %d\n", code)
	os.Exit(code)
}

type hanging struct {
	llm.Model
	file string
}

func (h hanging) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	words := os.Getenv("HANG")
	if req.Skill != skills.AdaptiveReplan && (words == "" || !bytes.Contains(req.Vars, []byte(words))) {
		return h.Model.Generate(ctx, req)
	}
	// Nodes run ahead of the reader of their events: give it time to write the events down,
	// since the test reads them.
	select {
	case <-time.After(500 * time.Millisecond):
	case <-ctx.Done():
		return llm.Response{}, context.Cause(ctx)
	}
	if err := os.WriteFile(h.file, nil, 0o644); err != nil {
		return llm.Response{}, err
	}
	<-ctx.Done()
	return llm.Response{}, context.Cause(ctx)
}

// checkSpansMain reads an answer from a file and checks that every source and every quote equals
// its bytes.
func checkSpansMain() {
	if err := checkSpans(os.Args[1], os.Args[2:]...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// checkSpans checks the sources of the answer in a file, which must have one. With a directory
// it looks for the documents there, where corpus export wrote them.
func checkSpans(file string, dir ...string) error {
	var answer state.Answer
	if err := readJSON(file, &answer); err != nil {
		return err
	}
	if len(answer.Sources) == 0 {
		return errors.New("the answer has no sources")
	}
	for _, s := range answer.Sources {
		path := s.Path
		if len(dir) > 0 {
			path = filepath.Join(dir[0], filepath.FromSlash(s.Doc))
		}
		if !filepath.IsAbs(s.Path) {
			return fmt.Errorf("source %d: path %q is not absolute", s.N, s.Path)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if got := string(text[s.Start:s.End]); got != s.Text {
			return fmt.Errorf("source %d: bytes %d–%d of %s are %q, not %q", s.N, s.Start, s.End, path, got, s.Text)
		}
		for _, q := range s.Quotes {
			if got := string(text[q.Start:q.End]); got != q.Text || !strings.Contains(answer.Answer, q.Text) {
				return fmt.Errorf("source %d: bytes %d–%d of %s are %q, the answer quotes %q", s.N, q.Start, q.End, path, got, q.Text)
			}
		}
	}
	return nil
}

// stableMain prints an answer without its run id and times.
func stableMain() {
	var answer state.Answer
	if err := readJSON(os.Args[1], &answer); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	answer.RunID, answer.Metrics.ElapsedMS = "", 0
	for node := range answer.Metrics.NodeMS {
		answer.Metrics.NodeMS[node] = 0
	}
	out, err := json.MarshalIndent(answer, "", " ")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%s\n", out)
}

// readJSON reads a file that holds exactly one JSON document of a type.
func readJSON(file string, v any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if d.More() {
		return fmt.Errorf("%s holds more than one document", file)
	}
	return nil
}

var sampleDirShared string // the result of sampleHome

// sampleHome is a home in which the sample is unpacked, made once for all
// tests that do not write to it.
var sampleHome = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "agent-sample-home-*")
	if err != nil {
		return "", err
	}
	sampleDirShared = dir
	corpus, err := open.Corpus(context.Background(), &cli.App{Stderr: cli.NewScreen(io.Discard, nil)}, config.Settings{Home: dir, Corpus: open.SampleCorpus}, nil)
	if err != nil {
		return "", err
	}
	return dir, corpus.Close()
})

func TestScripts(t *testing.T) {
	shared, err := sampleHome()
	if err != nil {
		t.Fatal(err)
	}
	server := newChat(t)
	cases, err := filepath.Abs(filepath.Join("..", "..", "case_studies"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() { // the scripts in which most runs are concurrent
		files = nil
		for _, name := range []string{"ask", "comply", "eval_suite", "extract_batch", "interrupt", "session", "telemetry", "thread"} {
			files = append(files, filepath.Join("testdata", "script", name+".txtar"))
		}
	}
	testscript.Run(t, testscript.Params{
		Files:               files,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("ASSAY_HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("SAMPLE_HOME", shared)
			env.Setenv("CASE_STUDIES", cases)
			env.Setenv("CHAT_URL", server.URL)
			env.Setenv("BLOCKED", filepath.Join(env.WorkDir, "blocked"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exitsCmd, "waitfor": waitForCmd, "mangle": mangleCmd, "capture": captureCmd, "longline": longLineCmd,
		},
	})
}

// exitsCmd is "exits CODE COMMAND ARG…".
func exitsCmd(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if neg || err != nil {
		ts.Fatalf("usage: exits CODE COMMAND ARG…")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("running %q: %v", args[1:], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// waitForCmd is "waitfor FILE".
func waitForCmd(ts *testscript.TestScript, _ bool, args []string) {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s does not appear", args[0])
		}
	}
}

// mangleCmd is "mangle PATTERN": it overwrites the middle of each matching
// file.
func mangleCmd(ts *testscript.TestScript, _ bool, args []string) {
	files, err := filepath.Glob(ts.MkAbs(args[0]))
	if err != nil || len(files) == 0 {
		ts.Fatalf("nothing matches %s: %v", args[0], err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		ts.Check(err)
		for i := range data {
			if i%3 == 0 {
				data[i] ^= 0xff
			}
		}
		ts.Check(os.WriteFile(file, data, 0o644))
	}
}

// captureCmd is "capture NAME PATTERN": the first group of the pattern, as it
// matches the last output, becomes a variable.
func captureCmd(ts *testscript.TestScript, _ bool, args []string) {
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) < 2 {
		ts.Fatalf("the output does not match %s", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// longLineCmd is "longline FILE BYTES": one line of words.
func longLineCmd(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Repeat([]byte("lantern "), n/8), 0o644))
}
