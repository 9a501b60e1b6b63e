package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/llm/offline"
	"example.com/assay/llm/openai"
	"example.com/assay/skills"
)

const key = "sk-secret-0123456789"

const object = `{"type":"object","additionalProperties":false,"required":["b","a"],"properties":{"b":{"type":"string"},"a":{"type":"integer"}}}`

// call is one request as the server saw it.
type call struct {
	header http.Header
	path   string
	body   string
	fields map[string]json.RawMessage
}

func (c call) format(t *testing.T) string {
	t.Helper()
	if c.fields["response_format"] == nil {
		return ""
	}
	var f struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(c.fields["response_format"], &f); err != nil {
		t.Fatal(err)
	}
	return f.Type
}

// calls records what a server was asked.
type calls struct {
	mu  sync.Mutex
	all []call
}

func (c *calls) list() []call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.all)
}

// serve starts a server and returns a model of it.
func serve(t *testing.T, answer func(w http.ResponseWriter, c call)) (*openai.Model, *calls) {
	t.Helper()
	seen := &calls{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		c := call{header: r.Header, path: r.URL.Path, body: string(body)}
		if err := json.Unmarshal(body, &c.fields); err != nil {
			t.Errorf("the request is no JSON object: %v", err)
		}
		seen.mu.Lock()
		seen.all = append(seen.all, c)
		seen.mu.Unlock()
		answer(w, c)
	}))
	t.Cleanup(server.Close)
	return model(t, &openai.Options{Key: key, BaseURL: server.URL + "/v1"}), seen
}

func model(t *testing.T, opts *openai.Options) *openai.Model {
	t.Helper()
	return named(t, "gpt-test", opts)
}

func named(t *testing.T, name string, opts *openai.Options) *openai.Model {
	t.Helper()
	server, err := openai.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	m, err := server.Model(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// reply writes an answer as the API does.
func reply(w io.Writer, text, finish string) {
	content, _ := json.Marshal(text)
	fmt.Fprintf(w, `{"id":"1","object":"chat.completion","model":"gpt-test-2026","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":%q}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}`, content, finish)
}

func refuse(w http.ResponseWriter, status int, body string) {
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func request(schema string) llm.Request {
	req := llm.Request{Skill: "two words", Messages: []llm.Message{{Role: llm.System, Text: "Be brief."}, {Role: llm.User, Text: "Say <a> & b."}}}
	if schema != "" {
		req.Schema = json.RawMessage(schema)
	}
	return req
}

func TestSuite(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.OpenAI, offline.New(nil))
	llmtest.TestModel(t, s.Wrap(model(t, &openai.Options{Key: key, BaseURL: s.URL})))
	llmtest.TestProvider(t, llmtest.OpenAI, func(t *testing.T, url string) llm.Model {
		return model(t, &openai.Options{Key: key, BaseURL: url})
	})
}

func TestRequestAndResponse(t *testing.T) {
	m, seen := serve(t, func(w http.ResponseWriter, _ call) { reply(w, `{"b":"x","a":1}`, "stop") })
	resp, err := m.Generate(t.Context(), request(object))
	if err != nil {
		t.Fatal(err)
	}
	if want := (llm.Response{Text: `{"b":"x","a":1}`, Model: "openai:gpt-test-2026", Usage: llm.Usage{InputTokens: 11, OutputTokens: 7}}); !reflect.DeepEqual(resp, want) {
		t.Errorf("got %+v; want %+v", resp, want)
	}
	c := seen.list()[0]
	if c.path != "/v1/chat/completions" || c.header.Get("Authorization") != "Bearer "+key {
		t.Errorf("path %q, authorization %q", c.path, c.header.Get("Authorization"))
	}
	if got := string(c.fields["temperature"]); got != "0" {
		t.Errorf("temperature %q was sent; want 0", got)
	}
	want := `{"type":"json_schema","json_schema":{"name":"two_words","schema":` + object + `,"strict":true}}`
	if got := string(c.fields["response_format"]); got != want {
		t.Errorf("response format\n%s; want\n%s", got, want)
	}
	var messages []map[string]string
	if err := json.Unmarshal(c.fields["messages"], &messages); err != nil || len(messages) != 2 || messages[1]["content"] != "Say <a> & b." || messages[0]["role"] != "system" {
		t.Errorf("messages %v, %v", messages, err)
	}
	if m.Capability() != openai.JSONSchema {
		t.Errorf("capability %q", m.Capability())
	}
}

// Reasoning is kept under both of its names, whole and streamed, and goes back only to a server that
// wants it. A text that looks like the name stays.
func TestReasoning(t *testing.T) {
	const text = `say \"reasoning\": \"x\"`
	answer := func(w http.ResponseWriter, c call, name string) {
		if string(c.fields["stream"]) == "true" {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{%q:\"Two \"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{%q:\"apples.\"}}]}\n\n", name, name)
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\",%q:null},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", text, name)
			return
		}
		fmt.Fprintf(w, `{"choices":[{"index":0,"message":{"role":"assistant",%q: "Two apples.","content":"%s"},"finish_reason":"stop"}]}`, name, text)
	}
	for _, name := range []string{"reasoning", "reasoning_content"} {
		m, _ := serve(t, func(w http.ResponseWriter, c call) { answer(w, c, name) })
		for _, to := range []func(llm.Chunk){nil, func(llm.Chunk) {}} {
			req := request("")
			req.OnText = to
			resp, err := m.Generate(t.Context(), req)
			if err != nil || resp.Reasoning != "Two apples." || resp.Text != `say "reasoning": "x"` {
				t.Errorf("%s, streamed %t: %v, %+v", name, to != nil, err, resp)
			}
		}
	}
	m, seen := serve(t, func(w http.ResponseWriter, c call) { answer(w, c, "reasoning") })
	req := request("")
	req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Text: "Two.", Reasoning: "1+1"}, llm.Message{Role: llm.User, Text: "Sure?"})
	ask := func(m *openai.Model) string {
		if _, err := m.Generate(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		all := seen.list()
		return all[len(all)-1].body
	}
	if body := ask(m); strings.Contains(body, "1+1") {
		t.Errorf("sent back: %s", body)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), `"reasoning_content":"1+1"`) {
			t.Errorf("not sent back: %s", body)
		}
		answer(w, call{}, "reasoning")
	}))
	defer server.Close()
	if _, err := model(t, &openai.Options{BaseURL: server.URL, Reasoning: true}).Generate(t.Context(), req); err != nil {
		t.Error(err)
	}
}

func TestTextHasNoFormat(t *testing.T) {
	m, seen := serve(t, func(w http.ResponseWriter, _ call) { reply(w, "Hello.", "stop") })
	resp, err := m.Generate(t.Context(), request(""))
	if err != nil || resp.Text != "Hello." {
		t.Fatalf("got %+v, %v", resp, err)
	}
	if c := seen.list(); len(c) != 1 || c[0].format(t) != "" || m.Capability() != openai.Unknown {
		t.Errorf("%d calls, format %q, capability %q", len(c), c[0].format(t), m.Capability())
	}
}

func TestFallbackOfFormats(t *testing.T) {
	const answer = `{"b":"x","a":1}`
	for name, tc := range map[string]struct {
		knows  []string // formats that the server answers
		prose  bool     // it overlooks the others instead of refusing them
		status int
		error  string
		want   openai.Capability
		asked  []string
	}{
		"json_schema":         {knows: []string{"json_schema"}, want: openai.JSONSchema, asked: []string{"json_schema"}},
		"json_object":         {knows: []string{"json_object", ""}, status: 400, error: `{"error":{"message":"no","type":"invalid_request_error","param":"response_format"}}`, want: openai.JSONObject, asked: []string{"json_schema", "json_object"}},
		"unnamed field":       {knows: []string{""}, status: 422, error: `{"object":"error","message":"no","code":422}`, want: openai.PromptOnly, asked: []string{"json_schema", "json_object", ""}},
		"not implemented":     {knows: []string{""}, status: 501, error: `nope`, want: openai.PromptOnly, asked: []string{"json_schema", "json_object", ""}},
		"overlooks it":        {knows: []string{""}, prose: true, want: openai.PromptOnly, asked: []string{"json_schema", "json_object", ""}},
		"overlooks json_mode": {knows: []string{"json_object"}, prose: true, want: openai.JSONObject, asked: []string{"json_schema", "json_object"}},
	} {
		t.Run(name, func(t *testing.T) {
			m, seen := serve(t, func(w http.ResponseWriter, c call) {
				switch {
				case slices.Contains(tc.knows, c.format(t)):
					reply(w, answer, "stop")
				case tc.prose:
					reply(w, "b is x and a is 1", "stop")
				default:
					refuse(w, tc.status, tc.error)
				}
			})
			resp, err := m.Generate(t.Context(), request(object))
			if err != nil || resp.Text != answer {
				t.Fatalf("got %+v, %v", resp, err)
			}
			var asked []string
			for _, c := range seen.list() {
				asked = append(asked, c.format(t))
				if says := strings.Contains(c.body, "JSON Schema"); says != (c.format(t) != "json_schema") {
					t.Errorf("the schema in the prompt of %q: %v", c.format(t), says)
				}
			}
			if !slices.Equal(asked, tc.asked) || m.Capability() != tc.want {
				t.Errorf("asked %q, capability %q; want %q, %q", asked, m.Capability(), tc.asked, tc.want)
			}
			if tc.prose && resp.Usage.InputTokens != 11*len(asked) {
				t.Errorf("usage %+v does not count %d answers", resp.Usage, len(asked))
			}
			if _, err := m.Generate(t.Context(), request(object)); err != nil || len(seen.list()) != len(asked)+1 {
				t.Errorf("the second request made %d calls, %v: the format was not remembered", len(seen.list())-len(asked), err)
			}
		})
	}
}

// A request that is wrong in any format leaves no trace of the search.
func TestBadRequestIsReportedAsItWas(t *testing.T) {
	m, seen := serve(t, func(w http.ResponseWriter, c call) {
		refuse(w, 400, fmt.Sprintf(`{"error":{"message":"too long as %s","code":"context_length_exceeded"}}`, c.format(t)))
	})
	_, err := m.Generate(t.Context(), request(object))
	e, ok := errors.AsType[*llm.StatusError](err)
	if !ok || e.Status != 400 || e.Code != "context_length_exceeded" || !strings.Contains(e.Message, "json_schema") {
		t.Errorf("error %v", err)
	}
	if len(seen.list()) != 3 || m.Capability() != openai.Unknown {
		t.Errorf("%d calls, capability %q", len(seen.list()), m.Capability())
	}
	m, seen = serve(t, func(w http.ResponseWriter, _ call) {
		refuse(w, 400, `{"error":{"message":"no","param":"messages"}}`)
	})
	if _, err := m.Generate(t.Context(), request(object)); err == nil || len(seen.list()) != 1 {
		t.Errorf("another field was refused: %d calls, %v", len(seen.list()), err)
	}
}

func TestRefusedTemperature(t *testing.T) {
	m, seen := serve(t, func(w http.ResponseWriter, c call) {
		if c.fields["temperature"] != nil {
			refuse(w, 400, `{"error":{"message":"only 1","param":"temperature","code":"unsupported_value"}}`)
			return
		}
		reply(w, `{"b":"x","a":1}`, "stop")
	})
	for range 2 {
		if _, err := m.Generate(t.Context(), request(object)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(seen.list()); n != 3 {
		t.Errorf("%d calls for two requests; want 3", n)
	}
}

func TestTypedErrors(t *testing.T) {
	status := func(want llm.StatusError) func(error) bool {
		return func(err error) bool {
			e, ok := errors.AsType[*llm.StatusError](err)
			return ok && *e == want
		}
	}
	blocked := func(reason string) func(error) bool {
		return func(err error) bool {
			e, ok := errors.AsType[*llm.BlockedError](err)
			return ok && e.Reason == reason && e.Model == "gpt-test"
		}
	}
	for name, tc := range map[string]struct {
		answer func(w http.ResponseWriter, c call)
		check  func(error) bool
	}{
		"429 with seconds": {func(w http.ResponseWriter, _ call) {
			w.Header().Set("Retry-After", "3")
			refuse(w, 429, `{"error":{"message":"slow down, `+key+`","type":"requests","code":"rate_limit_exceeded"}}`)
		}, status(llm.StatusError{Provider: "openai", Status: 429, RetryAfter: 3 * time.Second, Message: "slow down, [key]", Code: "rate_limit_exceeded"})},
		"escaped key": {func(w http.ResponseWriter, _ call) {
			refuse(w, 401, `{"error":{"message":"bad \u0073k-secret-0123456789"}}`)
		}, status(llm.StatusError{Provider: "openai", Status: 401, Message: "bad [key]"})},
		"error as text": {func(w http.ResponseWriter, _ call) { refuse(w, 404, `{"error":"no such model"}`) }, status(llm.StatusError{Provider: "openai", Status: 404, Message: "no such model"})},
		"page":          {func(w http.ResponseWriter, _ call) { refuse(w, 502, "Bad gateway\n<html>") }, status(llm.StatusError{Provider: "openai", Status: 502, Message: "Bad gateway"})},
		"redirect":      {func(w http.ResponseWriter, _ call) { w.Header().Set("Location", "/elsewhere"); refuse(w, 307, "") }, status(llm.StatusError{Provider: "openai", Status: 307})},
		"truncated": {func(w http.ResponseWriter, _ call) { reply(w, `{"b":`, "length") }, func(err error) bool {
			e, ok := errors.AsType[*llm.TruncatedError](err)
			return ok && e.Usage.OutputTokens == 7
		}},
		"content filter": {func(w http.ResponseWriter, _ call) { reply(w, "", "content_filter") }, blocked("content_filter")},
		"refused prompt": {func(w http.ResponseWriter, _ call) {
			refuse(w, 400, `{"error":{"message":"filtered","param":"prompt","code":"content_filter"}}`)
		}, blocked("content_filter")},
		"refusal": {func(w http.ResponseWriter, _ call) {
			_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","refusal":"I will not."},"finish_reason":"stop"}]}`)
		}, blocked("refusal")},
		"no choices":     {func(w http.ResponseWriter, _ call) { _, _ = io.WriteString(w, `{"choices":[]}`) }, isResponse},
		"another format": {func(w http.ResponseWriter, _ call) { _, _ = io.WriteString(w, `{"choices":"none"}`) }, isResponse},
		"a list":         {func(w http.ResponseWriter, _ call) { _, _ = io.WriteString(w, `[1]`) }, isResponse},
		"no JSON":        {func(w http.ResponseWriter, _ call) { _, _ = io.WriteString(w, `<html>`+key) }, isResponse},
		"more than JSON": {func(w http.ResponseWriter, _ call) { reply(w, "{}", "stop"); _, _ = io.WriteString(w, "<html>") }, isResponse},
		"cut JSON":       {func(w http.ResponseWriter, _ call) { _, _ = io.WriteString(w, `{"choices":[{"mess`) }, isResponse},
	} {
		t.Run(name, func(t *testing.T) {
			m, seen := serve(t, tc.answer)
			resp, err := m.Generate(t.Context(), request(object))
			if err == nil || !tc.check(err) {
				t.Fatalf("error %#v: %v", err, err)
			}
			if resp.Text != "" || strings.Contains(err.Error(), key) {
				t.Errorf("response %+v; error shows the key or not: %v", resp, err)
			}
			if len(seen.list()) != 1 {
				t.Errorf("%d calls", len(seen.list()))
			}
		})
	}
}

func isResponse(err error) bool {
	_, ok := errors.AsType[*llm.ResponseError](err)
	return ok && !llm.Retryable(err)
}

func TestCauseOfTheContext(t *testing.T) {
	m, _ := serve(t, func(w http.ResponseWriter, _ call) { time.Sleep(100 * time.Millisecond) })
	why := errors.New("the user left")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, why)
	defer cancel()
	if _, err := m.Generate(ctx, request("")); !errors.Is(err, why) || !strings.Contains(err.Error(), "gpt-test") {
		t.Errorf("error %v", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, opts := range map[string]openai.Options{
		"key with a line break": {Key: key + "\n"},
		"no address":            {BaseURL: "localhost:11434"},
		"credentials":           {BaseURL: "https://user:" + key + "@host/v1"},
		"query":                 {BaseURL: "https://host/v1?key=" + key},
	} {
		if _, err := openai.NewServer(&opts); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", name, err)
		}
	}
	server, err := openai.NewServer(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Model(" "); err == nil {
		t.Error("a model without a name")
	}
}

// Each embedded skill's schema is one that strict mode takes.
func TestSkillsAreStrict(t *testing.T) {
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	m, seen := serve(t, func(w http.ResponseWriter, _ call) { reply(w, `{}`, "stop") })
	n := 0
	for _, name := range set.Names() {
		skill, err := set.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		if skill.Schema == nil {
			continue
		}
		if _, err := m.Generate(t.Context(), request(string(skill.Schema))); err != nil {
			t.Fatal(err)
		}
		if c := seen.list()[n]; !strings.Contains(string(c.fields["response_format"]), `"strict":true`) {
			t.Errorf("%s is not strict", name)
		}
		n++
	}
	for _, loose := range []string{
		`{"type":"object","properties":{}}`, `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"}}}`,
		`{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"string","minLength":2}}}`,
		`{"type":"array","items":{"oneOf":[]}}`, `{"anyOf":[{"type":"string"},{"type":"object"}]}`, `true`, `{"type":"array","items":[]}`,
	} {
		if _, err := m.Generate(t.Context(), request(loose)); err != nil {
			t.Fatal(err)
		}
		if c := seen.list()[n]; !strings.Contains(string(c.fields["response_format"]), `"strict":false`) {
			t.Errorf("%s is strict", loose)
		}
		n++
	}
}
