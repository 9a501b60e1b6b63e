package agui_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/react"
	"example.com/assay/serve"
)

type town struct {
	Town string `json:"town"`
}

// agent is an agent that asks before it pays, and calls twice at once.
func agent(t testing.TB) serve.Graph {
	t.Helper()
	pay, err := llm.NewTool("pay", "It pays.", func(_ context.Context, in town) (string, error) { return "paid in " + in.Town, nil })
	if err != nil {
		t.Fatal(err)
	}
	var two llmtest.Answer
	for i, where := range []string{"Rome", "Oslo"} {
		two.Calls = append(two.Calls, llm.ToolCall{ID: fmt.Sprint("c", i), Name: "pay", Arguments: json.RawMessage(`{"town":"` + where + `"}`)})
	}
	model := &llmtest.Script{Answers: map[string][]llmtest.Answer{"agent": {two, {Text: "Done."}}}}
	g, err := react.New(model, []react.Tool{{Callable: pay, Approve: react.Always}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	app, err := g.Compile(&graph.CompileOptions{Name: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	return serve.Register("agent", app, nil)
}

// An agent's calls are approved in one interrupt, in the form of AG-UI or with a decision for each.
func TestAgent(t *testing.T) {
	for payload, want := range map[string][]string{
		`{"approved":true}`: {"paid in Rome", "paid in Oslo"},
		`{"decisions":[{"type":"edit","edited_action":{"name":"pay","args":{"town":"Bonn"}}},{"type":"respond","message":"paid already"}]}`: {"A person changed the arguments to {\"town\":\"Bonn\"}.\npaid in Bonn", "paid already"},
	} {
		s := served(t)
		first := s.run("/agui/agent", said("t", "r1", "u1", "pay"))
		asked, _ := outcome(t, first)["interrupts"].([]any)
		if len(asked) != 1 || len(of(first, "TOOL_CALL_START")) != 2 {
			t.Fatalf("it asks %v after %v", asked, briefs(first))
		}
		q := asked[0].(map[string]any)
		if message, _ := q["message"].(string); q["reason"] != "confirmation" || strings.Count(message, "It pays.") != 2 {
			t.Errorf("it asks %v", q)
		}
		second := s.run("/agui", fmt.Sprintf(`{"threadId":"t","runId":"r2","resume":[{"interruptId":%q,"status":"resolved","payload":%s}]}`, q["id"], payload))
		if outcome(t, second)["type"] != "success" || len(of(second, "TOOL_CALL_START")) != 0 {
			t.Errorf("after the answer: %v", briefs(second))
		}
		results := map[any]any{}
		for _, r := range of(second, "TOOL_CALL_RESULT") {
			results[r["toolCallId"]] = r["content"]
		}
		ends := of(second, "MESSAGES_SNAPSHOT")
		list := ends[len(ends)-1]["messages"].([]any)
		if diff := cmp.Diff(map[any]any{"c0": want[0], "c1": want[1]}, results); diff != "" || list[len(list)-1].(map[string]any)["content"] != "Done." {
			t.Errorf("%s: %s, %v", payload, diff, list)
		}
	}
}
