package langchain_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"

	"example.com/assay/llm"
	"example.com/assay/llm/langchain"
	"example.com/assay/llm/llmtest"
)

const key = "sk-secret-0123456789"

// client answers as the library's providers do.
type client struct {
	answer func(messages []llms.MessageContent, o llms.CallOptions) (*llms.ContentResponse, error)
}

func (c client) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	o := llms.CallOptions{Temperature: -1}
	for _, option := range options {
		option(&o)
	}
	return c.answer(messages, o)
}

func (c client) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return "", errors.New("not asked this way")
}

func choice(c llms.ContentChoice) *llms.ContentResponse {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{&c}}
}

func model(t *testing.T, answer func([]llms.MessageContent, llms.CallOptions) (*llms.ContentResponse, error)) llm.Model {
	t.Helper()
	m, err := langchain.New(client{answer}, &langchain.Options{Provider: "anthropic", Name: "m", Secrets: []string{key}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func request(schema string) llm.Request {
	return llm.Request{Schema: json.RawMessage(schema), Messages: []llm.Message{{Role: llm.System, Text: "Be brief."}, {Role: llm.User, Text: "Go."}, {Role: llm.Assistant, Text: "no"}, {Role: llm.User, Text: "Again."}}}
}

func TestSuite(t *testing.T) {
	llmtest.TestModel(t, model(t, func([]llms.MessageContent, llms.CallOptions) (*llms.ContentResponse, error) {
		return choice(llms.ContentChoice{Content: `{"verdict":"safe"}`}), nil
	}))
}

func TestRequestAndResponse(t *testing.T) {
	for _, schema := range []string{"", `{"type":"object"}`} {
		m := model(t, func(messages []llms.MessageContent, o llms.CallOptions) (*llms.ContentResponse, error) {
			var told []string
			for _, msg := range messages {
				told = append(told, fmt.Sprintf("%s %s", msg.Role, msg.Parts[0]))
			}
			text := strings.Join(told, "; ")
			if o.Temperature != 0 || o.JSONMode != (schema != "") || strings.Contains(text, "JSON Schema") != (schema != "") {
				t.Errorf("options %+v of %s", o, text)
			}
			if !strings.HasPrefix(text, "system Be brief.") || !strings.HasSuffix(text, "human Go.; ai no; human Again.") {
				t.Errorf("messages %s", text)
			}
			return choice(llms.ContentChoice{Content: "x", StopReason: "end_turn", GenerationInfo: map[string]any{"InputTokens": 11, "OutputTokens": int32(7)}}), nil
		})
		resp, err := m.Generate(t.Context(), request(schema))
		if want := (llm.Response{Text: "x", Model: "anthropic:m", Usage: llm.Usage{InputTokens: 11, OutputTokens: 7}}); err != nil || !reflect.DeepEqual(resp, want) {
			t.Errorf("got %+v, %v", resp, err)
		}
	}
}

func TestErrors(t *testing.T) {
	status := func(want int) func(error) bool {
		return func(err error) bool { e, ok := errors.AsType[*llm.StatusError](err); return ok && e.Status == want }
	}
	is := func(want any) func(error) bool { return func(err error) bool { return errors.As(err, want) } }
	for name, tc := range map[string]struct {
		out   *llms.ContentResponse
		err   error
		check func(error) bool
		again bool
	}{
		"rate":        {nil, llms.NewError(llms.ErrCodeRateLimit, "p", key), status(429), true},
		"quota":       {nil, llms.NewError(llms.ErrCodeQuotaExceeded, "p", key), status(429), false},
		"key":         {nil, fmt.Errorf("x: %w", llms.NewError(llms.ErrCodeAuthentication, "p", key)), status(401), false},
		"unavailable": {nil, llms.NewError(llms.ErrCodeProviderUnavailable, "p", key), status(503), true},
		"filter":      {nil, llms.NewError(llms.ErrCodeContentFilter, "p", key), is(new(*llm.BlockedError)), false},
		"limit":       {nil, llms.NewError(llms.ErrCodeTokenLimit, "p", key), is(new(*llm.TruncatedError)), false},
		"network":     {nil, &url.Error{Op: "Post", URL: "https://host/?key=" + key, Err: io.EOF}, is(new(*llm.ConnectionError)), true},
		"untyped":     {nil, errors.New("status 429: " + key), func(err error) bool { return strings.Contains(err.Error(), "429") }, false},
		"length":      {choice(llms.ContentChoice{StopReason: "length"}), nil, is(new(*llm.TruncatedError)), false},
		"refusal":     {choice(llms.ContentChoice{StopReason: "SAFETY"}), nil, is(new(*llm.BlockedError)), false},
		"nothing":     {nil, nil, is(new(*llm.ResponseError)), false},
		"no choice":   {&llms.ContentResponse{Choices: []*llms.ContentChoice{nil}}, nil, is(new(*llm.ResponseError)), false},
	} {
		t.Run(name, func(t *testing.T) {
			m := model(t, func([]llms.MessageContent, llms.CallOptions) (*llms.ContentResponse, error) { return tc.out, tc.err })
			_, err := m.Generate(t.Context(), request(""))
			if err == nil || !tc.check(err) || llm.Retryable(err) != tc.again || strings.Contains(err.Error(), key) {
				t.Errorf("error %#v: %v", err, err)
			}
		})
	}
	if _, err := langchain.New(nil, nil); err == nil {
		t.Error("a model without a client")
	}
}

func TestCauseOfTheContext(t *testing.T) {
	why := errors.New("the user left")
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, why)
	defer cancel()
	m := model(t, func([]llms.MessageContent, llms.CallOptions) (*llms.ContentResponse, error) {
		<-ctx.Done()
		return nil, errors.New("deaf")
	})
	if _, err := m.Generate(ctx, request("")); !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
}
