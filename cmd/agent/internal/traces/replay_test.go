package traces

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/assay/cmd/agent/internal/ask"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/graph/trace"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/serve/view"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// reading is the offline model, except that it reads the prompt of a plan: the word BRIEFLY in
// it makes a plan for one sentence, which no document supports. It counts its calls by skill.
type reading struct {
	llm.Model
	mu    sync.Mutex
	calls map[string]int
}

func (r *reading) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	r.mu.Lock()
	r.calls[req.Skill]++
	r.mu.Unlock()
	resp, err := r.Model.Generate(ctx, req)
	resp.Model = "reading"
	if err == nil && req.Skill == skills.PlanSynthesis && strings.Contains(req.Messages[0].Text, "BRIEFLY") {
		resp.Text = strings.Replace(resp.Text, "?", " in one sentence?", 1)
	}
	return resp, err
}

// asked returns the skills that were called since the last time, sorted.
func (r *reading) asked() []string {
	out := slices.Sorted(maps.Keys(r.calls))
	r.calls = map[string]int{}
	return out
}

// changedSkill writes a skill with one more word to another file.
func changedSkill(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "skills", name+".md"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mine.md")
	if err := os.WriteFile(file, bytes.Replace(text, []byte("<!-- system -->\n"), []byte("<!-- system -->\nBRIEFLY. "), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestReplayOfAChangedSkill: no model is called before the changed skill, and all later events
// are compared.
func TestReplayOfAChangedSkill(t *testing.T) {
	home, run := t.TempDir(), filepath.Join(t.TempDir(), "run.jsonl")
	clitest.Ingest(t, home, clitest.Permits)
	model := &reading{Model: offline.New(nil), calls: map[string]int{}}
	agent := func(want int, args ...string) (string, string) {
		t.Helper()
		a, stdout, stderr := clitest.App(home)
		a.Models[offline.Name] = func() llm.Model { return model }
		if code := clitest.Run(t.Context(), a, args, ask.Command(a), Command(a)); code != want {
			t.Fatalf("%q: exit code %d, want %d: %s%s", args, code, want, stdout, stderr)
		}
		return stdout.String(), stderr.String()
	}
	agent(cli.ExitDone, "ask", "--trace", run, clitest.PermitQuestion)
	all := model.asked()
	if !slices.Contains(all, skills.ClassifyAndRoute) || !slices.Contains(all, skills.PlanSynthesis) {
		t.Fatalf("the run asked %q", all)
	}

	out := filepath.Join(t.TempDir(), "again.jsonl")
	text, warned := agent(cli.ExitFailed, "trace", "replay", run, "--skill", changedSkill(t, skills.PlanSynthesis), "--json", "--trace", out)
	asked := model.asked()
	if slices.Contains(asked, skills.ClassifyAndRoute) || slices.Contains(asked, skills.DetectPromptInjection) || !slices.Contains(asked, skills.PlanSynthesis) {
		t.Errorf("the replay asked %q", asked)
	}
	var got replayed
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Equal || got.Skill != skills.PlanSynthesis || got.Calls.Taken != 2 || got.Nodes.Taken != 2 || got.Searches.Taken != 0 || got.Searches.Made == 0 {
		t.Errorf("%+v", got)
	}
	if len(got.Given) != 1 || got.Given[0].Name != "skill "+skills.PlanSynthesis {
		t.Errorf("given %+v", got.Given)
	}
	d := got.Difference
	if d == nil || d.Event != `node_update of node "plan" in step 3` || d.Field != "update[0].value[0].question" || !strings.HasSuffix(d.Is, `in one sentence?"`) || strings.Join(d.Path, " ") != "detect_injection classify" {
		t.Errorf("difference %+v", d)
	}
	if !slices.ContainsFunc(got.Changed, func(c view.NodeChange) bool { return c.Node == "execute/retrieve" }) || got.Changed[0].Node != "plan" || got.Changed[0].Changes[0].Name != "plan[0].question" {
		t.Errorf("changed %+v", got.Changed)
	}
	if got.Before.Status != state.StatusAnswered || got.Before.Answer == "" || got.After.Confidence > got.Before.Confidence {
		t.Errorf("before %+v, after %+v", got.Before, got.After)
	}
	if warned != "" {
		t.Errorf("warned: %s", warned)
	}
	was, err := readTrace(run)
	if err != nil {
		t.Fatal(err)
	}
	is, err := readTrace(out)
	if err != nil {
		t.Fatal(err)
	}
	if is[0].Header.Skills[skills.PlanSynthesis] == was[0].Header.Skills[skills.PlanSynthesis] || !slices.ContainsFunc(is, func(r trace.Record) bool { return r.Replayed && r.Node == "classify" }) {
		t.Errorf("the new trace begins %+v", is[0].Header)
	}
	// The new trace can be replayed like any other. Without --skill everything runs again, with the
	// original skill, and gives the original answer.
	text, _ = agent(cli.ExitFailed, "trace", "replay", out)
	if !strings.Contains(text, "nodes: 0 from the trace") || !strings.Contains(text, "answered, confidence") {
		t.Errorf("back again: %s", text)
	}
}

// TestReplayFromLeavesTheRest: a changed threshold has an effect from the point on. The search
// before it is not repeated.
func TestReplayFromLeavesTheRest(t *testing.T) {
	home, run := t.TempDir(), filepath.Join(t.TempDir(), "run.jsonl")
	clitest.Ingest(t, home, clitest.Permits)
	a, stdout, stderr := clitest.App(home)
	if code := clitest.Run(t.Context(), a, []string{"ask", "--trace", run, "--no-verification", clitest.PermitQuestion}, ask.Command(a), Command(a)); code != cli.ExitDone {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	for _, c := range []struct {
		args  []string
		code  int
		taken int
		want  string
	}{
		{[]string{"--from", "evaluate"}, cli.ExitDone, 1, `"equal": true`},
		{[]string{"--from", "evaluate", "--confidence-threshold", "1"}, cli.ExitFailed, 1, `"name": "confidence_threshold",`},
		{[]string{"--from", "synthesize"}, cli.ExitDone, 1, `"from": "execute/synthesize"`},
		{[]string{"--from", "execute"}, cli.ExitDone, 0, `"equal": true`},
		{nil, cli.ExitDone, 0, `"equal": true`},
	} {
		a, stdout, stderr := clitest.App(home)
		if code := clitest.Run(t.Context(), a, append([]string{"trace", "replay", run, "--json"}, c.args...), ask.Command(a), Command(a)); code != c.code {
			t.Fatalf("%q: exit code %d: %s%s", c.args, code, stdout, stderr)
		}
		var got replayed
		if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if got.Searches.Taken != c.taken || !strings.Contains(stdout.String(), c.want) {
			t.Errorf("%q: %s", c.args, stdout)
		}
	}
	// Another graph shares no point with the trace.
	a, stdout, stderr = clitest.App(home)
	if code := clitest.Run(t.Context(), a, []string{"trace", "replay", run, "--from", "evaluate", "--verification"}, ask.Command(a), Command(a)); code == cli.ExitDone || !strings.Contains(stderr.String(), `run_start of graph "research", field fingerprint`) {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}
