package gemini_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/llm"
	"example.com/assay/llm/gemini"
	"example.com/assay/llm/llmtest"
	"example.com/assay/llm/offline"
	"example.com/assay/skills"
)

const key = "AIza-secret-0123456789"

// seen is the last request that a server got.
type seen struct {
	path   string
	key    string
	fields map[string]json.RawMessage
	config map[string]json.RawMessage
}

func serve(t *testing.T, opts gemini.Options, answer func(w http.ResponseWriter)) (*gemini.Model, *seen) {
	t.Helper()
	last := &seen{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		*last = seen{path: r.URL.String(), key: r.Header.Get("X-Goog-Api-Key")}
		if err := json.Unmarshal(body, &last.fields); err != nil {
			t.Errorf("the request is no JSON object: %v", err)
		}
		if config := last.fields["generationConfig"]; config != nil {
			if err := json.Unmarshal(config, &last.config); err != nil {
				t.Error(err)
			}
		}
		answer(w)
	}))
	t.Cleanup(server.Close)
	opts.Key, opts.BaseURL = key, server.URL
	return model(t, &opts), last
}

func model(t *testing.T, opts *gemini.Options) *gemini.Model {
	t.Helper()
	m, err := gemini.New(t.Context(), "gemini-test", opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const answered = `{"candidates":[{"content":{"role":"model","parts":[{"text":"thinking","thought":true},{"text":"{\"b\":"},{"text":"\"x\"}"}]},"finishReason":"STOP"}],
"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"thoughtsTokenCount":5,"totalTokenCount":23},"modelVersion":"gemini-test-001"}`

func request(schema string) llm.Request {
	req := llm.Request{Messages: []llm.Message{{Role: llm.System, Text: "Be brief."}, {Role: llm.User, Text: "Go."}, {Role: llm.Assistant, Text: "no"}, {Role: llm.User, Text: "Again."}}}
	if schema != "" {
		req.Schema = json.RawMessage(schema)
	}
	return req
}

func TestSuite(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.Gemini, offline.New(nil))
	llmtest.TestModel(t, s.Wrap(model(t, &gemini.Options{Key: key, BaseURL: s.URL})))
	llmtest.TestProvider(t, llmtest.Gemini, func(t *testing.T, url string) llm.Model {
		return model(t, &gemini.Options{Key: key, BaseURL: url})
	})
}

func TestRequestAndResponse(t *testing.T) {
	m, last := serve(t, gemini.Options{}, func(w http.ResponseWriter) { _, _ = io.WriteString(w, answered) })
	schema := `{"type":"object","additionalProperties":false,"required":["b"],"properties":{
		"b":{"type":"string","enum":["x","y"],"description":"which"},"a":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"integer","minimum":2}}}}`
	resp, err := m.Generate(t.Context(), request(schema))
	if err != nil {
		t.Fatal(err)
	}
	if want := (llm.Response{Text: `{"b":"x"}`, Reasoning: "thinking", Model: "gemini:gemini-test-001", Usage: llm.Usage{InputTokens: 11, OutputTokens: 12}}); !reflect.DeepEqual(resp, want) {
		t.Errorf("got %+v; want %+v", resp, want)
	}
	if last.path != "/v1beta/models/gemini-test:generateContent" || last.key != key {
		t.Errorf("path %q, key %q", last.path, last.key)
	}
	if got := string(last.config["temperature"]) + string(last.config["responseMimeType"]); got != `0"application/json"` {
		t.Errorf("temperature and type are %s", got)
	}
	var got, want any
	wanted := `{"type":"OBJECT","required":["b"],"propertyOrdering":["b","a"],"properties":{
		"b":{"type":"STRING","enum":["x","y"],"description":"which"},
		"a":{"type":"ARRAY","minItems":1,"maxItems":3,"items":{"type":"INTEGER","minimum":2}}}}`
	if err := errors.Join(json.Unmarshal(last.config["responseSchema"], &got), json.Unmarshal([]byte(wanted), &want)); err != nil {
		t.Fatalf("schema %s: %v", last.config["responseSchema"], err)
	}
	// The library writes these numbers as strings, which the API takes.
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(strings.NewReplacer(`:"1"`, ":1", `:"3"`, ":3").Replace(string(text))), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
	var system struct{ Parts []struct{ Text string } }
	if err := json.Unmarshal(last.fields["systemInstruction"], &system); err != nil || len(system.Parts) != 1 || system.Parts[0].Text != "Be brief." {
		t.Errorf("system %s, %v", last.fields["systemInstruction"], err)
	}
	var contents []struct{ Role string }
	if err := json.Unmarshal(last.fields["contents"], &contents); err != nil {
		t.Fatal(err)
	}
	if roles := []string{contents[0].Role, contents[1].Role, contents[2].Role}; !slices.Equal(roles, []string{"user", "model", "user"}) {
		t.Errorf("roles %q", roles)
	}
}

// Each embedded skill's schema has a form of Gemini's own; others go as JSON
// Schema; free text has none.
func TestThoughts(t *testing.T) {
	for _, want := range []bool{false, true} {
		m, last := serve(t, gemini.Options{Thoughts: want}, func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"candidates":[{"content":{"parts":[{"text":"Hm.","thought":true},{"text":"Yes."}]},"finishReason":"STOP"}]}`)
		})
		resp, err := m.Generate(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Is it?"}}})
		if err != nil || resp.Text != "Yes." || resp.Reasoning != "Hm." {
			t.Errorf("%v, %+v", err, resp)
		}
		if asked := strings.Contains(string(last.config["thinkingConfig"]), `"includeThoughts":true`); asked != want {
			t.Errorf("asked for thoughts: %t, want %t", asked, want)
		}
	}
}

func TestSchemas(t *testing.T) {
	m, last := serve(t, gemini.Options{}, func(w http.ResponseWriter) { _, _ = io.WriteString(w, answered) })
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{"": "", `{"oneOf":[{"type":"string"}]}`: "responseJsonSchema", `{"type":["string","null"]}`: "responseJsonSchema",
		`{"type":"object","additionalProperties":true}`: "responseJsonSchema", `{"anyOf":[{"type":"string"},{"type":"number"}]}`: "responseSchema"}
	for _, name := range set.Names() {
		if skill, err := set.Get(name); err != nil {
			t.Fatal(err)
		} else if skill.Schema != nil {
			cases[string(skill.Schema)] = "responseSchema"
		}
	}
	for schema, want := range cases {
		if _, err := m.Generate(t.Context(), request(schema)); err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		for _, field := range []string{"responseSchema", "responseJsonSchema"} {
			if got := last.config[field] != nil; got != (field == want) {
				t.Errorf("%s: %s sent: %v", schema, field, got)
			}
		}
	}
	if _, err := m.Generate(t.Context(), request(`[1]`)); err == nil {
		t.Error("a list was taken for a schema")
	}
}

func TestVertex(t *testing.T) {
	m, last := serve(t, gemini.Options{Vertex: true}, func(w http.ResponseWriter) { _, _ = io.WriteString(w, answered) })
	if _, err := m.Generate(t.Context(), request("")); err != nil {
		t.Fatal(err)
	}
	if last.path != "/v1beta1/publishers/google/models/gemini-test:generateContent" || last.key != key {
		t.Errorf("path %q, key %q", last.path, last.key)
	}
}

func TestTypedErrors(t *testing.T) {
	isResponse := func(err error) bool { _, ok := errors.AsType[*llm.ResponseError](err); return ok }
	blocked := func(reason string) func(error) bool {
		return func(err error) bool { e, ok := errors.AsType[*llm.BlockedError](err); return ok && e.Reason == reason }
	}
	status := func(want llm.StatusError) func(error) bool {
		return func(err error) bool { e, ok := errors.AsType[*llm.StatusError](err); return ok && *e == want }
	}
	for name, tc := range map[string]struct {
		status int
		body   string
		check  func(error) bool
	}{
		"blocked prompt": {200, `{"promptFeedback":{"blockReason":"SAFETY"}}`, blocked("SAFETY")},
		"blocked answer": {200, `{"candidates":[{"finishReason":"RECITATION"}],"usageMetadata":{"promptTokenCount":4}}`, blocked("RECITATION")},
		"new reason":     {200, `{"candidates":[{"finishReason":"SOMETHING_NEW"}]}`, blocked("SOMETHING_NEW")},
		"truncated": {200, `{"candidates":[{"content":{"parts":[{"text":"{"}]},"finishReason":"MAX_TOKENS"}],"usageMetadata":{"candidatesTokenCount":9}}`,
			func(err error) bool {
				e, ok := errors.AsType[*llm.TruncatedError](err)
				return ok && e.Usage.OutputTokens == 9
			}},
		"no candidates": {200, `{}`, isResponse},
		"null":          {200, `null`, isResponse},
		"wrong types":   {200, `{"candidates":"none"}`, isResponse},
		"wrong items":   {200, `{"candidates":[3]}`, isResponse},
		"a list":        {200, `[]`, isResponse},
		"no JSON":       {200, `<html>` + key, isResponse},
		"wrong key": {403, `{"error":{"code":403,"message":"bad key ` + key + `","status":"PERMISSION_DENIED"}}`,
			status(llm.StatusError{Provider: "gemini", Status: 403, Message: "bad key [key]", Code: "PERMISSION_DENIED"})},
		"busy": {503, `{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}`,
			status(llm.StatusError{Provider: "gemini", Status: 503, Message: "overloaded", Code: "UNAVAILABLE", RetryAfter: 2 * time.Second})},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := serve(t, gemini.Options{}, func(w http.ResponseWriter) {
				if tc.status == 503 {
					w.Header().Set("Retry-After", "2")
				}
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, tc.body)
			})
			_, err := m.Generate(t.Context(), request(""))
			if err == nil || !tc.check(err) {
				t.Fatalf("error %#v: %v", err, err)
			}
			if strings.Contains(err.Error(), key) {
				t.Errorf("the error shows the key: %v", err)
			}
		})
	}
}

// The library would take keys and addresses from these variables.
func TestVariablesAreNotRead(t *testing.T) {
	for _, name := range []string{"GOOGLE_API_KEY", "GEMINI_API_KEY"} {
		t.Setenv(name, "another-key-of-the-environment")
		if _, err := gemini.New(t.Context(), "gemini-test", nil); err == nil || !strings.Contains(err.Error(), "no key") {
			t.Errorf("%s was taken for a key: %v", name, err)
		}
		t.Setenv(name, "")
	}
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "1")
	t.Setenv("GOOGLE_CLOUD_PROJECT", "p")
	t.Setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("GEMINI_API_KEY", "another-key-of-the-environment")
	m, last := serve(t, gemini.Options{}, func(w http.ResponseWriter) { _, _ = io.WriteString(w, answered) })
	if _, err := m.Generate(t.Context(), request("")); err != nil || last.key != key || !strings.HasPrefix(last.path, "/v1beta/models/") {
		t.Errorf("key %q, path %q, %v", last.key, last.path, err)
	}
}

func TestUnsupported(t *testing.T) {
	m := model(t, &gemini.Options{Key: key, BaseURL: "http://127.0.0.1:1"})
	for want, req := range map[string]llm.Request{
		"a seed of more than 32 bits":     {Sampling: llm.Sampling{Seed: new(1 << 31)}, Messages: request("").Messages},
		"an image without its media type": {Messages: []llm.Message{{Role: llm.User, Images: []llm.Image{{URL: "https://host/a.png"}}}}},
	} {
		_, err := m.Generate(t.Context(), req)
		if e, ok := errors.AsType[*llm.UnsupportedError](err); !ok || *e != (llm.UnsupportedError{Provider: "gemini", Model: "gemini-test", What: want}) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, tc := range map[string]struct {
		model string
		opts  gemini.Options
	}{
		"no name":      {"", gemini.Options{Key: key}},
		"path":         {"../files", gemini.Options{Key: key}},
		"query":        {"m?key=1", gemini.Options{Key: key}},
		"bad key":      {"m", gemini.Options{Key: key + "\n"}},
		"bad base URL": {"m", gemini.Options{Key: key, BaseURL: "host?key=" + key}},
	} {
		if _, err := gemini.New(t.Context(), tc.model, &tc.opts); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCauseOfTheContext(t *testing.T) {
	m, _ := serve(t, gemini.Options{}, func(w http.ResponseWriter) { time.Sleep(100 * time.Millisecond) })
	why := errors.New("the user left")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, why)
	defer cancel()
	if _, err := m.Generate(ctx, request("")); !errors.Is(err, why) || !strings.Contains(err.Error(), "gemini-test") {
		t.Errorf("error %v", err)
	}
}

// canned answers every call with one body.
type canned string

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(c)))}, nil
}

func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{answered, `{"candidates":[{"content":3}]}`, `{"candidates":[null]}`, `{"usageMetadata":[]}`, `{"promptFeedback":{"blockReason":3}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		m := model(t, &gemini.Options{Key: key, Transport: canned(body)})
		resp, err := m.Generate(t.Context(), request(""))
		if err == nil && (resp.Model == "" || resp.Usage.InputTokens < 0 || resp.Usage.OutputTokens < 0) {
			t.Errorf("response %+v of %q", resp, body)
		}
	})
}
