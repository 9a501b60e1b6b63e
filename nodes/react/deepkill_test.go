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
	storesqlite "example.com/assay/graph/store/sqlite"
	"example.com/assay/llm"
	"example.com/assay/nodes/react"
	"example.com/assay/nodes/react/files"
)

// killDeep is killTurn for the turn of a deep agent.
const killDeep = "ASSAY_KILL_DEEP"

// noted are results of any agent, of any depth.
var noted = regexp.MustCompile(`RESULT-(\w+)`)

// deepScript answers by the conversation alone, so it goes on in another process.
func deepScript(req llm.Request) llm.Response {
	begins := true
	for _, m := range req.Messages {
		begins = begins && m.Role != llm.ToolRole
	}
	switch {
	case req.Skill == "agent" && begins:
		return llm.Response{Calls: calls(`task {"description":"x","subagent_type":"worker"}`, `task {"description":"y","subagent_type":"worker"}`, `note {"town":"a"}`, `edit_file {"file_path":"/f","old_string":"<","new_string":"<+"}`, `write_todos {"todos":[{"content":"go","status":"completed"}]}`).Calls}
	case req.Skill == "agent":
		return llm.Response{Text: "Done."}
	case begins:
		what := req.Messages[len(req.Messages)-1].Text
		return llm.Response{Calls: calls(fmt.Sprintf(`note {"town":"%s1"}`, what), fmt.Sprintf(`note {"town":"%s2"}`, what), `write_file {"file_path":"/mine","content":"x"}`).Calls}
	}
	return llm.Response{Text: "worked"}
}

func TestKillDeepChild(t *testing.T) {
	dir, after, ok := strings.Cut(os.Getenv(killDeep), "|")
	if !ok {
		t.Skip("only TestKillDeep runs this")
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
	kept, err := storesqlite.Open(t.Context(), filepath.Join(dir, "store.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	folder, err := files.NewDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	note := tool(t, "note", func(_ context.Context, in town) (string, error) {
		log.add("ran %s", in.Town)
		return "RESULT-" + in.Town, nil
	})
	box := &react.Inbox{Store: kept}
	g, err := react.Deep(keeps(deepScript), &react.DeepOptions{
		Tools: []react.Tool{note}, Files: folder, Inbox: box, Unasked: []string{"edit_file"},
		Subagents: []react.Subagent{{Description: "works", DeepOptions: react.DeepOptions{Options: react.Options{Name: "worker"}, Tools: []react.Tool{note}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	app, err := g.Compile(&graph.CompileOptions{Name: "agent", Checkpointer: &aDyingSaver{saver, log, left, noted}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = app.State(t.Context(), graph.Key{Thread: "t"})
	var s react.State
	if errors.Is(err, graph.ErrNoCheckpoint) {
		if err := box.Put(t.Context(), "t", "steered"); err != nil {
			t.Fatal(err)
		}
		s, err = app.Invoke(t.Context(), react.Say("Go"), onThread)
	} else if err == nil {
		s, err = app.Resume(t.Context(), nil, onThread)
	}
	if err != nil {
		t.Fatal(err)
	}
	steers := 0
	for _, m := range s.Messages {
		if m.Text == "steered" {
			steers++
		}
	}
	log.add("done %s %d %d %d", react.Answer(s), len(results(s)), steers, len(s.Todos))
}

// Killed after any commit of a deep agent's turn, with subagents side by side, the turn goes on: no call
// whose result was saved is made again, at any depth, an edit is made at most once, and a message from
// the inbox is there once.
func TestKillDeep(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a process for each commit, and -short was asked for")
	}
	for after := 1; ; after++ {
		dir := t.TempDir()
		put(t, dir, "f", "<")
		log, killed, lines := filepath.Join(dir, "notes"), false, ""
		for run := 0; !strings.Contains(lines, "done"); run++ {
			left := after
			if run > 0 {
				left = 1000
			}
			child := exec.Command(os.Args[0], "-test.run", "^TestKillDeepChild$")
			child.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%d", killDeep, dir, left))
			out, err := child.CombinedOutput()
			if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL && run == 0 {
				killed = true
			} else if err != nil || run > 1 {
				t.Fatalf("after %d commits, run %d: %v: %s", after, run, err, out)
			}
			data, err := os.ReadFile(log)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			lines = string(data)
		}
		if !strings.Contains(lines, "done Done. 5 1 1\n") {
			t.Errorf("after %d commits:\n%s", after, lines)
		}
		saved := map[string]bool{}
		for line := range strings.Lines(lines) {
			what, name, _ := strings.Cut(strings.TrimSpace(line), " ")
			if saved[name] = saved[name] || what == "saved"; what == "ran" && saved[name] {
				t.Errorf("killed after %d commits, %s ran again, whose result was saved:\n%s", after, name, lines)
			}
		}
		if f, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || string(f) != "<" && string(f) != "<+" {
			t.Errorf("killed after %d commits, the file is %q, %v", after, f, err)
		}
		if !killed {
			if after < 12 {
				t.Errorf("a turn has %d commits only", after-1)
			}
			return
		}
	}
}
