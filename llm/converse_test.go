package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
)

type number struct {
	N int `json:"n"`
}

// wish is a script's answer that calls tools: name, arguments, name …
func wish(text string, calls ...string) llmtest.Answer {
	a := llmtest.Answer{Text: text}
	for i := 0; i+1 < len(calls); i += 2 {
		a.Calls = append(a.Calls, llm.ToolCall{ID: fmt.Sprint("id", i/2), Name: calls[i], Arguments: json.RawMessage(calls[i+1])})
	}
	return a
}

var question = llm.Request{Skill: "calc", Messages: []llm.Message{{Role: llm.User, Text: "What is it?"}}}

// Calls run side by side, are answered in their order, and what goes wrong
// with one is told to the model.
func TestConverse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		double := newTool(t, "double", func(_ context.Context, in number) (int, error) {
			time.Sleep(time.Duration(10-in.N) * time.Second) // the first ends last
			switch in.N {
			case 3:
				return 0, errors.New("three is not allowed")
			case 4:
				panic("four")
			}
			return 2 * in.N, nil
		})
		none := newTool(t, "none", func(context.Context, struct{}) (string, error) { return "<b>", nil })
		m := script("calc",
			wish("Let me see.", "double", `{"n":1}`, "double", `{"n":2}`, "double", `{"n":3}`, "double", `{"n":4}`, "triple", `{"n":1}`, "double", `{"n":"x"}`, "double", `{"n":1,"m":2}`, "double", `{`, "none", ``),
			wish("", "double", `{"n":5}`),
			llmtest.Answer{Text: "ten words"})
		start := time.Now()
		before := slices.Clone(question.Messages)
		conv, err := llm.Converse(t.Context(), m, question, []llm.Callable{double, none}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 14*time.Second {
			t.Errorf("calls of 9, 8, 7 and 6 s, then one of 5 s, took %v", took)
		}
		if conv.Response.Text != "ten words" || conv.Rounds != 2 || conv.Usage.Calls != 3 || len(conv.Messages) != 6 || m.Total() != 3 {
			t.Fatalf("conversation %+v", conv)
		}
		want := []llm.ToolResult{
			{CallID: "id0", Name: "double", Text: "2"}, {CallID: "id1", Name: "double", Text: "4"},
			{CallID: "id2", Name: "double", Text: "three is not allowed", Failed: true},
			{CallID: "id3", Name: "double", Text: "the tool panicked: four", Failed: true},
			{CallID: "id4", Name: "triple", Text: `there is no tool "triple"`, Failed: true},
			{CallID: "id5", Name: "double", Text: "the arguments do not fit the parameters: at '/n': got string, want integer", Failed: true},
			{CallID: "id6", Name: "double", Text: "the arguments do not fit the parameters: at '': additional properties 'm' not allowed", Failed: true},
			{CallID: "id7", Name: "double", Text: "the arguments are not one JSON object: unexpected EOF", Failed: true},
			{CallID: "id8", Name: "none", Text: `"<b>"`},
		}
		if diff := cmp.Diff(want, conv.Messages[2].Results); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
		seen := m.Requests()
		if diff := cmp.Diff(conv.Messages[:5], seen[2].Messages); diff != "" || len(seen[0].Tools) != 2 || seen[0].Tools[0].Name != "double" {
			t.Errorf("the last request (-want +got):\n%s", diff)
		}
		if role := conv.Messages[1].Role; role != llm.Assistant || conv.Messages[1].Text != "Let me see." || conv.Messages[2].Role != llm.ToolRole || conv.Messages[5].Text != "ten words" {
			t.Errorf("messages %+v", conv.Messages)
		}
		input := 0
		for _, req := range seen {
			for _, msg := range req.Messages {
				input += len(strings.Fields(msg.Text))
				for _, r := range msg.Results {
					input += len(strings.Fields(r.Text))
				}
			}
		}
		if conv.Usage.InputTokens != input || conv.Usage.OutputTokens == 0 {
			t.Errorf("usage %+v; %d words were read", conv.Usage, input)
		}
		if diff := cmp.Diff(before, question.Messages); diff != "" {
			t.Errorf("the caller's request was changed:\n%s", diff)
		}
	})
}

func TestConverseEnds(t *testing.T) {
	echo := newTool(t, "echo", func(_ context.Context, in number) (number, error) { return in, nil })
	again := slices.Repeat([]llmtest.Answer{wish("", "echo", `{"n":1}`, "other", `{}`)}, 20)
	for opts, rounds := range map[*llm.ConverseOptions]int{nil: llm.DefaultRounds, {}: llm.DefaultRounds, {MaxRounds: 2}: 2} {
		m := script("calc", again...)
		conv, err := llm.Converse(t.Context(), m, question, []llm.Callable{echo}, opts)
		e, ok := errors.AsType[*llm.RoundsError](err)
		if !ok || e.Rounds != rounds || !slices.Equal(e.Tools, []string{"echo", "other"}) || conv.Rounds != rounds || m.Total() != rounds+1 || conv.Usage.Calls != rounds+1 {
			t.Errorf("%+v: %v after %d calls", opts, err, m.Total())
		}
	}
	m := script("calc", wish("", "echo", `{"n":1}`), llmtest.Answer{Err: status(400)})
	if conv, err := llm.Converse(t.Context(), m, question, []llm.Callable{echo}, nil); !errors.As(err, new(*llm.StatusError)) || conv.Rounds != 1 || len(conv.Messages) != 3 || conv.Usage.Calls != 2 {
		t.Errorf("a model that fails: %v, %+v", err, conv)
	}
	for name, tools := range map[string][]llm.Callable{"two tools": {echo, echo}, "nil": {nil}} {
		if _, err := llm.Converse(t.Context(), script("calc"), question, tools, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestConverseRespectsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("the user left")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		wait := newTool(t, "wait", func(ctx context.Context, _ struct{}) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		m := script("calc", wish("", "wait", `{}`, "wait", `{}`), llmtest.Answer{Text: "late"})
		if _, err := llm.Converse(ctx, m, question, []llm.Callable{wait}, nil); !errors.Is(err, why) || !strings.Contains(err.Error(), "calling tools") || m.Total() != 1 {
			t.Errorf("error %v after %d calls", err, m.Total())
		}
	})
}

// The events stand in the order of the calls and show nothing of them.
func TestConverseEvents(t *testing.T) {
	tool := newTool(t, "echo", func(_ context.Context, in number) (string, error) {
		time.Sleep(time.Duration(3-in.N) * time.Millisecond)
		if in.N == 2 {
			return "", errors.New("no")
		}
		return "SECRET", nil
	})
	m := script("calc", wish("", "echo", `{"n":1}`, "echo", `{"n":2}`), wish("", "echo", `{"n":3}`), llmtest.Answer{Text: "done"})
	var got []llm.ToolEvent
	models := 0
	inNode(t, graph.Custom, func(ctx context.Context) error {
		_, err := llm.Converse(ctx, m, question, []llm.Callable{tool}, nil)
		return err
	}, func(_ graph.EventKind, name, _ string, data json.RawMessage) {
		if strings.Contains(string(data), "SECRET") {
			t.Errorf("an event shows a result: %s", data)
		}
		switch name {
		case llm.EventModelCall:
			models++
		case llm.EventToolCall:
			var e llm.ToolEvent
			if err := json.Unmarshal(data, &e); err != nil {
				t.Error(err)
			}
			got = append(got, e)
		}
	})
	want := []llm.ToolEvent{
		{Skill: "calc", Tool: "echo", Round: 1, ArgumentChars: 7, ResultChars: 8, OK: true},
		{Skill: "calc", Tool: "echo", Round: 1, ArgumentChars: 7, ResultChars: 2, Error: "no"},
		{Skill: "calc", Tool: "echo", Round: 2, ArgumentChars: 7, ResultChars: 8, OK: true},
	}
	if diff := cmp.Diff(want, got); diff != "" || models != 3 {
		t.Errorf("%d model calls; tool calls (-want +got):\n%s", models, diff)
	}
}

// What a listener holds at the end is the answer, not what was said beside calls.
func TestConverseStreams(t *testing.T) {
	echo := newTool(t, "echo", func(_ context.Context, in number) (number, error) { return in, nil })
	for _, last := range []llmtest.Answer{{Text: "ab", Chunks: []string{"a", "b"}}, {Text: "ab", Chunks: []string{}}} {
		var got []llm.Chunk
		req := question
		req.OnText = func(c llm.Chunk) { got = append(got, c) }
		m := script("calc", wish("I look.", "echo", `{"n":1}`), last)
		if conv, err := llm.Converse(t.Context(), m, req, []llm.Callable{echo}, nil); err != nil || shown(got) != conv.Response.Text || got[0].Text != "I look." {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// A tool may ask a person: the question reaches the graph and not the model.
func TestConverseInterrupts(t *testing.T) {
	type sums struct {
		N int `json:"n"`
	}
	n := graph.LastValue("n", func(s *sums) *int { return &s.N })
	approve := newTool(t, "approve", func(ctx context.Context, in number) (bool, error) {
		return graph.Interrupt[bool](ctx, fmt.Sprint("approve ", in.N), in.N)
	})
	m := script("calc", wish("", "approve", `{"n":7}`), wish("", "approve", `{"n":7}`), llmtest.Answer{Text: "done"})
	g := graph.NewStateGraph[sums](n)
	g.AddNode("ask", func(ctx context.Context, _ sums) (graph.Update[sums], error) {
		conv, err := llm.Converse(ctx, m, question, []llm.Callable{approve}, nil)
		if err != nil {
			return nil, err
		}
		if result := conv.Messages[2].Results[0]; result.Text != "true" {
			t.Errorf("result %+v", result)
		}
		return graph.Update[sums]{n.Set(1)}, nil
	})
	g.AddEdge(graph.Start, "ask")
	g.AddEdge("ask", graph.End)
	app, err := g.Compile(&graph.CompileOptions{Checkpointer: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = app.Invoke(t.Context(), graph.Update[sums]{n.Set(0)}, &graph.RunOptions{Thread: "t"})
	if e, ok := errors.AsType[*graph.InterruptedError](err); !ok || len(e.Pending) != 1 || e.Pending[0].Key != "approve 7" {
		t.Fatalf("error %v", err)
	}
	final, err := app.Resume(t.Context(), nil, &graph.RunOptions{Thread: "t", Resume: []graph.Answer{graph.Reply(true)}})
	if err != nil || final.N != 1 {
		t.Errorf("%+v, %v", final, err)
	}
}
