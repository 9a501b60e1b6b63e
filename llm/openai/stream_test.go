package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/openai"
)

// events writes a stream.
func events(w http.ResponseWriter, values ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, v := range values {
		fmt.Fprintf(w, "data: %s\n\n", v)
	}
}

func delta(text string) string {
	content, _ := json.Marshal(text)
	return `{"choices":[{"index":0,"delta":{"content":` + string(content) + `}}]}`
}

const stop = `{"model":"gpt-test-2026","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

// streamed asks for a stream and returns the chunks, with "|" where the
// answer begins anew.
func streamed(t *testing.T, m llm.Model, req llm.Request) (string, llm.Response, error) {
	t.Helper()
	var told strings.Builder
	req.OnText = func(c llm.Chunk) {
		if c.Again {
			told.WriteString("|")
		}
		told.WriteString(c.Text)
	}
	resp, err := m.Generate(t.Context(), req)
	return told.String(), resp, err
}

// A server that overlooks the format is asked again, and the caller is told
// that what was streamed is void.
func TestStreamBeginsAnew(t *testing.T) {
	m, seen := serve(t, func(w http.ResponseWriter, c call) {
		if c.format(t) == "json_schema" {
			events(w, delta("b is "), delta("x"), stop, "[DONE]")
			return
		}
		events(w, delta(`{"b":`), delta(`"x"}`), stop, "[DONE]")
	})
	told, resp, err := streamed(t, m, request(object))
	if err != nil || told != `b is x|{"b":"x"}` || resp.Text != `{"b":"x"}` || resp.Model != "openai:gpt-test-2026" || m.Capability() != openai.JSONObject {
		t.Errorf("told %q, got %+v, %v", told, resp, err)
	}
	if told, _, err := streamed(t, m, request(object)); err != nil || told != `{"b":"x"}` || len(seen.list()) != 3 {
		t.Errorf("the second time: told %q, %v", told, err)
	}
}

// Tokens of a stream are asked for, and a server that refuses that is asked
// without, and not again.
func TestStreamCountsTokens(t *testing.T) {
	for name, tc := range map[string]struct {
		refusal string
		asked   []bool // with the field, of two requests
		want    llm.Usage
	}{
		"counts":       {"", []bool{true, true}, llm.Usage{InputTokens: 3, OutputTokens: 2}},
		"names it":     {`{"error":{"message":"no","param":"stream_options"}}`, []bool{true, false, false}, llm.Usage{}},
		"does not say": {`{"detail":"extra fields"}`, []bool{true, false, false}, llm.Usage{}},
	} {
		t.Run(name, func(t *testing.T) {
			m, seen := serve(t, func(w http.ResponseWriter, c call) {
				if c.fields["stream_options"] == nil {
					events(w, delta("Hi."), stop) // and no marker
				} else if tc.refusal != "" {
					refuse(w, 422, tc.refusal)
				} else {
					events(w, delta("Hi."), stop, `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, "[DONE]")
				}
			})
			for range 2 {
				if _, resp, err := streamed(t, m, request("")); err != nil || resp.Text != "Hi." || resp.Usage != tc.want {
					t.Errorf("got %+v, %v", resp, err)
				}
			}
			var asked []bool
			for _, c := range seen.list() {
				asked = append(asked, c.fields["stream_options"] != nil)
			}
			if !slices.Equal(asked, tc.asked) {
				t.Errorf("asked for tokens: %v; want %v", asked, tc.asked)
			}
		})
	}
	m, seen := serve(t, func(w http.ResponseWriter, _ call) {
		refuse(w, 400, `{"error":{"message":"no","param":"messages"}}`)
	})
	if _, _, err := streamed(t, m, request("")); err == nil || len(seen.list()) != 1 {
		t.Errorf("another field was refused: %d calls, %v", len(seen.list()), err)
	}
}

func TestStreamErrors(t *testing.T) {
	blocked := func(reason string) func(error) bool {
		return func(err error) bool { e, ok := errors.AsType[*llm.BlockedError](err); return ok && e.Reason == reason }
	}
	status := func(want int) func(error) bool {
		return func(err error) bool { e, ok := errors.AsType[*llm.StatusError](err); return ok && e.Status == want }
	}
	for name, tc := range map[string]struct {
		answer func(w http.ResponseWriter)
		check  func(error) bool
	}{
		"refusal": {func(w http.ResponseWriter) {
			events(w, `{"choices":[{"delta":{"refusal":"I will "}}]}`, `{"choices":[{"delta":{"refusal":"not."}}]}`, stop, "[DONE]")
		}, blocked("refusal")},
		"filter": {func(w http.ResponseWriter) {
			events(w, delta("So"), `{"choices":[{"delta":{},"finish_reason":"content_filter"}]}`, "[DONE]")
		}, blocked("content_filter")},
		"length": {func(w http.ResponseWriter) {
			events(w, delta("So"), `{"choices":[{"delta":{},"finish_reason":"length"}]}`, `{"choices":[],"usage":{"completion_tokens":9}}`, "[DONE]")
		}, func(err error) bool {
			e, ok := errors.AsType[*llm.TruncatedError](err)
			return ok && e.Usage.OutputTokens == 9
		}},
		"error inside": {func(w http.ResponseWriter) {
			events(w, delta("So"), `{"error":{"message":"busy `+key+`","code":503}}`, "[DONE]")
		}, status(503)},
		"no stream":      {func(w http.ResponseWriter) { reply(w, "Hello.", "stop") }, isResponse},
		"marker only":    {func(w http.ResponseWriter) { events(w, "[DONE]") }, isResponse},
		"another format": {func(w http.ResponseWriter) { events(w, `{"choices":"none"}`, "[DONE]") }, isResponse},
		"page":           {func(w http.ResponseWriter) { _, _ = io.WriteString(w, "<html>"+key) }, isResponse},
		"cut":            {func(w http.ResponseWriter) { events(w, delta("So")) }, llm.Retryable},
	} {
		t.Run(name, func(t *testing.T) {
			m, seen := serve(t, func(w http.ResponseWriter, _ call) { tc.answer(w) })
			_, resp, err := streamed(t, m, request(""))
			if err == nil || !tc.check(err) || resp.Text != "" || strings.Contains(err.Error(), key) {
				t.Errorf("response %+v, error %#v: %v", resp, err, err)
			}
			if len(seen.list()) != 1 {
				t.Errorf("%d calls", len(seen.list()))
			}
		})
	}
}

// Servers leave out indexes, ids and arguments, or write arguments that are no
// JSON.
func TestStreamedCalls(t *testing.T) {
	for name, tc := range map[string]struct {
		calls []string // of one event each
		want  string
	}{
		"pieces":     {[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}`, `{"index":0,"function":{"arguments":":1}"}}`}, `a f {"x":1}`},
		"interwoven": {[]string{`{"index":0,"id":"a","function":{"name":"f"}}`, `{"index":1,"id":"b","function":{"name":"g","arguments":"[2]"}}`, `{"index":0,"function":{"arguments":"[1]"}}`}, `a f [1]; b g [2]`},
		"no index":   {[]string{`{"id":"a","function":{"name":"f","arguments":"1"}}`, `{"id":"b","function":{"name":"g","arguments":"2"}}`}, `a f 1; b g 2`},
		"no id":      {[]string{`{"index":0,"function":{"name":"f"}}`, `{"index":1,"function":{"name":"f"}}`}, `call_1 f {}; call_2 f {}`},
		"no JSON":    {[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{x"}}`}, `a f "{x"`},
	} {
		t.Run(name, func(t *testing.T) {
			m, seen := serve(t, func(w http.ResponseWriter, _ call) {
				var values []string
				for _, c := range tc.calls {
					values = append(values, `{"choices":[{"index":0,"delta":{"tool_calls":[`+c+`]}}]}`)
				}
				events(w, append(values, `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, "[DONE]")...)
			})
			_, resp, err := streamed(t, m, request(object)) // calls are no prose in the wrong format
			var got []string
			for _, c := range resp.Calls {
				got = append(got, c.ID+" "+c.Name+" "+string(c.Arguments))
			}
			if strings.Join(got, "; ") != tc.want || err != nil || m.Capability() != openai.Unknown || len(seen.list()) != 1 {
				t.Errorf("calls %q, %v, by %d requests; want %q", got, err, len(seen.list()), tc.want)
			}
		})
	}
}

// Ids that other providers wrote are cut to what OpenAI takes, the same way in
// a call and its result.
func TestLongIDs(t *testing.T) {
	m, seen := serve(t, func(w http.ResponseWriter, _ call) { reply(w, "Done.", "stop") })
	long := strings.Repeat("x", 41)
	req := request("")
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: long, Name: "f", Arguments: []byte(`"{x"`)}}},
		llm.Message{Role: llm.ToolRole, Results: []llm.ToolResult{{CallID: long, Name: "f"}}})
	if _, err := m.Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	var sent []struct {
		Content    string `json:"content"`
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Function struct{ Arguments string }
		} `json:"tool_calls"`
	}
	if err := json.Unmarshal(seen.list()[0].fields["messages"], &sent); err != nil {
		t.Fatal(err)
	}
	calling, answering := sent[2].ToolCalls[0], sent[3]
	if calling.ID != answering.ToolCallID || len(calling.ID) > 40 || calling.Function.Arguments != "{x" || answering.Content != "null" {
		t.Errorf("sent %+v", sent)
	}
}
