package langchain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// Options names a model. Nil and the zero value mean the provider
// "langchain" and the name "model".
type Options struct {
	Provider string   // the name in errors and in responses
	Name     string   // the model's
	Secrets  []string // keys, cut out of what the library's errors say
}

type model struct {
	client llms.Model
	opts   Options
}

// New returns a model that asks client, which must be safe for concurrent use.
func New(client llms.Model, opts *Options) (llm.Model, error) {
	o := Options{}
	if opts != nil {
		o = *opts
		o.Secrets = slices.Clone(o.Secrets)
	}
	if o.Provider == "" {
		o.Provider = "langchain"
	}
	if o.Name == "" {
		o.Name = "model"
	}
	if client == nil {
		return nil, fmt.Errorf("setting up %s: there is no client", o.Provider)
	}
	return &model{client, o}, nil
}

// Generate asks the model. Errors are those of ctx (its cause),
// *llm.StatusError, *llm.ConnectionError, *llm.ResponseError,
// *llm.TruncatedError, *llm.BlockedError, and untyped ones.
func (m *model) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	if err := wire.CheckRequest(req); err != nil {
		return llm.Response{}, m.asking(err)
	}
	if ctx.Err() != nil {
		return llm.Response{}, m.asking(context.Cause(ctx))
	}
	options := []llms.CallOption{llms.WithTemperature(0)}
	if len(req.Schema) > 0 {
		options = append(options, llms.WithJSONMode())
	}
	out, err := m.client.GenerateContent(ctx, messages(req), options...)
	if err != nil && ctx.Err() != nil {
		return llm.Response{}, m.asking(context.Cause(ctx))
	}
	if err != nil {
		return llm.Response{}, m.failed(err)
	}
	return m.read(out)
}

func (m *model) asking(err error) error {
	return fmt.Errorf("asking %s model %q: %w", m.opts.Provider, m.opts.Name, err)
}

var roles = map[llm.Role]llms.ChatMessageType{
	llm.System: llms.ChatMessageTypeSystem, llm.User: llms.ChatMessageTypeHuman, llm.Assistant: llms.ChatMessageTypeAI,
}

// messages puts the prompt into the library's form, all of the system's
// messages and the schema in one at the front: several providers take one.
func messages(req llm.Request) []llms.MessageContent {
	var system []string
	var out []llms.MessageContent
	for _, msg := range req.Messages {
		switch {
		case msg.Text == "":
		case msg.Role == llm.System:
			system = append(system, msg.Text)
		default:
			out = append(out, llms.TextParts(roles[msg.Role], msg.Text))
		}
	}
	if len(req.Schema) > 0 {
		system = append(system, "Answer with one JSON object that fits this JSON Schema, and with nothing else:\n"+string(req.Schema))
	}
	if len(system) == 0 {
		return out
	}
	return append([]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, strings.Join(system, "\n\n"))}, out...)
}

// Why a model stopped, in the words of the library's providers, lower case.
var (
	atLimit  = []string{"length", "max_tokens", "model_length", "finishreasonmaxtokens"}
	withheld = []string{"content_filter", "content_filtered", "refusal", "safety", "recitation", "finishreasonsafety", "finishreasonrecitation"}
)

func (m *model) read(out *llms.ContentResponse) (llm.Response, error) {
	if out == nil || len(out.Choices) == 0 || out.Choices[0] == nil {
		return llm.Response{}, &llm.ResponseError{Provider: m.opts.Provider, Err: errors.New("it has no choices")}
	}
	choice := out.Choices[0]
	usage := llm.Usage{
		InputTokens:  count(choice.GenerationInfo, "PromptTokens", "InputTokens", "input_tokens", "prompt_tokens"),
		OutputTokens: count(choice.GenerationInfo, "CompletionTokens", "OutputTokens", "output_tokens", "completion_tokens"),
	}
	switch reason := strings.ToLower(choice.StopReason); {
	case slices.Contains(atLimit, reason):
		return llm.Response{Usage: usage}, &llm.TruncatedError{Provider: m.opts.Provider, Model: m.opts.Name, Usage: usage}
	case slices.Contains(withheld, reason):
		return llm.Response{Usage: usage}, &llm.BlockedError{Provider: m.opts.Provider, Model: m.opts.Name, Reason: reason}
	}
	return llm.Response{Text: choice.Content, Model: m.opts.Provider + ":" + m.opts.Name, Usage: usage}, nil
}

// count returns the first number under the keys, of whichever type a provider
// of the library chose for it; 0 when there is none or it is negative.
func count(info map[string]any, keys ...string) int {
	for _, key := range keys {
		switch n := info[key].(type) {
		case int:
			return max(0, n)
		case int32:
			return max(0, int(n))
		case int64:
			return max(0, int(n))
		case float64:
			return max(0, int(n))
		}
	}
	return 0
}
