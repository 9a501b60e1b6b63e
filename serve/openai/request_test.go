package openai

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ask(more string) string {
	return `{"model":"m","messages":[{"role":"user","content":"hi"}]` + more + `}`
}

// What is asked for and cannot be given is refused by the name of its field.
func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ body, param, code string }{
		{`[]`, "", ""},
		{`{"model":"m"`, "", ""},
		{`null`, "", ""},
		{`{"model":"m","messages":[]}`, "messages", ""},
		{`{"model":"m"}`, "messages", ""},
		{`{"model":7,"messages":[]}`, "model", "invalid_type"},
		{`{"model":"m","messages":{}}`, "messages", "invalid_type"},
		{ask(`,"zzz":1,"aaa":1`), "aaa", "unknown_parameter"},
		{ask(`,"Temperature":1`), "Temperature", "unknown_parameter"},
		{ask(`,"n":2`), "n", "unsupported_value"},
		{ask(`,"tools":[{"type":"function"}]`), "tools", "unsupported_value"},
		{ask(`,"tool_choice":"required"`), "tool_choice", "unsupported_value"},
		{ask(`,"functions":[{"name":"f"}]`), "functions", "unsupported_value"},
		{ask(`,"response_format":{"type":"json_schema","json_schema":{}}`), "response_format", "unsupported_value"},
		{ask(`,"logprobs":true`), "logprobs", "unsupported_value"},
		{ask(`,"modalities":["text","audio"]`), "modalities", "unsupported_value"},
		{ask(`,"audio":{"voice":"a"}`), "audio", "unsupported_value"},
		{ask(`,"stop":["\n"]`), "stop", "unsupported_value"},
		{ask(`,"store":true`), "store", "unsupported_value"},
		{ask(`,"stream":"yes"`), "stream", "invalid_type"},
		{ask(`,"stream_options":{"include_usage":1}`), "stream_options.include_usage", "invalid_type"},
		{ask(`,"stream_options":{"more":true}`), "stream_options.more", "unknown_parameter"},
		{`{"model":"m","messages":[{"role":"user","content":" "}]}`, "messages", ""},
		{`{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`, "messages", ""},
		{`{"model":"m","messages":["hi"]}`, "messages[0]", ""},
		{`{"model":"m","messages":[{"role":"tool","content":"a"}]}`, "messages", ""},
		{`{"model":"m","messages":[{"role":"ghost","content":"a"}]}`, "messages[0].role", "unsupported_value"},
		{`{"model":"m","messages":[{"role":"user","content":"a","when":1}]}`, "messages[0].when", "unknown_parameter"},
		{`{"model":"m","messages":[{"role":"assistant","tool_calls":[{}]}]}`, "messages", ""},
		{`{"model":"m","messages":[{"role":"user","content":7}]}`, "messages[0].content", "invalid_type"},
		{`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]}`, "messages[0].content[0].type", "unsupported_value"},
		{`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":7}]}]}`, "messages[0].content[0].text", "invalid_type"},
		{`{"model":"m","messages":[{"role":"user","content":["a"]}]}`, "messages[0].content[0]", ""},
	} {
		in, err := read([]byte(c.body), true)
		own := (*failure)(nil)
		if !errors.As(err, &own) || own.Status != 400 || own.Param != c.param || own.Code != c.code || own.Message == "" {
			t.Errorf("%s: %+v, %+v; want %s of %q", c.body, in, err, c.code, c.param)
		}
	}
}

// What clients send by habit is accepted.
func TestReadAccepts(t *testing.T) {
	in, err := read([]byte(`{
		"model": "m", "stream": true, "stream_options": {"include_usage": true, "include_obfuscation": false},
		"temperature": 0.7, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0, "max_tokens": 100, "max_completion_tokens": null,
		"n": 1, "seed": 3, "stop": null, "user": "u", "metadata": {"a": "b"}, "store": false, "logprobs": false, "logit_bias": {},
		"response_format": {"type": "text"}, "modalities": [ "text" ], "tools": [], "tool_choice": "auto", "parallel_tool_calls": true,
		"reasoning_effort": "low", "service_tier": "auto",
		"messages": [
			{"role": "developer", "content": "be brief"},
			{"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], "name": "ann"},
			{"role": "assistant", "content": "three", "refusal": null, "annotations": [{"type": "url_citation"}], "tool_calls": null, "audio": null},
			{"role": "assistant", "content": null},
			{"role": "user", "content": "four"}
		]}`), true)
	if err != nil {
		t.Fatal(err)
	}
	want := []entry{{Role: "system", Text: "be brief"}, {Role: "user", Text: "one\ntwo", Name: "ann"}, {Role: "assistant", Text: "three"}, {Role: "assistant"}, {Role: "user", Text: "four"}}
	if len(in.Messages) != len(want) || in.Model != "m" || !in.Stream || !in.Usage || in.answered() != 4 {
		t.Fatalf("%+v", in)
	}
	if diff := cmp.Diff(want, in.Messages); diff != "" {
		t.Errorf("- wanted, + read:\n%s", diff)
	}
}

// Open WebUI leaves away what is its own before it calls a server, and sends the rest,
// with what its settings of a model have.
func TestReadOpenWebUI(t *testing.T) {
	for _, body := range []string{
		`{"stream": true, "model": "research", "messages": [{"role": "user", "content": "What is a tort?"}], "stream_options": {"include_usage": true}}`,
		`{"stream": true, "model": "research", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}], "temperature": 0.8, "max_tokens": 128, "top_p": 0.9, "min_p": 0.05, "frequency_penalty": 0, "presence_penalty": 0, "seed": 0, "logit_bias": {"1": -100}, "reasoning_effort": "medium"}`,
		`{"model": "research", "messages": [{"role": "user", "content": "### Task:\nGenerate a concise title"}], "stream": false, "max_completion_tokens": 1000}`,
	} {
		if _, err := read([]byte(body), true); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// The documentation names all parameters.
func TestParametersAreDocumented(t *testing.T) {
	pages, err := filepath.Glob("../../docs/serving*.md")
	if err != nil {
		t.Fatal(err)
	}
	var doc []byte
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		doc = append(doc, data...)
	}
	var names []string
	for _, r := range []rule{parameters, ofResponse} {
		names = slices.Concat(names, r.known, r.without, slices.Collect(maps.Keys(r.only)))
	}
	for _, name := range names {
		if !strings.Contains(string(doc), "`"+name+"`") {
			t.Errorf("docs/serving*.md do not name %s", name)
		}
	}
}

// A request is refused, or can be answered: it asks something, and its conversation has
// the same digest when its texts are sent as a client keeps them.
func FuzzRead(f *testing.F) {
	f.Add([]byte(ask("")))
	f.Add([]byte(ask(`,"n":2`)))
	f.Add([]byte(`{"model":"m","messages":[{"role":"system","content":null},{"role":"user","content":[{"type":"text","text":"é\u0000"}]},{"role":"assistant","content":"a\r\n b"},{"role":"user","content":"c"}]}`))
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":[{}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := read(data, false)
		if err != nil {
			if own := (*failure)(nil); !errors.As(err, &own) || own.Status != 400 {
				t.Fatalf("%v", err)
			}
			return
		}
		n := len(in.Messages)
		if n == 0 || in.Messages[n-1].Role != "user" || in.answered() >= n {
			t.Fatalf("%+v", in)
		}
		var list []map[string]string
		for _, m := range in.Messages {
			list = append(list, map[string]string{"role": m.Role, "content": "\n" + m.Text + " "})
		}
		again, err := json.Marshal(map[string]any{"model": in.Model, "messages": list})
		if err != nil {
			t.Fatal(err)
		}
		same, err := read(again, false)
		if err != nil || digest(same.Model, same.Messages) != digest(in.Model, in.Messages) {
			t.Fatalf("%s: %v", again, err)
		}
	})
}

// A request of a response is refused, or it asks something or answers a question.
func FuzzReadResponse(f *testing.F) {
	for _, input := range []string{`"hi"`, `[{"role":"user","content":"a"},{"type":"function_call","call_id":"c","name":"n","arguments":"{"},{"type":"function_call_output","call_id":"c","output":[]}]`, `[{"type":"mcp_approval_response","approval_request_id":"mcpr_r_1","approve":true}]`} {
		f.Add([]byte(`{"model":"m","input":` + input + `,"tools":[{"type":"mcp","server_label":"s"}],"conversation":{"id":"c"}}`))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := readResponse(data, false)
		if err != nil {
			if own := (*failure)(nil); !errors.As(err, &own) || own.Status != 400 {
				t.Fatalf("%v", err)
			}
			return
		}
		if n := len(in.Messages); len(in.Approvals) == 0 && (n == 0 || in.Messages[n-1].Role != "user") || !json.Valid(in.Kept) {
			t.Fatalf("%+v", in)
		}
		if _, err := itemsIn(in.Fields["input"]); err != nil {
			t.Fatal(err)
		}
	})
}
