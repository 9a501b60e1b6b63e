package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/nodes/causal"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// slowMain is the program with a slow judge of edges. The judge takes JUDGE_TAKES and writes to
// the file JUDGED which edges it begins and ends, one on each line.
func slowMain() {
	takes, err := time.ParseDuration(os.Getenv("JUDGE_TAKES"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	a := systemApp()
	a.Models[offline.Name] = func() llm.Model { return slowJudge{offline.New(nil), takes, os.Getenv("JUDGED")} }
	os.Exit(execute(context.Background(), a, os.Args[1:]))
}

type slowJudge struct {
	llm.Model
	takes time.Duration
	file  string
}

func (j slowJudge) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	if req.Skill != skills.JudgeEdge {
		return j.Model.Generate(ctx, req)
	}
	var in skills.JudgeEdgeInput
	if err := json.Unmarshal(req.Vars, &in); err != nil {
		return llm.Response{}, err
	}
	if err := j.note("begin " + in.From); err != nil {
		return llm.Response{}, err
	}
	select {
	case <-time.After(j.takes):
	case <-ctx.Done():
		return llm.Response{}, context.Cause(ctx)
	}
	out, err := j.Model.Generate(ctx, req)
	if err == nil {
		err = j.note("end " + in.From)
	}
	return out, err
}

func (j slowJudge) note(line string) error {
	f, err := os.OpenFile(j.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return cli.Also(err, f.Close())
}

// A slowRun verifies edges of a small corpus in a process whose judge is slow.
type slowRun struct {
	t          *testing.T
	dir, edges string
}

const slowEdges = 9

func newSlowRun(t *testing.T) slowRun {
	t.Helper()
	r := slowRun{t, t.TempDir(), ""}
	var text strings.Builder
	var edges []causal.Edge
	for i := range slowEdges {
		cause := string(rune('a'+i)) + "morite"
		fmt.Fprintf(&text, "Dust of %s causes coughs in miners.\n\n", cause)
		edges = append(edges, causal.Edge{FromVar: cause, ToVar: "coughs"})
	}
	clitest.Ingest(t, r.dir, text.String())
	data, err := json.Marshal(edges)
	if err != nil {
		t.Fatal(err)
	}
	r.edges = filepath.Join(r.dir, "edges.json")
	for path, data := range map[string][]byte{r.edges: data, filepath.Join(r.dir, "one.yaml"): []byte("model_limits:\n  concurrency: 1\n")} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (r slowRun) start(judgeTakes time.Duration, args ...string) (*exec.Cmd, *bytes.Buffer) {
	r.t.Helper()
	path, err := exec.LookPath("agent-slow")
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"edges", "verify", r.edges, "--config", filepath.Join(r.dir, "one.yaml"), "--json"}, args...)...)
	cmd.Env = append(os.Environ(), cli.EnvHome+"="+r.dir, "JUDGE_TAKES="+judgeTakes.String(), "JUDGED="+r.judged())
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = cmd.Process.Kill() }) // already ended, unless the test failed
	return cmd, &out
}

func (r slowRun) judged() string { return filepath.Join(r.dir, "judged") }

// lines returns the causes that the judge has begun, or ended, so far.
func (r slowRun) lines(what string) []string {
	data, err := os.ReadFile(r.judged())
	if err != nil && !os.IsNotExist(err) {
		r.t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		if cause, ok := strings.CutPrefix(strings.TrimSpace(line), what+" "); ok {
			out = append(out, cause)
		}
	}
	return out
}

// midway waits until the judge works on an edge and has ended some.
func (r slowRun) midway(takes time.Duration) {
	r.t.Helper()
	for end := time.Now().Add(time.Minute); len(r.lines("begin")) < 4; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatal("the judge was not asked")
		}
	}
	time.Sleep(takes / 2) // earlier edges are saved by then
}

// After a kill during an edge, the same command continues the run. Finished edges are not judged
// again; the others are.
func TestEdgesGoOnAfterKill(t *testing.T) {
	r := newSlowRun(t)
	const takes = 600 * time.Millisecond
	cmd, _ := r.start(takes, "--thread", "k")
	r.midway(takes)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the error says that it was killed
	ended := r.lines("end")
	if len(ended) == 0 || len(ended) >= slowEdges {
		t.Fatalf("killed when %d edges were judged", len(ended))
	}
	cmd, out := r.start(0, "--thread", "k")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	var answer causal.Answer
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Answer.Answer != fmt.Sprintf("%d of %d edges are grounded.", slowEdges, slowEdges) || len(answer.Audit) != slowEdges {
		t.Errorf("%s, %d audit entries", answer.Answer.Answer, len(answer.Audit))
	}
	times := map[string]int{}
	for _, cause := range r.lines("end") {
		times[cause]++
	}
	for cause, n := range times {
		if n > 1 {
			t.Errorf("the edge of %s was finished, and judged again", cause)
		}
	}
	if len(times) != slowEdges {
		t.Errorf("%d edges were judged in both runs", len(times))
	}
}

// An interrupted run prints the edges with a conclusion.
func TestEdgesInterrupted(t *testing.T) {
	r := newSlowRun(t)
	const takes = 300 * time.Millisecond
	cmd, out := r.start(takes)
	r.midway(takes)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("an interrupted run ends well")
	}
	var answer causal.Answer
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	ended := r.lines("end")
	if answer.Status != state.StatusCancelled || len(answer.Edges) == 0 || len(answer.Edges) != len(ended) || len(answer.DAG.Edges) != len(ended) || len(answer.Sources) == 0 {
		t.Errorf("%s with %d edges, %d in the graph and %d sources; %d were judged", answer.Status, len(answer.Edges), len(answer.DAG.Edges), len(answer.Sources), len(ended))
	}
}
