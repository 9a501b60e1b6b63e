package gemini

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"google.golang.org/genai"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// Provider is the name in errors and in responses.
const Provider = "gemini"

// DefaultBaseURL is the server of the Gemini API; VertexBaseURL that of
// Vertex.
const (
	DefaultBaseURL = "https://generativelanguage.googleapis.com/"
	VertexBaseURL  = "https://aiplatform.googleapis.com/"
)

// Options says how to reach Gemini. Key is required.
type Options struct {
	// Key is the API key.
	Key string
	// BaseURL ends before the API's version. Default DefaultBaseURL, or
	// VertexBaseURL with Vertex.
	BaseURL string
	// Vertex speaks Vertex's API instead of the Gemini API, with a key of its
	// express mode.
	Vertex bool
	// Transport carries the calls. Default http.DefaultTransport.
	Transport http.RoundTripper
}

// A Model is one Gemini model. It is safe for concurrent use.
type Model struct {
	name   string
	client *genai.Client
}

// New returns the model of a name, such as "gemini-2.5-flash". It makes no
// call. Errors are those of settings that cannot be used; none shows the key.
func New(ctx context.Context, name string, opts *Options) (*Model, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	backend := genai.BackendGeminiAPI
	if o.Vertex {
		backend = genai.BackendVertexAI
	}
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
		if o.Vertex {
			o.BaseURL = VertexBaseURL
		}
	}
	if err := errors.Join(checkName(name), needsKey(o.Key), wire.CheckKey(o.Key), wire.CheckBaseURL(o.BaseURL)); err != nil {
		return nil, fmt.Errorf("setting up %s: %w", Provider, err)
	}
	transport := &wire.Transport{Provider: Provider, Base: o.Transport, Secrets: []string{o.Key}}
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: o.Key, Backend: backend, HTTPClient: &http.Client{Transport: transport},
		HTTPOptions: genai.HTTPOptions{BaseURL: strings.TrimRight(o.BaseURL, "/") + "/"},
	})
	if err != nil { // the library's message shows the configuration, the key included
		return nil, fmt.Errorf("setting up %s: the library refused the settings; check the key and the base URL", Provider)
	}
	return &Model{name: name, client: client}, nil
}

func needsKey(key string) error {
	if key == "" {
		return errors.New("there is no key: make one at https://aistudio.google.com/apikey")
	}
	return nil
}

// checkName refuses a name that would change the address of the call.
func checkName(name string) error {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-/@", r) {
			return fmt.Errorf("the model's name %q may hold letters, digits and . _ - / @ only", llm.Cut(name, 100))
		}
	}
	if name == "" || strings.Contains(name, "..") || strings.HasPrefix(name, "/") {
		return fmt.Errorf("the model's name is %q: it must be one such as gemini-2.5-flash", llm.Cut(name, 100))
	}
	return nil
}

// Generate asks the model. Errors are those of ctx (its cause),
// *llm.StatusError, *llm.ConnectionError, *llm.ResponseError,
// *llm.TruncatedError and *llm.BlockedError.
func (m *Model) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	if err := wire.CheckRequest(req); err != nil {
		return llm.Response{}, fmt.Errorf("asking %s model %q: %w", Provider, m.name, err)
	}
	if ctx.Err() != nil {
		return llm.Response{}, m.stopped(ctx)
	}
	contents, config, err := convert(req)
	if err != nil {
		return llm.Response{}, fmt.Errorf("asking %s model %q: %w", Provider, m.name, err)
	}
	out, err := m.call(ctx, contents, config)
	if err != nil && ctx.Err() != nil {
		return llm.Response{}, m.stopped(ctx)
	}
	if err != nil {
		if plain, ok := wire.Plain(err); ok {
			return llm.Response{}, plain
		}
		return llm.Response{}, &llm.ResponseError{Provider: Provider, Err: errors.New(llm.Cut(err.Error(), 200))}
	}
	return m.read(out)
}

func (m *Model) stopped(ctx context.Context) error {
	return fmt.Errorf("asking %s model %q: %w", Provider, m.name, context.Cause(ctx))
}

// call turns a panic of the library into an error: its converters assert the
// types of what a server sends.
func (m *Model) call(ctx context.Context, contents []*genai.Content, config *genai.GenerateContentConfig) (out *genai.GenerateContentResponse, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("it is not in Gemini's format")
		}
	}()
	return m.client.Models.GenerateContent(ctx, m.name, contents, config)
}

// read takes the answer out of the server's response.
func (m *Model) read(out *genai.GenerateContentResponse) (llm.Response, error) {
	var usage llm.Usage
	if u := out.UsageMetadata; u != nil {
		usage.InputTokens = int(max(0, u.PromptTokenCount)) + int(max(0, u.ToolUsePromptTokenCount))
		usage.OutputTokens = int(max(0, u.CandidatesTokenCount)) + int(max(0, u.ThoughtsTokenCount))
	}
	spent := llm.Response{Usage: usage}
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
	var text strings.Builder
	if candidate.Content != nil {
		for _, part := range candidate.Content.Parts {
			if part != nil && !part.Thought {
				text.WriteString(part.Text)
			}
		}
	}
	name := out.ModelVersion
	if name == "" {
		name = m.name
	}
	return llm.Response{Text: text.String(), Model: Provider + ":" + llm.Cut(name, 100), Usage: usage}, nil
}
