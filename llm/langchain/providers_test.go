package langchain_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/assay/llm"
	"example.com/assay/llm/langchain"
	"example.com/assay/llm/llmtest"
)

func claude(t *testing.T, url string) llm.Model {
	t.Helper()
	m, err := langchain.Anthropic("claude-test", &langchain.AnthropicOptions{Key: key, BaseURL: url})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAnthropicSuite(t *testing.T) { llmtest.TestProvider(t, llmtest.Anthropic, claude) }

// answering starts a server that answers with a body and keeps the last
// request.
func answering(t *testing.T, kind, body string) (url string, last *http.Request, fields *map[string]json.RawMessage) {
	t.Helper()
	last, fields = new(http.Request), new(map[string]json.RawMessage)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*last = *r
		*fields = nil
		if err := json.NewDecoder(r.Body).Decode(fields); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", kind)
		if kind == "" {
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL, last, fields
}

func TestAnthropicRequest(t *testing.T) {
	url, last, fields := answering(t, "application/json", `{"type":"message","content":[{"type":"text","text":"{}"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}`)
	req := request(`{"type":"object"}`)
	req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: json.RawMessage(`"{x"`)}}},
		llm.Message{Role: llm.ToolRole, Results: []llm.ToolResult{{CallID: "a", Name: "f", Text: "no", Failed: true}}})
	resp, err := claude(t, url).Generate(t.Context(), req)
	if err != nil || resp.Model != "anthropic:claude-test" || resp.Usage != (llm.Usage{InputTokens: 3, OutputTokens: 2}) {
		t.Fatalf("got %+v, %v", resp, err)
	}
	f := *fields
	if last.URL.Path != "/messages" || last.Header.Get("X-Api-Key") != key || string(f["max_tokens"]) != "4096" || string(f["temperature"]) != "0" || string(f["model"]) != `"claude-test"` {
		t.Errorf("path %q, key %q, %s", last.URL.Path, last.Header.Get("X-Api-Key"), f)
	}
	if !strings.Contains(string(f["system"]), "Be brief.") || !strings.Contains(string(f["system"]), "JSON Schema") || !strings.Contains(string(f["messages"]), `"input":{"arguments":"{x"}`) {
		t.Errorf("system %s, messages %s", f["system"], f["messages"])
	}
}

// Statuses, errors and refusals are typed, those within a stream, too.
// A cached request has a mark behind the tools and the system prompt, and one behind the last message;
// texts stay as they were. Tokens that the server had kept count as input.
func TestAnthropicCached(t *testing.T) {
	url, _, fields := answering(t, "application/json", `{"type":"message","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"output_tokens":2}}`)
	req := request("")
	req.Tools = []llm.Tool{{Name: "f", Description: "d", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}}
	m := claude(t, url)
	if _, err := m.Generate(t.Context(), req); err != nil || strings.Contains(fmt.Sprintf("%s", *fields), "cache_control") {
		t.Errorf("a plain request: %v, %s", err, *fields)
	}
	req.Cached = true
	resp, err := m.Generate(t.Context(), req)
	if err != nil || resp.Usage.InputTokens != 123 {
		t.Errorf("%v, %+v", err, resp.Usage)
	}
	f := *fields
	if got := string(f["system"]); got != `[{"cache_control":{"type":"ephemeral"},"text":"Be brief.","type":"text"}]` {
		t.Errorf("system %s", got)
	}
	if got := string(f["messages"]); !strings.Contains(got, `"cache_control":{"type":"ephemeral"}`) || strings.Count(got, "cache_control") != 1 || strings.Contains(string(f["tools"]), "cache_control") {
		t.Errorf("messages %s, tools %s", got, f["tools"])
	}
	req.Messages = req.Messages[1:]
	if _, err := m.Generate(t.Context(), req); err != nil || !strings.Contains(string((*fields)["tools"]), "cache_control") {
		t.Errorf("without a system prompt: %v, tools %s", err, (*fields)["tools"])
	}
}

func TestWiredErrors(t *testing.T) {
	sse := func(events ...string) string {
		return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n"
	}
	const start = `{"type":"message_start","message":{"usage":{"input_tokens":3}}}`
	const text = `{"type":"content_block_start","index":0,"content_block":{"type":"text"}}`
	status := func(want llm.StatusError) func(error) bool {
		return func(err error) bool { e, ok := errors.AsType[*llm.StatusError](err); return ok && *e == want }
	}
	isResponse := func(err error) bool { _, ok := errors.AsType[*llm.ResponseError](err); return ok }
	refused := func(err error) bool {
		e, ok := errors.AsType[*llm.BlockedError](err)
		return ok && e.Reason == "refusal"
	}
	for name, tc := range map[string]struct {
		connect    func(*testing.T, string) llm.Model
		kind, body string
		check      func(error) bool
	}{
		"anthropic 429": {claude, "", `{"type":"error","error":{"type":"rate_limit_error","message":"slow, ` + key + `"}}`,
			status(llm.StatusError{Provider: "anthropic", Status: 429, RetryAfter: 3 * time.Second, Message: "slow, [key]", Code: "rate_limit_error"})},
		"anthropic overloaded": {claude, "text/event-stream", sse(start, `{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`),
			status(llm.StatusError{Provider: "anthropic", Status: 529, Message: "busy", Code: "overloaded_error"})},
		"anthropic refusal":   {claude, "text/event-stream", sse(start, text, `{"type":"message_delta","delta":{"stop_reason":"refusal"},"usage":{}}`), refused},
		"anthropic, refused":  {claude, "application/json", `{"type":"message","content":[],"stop_reason":"refusal"}`, refused},
		"anthropic, no text":  {claude, "application/json", `{"type":"message","content":[],"stop_reason":"end_turn"}`, isResponse},
		"anthropic, unknown":  {claude, "application/json", `{"type":"message","content":[{"type":"` + key + `"}]}`, isResponse},
		"anthropic cut":       {claude, "text/event-stream", sse(start, text), llm.Retryable},
		"anthropic malformed": {claude, "text/event-stream", sse(start, `{]`), isResponse},
		"anthropic limit": {claude, "application/json", `{"type":"message","content":[{"type":"text","text":"So"}],"stop_reason":"max_tokens","usage":{"output_tokens":9}}`, func(err error) bool {
			e, ok := errors.AsType[*llm.TruncatedError](err)
			return ok && e.Usage.OutputTokens == 9
		}},
	} {
		t.Run(name, func(t *testing.T) {
			url, _, _ := answering(t, tc.kind, tc.body)
			req := request("")
			if tc.kind != "application/json" {
				req.OnText = func(llm.Chunk) {}
			}
			resp, err := tc.connect(t, url).Generate(t.Context(), req)
			if err == nil || !tc.check(err) || resp.Text != "" || strings.Contains(err.Error(), key) {
				t.Errorf("response %+v, error %#v: %v", resp, err, err)
			}
		})
	}
}

// Events that the library does not know, and would print, do not reach it.
func TestUnknownEvents(t *testing.T) {
	var printed strings.Builder
	log.SetOutput(&printed)
	defer log.SetOutput(os.Stderr)
	url, _, _ := answering(t, "text/event-stream", "data: "+strings.Join([]string{
		`{"type":"message_start","message":{"usage":{"input_tokens":3}}}`, `{"type":"novelty","text":"So"}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi."}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`, `{"type":"message_stop"}`,
	}, "\n\ndata: ")+"\n\n")
	req := request("")
	req.OnText = func(llm.Chunk) {}
	if resp, err := claude(t, url).Generate(t.Context(), req); err != nil || resp.Text != "Hi." || printed.Len() > 0 {
		t.Errorf("got %+v, %v; printed %q", resp, err, printed.String())
	}
}

// What a provider's wire or the library cannot carry is refused, and nothing is sent.
func TestUnsupported(t *testing.T) {
	image := llm.Message{Role: llm.User, Images: []llm.Image{{URL: "https://host/a.png"}}}
	for name, tc := range map[string]struct {
		connect func(*testing.T, string) llm.Model
		req     llm.Request
		want    string
	}{
		"anthropic, seed":    {claude, llm.Request{Sampling: llm.Sampling{Seed: new(7)}}, `anthropic model "claude-test" does not take a seed: leave it out, or ask another model`},
		"anthropic, address": {claude, llm.Request{Messages: []llm.Message{image}}, `anthropic model "claude-test" does not take an image by its URL: leave it out, or ask another model`},
	} {
		url, last, _ := answering(t, "application/json", `{}`)
		tc.req.Messages = append(tc.req.Messages, llm.Message{Role: llm.User, Text: "Go."})
		_, err := tc.connect(t, url).Generate(t.Context(), tc.req)
		if e, ok := errors.AsType[*llm.UnsupportedError](err); !ok || e.Error() != tc.want || llm.Retryable(err) || last.URL != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, opts := range map[string]langchain.AnthropicOptions{
		"no key": {}, "bad key": {Key: key + "\n"}, "bad base URL": {Key: key, BaseURL: "host?key=" + key},
	} {
		t.Setenv("ANTHROPIC_API_KEY", "another-key-of-the-environment")
		if _, err := langchain.Anthropic("m", &opts); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := langchain.Anthropic(" ", &langchain.AnthropicOptions{Key: key}); err == nil {
		t.Error("a model of Anthropic without a name")
	}
}
