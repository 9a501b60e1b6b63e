package react_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/react"
)

// The test binary runs a turn and kills itself after some commits when killTurn is
// set: a folder, and the number of commits.
const killTurn = "ASSAY_KILL_TURN"

// notes are lines that outlive the process.
type notes struct{ path string }

func (n notes) add(format string, args ...any) {
	f, err := os.OpenFile(n.path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(f, format+"\n", args...)
	if err := f.Close(); err != nil {
		panic(err)
	}
}

// aDyingSaver notes whose results a commit saved, and kills the process after some.
type aDyingSaver struct {
	graph.Checkpointer
	notes notes
	left  int
	saved *regexp.Regexp // a result, with what is noted of it
}

var resultSaved = regexp.MustCompile(`"name":"(\w+)","additional_kwargs":\{\},"response_metadata":\{\},"tool_call_id":"c\d"`)

func (s *aDyingSaver) Commit(ctx context.Context, thread string, change graph.Change) error {
	if err := s.Checkpointer.Commit(ctx, thread, change); err != nil {
		return err
	}
	for _, r := range change.Records {
		for _, found := range s.saved.FindAllStringSubmatch(string(r.Data), -1) {
			s.notes.add("saved %s", found[1])
		}
	}
	if s.left--; s.left == 0 {
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return err
		}
		return self.Kill()
	}
	return nil
}

func TestKillChild(t *testing.T) {
	dir, after, ok := strings.Cut(os.Getenv(killTurn), "|")
	if !ok {
		t.Skip("only TestKill runs this")
	}
	left, err := strconv.Atoi(after)
	if err != nil {
		t.Fatal(err)
	}
	log := notes{filepath.Join(dir, "notes")}
	saver, err := sqlite.Open(t.Context(), filepath.Join(dir, "threads.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer saver.Close()
	var tools []react.Tool
	for _, name := range []string{"a", "b", "c", "d"} {
		made := tool(t, name, func(_ context.Context, in town) (string, error) {
			log.add("ran %s", name)
			return name, nil
		})
		if name == "c" {
			made.Approve = react.Always
		}
		tools = append(tools, made)
	}

	m := says(calls(`a {"town":"x"}`, `b {"town":"x"}`, `c {"town":"x"}`, `d {"town":"x"}`), text("Done."))
	g, err := react.New(resumed{m}, tools, nil)
	if err != nil {
		t.Fatal(err)
	}
	app, err := g.Compile(&graph.CompileOptions{Name: "agent", Checkpointer: &aDyingSaver{saver, log, left, resultSaved}})
	if err != nil {
		t.Fatal(err)
	}

	key := graph.Key{Thread: "t"}
	snap, err := app.State(t.Context(), key)
	var s react.State
	if errors.Is(err, graph.ErrNoCheckpoint) {
		s, err = app.Invoke(t.Context(), react.Say("Go"), &graph.RunOptions{Thread: "t"})
	} else if err == nil {
		opts := &graph.RunOptions{Thread: "t"}
		for _, task := range snap.Tasks {
			for _, p := range task.Interrupts {
				opts.Resume = append(opts.Resume, graph.ReplyTo(p.ID, react.Decide(react.Decision{Type: react.Approve})))
			}
		}
		s, err = app.Resume(t.Context(), nil, opts)
	}
	if err == nil && react.Answer(s) == "Done." {
		log.add("done %d", len(s.Messages))
	}
	fmt.Println(err)
}

// Killed after any commit of a turn with four calls, one of which asks a person, the
// turn goes on, and no call whose result was saved is made again.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a process for each commit, and -short was asked for")
	}
	for after := 1; ; after++ {
		dir := t.TempDir()
		log := filepath.Join(dir, "notes")
		killed := false
		for run := 0; ; run++ {
			left := after
			if run > 0 {
				left = 1000
			}
			child := exec.Command(os.Args[0], "-test.run", "^TestKillChild$")
			child.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%d", killTurn, dir, left))
			out, err := child.CombinedOutput()
			if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
				killed = true
			} else if err != nil {
				t.Fatalf("after %d commits: %v: %s", after, err, out)
			}
			lines, err := os.ReadFile(log)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			if strings.Contains(string(lines), "done 7") {
				break
			}
			if run == 5 {
				t.Fatalf("after %d commits: the turn has no end: %s\n%s", after, lines, out)
			}
		}
		lines, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(lines), "saved a") {
			t.Fatalf("no result was seen to be saved: %s", lines)
		}
		saved := map[string]bool{}
		for line := range strings.Lines(string(lines)) {
			what, name, _ := strings.Cut(strings.TrimSpace(line), " ")
			saved[name] = saved[name] || what == "saved"
			if what == "ran" && saved[name] {
				t.Errorf("killed after %d commits, %s ran again, whose result was saved:\n%s", after, name, lines)
			}
		}
		if !killed {
			if after < 6 {
				t.Errorf("a turn has %d commits only", after-1)
			}
			return
		}
	}
}

// resumed is a script that goes on in another process: it gives the answer that the
// conversation asks for.
type resumed struct{ script *llmtest.Script }

func (r resumed) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	answer := r.script.Answers["agent"][0]
	if req.Messages[len(req.Messages)-1].Role == llm.ToolRole {
		answer = r.script.Answers["agent"][1]
	}
	return llm.Response{Text: answer.Text, Calls: answer.Calls, Model: "script"}, nil
}
