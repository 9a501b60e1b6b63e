package gemini_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/gemini"
)

func events(w http.ResponseWriter, values ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, v := range values {
		fmt.Fprintf(w, "data: %s\r\n\r\n", v)
	}
}

const begun = `{"candidates":[{"content":{"role":"model","parts":[{"text":"So it "}]}}]}`

func streamed(t *testing.T, m llm.Model, req llm.Request) (string, llm.Response, error) {
	t.Helper()
	var told strings.Builder
	req.OnText = func(c llm.Chunk) { told.WriteString(c.Text) }
	resp, err := m.Generate(t.Context(), req)
	return told.String(), resp, err
}

func TestStream(t *testing.T) {
	m, last := serve(t, gemini.Options{}, func(w http.ResponseWriter) {
		events(w, `{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}]}}]}`, begun,
			`{"candidates":[{"content":{"parts":[{"text":"is."}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2,"thoughtsTokenCount":4},"modelVersion":"gemini-test-001"}`)
	})
	told, resp, err := streamed(t, m, request(""))
	if err != nil || told != "So it is." || resp.Text != told || resp.Model != "gemini:gemini-test-001" || resp.Usage != (llm.Usage{InputTokens: 3, OutputTokens: 6}) {
		t.Errorf("told %q, got %+v, %v", told, resp, err)
	}
	if last.path != "/v1beta/models/gemini-test:streamGenerateContent?alt=sse" || last.key != key {
		t.Errorf("path %q, key %q", last.path, last.key)
	}
}

// What goes wrong after a part of the answer is an error of its type, and the
// part is not an answer.
func TestStreamErrors(t *testing.T) {
	isResponse := func(err error) bool { _, ok := errors.AsType[*llm.ResponseError](err); return ok }
	blocked := func(reason string) func(error) bool {
		return func(err error) bool { e, ok := errors.AsType[*llm.BlockedError](err); return ok && e.Reason == reason }
	}
	for name, tc := range map[string]struct {
		events []string
		check  func(error) bool
	}{
		"blocked prompt": {[]string{`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":4}}`}, blocked("PROHIBITED_CONTENT")},
		"blocked answer": {[]string{begun, `{"candidates":[{"finishReason":"SAFETY"}],"usageMetadata":{"promptTokenCount":4}}`}, blocked("SAFETY")},
		"limit": {[]string{begun, `{"candidates":[{"finishReason":"MAX_TOKENS"}],"usageMetadata":{"promptTokenCount":4}}`}, func(err error) bool {
			e, ok := errors.AsType[*llm.TruncatedError](err)
			return ok && e.Usage.InputTokens == 4
		}},
		"error inside": {[]string{begun, `{"error":{"code":503,"message":"overloaded ` + key + `","status":"UNAVAILABLE"}}`}, func(err error) bool {
			e, ok := errors.AsType[*llm.StatusError](err)
			return ok && e.Status == 503 && e.Code == "UNAVAILABLE"
		}},
		"wrong types": {[]string{begun, `{"candidates":"` + key + `"}`}, isResponse},
		"wrong item":  {[]string{begun, `{"candidates":[3]}`}, isResponse},
		"cut":         {[]string{begun}, llm.Retryable},
		"nothing":     {nil, llm.Retryable},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := serve(t, gemini.Options{}, func(w http.ResponseWriter) { events(w, tc.events...) })
			_, resp, err := streamed(t, m, request(""))
			if err == nil || !tc.check(err) || resp.Text != "" || strings.Contains(err.Error(), key) {
				t.Errorf("response %+v, error %#v: %v", resp, err, err)
			}
			if len(tc.events) > 0 && strings.Contains(tc.events[len(tc.events)-1], "promptTokenCount") && resp.Usage.InputTokens != 4 {
				t.Errorf("usage %+v", resp.Usage)
			}
		})
	}
	m, _ := serve(t, gemini.Options{}, func(w http.ResponseWriter) { _, _ = w.Write([]byte(answered)) })
	if _, _, err := streamed(t, m, request("")); !isResponse(err) {
		t.Errorf("a whole answer where a stream was asked for: %v", err)
	}
}

// A panic of the caller's function is the caller's.
func TestPanicOfTheCaller(t *testing.T) {
	m, _ := serve(t, gemini.Options{}, func(w http.ResponseWriter) { events(w, begun) })
	defer func() {
		if p := recover(); p != "mine" {
			t.Errorf("recovered %v", p)
		}
	}()
	req := request("")
	req.OnText = func(llm.Chunk) { panic("mine") }
	_, err := m.Generate(t.Context(), req)
	t.Errorf("no panic, %v", err)
}

// A signed call goes back with its signature, and its id without.
func TestSignatures(t *testing.T) {
	m, last := serve(t, gemini.Options{}, func(w http.ResponseWriter) {
		_, _ = w.Write([]byte(`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","id":"x~y"},"thoughtSignature":"c2lnbmVk"},{"functionCall":{"name":"g","args":{"n":1}}}]},"finishReason":"STOP"}]}`))
	})
	req := request("")
	req.Tools = []llm.Tool{
		{Name: "f", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
		{Name: "g", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)},
		{Name: "h", Parameters: json.RawMessage(`{"type":"object","patternProperties":{"^x":{"type":"string"}}}`)},
	}
	req.Schema = json.RawMessage(`{"type":"object","title":"the answer"}`)
	resp, err := m.Generate(t.Context(), req)
	if err != nil || len(resp.Calls) != 2 || string(resp.Calls[0].Arguments) != "{}" || resp.Calls[0].ID == resp.Calls[1].ID {
		t.Fatalf("got %+v, %v", resp, err)
	}
	req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Calls: resp.Calls}, llm.Message{Role: llm.ToolRole, Results: []llm.ToolResult{
		{CallID: resp.Calls[0].ID, Name: "f", Text: `[1]`}, {CallID: resp.Calls[1].ID, Name: "g", Text: "no", Failed: true},
	}})
	if _, err := m.Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	sent := string(last.fields["contents"])
	for _, want := range []string{
		`"thoughtSignature":"c2lnbmVk"`, `{"functionResponse":{"id":"x~y","name":"f","response":{"output":[1]}}}`, `{"functionResponse":{"id":"call_2","name":"g","response":{"error":"no"}}}`,
	} {
		if !strings.Contains(sent, want) {
			t.Errorf("%s is not in %s", want, sent)
		}
	}
	if strings.Count(sent, "thoughtSignature") != 1 {
		t.Errorf("signatures in %s", sent)
	}
	tools := string(last.fields["tools"])
	for _, want := range []string{`{"name":"f"}`, `"parameters":{"properties":{"n":{"type":"INTEGER"}}`, `"parametersJsonSchema":{"patternProperties"`} {
		if !strings.Contains(tools, want) {
			t.Errorf("%s is not in %s", want, tools)
		}
	}
	if last.config["responseSchema"] != nil || last.config["responseMimeType"] != nil || !strings.Contains(string(last.fields["systemInstruction"]), "the answer") {
		t.Errorf("the schema beside tools: %s, %s", last.config, last.fields["systemInstruction"])
	}
	req.Messages[len(req.Messages)-1].Results[0].Name = ""
	if _, err := m.Generate(t.Context(), req); err == nil {
		t.Error("a result without a name was sent")
	}
}
