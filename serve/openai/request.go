package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/serve/runs"
)

// A request is a turn of a conversation.
type request struct {
	Model    string
	Messages []entry
	Stream   bool
	Usage    bool                       // a stream ends with the usage
	Settings map[string]json.RawMessage // of the graph
	Ignored  map[string]json.RawMessage // the fields without effect, by path
	strict   bool                       // such fields are an error instead

	responding // fields of a response's request
}

// An entry is a message of the conversation.
type entry struct {
	Role   string // "system", "user", "assistant" or "tool"
	Text   string
	Name   string
	Calls  json.RawMessage // the tool calls of an assistant, in OpenAI's form
	CallID string          // the call that a tool answers
}

// A rule lists the fields that an object may have.
type rule struct {
	known   []string            // fields that are read
	without []string            // fields with any value and no effect
	only    map[string][]string // fields with no effect that null and these values ask for
}

// parameters are the fields of a request.
var parameters = rule{
	known: []string{"model", "messages", "stream", "stream_options", "assay"},
	without: []string{
		"temperature", "top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repetition_penalty", "logit_bias", "seed",
		"max_tokens", "max_completion_tokens",
		"reasoning_effort", "verbosity", "parallel_tool_calls", "service_tier", "user", "safety_identifier", "prompt_cache_key",
		"prompt_cache_retention", "metadata", "chat_id", "session_id",
	},
	only: map[string][]string{
		"n": {"1"}, "logprobs": {"false"}, "top_logprobs": {"0"}, "stop": {"[]", `""`}, "store": {"false"},
		"response_format": {`{"type":"text"}`}, "modalities": {`["text"]`}, "audio": nil, "prediction": nil, "web_search_options": nil,
		"tools": {"[]"}, "tool_choice": {`"none"`, `"auto"`}, "functions": {"[]"}, "function_call": {`"none"`, `"auto"`},
	},
}

// ofMessage are the fields of a message. Clients send answers back as messages.
var ofMessage = rule{
	known:   []string{"role", "content", "name", "tool_calls", "tool_call_id"},
	without: []string{"id", "type", "status", "phase", "refusal", "annotations", "reasoning", "reasoning_content", "assay"},
	only:    map[string][]string{"function_call": nil, "audio": nil},
}

// ofStream are the fields of stream_options.
var ofStream = rule{known: []string{"include_usage"}, without: []string{"include_obfuscation"}}

// ofPart are the fields of a part of a message.
var ofPart = rule{known: []string{"type", "text", "refusal"}, without: []string{"annotations", "cache_control", "logprobs", "prompt_cache_breakpoint"}}

// check collects the fields of an object that have no effect here though they ask for one. Path is
// where the object is.
func (in *request) check(r *rule, path string, object json.RawMessage) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil || fields == nil {
		return invalid(strings.TrimSuffix(path, "."), "", "%s must be a JSON object", what(path))
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(r.known, name) || slices.Contains(r.without, name) {
			continue
		}
		neutral, ok := r.only[name]
		if value := compact(fields[name]); ok && (value == "null" || slices.Contains(neutral, value)) {
			continue
		}
		if err := in.ignore(path+name, fields[name], ok); err != nil {
			return err
		}
	}
	return nil
}

// ignore notes a field without effect. It is known if another value of it would be understood.
func (in *request) ignore(param string, value json.RawMessage, known bool) error {
	switch {
	case !in.strict:
		if in.Ignored == nil {
			in.Ignored = map[string]json.RawMessage{}
		}
		in.Ignored[param] = value
		return nil
	case known:
		return invalid(param, "unsupported_value", "the field %s cannot be %.100s here: leave it out; nothing was done", quoted(param), compact(value))
	}
	return invalid(param, "unknown_parameter", "the field %s is not understood here; nothing was done", quoted(param))
}

// unknown notes the settings that a graph does not have.
func (in *request) unknown(g runs.Graph) (err error) {
	for _, name := range g.Unknown(in.Settings) {
		err = errors.Join(err, in.ignore("assay."+name, in.Settings[name], false))
	}
	return err
}

func what(path string) string {
	if path == "" {
		return "the request"
	}
	return strings.TrimSuffix(path, ".")
}

func compact(data json.RawMessage) string {
	var out bytes.Buffer
	if json.Compact(&out, data) != nil { // data is valid JSON
		return string(data)
	}
	return out.String()
}

// into reads a value; path is for errors.
func into(path string, data json.RawMessage, v any) error {
	err := json.Unmarshal(data, v)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		if wrong.Field != "" {
			path += wrong.Field
		}
		return invalid(strings.TrimSuffix(path, "."), "invalid_type", "the field %q cannot be a JSON %s", strings.TrimSuffix(path, "."), wrong.Value)
	}
	if err != nil {
		return invalid(strings.TrimSuffix(path, "."), "", "reading %s: %v", what(path), err)
	}
	return nil
}

// read reads a request. A field that is not understood is kept in Ignored, or refused with strict.
func read(data []byte, strict bool) (*request, error) {
	if !json.Valid(data) {
		return nil, invalid("", "", "the request is not valid JSON")
	}
	out := &request{strict: strict}
	if err := out.check(&parameters, "", data); err != nil {
		return nil, err
	}
	var in struct {
		Model    string            `json:"model"`
		Messages []json.RawMessage `json:"messages"`
		Stream   bool              `json:"stream"`
		Options  json.RawMessage   `json:"stream_options"`

		Settings map[string]json.RawMessage `json:"assay"`
	}
	if err := into("", data, &in); err != nil {
		return nil, err
	}
	out.Model, out.Stream, out.Settings = in.Model, in.Stream, in.Settings
	if in.Options != nil && compact(in.Options) != "null" {
		var options struct {
			Usage bool `json:"include_usage"`
		}
		if err := errors.Join(out.check(&ofStream, "stream_options.", in.Options), into("stream_options.", in.Options, &options)); err != nil {
			return nil, err
		}
		out.Usage = options.Usage
	}
	for i, one := range in.Messages {
		m, err := out.message(fmt.Sprintf("messages[%d].", i), one)
		if err != nil {
			return nil, err
		}
		out.Messages = append(out.Messages, m)
	}
	return out, out.asks("messages")
}

// asks returns an error if nothing is asked. A question may have tool calls and their results behind
// it, as after a handoff from another model: they are put before it.
func (in *request) asks(param string) error {
	for i := len(in.Messages) - 1; i >= 0; i-- {
		m := in.Messages[i]
		if m.Role == "user" && strings.TrimSpace(m.Text) != "" {
			in.Messages = append(slices.Delete(in.Messages, i, i+1), m)
			return nil
		}
		if m.Role == "user" || m.Role == "assistant" && m.Calls == nil {
			break
		}
	}
	return invalid(param, "", "nothing was asked: the last message must have the role user and a text")
}

func (in *request) message(path string, data json.RawMessage) (m entry, err error) {
	if err := in.check(&ofMessage, path, data); err != nil {
		return m, err
	}
	var one struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Name    string          `json:"name"`
		Calls   json.RawMessage `json:"tool_calls"`
		CallID  string          `json:"tool_call_id"`
	}
	if err := into(path, data, &one); err != nil {
		return m, err
	}
	m = entry{Role: one.Role, Name: one.Name, CallID: one.CallID}
	switch one.Role {
	case "system", "user", "tool":
	case "assistant":
		if calls := compact(one.Calls); calls != "" && calls != "null" && calls != "[]" {
			m.Calls = one.Calls
		}
	case "developer": // OpenAI's newer name for system
		m.Role = "system"
	default:
		return m, invalid(path+"role", "unsupported_value", "the role %s is not understood here: it can be system, developer, user, assistant or tool", quoted(one.Role))
	}
	m.Text, err = in.content(path+"content", one.Content)
	return m, err
}

// content returns the text of a message: a string, or a list of parts with texts.
func (in *request) content(path string, data json.RawMessage) (string, error) {
	var text string
	if len(data) == 0 || json.Unmarshal(data, &text) == nil {
		return text, nil
	}
	var parts []json.RawMessage
	if json.Unmarshal(data, &parts) != nil {
		return "", invalid(path, "invalid_type", "the field %q must be a text or a list of parts", path)
	}
	texts := make([]string, len(parts))
	for i, one := range parts {
		at := fmt.Sprintf("%s[%d].", path, i)
		var part struct {
			Type    string `json:"type"`
			Text    string `json:"text"`
			Refusal string `json:"refusal"`
		}
		if json.Unmarshal(one, &part) == nil && !slices.Contains(textParts, part.Type) {
			return "", invalid(at+"type", "unsupported_value", "a part of type %s is not understood here: only text is; nothing was done", quoted(part.Type))
		}
		if err := in.check(&ofPart, at, one); err != nil {
			return "", err
		}
		if err := into(at, one, &part); err != nil {
			return "", err
		}
		texts[i] = part.Text + part.Refusal
	}
	return strings.Join(texts, "\n"), nil
}

// textParts are the types of parts with a text: of a chat's message, and of a response's items.
var textParts = []string{"text", "refusal", "input_text", "output_text"}
