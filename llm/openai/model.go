package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/sashabaranov/go-openai"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// A Model is one model of a server. It is safe for concurrent use.
type Model struct {
	server *Server
	name   string

	// What the model's refusals have shown.
	warm    atomic.Bool // it refuses the default temperature of 0
	renamed atomic.Bool // it requires the newer name of the token limit
}

// Model returns a model by its name. It makes no call: whether the server has the model shows in
// the first request.
func (s *Server) Model(name string) (*Model, error) {
	if strings.TrimSpace(name) == "" {
		return nil, fmt.Errorf("choosing a model of %s: the name is empty", s.provider)
	}
	return &Model{server: s, name: name}, nil
}

// Capability returns the known capability of the model's server.
func (m *Model) Capability() Capability { return m.server.Capability() }

// formats are the response formats, the strictest first.
var formats = []Capability{JSONSchema, JSONObject, PromptOnly}

// Generate asks the model, as a stream when the request has OnText. While the server's capability
// is unknown, a request with a schema that the server refuses, or answers in prose, is repeated in
// the next weaker format; the usage counts all of them.
//
// It returns the cause of ctx, *llm.StatusError, *llm.ConnectionError, *llm.ResponseError,
// *llm.TruncatedError, *llm.BlockedError or *llm.UnsupportedError. A cut stream is a
// *llm.ConnectionError. The usage is zero if the server does not count the tokens of a stream.
func (m *Model) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	if err := wire.CheckRequest(req); err != nil {
		return llm.Response{}, fmt.Errorf("asking %s model %q: %w", m.server.provider, m.name, err)
	}
	req.OnText = restarting(req.OnText)
	if len(req.Schema) == 0 {
		return m.ask(ctx, req, Unknown)
	}
	known := m.server.Capability()
	var spent llm.Usage
	var refusal error
	for i, format := range formats {
		if known != Unknown && format != known {
			continue
		}
		resp, err := m.ask(ctx, req, format)
		spent = spent.Plus(resp.Usage)
		resp.Usage = spent
		last := known != Unknown || i == len(formats)-1
		switch {
		case err != nil && !last && refusesFormat(err):
			if refusal == nil {
				refusal = err
			}
			continue
		case err != nil && refusal != nil && refusesFormat(err):
			return llm.Response{Usage: spent}, refusal // the format was not the reason
		case err != nil:
			return llm.Response{Usage: spent}, err
		case len(resp.Calls) > 0:
			return resp, nil // it shows nothing about the format
		case !last && !strings.ContainsAny(resp.Text, "{["):
			continue // prose: the server ignores the format
		}
		if strings.HasPrefix(strings.TrimSpace(resp.Text), "{") {
			m.server.found(format)
		}
		return resp, nil
	}
	return llm.Response{Usage: spent}, refusal // formats holds every known capability
}

// refusesFormat reports whether an error may come from a server that does not support the response
// format.
func refusesFormat(err error) bool { return refuses(err, "response_format") }

// refuses reports whether an error may come from a server that does not know a field of the
// request. Few servers name the field that they refuse, so only a request without it can tell.
func refuses(err error, field string) bool {
	e, ok := errors.AsType[*llm.StatusError](err)
	if !ok {
		return false
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return e.Param == "" || strings.HasPrefix(e.Param, field)
	}
	return false
}

// ask makes one call, and repeats it when the refusal shows another form that the model requires.
// It never leaves out a temperature that the request sets.
func (m *Model) ask(ctx context.Context, req llm.Request, format Capability) (llm.Response, error) {
	for {
		warm, renamed := m.warm.Load(), m.renamed.Load()
		resp, err := m.call(ctx, req, format, warm, renamed)
		switch {
		case !warm && req.Sampling.Temperature == nil && blames(err, "temperature"):
			m.warm.Store(true)
		case !renamed && req.Sampling.MaxTokens > 0 && (blames(err, "max_tokens") || errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated)):
			m.renamed.Store(true)
		default:
			return resp, err
		}
	}
}

// blames reports whether a server's refusal names a field of the request.
func blames(err error, field string) bool {
	e, ok := errors.AsType[*llm.StatusError](err)
	return ok && e.Status == http.StatusBadRequest && e.Param == field
}

func (m *Model) call(ctx context.Context, req llm.Request, format Capability, warm, renamed bool) (llm.Response, error) {
	if ctx.Err() != nil {
		return llm.Response{}, m.stopped(ctx)
	}
	out := m.request(req, format)
	if !renamed {
		//lint:ignore SA1019 many servers of this API know only the older name
		out.MaxTokens, out.MaxCompletionTokens = out.MaxCompletionTokens, 0
	}
	client := m.server.plain
	if out.Temperature == 0 && (req.Sampling.Temperature != nil || !warm) {
		client = m.server.cold
	}
	if req.OnText != nil {
		return m.stream(ctx, client, out, req.OnText)
	}
	answer, err := client.CreateChatCompletion(ctx, out)
	if err != nil {
		return llm.Response{}, m.failed(ctx, err)
	}
	return m.read(answer)
}

func (m *Model) stopped(ctx context.Context) error {
	return fmt.Errorf("asking %s model %q: %w", m.server.provider, m.name, context.Cause(ctx))
}

// failed converts an error of the library.
func (m *Model) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return m.stopped(ctx)
	}
	if errors.Is(err, openai.ErrChatCompletionInvalidModel) {
		return fmt.Errorf("asking %s model %q: it is not a chat model; choose another", m.server.provider, m.name)
	}
	if errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated) {
		return err // for ask
	}
	if errors.Is(err, openai.ErrReasoningModelLimitationsOther) || errors.Is(err, openai.ErrReasoningSamplingUnsupported) {
		return &llm.UnsupportedError{Provider: m.server.provider, Model: m.name, What: "a temperature"}
	}
	plain, ok := wire.Plain(err)
	if !ok { // the answer was JSON; the library's error may quote it
		return &llm.ResponseError{Provider: m.server.provider, Err: errors.New("it is not in the chat API's format")}
	}
	if e, ok := errors.AsType[*llm.StatusError](plain); ok && e.Code == string(openai.FinishReasonContentFilter) {
		return &llm.BlockedError{Provider: m.server.provider, Model: m.name, Reason: e.Code, Message: e.Message}
	}
	return plain
}

// read extracts the answer from the server's response.
func (m *Model) read(out openai.ChatCompletionResponse) (llm.Response, error) {
	usage := llm.Usage{InputTokens: max(0, out.Usage.PromptTokens), OutputTokens: max(0, out.Usage.CompletionTokens)}
	spent := llm.Response{Usage: usage}
	if len(out.Choices) == 0 {
		return spent, &llm.ResponseError{Provider: m.server.provider, Err: errors.New("it has no choices")}
	}
	choice := out.Choices[0]
	message := choice.Message
	text := message.Content
	for _, part := range message.MultiContent {
		if part.Type == openai.ChatMessagePartTypeText {
			text += part.Text
		}
	}
	return m.answer(choice.FinishReason, message.Refusal, llm.Response{Text: text, Calls: toolCalls(message.ToolCalls), Reasoning: message.ReasoningContent, Model: out.Model, Usage: usage})
}

// answer returns the response, or an error for a refusal or a cut answer.
func (m *Model) answer(finish openai.FinishReason, refusal string, resp llm.Response) (llm.Response, error) {
	spent := llm.Response{Usage: resp.Usage}
	switch {
	case refusal != "":
		return spent, &llm.BlockedError{Provider: m.server.provider, Model: m.name, Reason: "refusal", Message: llm.Cut(refusal, 300)}
	case finish == openai.FinishReasonContentFilter:
		return spent, &llm.BlockedError{Provider: m.server.provider, Model: m.name, Reason: "content_filter"}
	case finish == openai.FinishReasonLength:
		return spent, &llm.TruncatedError{Provider: m.server.provider, Model: m.name, Usage: resp.Usage}
	}
	if resp.Model == "" {
		resp.Model = m.name
	}
	resp.Model = m.server.provider + ":" + llm.Cut(resp.Model, 100)
	return resp, nil
}
