package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/llm/offline"
	"example.com/assay/llm/openai"
	"example.com/assay/state"
)

// loopbackModel is the name by which a command asks a loopback.
const loopbackModel = "loopback"

// A loopback is a server of OpenAI's wire format that answers with the offline model. Its client
// never retries, so that each fault is a lost call.
//
//	got := runLoopback(t, home, failAt(3, llmtest.Refuse(401, "")), nil, "ask", question, "--json")
//
// eachCall runs a command once for every call that can be lost.
type loopback struct {
	*llmtest.Server
	client llm.Model // calls the server, and passes it the data from which prompts are rendered
}

func newLoopback(t *testing.T) *loopback {
	t.Helper()
	l := &loopback{Server: llmtest.NewServer(t, llmtest.OpenAI, offline.New(nil))}
	server, err := openai.NewServer(&openai.Options{Provider: config.ProviderOpenAI, Key: secret, BaseURL: l.URL})
	if err != nil {
		t.Fatal(err)
	}
	m, err := server.Model("m")
	if err != nil {
		t.Fatal(err)
	}
	l.client = l.Wrap(m)
	return l
}

// A runOutcome is the outcome of a run.
type runOutcome struct {
	code           int
	stdout, stderr string
	end            state.End // of --json; zero without it
	calls          int       // calls that reached the server
}

// runLoopback runs a command on its own loopback. The faults are those of the first call, the
// second and so on, nil for none. Limits bound the client; nil for none.
func runLoopback(t *testing.T, home string, faults []llmtest.Fault, limits *llm.ControlOptions, args ...string) runOutcome {
	t.Helper()
	l := newLoopback(t)
	l.Fail(faults...)
	a, stdout, stderr := clitest.App(home)
	a.Random = bytes.NewReader(make([]byte, 1<<16))
	client := l.client
	if limits != nil {
		client = llm.NewControls(limits).WrapNamed("openai:m", client)
	}
	a.Models[loopbackModel] = func() llm.Model { return client }
	got := runOutcome{code: execute(t.Context(), a, append(slices.Clone(args), "--model", loopbackModel))}
	got.stdout, got.stderr, got.calls = stdout.String(), stderr.String(), l.Asked()
	if slices.Contains(args, "--json") {
		got.end = endIn(t, stdout.Bytes())
	}
	return got
}

// endIn reads the end of a run from its JSON document.
func endIn(t *testing.T, document []byte) state.End {
	t.Helper()
	var end state.End
	if err := json.Unmarshal(document, &end); err != nil {
		t.Fatalf("reading %q: %v", document, err)
	}
	return end
}

// failAt lets only call n fail, counted from 1.
func failAt(n int, f llmtest.Fault) []llmtest.Fault {
	return append(make([]llmtest.Fault, n-1), f)
}

// failFrom lets call n and all later calls fail.
func failFrom(n int, f llmtest.Fault) []llmtest.Fault {
	return append(make([]llmtest.Fault, n-1), llmtest.Times(1000, f)...)
}

// A lostCall is a way to lose calls.
type lostCall struct {
	name   string
	faults func(n int) []llmtest.Fault
	cause  state.Cause
}

// lostCalls are the ways in which calls are lost. The next call repairs a single unreadable
// answer, so all later answers are unreadable, too.
func lostCalls() []lostCall {
	once := func(f llmtest.Fault) func(int) []llmtest.Fault {
		return func(n int) []llmtest.Fault { return failAt(n, f) }
	}
	return []lostCall{
		{"401", once(llmtest.Refuse(http.StatusUnauthorized, "")), state.CauseKey},
		{"401 from then on", func(n int) []llmtest.Fault { return failFrom(n, llmtest.Refuse(http.StatusUnauthorized, "")) }, state.CauseKey},
		{"500", once(llmtest.Refuse(http.StatusInternalServerError, "")), state.CauseModel},
		{"closed", once(llmtest.Reset), state.CauseNetwork},
		{"garbage", func(n int) []llmtest.Fault { return failFrom(n, garbage) }, state.CauseModel},
	}
}

// garbage answers in the provider's format, but fits no schema.
func garbage(w http.ResponseWriter, reply llmtest.Reply) {
	w.Header().Set("Content-Type", reply.Type)
	const whole = `{"object":"chat.completion","model":"m","usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2},"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"colourless green ideas"}}]}`
	if reply.Type != "text/event-stream" {
		_, _ = w.Write([]byte(whole))
		return
	}
	for _, event := range []string{`{"object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"colourless green ideas"},"finish_reason":null}]}`,
		`{"object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, "[DONE]"} {
		_, _ = w.Write([]byte("data: " + event + "\n\n"))
	}
}

// eachCall runs a command without a fault, which must make calls. Then it runs the command once
// for each way to lose each call, as JSON and as text. No run that lost a call may end as
// answered or no_evidence. Its exit code follows from its status, and its words say what
// happened. The text of the same command has the words that a pipeline must say. More checks
// what only one pipeline says; nil for none.
func eachCall(t *testing.T, home string, args []string, more func(t *testing.T, lost lostCall, n int, got runOutcome)) {
	t.Helper()
	asJSON := append(slices.Clone(args), "--json")
	whole := runLoopback(t, home, nil, nil, asJSON...)
	if whole.calls == 0 || len(whole.end.Losses) > 0 || whole.code != whole.end.Status.ExitCode() {
		t.Fatalf("without a fault: %d calls, exit code %d, %+v: %s", whole.calls, whole.code, whole.end, whole.stderr)
	}
	for _, lost := range lostCalls() {
		t.Run(lost.name, func(t *testing.T) {
			for n := 1; n <= whole.calls; n++ {
				got := runLoopback(t, home, lost.faults(n), nil, asJSON...)
				switch got.end.Status {
				case state.StatusUnavailable:
					if got.end.Cause != lost.cause || got.end.Error == "" {
						t.Errorf("call %d: the cause is %q (%s), want %q", n, got.end.Cause, got.end.Error, lost.cause)
					}
				case state.StatusUngrounded:
					if len(got.end.Losses) == 0 {
						t.Errorf("call %d: nothing is said to be lost: %s", n, got.stdout)
					}
				default:
					t.Errorf("call %d of %d: the run ends as %q: %s%s", n, whole.calls, got.end.Status, got.stdout, got.stderr)
				}
				for _, loss := range got.end.Losses {
					if loss.Cause != lost.cause || loss.Missing == "" || loss.Error == "" {
						t.Errorf("call %d: the loss is %+v, want the cause %q", n, loss, lost.cause)
					}
				}
				if got.code != got.end.Status.ExitCode() {
					t.Errorf("call %d: exit code %d of %q", n, got.code, got.end.Status)
				}
				if more != nil {
					more(t, lost, n, got)
				}
				text := runLoopback(t, home, lost.faults(n), nil, args...)
				words := map[int]string{1: "Could not look: ", 3: "Answered, but not whole: "}[text.code]
				if said := flatten(text.stdout + text.stderr); words == "" || !strings.Contains(said, words) {
					t.Errorf("call %d: exit code %d, and the text does not say %q: %s%s", n, text.code, words, text.stdout, text.stderr)
				}
			}
		})
	}
}

// flatten returns a text with single spaces.
func flatten(s string) string { return strings.Join(strings.Fields(s), " ") }
