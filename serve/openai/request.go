package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A request is a turn of a conversation.
type request struct {
	Model    string
	Messages []entry
	Stream   bool
	Usage    bool                       // a stream ends with the usage
	Settings map[string]json.RawMessage // of the graph
}

// An entry is a message of the conversation.
type entry struct {
	Role string // "system", "user" or "assistant"
	Text string
	Name string
}

// A rule lists the fields that an object may have.
type rule struct {
	known   []string            // fields that are read
	without []string            // fields with any value and no effect
	only    map[string][]string // fields that may only hold null or one of these values, without effect
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
	known:   []string{"role", "content", "name"},
	without: []string{"id", "refusal", "annotations", "reasoning", "reasoning_content", "assay"},
	only:    map[string][]string{"tool_calls": {"[]"}, "function_call": nil, "audio": nil},
}

// ofStream are the fields of stream_options.
var ofStream = rule{known: []string{"include_usage"}, without: []string{"include_obfuscation"}}

// ofPart are the fields of a part of a message.
var ofPart = rule{known: []string{"type", "text"}, without: []string{"annotations", "cache_control"}}

// check refuses unknown fields by name. Path is where the object is.
func (r *rule) check(path string, object json.RawMessage) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil || fields == nil {
		return invalid(strings.TrimSuffix(path, "."), "", "%s must be a JSON object", what(path))
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(r.known, name) || slices.Contains(r.without, name) {
			continue
		}
		param := path + name
		neutral, ok := r.only[name]
		if !ok {
			return invalid(param, "unknown_parameter", "the field %s is not understood here; nothing was done", quoted(param))
		}
		if value := compact(fields[name]); value != "null" && !slices.Contains(neutral, value) {
			return invalid(param, "unsupported_value", "the field %s cannot be %.100s here: leave it out; nothing was done", quoted(param), value)
		}
	}
	return nil
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

// read reads a request. It refuses anything that it does not understand.
func read(data []byte) (*request, error) {
	if !json.Valid(data) {
		return nil, invalid("", "", "the request is not valid JSON")
	}
	if err := parameters.check("", data); err != nil {
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
	out := &request{Model: in.Model, Stream: in.Stream, Settings: in.Settings}
	if in.Options != nil && compact(in.Options) != "null" {
		var options struct {
			Usage bool `json:"include_usage"`
		}
		if err := errors.Join(ofStream.check("stream_options.", in.Options), into("stream_options.", in.Options, &options)); err != nil {
			return nil, err
		}
		out.Usage = options.Usage
	}
	for i, one := range in.Messages {
		m, err := readMessage(fmt.Sprintf("messages[%d].", i), one)
		if err != nil {
			return nil, err
		}
		out.Messages = append(out.Messages, m)
	}
	n := len(out.Messages)
	if n == 0 || out.Messages[n-1].Role != "user" || strings.TrimSpace(out.Messages[n-1].Text) == "" {
		return nil, invalid("messages", "", "nothing was asked: the last message must have the role user and a text")
	}
	return out, nil
}

func readMessage(path string, data json.RawMessage) (m entry, err error) {
	if err := ofMessage.check(path, data); err != nil {
		return m, err
	}
	var in struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Name    string          `json:"name"`
	}
	if err := into(path, data, &in); err != nil {
		return m, err
	}
	m = entry{Role: in.Role, Name: in.Name}
	switch in.Role {
	case "system", "user", "assistant":
	case "developer": // OpenAI's newer name for system
		m.Role = "system"
	default:
		return m, invalid(path+"role", "unsupported_value", "the role %s is not understood here: it can be system, developer, user or assistant", quoted(in.Role))
	}
	m.Text, err = readContent(path+"content", in.Content)
	return m, err
}

// readContent returns the text of a message: a string, or a list of parts with texts.
func readContent(path string, data json.RawMessage) (string, error) {
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
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if json.Unmarshal(one, &part) == nil && part.Type != "text" {
			return "", invalid(at+"type", "unsupported_value", "a part of type %s is not understood here: only text is; nothing was done", quoted(part.Type))
		}
		if err := ofPart.check(at, one); err != nil {
			return "", err
		}
		if err := into(at, one, &part); err != nil {
			return "", err
		}
		texts[i] = part.Text
	}
	return strings.Join(texts, "\n"), nil
}
