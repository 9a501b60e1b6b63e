package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/llm/offline"
	"example.com/assay/llm/openai"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

const mooring = `# Mooring

The harbour office grants a permit for each lantern. The permit costs 40 crowns.

A boat that stays for a night pays 12 crowns to the harbour master.
`

// What agent verify says about a response in a run with a model.
const (
	carried = "A boat pays 12 crowns to the harbour master for a night. The harbour office grants each lantern a permit."
	partly  = "A boat pays 12 crowns to the harbour master for a night. The permit for a lantern costs 90 crowns."
)

// A verifying is a run of agent verify against the corpus "default".
type verifying struct {
	response string
	args     []string
	model    llm.Model // nil: offline
	ctx      context.Context
}

func (v verifying) run(t *testing.T, home string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	a, out, errs := clitest.App(home)
	a.Random = bytes.NewReader(make([]byte, 1<<16))
	file := filepath.Join(t.TempDir(), "response.txt")
	if err := os.WriteFile(file, []byte(v.response), 0o600); err != nil {
		t.Fatal(err)
	}
	all := slices.Concat([]string{"verify", "--response", file, "--corpus", "default"}, v.args, args)
	if v.model != nil {
		a.Models["tested"] = func() llm.Model { return v.model }
		all = append(all, "--model", "tested")
	}
	ctx := v.ctx
	if ctx == nil {
		ctx = t.Context()
	}
	code = execute(ctx, a, all)
	return code, out.String(), errs.String()
}

func verifiedEnd(t *testing.T, stdout string) verify.Answer {
	t.Helper()
	var a verify.Answer
	if err := json.Unmarshal([]byte(stdout), &a); err != nil {
		t.Fatalf("reading %q: %v", stdout, err)
	}
	return a
}

func harbourHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	clitest.Ingest(t, home, mooring)
	return home
}

// waiting answers when its context has ended, and ends the context itself if it can.
type waiting struct{ stop context.CancelFunc }

func (w waiting) Generate(ctx context.Context, _ llm.Request) (llm.Response, error) {
	if w.stop != nil {
		w.stop()
	}
	<-ctx.Done()
	return llm.Response{}, context.Cause(ctx)
}

func TestHowVerifyEnds(t *testing.T) {
	home := harbourHome(t)
	stopped, stop := context.WithCancel(t.Context())
	defer stop()
	spent := func(calls int) llm.Model {
		return llm.NewControls(&llm.ControlOptions{Budget: llm.BudgetOptions{MaxCalls: calls}}).WrapNamed("m", offline.New(nil))
	}
	for _, c := range []struct {
		name string
		verifying
		status state.Status
		cause  state.Cause
		code   int
		says   string // in the text
	}{
		{"every claim holds", verifying{response: carried}, state.StatusAnswered, "", 0, "2 of 2 claims supported, confidence 0.91 (high)"},
		{"word for word, never corrected", verifying{response: "The permit costs 40 crowns.", args: []string{"--crag-attempts", "0"}}, state.StatusAnswered, "", 0, "1 of 1 claim supported"},
		{"one does not", verifying{response: partly}, state.StatusUngrounded, "", 3, "Not grounded: 1 of 2 claims is not supported by the evidence."},
		{"of something else", verifying{response: "Penguins moult in February on the ice."}, state.StatusUngrounded, "", 3, "the corpus holds nothing on any of them."},
		{"nothing to check", verifying{response: "Hello, how are you?"}, state.StatusUngrounded, "", 3, "Nothing was checked: "},
		{"empty", verifying{response: " \n"}, state.StatusRejected, "", 2, "the response is empty"},
		{"no text", verifying{response: "caf\xe9 40"}, state.StatusRejected, "", 2, "not valid UTF-8"},
		{"cancelled", verifying{response: carried, model: waiting{stop}, ctx: stopped}, state.StatusCancelled, "", 130, "Cancelled"},
		{"out of time", verifying{response: carried, model: waiting{}, args: []string{"--timeout", "1s"}}, state.StatusUnavailable, state.CauseTime, 1, "Could not look: the time is up: "},
		{"out of budget", verifying{response: carried, model: spent(1)}, state.StatusUnavailable, state.CauseBudget, 1, "Could not look: the budget is spent: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stdout, stderr := c.run(t, home, "--json")
			if a := verifiedEnd(t, stdout); code != c.code || a.Status != c.status || a.Cause != c.cause {
				t.Errorf("exit code %d, %+v: %s", code, a.End, stderr)
			}
			if c.name == "cancelled" || c.name == "out of budget" { // the model's script is used up
				return
			}
			code, stdout, stderr = c.run(t, home)
			if code != c.code || !strings.Contains(stdout+stderr, c.says) {
				t.Errorf("exit code %d: %s%s", code, stdout, stderr)
			}
			if c.code != 0 && strings.Contains(stdout, "(high)") {
				t.Errorf("high beside exit code %d: %s", c.code, stdout)
			}
		})
	}
}

// verifyServer is a loopback server of OpenAI's wire format that answers with the offline model.
// Its client never retries.
func verifyServer(t *testing.T, faults ...llmtest.Fault) (*llmtest.Server, llm.Model) {
	t.Helper()
	s := llmtest.NewServer(t, llmtest.OpenAI, offline.New(nil))
	s.Fail(faults...)
	server, err := openai.NewServer(&openai.Options{Provider: config.ProviderOpenAI, Key: secret, BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	m, err := server.Model("m")
	if err != nil {
		t.Fatal(err)
	}
	return s, s.Wrap(m)
}

// nonsense answers in the provider's format, but fits no schema.
func nonsense(w http.ResponseWriter, reply llmtest.Reply) {
	w.Header().Set("Content-Type", reply.Type)
	_, _ = w.Write([]byte(`{"object":"chat.completion","model":"m","usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2},"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"so so"}}]}`))
}

// No run of verify that lost a call ends as answered, whichever call was lost.
func TestVerifyThatLosesACall(t *testing.T) {
	home := harbourHome(t)
	for _, response := range []string{carried, partly} {
		s, whole := verifyServer(t)
		code, stdout, stderr := verifying{response: response, model: whole}.run(t, home, "--json")
		calls := s.Asked()
		if a := verifiedEnd(t, stdout); calls < 2 || len(a.Losses) > 0 || code != a.Status.ExitCode() {
			t.Fatalf("without a fault: %d calls, exit code %d, %+v: %s", calls, code, a.End, stderr)
		}
		for _, fault := range []struct {
			name  string
			of    func(n int) []llmtest.Fault
			cause state.Cause
		}{
			{"401", func(n int) []llmtest.Fault { return append(make([]llmtest.Fault, n-1), llmtest.Refuse(401, "")) }, state.CauseKey},
			{"401 from then on", func(n int) []llmtest.Fault {
				return append(make([]llmtest.Fault, n-1), llmtest.Times(100, llmtest.Refuse(401, ""))...)
			}, state.CauseKey},
			{"500", func(n int) []llmtest.Fault { return append(make([]llmtest.Fault, n-1), llmtest.Refuse(500, "")) }, state.CauseModel},
			{"closed", func(n int) []llmtest.Fault { return append(make([]llmtest.Fault, n-1), llmtest.Reset) }, state.CauseNetwork},
			{"nonsense", func(n int) []llmtest.Fault {
				return append(make([]llmtest.Fault, n-1), llmtest.Times(100, nonsense)...)
			}, state.CauseModel},
		} {
			for n := 1; n <= calls; n++ {
				_, m := verifyServer(t, fault.of(n)...)
				code, stdout, stderr := verifying{response: response, model: m}.run(t, home, "--json")
				a := verifiedEnd(t, stdout)
				where := fault.name + " at call " + string(rune('0'+n)) + " of “" + response + "”"
				switch a.Status {
				case state.StatusUnavailable:
					if a.Cause != fault.cause {
						t.Errorf("%s: cause %q", where, a.Cause)
					}
				case state.StatusUngrounded:
					if fault.name != "nonsense" && len(a.Losses) == 0 {
						t.Errorf("%s: nothing is said to be lost: %s", where, stdout)
					}
				default:
					t.Errorf("%s: ends as %q: %s", where, a.Status, stderr)
				}
				for _, l := range a.Losses {
					if l.Cause != fault.cause || l.Missing == "" || l.Error == "" {
						t.Errorf("%s: loss %+v", where, l)
					}
				}
				if code != a.Status.ExitCode() || a.Verification.Level == "high" && a.Verification.ClaimsUnjudged > 0 {
					t.Errorf("%s: exit code %d, %+v", where, code, a.Verification.ClaimCheck)
				}
				_, m = verifyServer(t, fault.of(n)...)
				code, stdout, stderr = verifying{response: response, model: m}.run(t, home)
				if words := map[int]string{1: "Could not look: ", 3: "Answered, but not whole: "}[code]; words == "" || len(a.Losses) > 0 && !strings.Contains(stdout+stderr, words) {
					t.Errorf("%s: exit code %d: %s%s", where, code, stdout, stderr)
				}
			}
		}
		for most := range calls {
			m := llm.NewControls(&llm.ControlOptions{Budget: llm.BudgetOptions{MaxCalls: most}}).WrapNamed("m", offline.New(nil))
			if most == 0 {
				continue // unbounded
			}
			code, stdout, _ := verifying{response: response, model: m}.run(t, home, "--json")
			a := verifiedEnd(t, stdout)
			lost := a.Status == state.StatusUnavailable && a.Cause == state.CauseBudget || a.Status == state.StatusUngrounded && len(a.Losses) == 1 && a.Losses[0].Cause == state.CauseBudget
			if !lost || code != a.Status.ExitCode() {
				t.Errorf("%d of %d calls: exit code %d, %+v", most, calls, code, a.End)
			}
		}
	}
}
