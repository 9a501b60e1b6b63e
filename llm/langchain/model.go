package langchain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// Options configure New. Nil and the zero value mean the provider "langchain" and the name "model".
type Options struct {
	Provider string   // the provider's name in errors and responses
	Name     string   // the model's name
	Secrets  []string // keys, cut out of the texts of the library's errors
}

type model struct {
	client llms.Model
	opts   Options

	// anthropic says that the client is the library's Anthropic client. It sends only the first
	// part of an assistant's message, has no seed, takes images only as data, and streams only
	// text, also with tools.
	anthropic bool
	wired     bool // wire.Transport is below the client
	maxTokens int  // of an answer; 0 leaves it to the library
}

// New returns a model that asks client, which must be safe for concurrent use. For Anthropic use
// [Anthropic]: New cannot see a client's connections.
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
	_, isAnthropic := client.(*anthropic.LLM)
	return &model{client: client, opts: o, anthropic: isAnthropic}, nil
}

// Generate asks the model, as a stream when the request has OnText and the library streams only
// text; otherwise it calls OnText once. It returns the cause of ctx, *llm.StatusError,
// *llm.ConnectionError, *llm.ResponseError, *llm.TruncatedError, *llm.BlockedError or
// *llm.UnsupportedError; models of New also return untyped errors.
func (m *model) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	if err := wire.CheckRequest(req); err != nil {
		return llm.Response{}, m.asking(err)
	}
	if what := m.unsupported(req); what != "" {
		return llm.Response{}, &llm.UnsupportedError{Provider: m.opts.Provider, Model: m.opts.Name, What: what}
	}
	if ctx.Err() != nil {
		return llm.Response{}, m.asking(context.Cause(ctx))
	}
	told := &telling{onText: req.OnText}
	watched, outcome := wire.Watch(ctx)
	if req.Cached && m.anthropic {
		watched = cached(watched)
	}
	out, err := m.client.GenerateContent(watched, m.messages(req), m.options(req, told)...)
	told.end()
	lost := outcome.Err()
	switch {
	case ctx.Err() != nil && (err != nil || lost != nil):
		return llm.Response{}, m.asking(context.Cause(ctx))
	case lost != nil:
		if plain, ok := wire.Plain(lost); ok {
			return llm.Response{}, plain
		}
		return llm.Response{}, lost // the transport's typed error
	case err != nil && m.wired: // the library's error may quote the answer
		return llm.Response{}, &llm.ResponseError{Provider: m.opts.Provider, Err: errors.New("the library cannot read it")}
	case err != nil:
		return llm.Response{}, m.failed(err)
	}
	resp, err := m.read(out)
	if err == nil && req.OnText != nil && !told.any && resp.Text != "" {
		req.OnText(llm.Chunk{Text: resp.Text})
	}
	return resp, err
}

func (m *model) asking(err error) error {
	return fmt.Errorf("asking %s model %q: %w", m.opts.Provider, m.opts.Name, err)
}

// Why a model stopped, as the library's providers report it, in lower case.
var (
	atLimit  = []string{"length", "max_tokens", "model_length", "finishreasonmaxtokens"}
	withheld = []string{"content_filter", "content_filtered", "refusal", "safety", "recitation", "finishreasonsafety", "finishreasonrecitation"}
)

// read extracts the answer from the library's choices. The request asks for one candidate, so
// several choices are parts of one answer.
func (m *model) read(out *llms.ContentResponse) (llm.Response, error) {
	if out == nil || len(out.Choices) == 0 || out.Choices[0] == nil {
		return llm.Response{}, &llm.ResponseError{Provider: m.opts.Provider, Err: errors.New("it has no choices")}
	}
	resp := llm.Response{Model: m.opts.Provider + ":" + m.opts.Name}
	resp.Usage = llm.Usage{
		InputTokens: count(out.Choices[0].GenerationInfo, "PromptTokens", "InputTokens", "input_tokens", "prompt_tokens") +
			count(out.Choices[0].GenerationInfo, "CacheReadInputTokens") + count(out.Choices[0].GenerationInfo, "CacheCreationInputTokens"),
		OutputTokens: count(out.Choices[0].GenerationInfo, "CompletionTokens", "OutputTokens", "output_tokens", "completion_tokens"),
	}
	for _, choice := range out.Choices {
		if choice == nil {
			continue
		}
		switch reason := strings.ToLower(choice.StopReason); {
		case slices.Contains(atLimit, reason):
			return llm.Response{Usage: resp.Usage}, &llm.TruncatedError{Provider: m.opts.Provider, Model: m.opts.Name, Usage: resp.Usage}
		case slices.Contains(withheld, reason):
			return llm.Response{Usage: resp.Usage}, &llm.BlockedError{Provider: m.opts.Provider, Model: m.opts.Name, Reason: reason}
		}
		resp.Text += choice.Content
		resp.Reasoning += choice.ReasoningContent
		for _, call := range choice.ToolCalls {
			if call.FunctionCall != nil {
				resp.Calls = append(resp.Calls, llm.ToolCall{ID: call.ID, Name: call.FunctionCall.Name, Arguments: wire.Arguments(call.FunctionCall.Arguments)})
			}
		}
	}
	wire.NameCalls(resp.Calls)
	return resp, nil
}

// count returns the first number under the keys, in any of the types that the library's providers
// use; 0 if there is none or it is negative.
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
