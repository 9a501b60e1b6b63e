package react_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/llm"
	"example.com/assay/nodes/react"
	"example.com/assay/state"
)

// A message is LangChain's JSON, and comes back from it unchanged.
func TestMessageJSON(t *testing.T) {
	for want, m := range map[string]react.Message{
		`{"id":"1","type":"human","content":"hi","additional_kwargs":{},"response_metadata":{}}`: {ID: "1", Message: llm.Message{Role: llm.User, Text: "hi"}},
		`{"id":"2","type":"human","content":[{"type":"text","text":"see"},{"data":"AQI=","mime_type":"image/png","type":"image"}],"additional_kwargs":{},"response_metadata":{}}`: {
			ID: "2", Message: llm.Message{Role: llm.User, Text: "see", Images: []llm.Image{{MediaType: "image/png", Data: []byte{1, 2}}}},
		},
		`{"id":"3","type":"ai","content":"","additional_kwargs":{},"response_metadata":{"model_name":"m"},"tool_calls":[{"id":"c1","name":"look","args":{"town":"a"},"type":"tool_call"}],"invalid_tool_calls":[{"id":"c2","name":"look","args":"{","type":"invalid_tool_call"}],"usage_metadata":{"input_tokens":3,"output_tokens":4,"total_tokens":7}}`: {
			ID: "3", Model: "m", Usage: llm.Usage{InputTokens: 3, OutputTokens: 4},
			Message: llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "c1", Name: "look", Arguments: json.RawMessage(`{"town":"a"}`)}, {ID: "c2", Name: "look", Arguments: json.RawMessage(`"{"`)}}},
		},
		`{"id":"4","type":"tool","content":"gone","name":"look","additional_kwargs":{},"response_metadata":{},"tool_call_id":"c1","status":"error"}`: {
			ID: "4", Message: llm.Message{Role: llm.ToolRole, Results: []llm.ToolResult{{CallID: "c1", Name: "look", Text: "gone", Failed: true}}},
		},
		`{"id":"6","type":"ai","content":"4","additional_kwargs":{"reasoning_content":"2+2"},"response_metadata":{},"tool_calls":[],"invalid_tool_calls":[]}`: {
			ID: "6", Message: llm.Message{Role: llm.Assistant, Text: "4", Reasoning: "2+2"},
		},
		`{"id":"5","type":"human","content":"again","additional_kwargs":{"assay":{"again":true},"mine":1},"response_metadata":{}}`: {
			ID: "5", Again: true, Kwargs: json.RawMessage(`{"mine":1}`), Message: llm.Message{Role: llm.User, Text: "again"},
		},
	} {
		data, err := json.Marshal(m)
		if err != nil || string(data) != want {
			t.Errorf("%v: the JSON is\n%s\nwant\n%s", err, data, want)
		}
		var back react.Message
		if err := json.Unmarshal(data, &back); err != nil || !cmp.Equal(back, m) {
			t.Errorf("%v: %s", err, cmp.Diff(m, back))
		}
	}
}

// What clients write is read in the forms that they have, and earlier versions' messages, too.
func TestMessageForms(t *testing.T) {
	user := llm.Message{Role: llm.User, Text: "hi"}
	for text, want := range map[string]react.Message{
		`{"role":"user","content":"hi"}`: {Message: user},
		`"hi"`:                           {Message: user}, `["user","hi"]`: {Message: user},
		`{"type":"human","content":[{"type":"text","text":"hi"}]}`:                                                           {Message: user},
		`{"lc":1,"type":"constructor","id":["langchain_core","messages","HumanMessage"],"kwargs":{"content":"hi","id":"7"}}`: {ID: "7", Message: user},
		`{"id":"m1","role":"user","text":"hi","again":true}`:                                                                 {ID: "m1", Again: true, Message: user},
		`{"id":"m3","role":"tool","results":[{"call_id":"c","name":"n","text":"t"}]}`: {
			ID: "m3", Message: llm.Message{Role: llm.ToolRole, Results: []llm.ToolResult{{CallID: "c", Name: "n", Text: "t"}}},
		},
		`{"id":"m2","role":"assistant","text":"a","check":{"claims_checked":2}}`: {ID: "m2", Message: llm.Message{Role: llm.Assistant, Text: "a"}, Check: &state.ClaimCheck{ClaimsChecked: 2}},
		`{"type":"ai","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{\"a\":1}"}}]}`: {
			Message: llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "c", Name: "n", Arguments: json.RawMessage(`{"a":1}`)}}},
		},
		`{"type":"human","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AQI="}}]}`: {
			Message: llm.Message{Role: llm.User, Images: []llm.Image{{MediaType: "image/png", Data: []byte{1, 2}}}},
		},
	} {
		var got react.Message
		if err := json.Unmarshal([]byte(text), &got); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v: %s", text, err, cmp.Diff(want, got))
		}
	}
	for _, text := range []string{`{"type":"ghost","content":"boo"}`, `{"type":"human","content":7}`, `7`, `null`, `["user"]`, `[1,"hi"]`, `{"role":"user","content":{"a":1}}`, `{"role":"user","content":"x","tool_calls":7}`} {
		if err := json.Unmarshal([]byte(text), new(react.Message)); err == nil || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v", text, err)
		}
	}
	const file = `{"id":"8","type":"human","content":[{"type":"text","text":"read"},{"type":"file","data":"AQI="}],"name":"ann","additional_kwargs":{},"response_metadata":{}}`
	var m react.Message
	if err := json.Unmarshal([]byte(file), &m); err != nil {
		t.Fatal(err)
	}
	if back, err := json.Marshal(m); err != nil || string(back) != file {
		t.Errorf("%v: a file came back as %s", err, back)
	}
}
