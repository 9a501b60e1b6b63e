package a2a_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/react"
	"example.com/assay/serve"
)

// payer is an agent whose tool needs an approval.
func payer(t testing.TB) serve.Graph {
	t.Helper()
	type bill struct {
		To string `json:"to"`
	}
	pay, err := llm.NewTool("pay", "Pays a bill.", func(_ context.Context, in bill) (string, error) { return "paid " + in.To, nil })
	if err != nil {
		t.Fatal(err)
	}
	script := &llmtest.Script{Answers: map[string][]llmtest.Answer{"agent": {
		{Text: "I pay.", Calls: []llm.ToolCall{{ID: "c1", Name: "pay", Arguments: json.RawMessage(`{"to":"ann"}`)}}}, {Text: "It is paid."},
	}}}
	g, err := react.New(script, []react.Tool{{Callable: pay, Approve: react.Always}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return serve.Register("payer", compiled(t, g, "payer"), nil)
}

// An agent's approval is a question with data, and takes the decisions as data.
func TestAgent(t *testing.T) {
	s := served(t, func(o *serve.Options) { o.Graphs = append(o.Graphs, payer(t)) })
	c := s.client("/a2a/payer", annToken)
	asks := sent(t, c, asking("Pay ann."))
	request, ok := asks.Status.Message.Parts[0].Data().(map[string]any)
	if asks.Status.State != a2a.TaskStateInputRequired || !ok || len(request["action_requests"].([]any)) != 1 {
		t.Fatal(shape(asks))
	}
	refused := sent(t, c, reply(asks, a2a.NewDataPart(map[string]any{"decisions": []any{}})))
	if refused.Status.State != a2a.TaskStateInputRequired || refused.ID != asks.ID {
		t.Fatal(shape(refused))
	}
	decided := reply(asks, a2a.NewDataPart(map[string]any{"decisions": []any{map[string]any{"type": "approve"}}}))
	const told = `
TASK_STATE_WORKING
answer append=false last=false "It is paid." cites=0
answer append=false last=true "It is paid." cites=0
TASK_STATE_COMPLETED`
	got := events(t, c.SendStreamingMessage(t.Context(), decided), nil)
	if first, rest, _ := strings.Cut(got, "\n"); !strings.HasSuffix(first, `; ROLE_USER  {"decisions":[{"type":"approve"}]}`) || "\n"+rest != told {
		t.Error(got)
	}
}
