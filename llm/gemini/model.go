package gemini

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/genai"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// Provider is the provider's name in errors and responses.
const Provider = "gemini"

// A Model is one Gemini model. It is safe for concurrent use.
type Model struct {
	name     string
	client   *genai.Client
	thoughts bool // see Options
}

// New returns a model by its name, such as "gemini-2.5-flash". It makes no call. It returns an
// error for invalid settings; no error shows the key.
func New(ctx context.Context, name string, opts *Options) (*Model, error) {
	client, err := newClient(ctx, name, opts)
	if err != nil {
		return nil, err
	}
	return &Model{name: name, client: client, thoughts: opts != nil && opts.Thoughts}, nil
}

// Generate asks the model, as a stream when the request has OnText. It returns the cause of ctx, an
// error of the credentials, *llm.StatusError, *llm.ConnectionError, *llm.ResponseError,
// *llm.TruncatedError, *llm.UnsupportedError or *llm.BlockedError, which may come after part of the
// answer. A cut stream is a *llm.ConnectionError.
func (m *Model) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	if err := wire.CheckRequest(req); err != nil {
		return llm.Response{}, m.asking(err)
	}
	if what := unsupported(req); what != "" {
		return llm.Response{}, &llm.UnsupportedError{Provider: Provider, Model: m.name, What: what}
	}
	if ctx.Err() != nil {
		return llm.Response{}, m.asking(context.Cause(ctx))
	}
	contents, config, err := convert(req)
	if err != nil {
		return llm.Response{}, m.asking(err)
	}
	if m.thoughts {
		config.ThinkingConfig = &genai.ThinkingConfig{IncludeThoughts: true}
	}
	watched, outcome := wire.Watch(ctx)
	out, err := m.call(watched, contents, config, req.OnText)
	switch lost := outcome.Err(); {
	case ctx.Err() != nil && (err != nil || lost != nil):
		return llm.Response{}, m.asking(context.Cause(ctx))
	case lost != nil:
		if plain, ok := wire.Plain(lost); ok {
			return spent(out), plain
		}
		return spent(out), m.asking(lost) // an error of the credentials
	case err != nil: // the library's error may quote the answer
		return llm.Response{}, &llm.ResponseError{Provider: Provider, Err: errFormat}
	}
	return m.read(out)
}

func (m *Model) asking(err error) error {
	return fmt.Errorf("asking %s model %q: %w", Provider, m.name, err)
}

var errFormat = errors.New("it is not in Gemini's format")

// call turns a panic of the library into an error: its converters assert the types of a server's
// values.
func (m *Model) call(ctx context.Context, contents []*genai.Content, config *genai.GenerateContentConfig, onText func(llm.Chunk)) (out *genai.GenerateContentResponse, err error) {
	told := false // a panic in the caller's function is passed on
	defer func() {
		if p := recover(); p != nil && told {
			panic(p)
		} else if p != nil {
			err = errFormat
		}
	}()
	if onText == nil {
		return m.client.Models.GenerateContent(ctx, m.name, contents, config)
	}
	all := new(genai.GenerateContentResponse)
	for piece, err := range m.client.Models.GenerateContentStream(ctx, m.name, contents, config) {
		if err != nil {
			return all, err
		}
		if text := gather(all, piece); text != "" {
			told = true
			onText(llm.Chunk{Text: text})
			told = false
		}
		if ctx.Err() != nil { // the rest of the stream may be buffered
			return all, ctx.Err()
		}
	}
	return all, nil
}

// read extracts the answer from the server's response.
func (m *Model) read(out *genai.GenerateContentResponse) (llm.Response, error) {
	spent := spent(out)
	usage := spent.Usage
	if f := out.PromptFeedback; f != nil && f.BlockReason != "" && f.BlockReason != genai.BlockedReasonUnspecified {
		return spent, &llm.BlockedError{Provider: Provider, Model: m.name, Reason: llm.Cut(string(f.BlockReason), 50), Message: llm.Cut(f.BlockReasonMessage, 300)}
	}
	if len(out.Candidates) == 0 || out.Candidates[0] == nil {
		return spent, &llm.ResponseError{Provider: Provider, Err: errors.New("it has no candidates")}
	}
	candidate := out.Candidates[0]
	switch candidate.FinishReason {
	case "", genai.FinishReasonUnspecified, genai.FinishReasonStop:
	case genai.FinishReasonMaxTokens:
		return spent, &llm.TruncatedError{Provider: Provider, Model: m.name, Usage: usage}
	default:
		return spent, &llm.BlockedError{Provider: Provider, Model: m.name, Reason: llm.Cut(string(candidate.FinishReason), 50), Message: llm.Cut(candidate.FinishMessage, 300)}
	}
	text, thoughts, calls := parts(candidate.Content)
	name := out.ModelVersion
	if name == "" {
		name = m.name
	}
	return llm.Response{Text: text, Calls: calls, Reasoning: thoughts, Model: Provider + ":" + llm.Cut(name, 100), Usage: usage}, nil
}

// spent is a response with only the usage.
func spent(out *genai.GenerateContentResponse) llm.Response {
	var usage llm.Usage
	if out != nil && out.UsageMetadata != nil {
		u := out.UsageMetadata
		usage.InputTokens = int(max(0, u.PromptTokenCount)) + int(max(0, u.ToolUsePromptTokenCount))
		usage.OutputTokens = int(max(0, u.CandidatesTokenCount)) + int(max(0, u.ThoughtsTokenCount))
	}
	return llm.Response{Usage: usage}
}
