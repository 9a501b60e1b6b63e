package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/ask"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/state"
)

// permitCase makes a folder with one case over one document.
func permitCase(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"permits.md": clitest.Permits,
		"case.yaml":  "pipeline: research\ncorpus: permits.md\nquestion: " + clitest.PermitQuestion + "\nwant: {status: answered}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A case has the exit code of ask.
func TestExitCodesOfCases(t *testing.T) {
	for status, runErr := range map[state.Status]error{
		state.StatusAnswered: nil, state.StatusNoEvidence: nil, state.StatusRejected: nil, state.StatusFailed: nil, state.StatusCancelled: context.Canceled,
	} {
		if got, want := status.ExitCode(), cli.ExitCode(ask.Outcome(state.Answer{End: state.End{Status: status}}, runErr)); got != want {
			t.Errorf("%s: %d; ask ends with %d", status, got, want)
		}
	}
}

// The keys that other programs read are there, with the expected types.
func TestEvalCasesJSON(t *testing.T) {
	a, stdout, stderr := clitest.App(t.TempDir())
	if code := execute(t.Context(), a, []string{"eval", "cases", permitCase(t), "--json"}); code != cli.ExitDone || stderr.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	type used struct {
		Calls, Unpriced *int
		Cost            *float64
	}
	var got struct {
		Schema  int
		Task    string
		N       int
		Passed  int
		Metrics map[string]struct{ Value, Lo, Hi *float64 }
		Latency struct{ P50, P95 *float64 } `json:"latency_ms"`
		Usage   used
		Nodes   map[string]used `json:"node_usage"`
		Items   []struct {
			ID      string
			Pass    *bool
			Misses  []string
			Status  string
			Usage   used
			Nodes   map[string]used `json:"node_usage"`
			Latency *float64        `json:"latency_ms"`
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != 1 || got.Task != "cases" || got.N != 1 || got.Passed != 1 || got.Latency.P50 == nil || got.Latency.P95 == nil || len(got.Items) != 1 {
		t.Fatalf("%s", stdout)
	}
	for _, name := range []string{"pass_rate", "calls", "input_tokens", "output_tokens", "cost"} {
		if m := got.Metrics[name]; m.Value == nil || m.Lo == nil || m.Hi == nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
	item := got.Items[0]
	if item.ID == "" || item.Pass == nil || !*item.Pass || item.Misses == nil || item.Status != "answered" || item.Latency == nil || item.Nodes["classify"].Calls == nil {
		t.Errorf("item %+v", item)
	}
	for _, u := range []used{got.Usage, item.Usage, got.Nodes["execute/synthesize"]} {
		if u.Calls == nil || *u.Calls == 0 || u.Cost == nil || u.Unpriced == nil {
			t.Errorf("usage %+v", u)
		}
	}
}

// An interrupted evaluation ends with 130 and leaves no corpus behind.
func TestEvalCasesInterrupted(t *testing.T) {
	tmp, dir := t.TempDir(), permitCase(t)
	t.Setenv("TMPDIR", tmp)
	a, _, stderr := clitest.App(t.TempDir())
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cli.ErrInterrupted)
	if code := execute(ctx, a, []string{"eval", "cases", dir}); code != cli.ExitInterrupted || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if left, err := filepath.Glob(filepath.Join(tmp, "agent-eval-*")); err != nil || left != nil {
		t.Errorf("%q, %v", left, err)
	}
}

// The bounds of a question apply to each case, and the bounds of a session to all cases
// together.
func TestBudgetsOfCases(t *testing.T) {
	server := newChat(t)
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(permitCase(t))); err != nil {
			t.Fatal(err)
		}
	}
	for limits, want := range map[string]int{"max_calls: 5": cli.ExitDone, "max_calls: 4": cli.ExitFailed, "max_session_calls: 10": cli.ExitDone, "max_session_calls: 9": cli.ExitFailed} {
		a, stdout, stderr := clitest.App(t.TempDir())
		withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, server.URL)
		config := writeConfig(t, "model: openai:m\nmodel_limits: {"+limits+"}\n")
		if code := execute(t.Context(), a, []string{"eval", "cases", dir, "--config", config}); code != want {
			t.Errorf("%s: exit code %d: %s%s", limits, code, stdout, stderr)
		}
	}
}
