package performance

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	einoreact "github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"

	"example.com/assay/llm"
	"example.com/assay/nodes/react"
)

// Two workloads of the prebuilt agents: a turn of ten rounds, each with a call of a tool
// that returns at once, and a turn with 100 calls of a tool that waits 10 ms.
const (
	agentRounds  = 10
	agentCalls   = 100
	agentWaiting = 10 * time.Millisecond
)

type toolIn struct {
	N int `json:"n"`
}

// A scriptedModel is a model by the number of messages that it is asked with: an agent adds two
// in each round.
type scriptedModel struct{ rounds, calls int }

func (m scriptedModel) Generate(_ context.Context, req llm.Request) (llm.Response, error) {
	round := len(req.Messages) / 2
	if round >= m.rounds {
		return llm.Response{Text: "done"}, nil
	}
	out := llm.Response{Calls: make([]llm.ToolCall, m.calls)}
	for i := range out.Calls {
		out.Calls[i] = llm.ToolCall{ID: fmt.Sprintf("c%d-%d", round, i), Name: "tool", Arguments: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i))}
	}
	return out, nil
}

func assayAgent(rounds, calls int, wait time.Duration) func() (run, error) {
	return func() (run, error) {
		made, err := llm.NewTool("tool", "A tool.", func(_ context.Context, in toolIn) (int, error) {
			time.Sleep(wait)
			return in.N + 1, nil
		})
		if err != nil {
			return nil, err
		}
		g, err := react.New(scriptedModel{rounds, calls}, react.Tools(made), nil)
		if err != nil {
			return nil, err
		}
		app, err := g.Compile(nil)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) error {
			out, err := app.Invoke(ctx, react.Say("go"), nil)
			if err != nil {
				return err
			}
			return checkAgent(react.Answer(out), len(out.Messages), 2+rounds*(calls+1))
		}, nil
	}
}

func checkAgent(answer string, messages, want int) error {
	if answer != "done" || messages != want {
		return fmt.Errorf("the answer is %q after %d messages, not \"done\" after %d", answer, messages, want)
	}
	return nil
}

// einoScripted is the same script for eino, whose results are a message each.
type einoScripted struct{ rounds, calls int }

func (m einoScripted) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	return m, nil
}

func (m einoScripted) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	round := len(in) / (m.calls + 1)
	if round >= m.rounds {
		return schema.AssistantMessage("done", nil), nil
	}
	calls := make([]schema.ToolCall, m.calls)
	for i := range calls {
		calls[i] = schema.ToolCall{ID: fmt.Sprintf("c%d-%d", round, i), Type: "function", Function: schema.FunctionCall{Name: "tool", Arguments: fmt.Sprintf(`{"n":%d}`, i)}}
	}
	return schema.AssistantMessage("", calls), nil
}

func (m einoScripted) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	out, err := m.Generate(ctx, in, opts...)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray([]*schema.Message{out}), nil
}

// einoTool is the same tool for eino.
type einoTool struct{ wait time.Duration }

func (einoTool) Info(context.Context) (*schema.ToolInfo, error) {
	return &schema.ToolInfo{Name: "tool", Desc: "A tool.", ParamsOneOf: schema.NewParamsOneOfByParams(map[string]*schema.ParameterInfo{"n": {Type: schema.Integer, Required: true}})}, nil
}

func (t einoTool) InvokableRun(_ context.Context, arguments string, _ ...tool.Option) (string, error) {
	var in toolIn
	if err := json.NewDecoder(strings.NewReader(arguments)).Decode(&in); err != nil {
		return "", err
	}
	time.Sleep(t.wait)
	return fmt.Sprint(in.N + 1), nil
}

func einoAgent(rounds, calls int, wait time.Duration) func() (run, error) {
	return func() (run, error) {
		agent, err := einoreact.NewAgent(context.Background(), &einoreact.AgentConfig{
			ToolCallingModel: einoScripted{rounds, calls},
			ToolsConfig:      compose.ToolsNodeConfig{Tools: []tool.BaseTool{einoTool{wait}}},
			MaxStep:          4*rounds + 10,
		})
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) error {
			out, err := agent.Generate(ctx, []*schema.Message{schema.UserMessage("go")})
			if err != nil {
				return err
			}
			return checkAgent(out.Content, 0, 0) // it keeps no messages
		}, nil
	}
}
