package react_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	storememory "example.com/assay/graph/store/memory"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/react"
	"example.com/assay/nodes/react/files"
)

func deep(t *testing.T, m llm.Model, opts *react.DeepOptions) *graph.Compiled[react.State] {
	t.Helper()
	g, err := react.Deep(m, opts)
	if err != nil {
		t.Fatal(err)
	}
	app, err := g.Compile(&graph.CompileOptions{Name: "agent", Checkpointer: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// results are the results of a conversation's calls, in order; "!" ends a failed one.
func results(s react.State) []string {
	var out []string
	for i, m := range s.Messages {
		for _, c := range m.Calls {
			for _, later := range s.Messages[i+1 : min(i+1+len(m.Calls), len(s.Messages))] {
				for _, r := range later.Results {
					if r.CallID == c.ID && r.Failed {
						r.Text += "!"
					}
					if r.CallID == c.ID {
						out = append(out, r.Text)
					}
				}
			}
		}
	}
	return out
}

// approving goes on with a run and approves what it asks. It returns the tools that asked.
func approving(t *testing.T, app *graph.Compiled[react.State], said string) (s react.State, asked []string) {
	t.Helper()
	s, err := app.Invoke(t.Context(), react.Say(said), onThread)
	for {
		waiting, ok := errors.AsType[*graph.InterruptedError](err)
		if !ok {
			break
		}
		opts := &graph.RunOptions{Thread: "t"}
		for _, p := range waiting.Pending {
			var q react.HITLRequest
			if err := json.Unmarshal(p.Payload, &q); err != nil {
				t.Fatal(err)
			}
			var given []react.Decision
			for _, action := range q.Actions {
				asked, given = append(asked, action.Name), append(given, react.Decision{Type: react.Approve})
			}
			opts.Resume = append(opts.Resume, graph.ReplyTo(p.ID, react.Decide(given...)))
		}
		s, err = app.Resume(t.Context(), nil, opts)
	}
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(asked)
	return s, asked
}

// disk is a folder with files, as a backend.
func disk(t *testing.T, list map[string]string) (*files.Disk, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range list {
		put(t, dir, name, text)
	}
	d, err := files.NewDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d, dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// To-dos and files are in the state, over turns. Edits of one file in one message all count.
func TestDeepState(t *testing.T) {
	m := says(
		calls(`write_todos {"todos":[{"content":"look","status":"in_progress"},{"content":"write","status":"pending"}]}`, `write_file {"file_path":"notes/a.md","content":"one two three\n"}`),
		calls(`edit_file {"file_path":"/notes/a.md","old_string":"one","new_string":"1"}`, `edit_file {"file_path":"/notes/a.md","old_string":"two","new_string":"2"}`, `edit_file {"file_path":"/notes/a.md","old_string":"four","new_string":"4"}`),
		text("Written."),
		calls(`read_file {"file_path":"/notes/a.md"}`, `ls {"path":"/notes"}`, `ls {}`, `glob {"pattern":"**/*.md"}`, `grep {"pattern":"three"}`, `read_file {"file_path":"/none"}`, `write_file {"file_path":"/notes","content":""}`, `write_todos {"todos":[{"content":"x","status":"maybe"}]}`),
		text("Read."))
	app := deep(t, m, nil)
	s := run(t, app, "Go")
	if fmt.Sprint(s.Todos) != "[{look in_progress} {write pending}]" || s.Files["/notes/a.md"].Content != "1 2 three\n" {
		t.Errorf("to-dos %v, files %v", s.Todos, s.Files)
	}
	s = run(t, app, "And now?")
	want := []string{
		"Your to-dos:\n- [in_progress] look\n- [pending] write", "written", "replaced 1 times", "replaced 1 times", `editing "/notes/a.md": it does not contain the old text; read it and give the text exactly!`,
		"     1\t1 2 three\n", "/notes/a.md", "/notes/", "/notes/a.md", "/notes/a.md:1: 1 2 three", `reading "/none": file does not exist!`, `writing "/notes": it is a folder!`, `to-do "x": its status is "maybe"; it must be pending, in_progress or completed!`,
	}
	if got := results(s); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	data, err := json.Marshal(s)
	if err != nil || !strings.Contains(string(data), `"files":{"/notes/a.md":{"content":"1 2 three\n","encoding":"utf-8"}}`) {
		t.Errorf("%v: %s", err, data)
	}
}

// An agent without the tools of a deep one has no channels for them.
func TestPlainAgentsHaveNoFiles(t *testing.T) {
	g, err := react.New(says(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	app, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range app.App().Channels() {
		if c.Name == "todos" || c.Name == "files" {
			t.Errorf("it has %s", c.Name)
		}
	}
}

// Writes to a disk ask, unless they need not; those to a store do not. Nothing leads out of the folder.
func TestDeepDisk(t *testing.T) {
	d, dir := disk(t, map[string]string{"plan.md": "Monday\n"})
	script := func() *llmtest.Script {
		return says(calls(`edit_file {"file_path":"/plan.md","old_string":"Monday","new_string":"Tuesday"}`, `write_file {"file_path":"/../new.md","content":"x"}`, `read_file {"file_path":"/../../etc/passwd"}`), text("Done."))
	}
	s, asked := approving(t, deep(t, script(), &react.DeepOptions{Files: d}), "Go")
	if fmt.Sprint(asked) != "[edit_file write_file]" {
		t.Errorf("asked about %v", asked)
	}
	if got := results(s); got[0] != "replaced 1 times" || got[1] != "written" || !strings.HasSuffix(got[2], "file does not exist!") || len(s.Files) > 0 {
		t.Errorf("%q", got)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "plan.md")); err != nil || string(data) != "Tuesday\n" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "new.md")); err != nil {
		t.Error(err)
	}
	put(t, dir, "plan.md", "Monday\n")
	if _, asked := approving(t, deep(t, script(), &react.DeepOptions{Files: d, Unasked: []string{"edit_file"}}), "Go"); fmt.Sprint(asked) != "[write_file]" {
		t.Errorf("asked about %v", asked)
	}
	kept, err := storememory.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	inStore := files.InStore(kept, "files")
	if err := files.Write(t.Context(), inStore, "/plan.md", "Monday"); err != nil {
		t.Fatal(err)
	}
	if _, asked := approving(t, deep(t, script(), &react.DeepOptions{Files: inStore}), "Go"); len(asked) > 0 {
		t.Errorf("asked about %v", asked)
	}
	if got, err := files.Read(t.Context(), inStore, "/plan.md"); got != "Tuesday" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// A call that was approved and waits for another one is not asked about again, also where a later call
// of the message asks meanwhile.
func TestApprovedCallsWait(t *testing.T) {
	d, dir := disk(t, map[string]string{"f": "a b"})
	pay := echo(t, "pay")
	pay.Approve = react.Always
	m := says(calls(`edit_file {"file_path":"/f","old_string":"a","new_string":"A"}`, `edit_file {"file_path":"/f","old_string":"b","new_string":"B"}`, `pay {"town":"x"}`), text("Done."))
	s, asked := approving(t, deep(t, m, &react.DeepOptions{Options: react.Options{AtOnce: 2}, Files: d, Tools: []react.Tool{pay}}), "Go")
	if data, err := os.ReadFile(filepath.Join(dir, "f")); fmt.Sprint(asked) != "[edit_file edit_file pay]" || string(data) != "A B" || err != nil || results(s)[2] != "pay of x" {
		t.Errorf("asked %v, the file is %q, %v, %q", asked, data, err, results(s))
	}
}

func TestDeepOptions(t *testing.T) {
	d, _ := disk(t, nil)
	sub := react.Subagent{Description: "x", DeepOptions: react.DeepOptions{Options: react.Options{Name: "a"}}}
	unnamed, mute, reached, inner := sub, sub, sub, sub
	unnamed.Name, mute.Description, reached.Inbox, inner.Unasked = "a b", "", &react.Inbox{}, []string{"shell"}
	for want, o := range map[string]react.DeepOptions{
		`no tool "shell"`:        {Files: d, Unasked: []string{"shell"}},
		`"a b": its name`:        {Subagents: []react.Subagent{unnamed}},
		`"a": its name`:          {Subagents: []react.Subagent{sub, sub}},
		"needs a description":    {Subagents: []react.Subagent{mute}},
		"has an inbox":           {Subagents: []react.Subagent{reached}},
		`subagent "a": making`:   {Subagents: []react.Subagent{inner}},
		"the shell's folder":     {Shell: &react.ShellOptions{Folder: "none"}},
		`two tools are called`:   {Tools: []react.Tool{echo(t, "ls")}},
		"Retry would make its":   {Tools: []react.Tool{{Callable: echo(t, "x").Callable, Once: true, Retry: []graph.RetryPolicy{{}}}}},
		"tool 0 has no Callable": {Tools: []react.Tool{{}}},
	} {
		if _, err := react.Deep(says(), &o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s: %v", want, err)
		}
	}
}

// Subagents side by side begin with their description alone, and only their answers come back. Neither
// writes the other's to-dos, files or skills, nor those of the agent that asks.
func TestSubagents(t *testing.T) {
	skillsOf := func(name string) files.Backend {
		d, _ := disk(t, map[string]string{name + "/SKILL.md": "---\nname: " + name + "\ndescription: how " + name + " works\n---\nDo " + name + "."})
		return d
	}
	sub := func(name string) react.Subagent {
		return react.Subagent{Description: "knows " + name, DeepOptions: react.DeepOptions{Options: react.Options{Name: name, Prompt: "You are " + name + "."}, Skills: skillsOf("skill-" + name)}}
	}
	var lines []string
	m := keeps(func(req llm.Request) llm.Response {
		last, round := req.Messages[len(req.Messages)-1], len(req.Messages)
		call := func(list ...string) llm.Response { return llm.Response{Calls: calls(list...).Calls} }
		if req.Skill == "agent" {
			switch round {
			case 2:
				return call(`write_file {"file_path":"/mine","content":"the agent's"}`, `write_todos {"todos":[{"content":"the agent's","status":"pending"}]}`,
					`task {"description":"one","subagent_type":"red"}`, `task {"description":"two","subagent_type":"red"}`, `task {"description":"three","subagent_type":"blue"}`, `task {"description":"four","subagent_type":"green"}`)
			case 4:
				return call(`ls {}`)
			}
			return llm.Response{Text: "Done."}
		}
		system, question := req.Messages[0].Text, req.Messages[1].Text
		switch round {
		case 2:
			return call(`ls {}`, fmt.Sprintf(`write_file {"file_path":"/mine","content":%q}`, question), fmt.Sprintf(`write_todos {"todos":[{"content":%q,"status":"completed"}]}`, question), fmt.Sprintf(`read_skill {"name":"skill-%s"}`, req.Skill))
		case 4:
			return call(`read_file {"file_path":"/mine"}`)
		}
		listed := "none"
		for _, name := range []string{"red", "blue"} {
			if strings.Contains(system, "how skill-"+name) {
				listed = name
			}
		}
		before := req.Messages[3].Results
		return llm.Response{Text: strings.Join([]string{req.Skill, question, listed, before[0].Text, strings.TrimSpace(last.Results[0].Text), before[2].Text, lastLine(before[3].Text)}, "|")}
	})
	app := deep(t, m, &react.DeepOptions{Subagents: []react.Subagent{sub("red"), sub("blue")}})
	s := run(t, app, "Go")
	lines = results(s)
	want := []string{"written", "Your to-dos:\n- [pending] the agent's"}
	for _, l := range []string{"red one", "red two", "blue three"} {
		name, said, _ := strings.Cut(l, " ")
		want = append(want, fmt.Sprintf("%s|%s|%s|(nothing)|1\t%s|Your to-dos:\n- [completed] %s|     5\tDo skill-%s.", name, said, name, said, said, name))
	}
	want = append(want, `there is no subagent "green"; there are: blue, red!`, "/mine")
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%q\nwant\n%q", lines, want)
	}
	if s.Files["/mine"].Content != "the agent's" || len(s.Files) != 1 || fmt.Sprint(s.Todos) != "[{the agent's pending}]" {
		t.Errorf("files %v, to-dos %v", s.Files, s.Todos)
	}
	if again := run(t, app, "Again"); len(again.Files) != 1 {
		t.Errorf("files of a later turn: %v", again.Files)
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return lines[len(lines)-1]
}

// Subagents with one backend share its files.
func TestSubagentsShareABackend(t *testing.T) {
	d, _ := disk(t, nil)
	sub := react.Subagent{Description: "writes", DeepOptions: react.DeepOptions{Options: react.Options{Name: "writer"}, Files: d}}
	m := &llmtest.Script{Answers: map[string][]llmtest.Answer{
		"agent":  {calls(`task {"description":"write","subagent_type":"writer"}`), calls(`read_file {"file_path":"/x"}`), text("Done.")},
		"writer": {calls(`write_file {"file_path":"/x","content":"shared"}`), text("Written.")},
	}}
	s, asked := approving(t, deep(t, m, &react.DeepOptions{Files: d, Subagents: []react.Subagent{sub}}), "Go")
	if got := results(s); fmt.Sprint(asked) != "[write_file]" || got[0] != "Written." || got[1] != "     1\tshared\n" {
		t.Errorf("asked %v, %q", asked, got)
	}
}

// A skill that is added, changed or removed is seen on a thread that goes on, and nothing of it is kept
// in the state.
func TestSkills(t *testing.T) {
	skill := func(name, about string) string {
		return "---\nname: " + name + "\ndescription: >-\n  " + about + "\n  in two lines\nlicense: MIT\n---\n# " + name + "\n"
	}
	d, dir := disk(t, map[string]string{"one/SKILL.md": skill("one", "first"), "README.md": "no skill", ".git/SKILL.md": "x", "empty/x": "x", "one/more/table.csv": "a,b\n"})
	system := func(m *llmtest.Script) string {
		reqs := m.Requests()
		_, note, _ := strings.Cut(reqs[len(reqs)-1].Messages[0].Text, "Skills, which")
		_, list, _ := strings.Cut(note, "\n")
		return list
	}
	m := says(calls(`read_skill {"name":"one"}`, `read_skill {"name":"one","file":"more/table.csv"}`, `read_skill {"name":"one","file":"../../secret"}`, `read_skill {"name":"../one"}`, `read_skill {"name":"two"}`), text("1"), text("2"), text("3"), text("4"))
	app := deep(t, m, &react.DeepOptions{Skills: d})
	s := run(t, app, "Go")
	if got := results(s); !strings.Contains(got[0], "# one") || got[1] != "     1\ta,b\n" || !strings.HasSuffix(got[2], "!") || !strings.HasSuffix(got[3], "!") && !strings.Contains(got[3], "# one") || !strings.HasSuffix(got[4], "file does not exist!") {
		t.Errorf("%q", got)
	}
	if got := system(m); got != "- one: first in two lines" {
		t.Error(got)
	}
	put(t, dir, "two/SKILL.md", skill("two", "second"))
	put(t, dir, "one/SKILL.md", skill("one", "changed"))
	put(t, dir, "bad/SKILL.md", skill("other", "x"))
	run(t, app, "And?")
	if got := system(m); got != "- bad: (cannot be used: its name is \"other\"; it must be that of its folder)\n- one: changed in two lines\n- two: second in two lines" {
		t.Error(got)
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "one")), os.RemoveAll(filepath.Join(dir, "bad"))); err != nil {
		t.Fatal(err)
	}
	s = run(t, app, "And?")
	if got := system(m); got != "- two: second in two lines" {
		t.Error(got)
	}
	if data, err := json.Marshal(s); err != nil || strings.Contains(string(data), "second in two") {
		t.Errorf("the state has the list: %s, %v", data, err)
	}
	for front, want := range map[string]string{"name: x": "front matter", "---\nname: two\n---\n": "no description", "---\n\tname: two\n---\n": "reading its front"} {
		put(t, dir, "two/SKILL.md", front)
		if list, err := react.Skills(t.Context(), d); err != nil || len(list) != 1 || !strings.Contains(list[0].Problem, want) {
			t.Errorf("%q: %+v, %v", front, list, err)
		}
	}
}

// The beginning of requests is the same to the byte while a conversation grows, and marked.
func TestCachedPrefix(t *testing.T) {
	d, _ := disk(t, map[string]string{"one/SKILL.md": "---\nname: one\ndescription: first\n---\n"})
	m := says(calls(`write_todos {"todos":[{"content":"a","status":"pending"}]}`), calls(`ls {}`, `glob {"pattern":"*"}`), text("Done."), calls(`write_todos {"todos":[{"content":"a","status":"completed"}]}`), text("Done again."))
	app := deep(t, m, &react.DeepOptions{Options: react.Options{Prompt: "Be brief."}, Skills: d})
	run(t, app, "Go")
	run(t, app, "Go on")
	reqs := m.Requests()
	for i, req := range reqs {
		if !req.Cached || !strings.HasPrefix(req.Messages[0].Text, "Be brief.\n\n") {
			t.Errorf("request %d: cached %t, %.40q", i, req.Cached, req.Messages[0].Text)
		}
		if i == 0 {
			continue
		}
		was, err1 := json.Marshal([]any{reqs[i-1].Tools, reqs[i-1].Messages})
		is, err2 := json.Marshal([]any{req.Tools, req.Messages[:len(reqs[i-1].Messages)]})
		if err := errors.Join(err1, err2); err != nil || string(was) != string(is) || len(req.Messages) <= len(reqs[i-1].Messages) {
			t.Errorf("request %d begins otherwise: %v\n%s\n%s", i, err, was, is)
		}
	}
}

// When a summary stands for the call that wrote the to-dos, the model sees them again.
func TestTodosAreNotForgotten(t *testing.T) {
	long := strings.Repeat("word ", 400)
	m := &llmtest.Script{Answers: map[string][]llmtest.Answer{
		"agent":     {calls(`write_todos {"todos":[{"content":"call Ann","status":"pending"}]}`), text(long), text(long), text(long), text(long), text(long), text(long), text(long), text("Done.")},
		"summarise": {text("Sum."), text("Sum."), text("Sum."), text("Sum."), text("Sum.")},
	}}
	d, _ := disk(t, map[string]string{"one/SKILL.md": "---\nname: one\ndescription: first\n---\n"})
	app := deep(t, m, &react.DeepOptions{Tokens: 1500, Skills: d})
	for n := range 8 {
		run(t, app, fmt.Sprint("Question ", n))
	}
	if m.Calls("summarise") == 0 {
		t.Fatal("nothing was summed up")
	}
	for i, req := range m.Requests() {
		if req.Skill == "agent" && i > 0 && strings.Count(seen(req), "- [pending] call Ann") != 1 {
			t.Errorf("request %d has the to-dos otherwise than once:\n%.200s", i, seen(req))
		}
		if req.Skill == "agent" && strings.Count(seen(req), "- one: first") != 1 {
			t.Errorf("request %d has the skills otherwise than once:\n%.2000s", i, seen(req))
		}
		if got := counted(req); got > 1500 {
			t.Errorf("request %d has %d tokens", i, got)
		}
	}
}

// Reasoning is kept in the agent's message, and given to the provider with it.
func TestReasoningIsKept(t *testing.T) {
	one := calls(`look {"town":"a"}`)
	one.Reasoning = "I must look."
	m := says(one, text("Done."))
	s := run(t, compile(t, m, []react.Tool{echo(t, "look")}, nil), "Go")
	if s.Messages[1].Reasoning != "I must look." || m.Requests()[1].Messages[1].Reasoning != "I must look." {
		t.Errorf("%+v", s.Messages[1])
	}
}

func TestShell(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it needs sh and ulimit")
	}
	dir := t.TempDir()
	t.Setenv("A_SECRET", "secret")
	commands := []string{
		`pwd; echo err >&2; echo "$HOME"; env | grep -c SECRET; exit 3`,
		`sleep 30 & sleep 30`,
		`head -c 100000 /dev/zero | tr '\\0' x; echo; echo end`,
		`sleep 31 & echo started`,
		`head -c 5000 /dev/zero > big; wc -c < big`,
		`echo "$EXTRA" '"' "$0"`,
	}
	var list []string
	for _, c := range commands {
		arguments, err := json.Marshal(map[string]string{"command": c})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, "shell "+string(arguments))
	}
	m := says(calls(list...), text("Done."))
	app := deep(t, m, &react.DeepOptions{Shell: &react.ShellOptions{Folder: dir, Timeout: 2 * time.Second, MaxOutput: 1000, FileBytes: 2048, Env: []string{"EXTRA=more"}}})
	began := time.Now()
	s, asked := approving(t, app, "Go")
	got := results(s)
	if fmt.Sprint(slices.Compact(asked)) != "[shell]" {
		t.Errorf("asked about %v", asked)
	}
	if got[0] != dir+"\nerr\n"+dir+"\n0\n\n(exit status 3)" {
		t.Errorf("%q", got[0])
	}
	if !strings.Contains(got[1], "ran too long and was ended (2s)") || !strings.HasSuffix(got[1], "!") {
		t.Errorf("%q", got[1])
	}
	if !strings.Contains(got[2], "bytes left out)") || !strings.HasSuffix(got[2], "end\n\n(exit status 0)") || len(got[2]) > 1100 {
		t.Errorf("%.100q … %d", got[2], len(got[2]))
	}
	if got[3] != "started\n\n(exit status 0)" {
		t.Errorf("%q", got[3])
	}
	if !strings.Contains(got[4], "2048\n") {
		t.Errorf("%q", got[4])
	}
	if got[5] != "more \" sh\n\n(exit status 0)" {
		t.Errorf("%q", got[5])
	}
	if since := time.Since(began); since > 20*time.Second {
		t.Errorf("it took %v", since)
	}
	// What was left running has ended.
	time.Sleep(50 * time.Millisecond)
	for _, p := range processes(t) {
		if p == "sleep\x0030\x00" || p == "sleep\x0031\x00" {
			t.Errorf("%q still runs", p)
		}
	}

	// A command that is allowed does not ask.
	m = says(calls(`shell {"command":"echo a"}`, `shell {"command":"echo b"}`), text("Done."))
	app = deep(t, m, &react.DeepOptions{Shell: &react.ShellOptions{Folder: dir, Allow: func(c string) bool { return c == "echo a" }}})
	_, err := app.Invoke(t.Context(), react.Say("Go"), onThread)
	if waiting := approvals(t, app, err); len(waiting) != 1 || !strings.Contains(string(waiting[0].Payload), "echo b") {
		t.Errorf("%+v", waiting)
	}
}

// processes are the command lines of this machine's processes.
func processes(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range found {
		if data, err := os.ReadFile(f); err == nil { // else it has ended
			out = append(out, string(data))
		}
	}
	return out
}

func TestIsolatedShell(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("namespaces are of Linux")
	}
	m := says(calls(`shell {"command":"echo pid $$; cat /proc/net/dev | wc -l; id -u"}`), text("Done."))
	s, _ := approving(t, deep(t, m, &react.DeepOptions{Shell: &react.ShellOptions{Folder: t.TempDir(), Isolated: true}}), "Go")
	got := results(s)[0]
	if strings.HasSuffix(got, "!") {
		if !strings.Contains(got, "running the command") {
			t.Error(got)
		}
		t.Skipf("the system refuses namespaces: %s", got)
	}
	if !strings.HasPrefix(got, "pid 1\n3\n"+fmt.Sprint(os.Getuid())+"\n") { // two lines of heading, and lo
		t.Errorf("%q", got)
	}
}

// A message that comes while a turn runs is seen before the next model call, one that comes with the
// last answer is answered in the same turn, and each is added once. Other threads' messages stay.
func TestInbox(t *testing.T) {
	kept, err := storememory.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	box := &react.Inbox{Store: kept}
	put := func(thread, said string) {
		if err := box.Put(t.Context(), thread, said); err != nil {
			t.Error(err)
		}
	}
	look := tool(t, "look", func(_ context.Context, in town) (string, error) {
		put("t", "Only the north.")
		put("t.2", "Not for this thread.")
		put("t", "And be brief.")
		return "looked", nil
	})
	var reqs []llm.Request
	m := keeps(func(req llm.Request) llm.Response {
		reqs = append(reqs, req)
		switch len(reqs) {
		case 1:
			return llm.Response{Calls: calls(`look {"town":"a"}`).Calls}
		case 2:
			put("t", "One more thing.")
		}
		return llm.Response{Text: fmt.Sprintf("Answer %d.", len(reqs))}
	})
	app := deep(t, m, &react.DeepOptions{Tools: []react.Tool{look}, Inbox: box})
	s := run(t, app, "Look.")
	var said []string
	for _, m := range s.Messages {
		said = append(said, strings.TrimSpace(m.Text))
	}
	if want := []string{"Look.", "", "", "Only the north.", "And be brief.", "Answer 2.", "One more thing.", "Answer 3."}; !slices.Equal(said, want) {
		t.Errorf("got %q, want %q", said, want)
	}
	if got := reqs[1].Messages; got[len(got)-1].Text != "And be brief." || got[len(got)-2].Text != "Only the north." {
		t.Errorf("the second request ends with %+v", got)
	}
	put("t", "For the next turn.")
	s = run(t, app, "Go on.")
	if got := s.Messages[len(s.Messages)-3:]; got[0].Text != "Go on." || got[1].Text != "For the next turn." || len(s.Messages) != 11 {
		t.Errorf("%s", shown(s))
	}
	if app := deep(t, says(text("Alone.")), &react.DeepOptions{Inbox: box}); app == nil {
		t.Fatal()
	} else if s, err := app.Invoke(t.Context(), react.Say("x"), &graph.RunOptions{Thread: "t.2"}); err != nil || s.Messages[1].Text != "Not for this thread." {
		t.Errorf("%v, %s", err, shown(s))
	}
}

// With Once a call that was begun and cut is not made again; without it, it is.
func TestOnce(t *testing.T) {
	for _, once := range []bool{false, true} {
		saver, made := memory.New(), 0
		ctx, cancel := context.WithCancel(t.Context())
		cut := tool(t, "pay", func(context.Context, town) (string, error) {
			if made++; made == 1 {
				cancel() // the process ends here
			}
			return "paid", ctx.Err()
		})
		cut.Once = once
		g, err := react.New(says(calls(`pay {"town":"a"}`), text("Done.")), []react.Tool{cut}, nil)
		if err != nil {
			t.Fatal(err)
		}
		app, err := g.Compile(&graph.CompileOptions{Checkpointer: saver})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := app.Invoke(ctx, react.Say("Pay."), onThread); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		ctx = t.Context()
		s, err := app.Resume(ctx, nil, onThread)
		if err != nil {
			t.Fatal(err)
		}
		got := results(s)[0]
		if once && (made != 1 || !strings.Contains(got, "nobody knows")) || !once && (made != 2 || got != "paid") {
			t.Errorf("once %t: made %d times, %q", once, made, got)
		}
	}
}
