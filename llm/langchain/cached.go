package langchain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

type cachedKey struct{}

// cached returns a context whose calls mark what Anthropic's server is to keep.
func cached(ctx context.Context) context.Context { return context.WithValue(ctx, cachedKey{}, true) }

// marking adds Anthropic's marks to a cached request, since the library has none for a system prompt:
// one behind the tools and the system prompt, and one behind the last message, for the next request
// of the conversation.
type marking struct{ next http.RoundTripper }

// mark is what Anthropic calls a cache breakpoint.
var mark = json.RawMessage(`{"type":"ephemeral"}`)

func (m marking) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Context().Value(cachedKey{}) == nil || req.Body == nil {
		return m.next.RoundTrip(req)
	}
	body, err := io.ReadAll(req.Body)
	if closeErr := req.Body.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		body, err = marked(body)
	}
	if err != nil {
		return nil, fmt.Errorf("marking the request: %w", err)
	}
	out := req.Clone(req.Context())
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return m.next.RoundTrip(out)
}

// marked returns a request with marks.
func marked(body []byte) ([]byte, error) {
	type fields = map[string]json.RawMessage
	var req fields
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, err
	}
	var system string
	var tools, messages, content []fields
	if json.Unmarshal(req["system"], &system) == nil && system != "" {
		req["system"], _ = json.Marshal([]any{map[string]any{"type": "text", "text": system, "cache_control": mark}}) // texts encode
	} else if json.Unmarshal(req["tools"], &tools) == nil && len(tools) > 0 {
		tools[len(tools)-1]["cache_control"] = mark
		req["tools"], _ = json.Marshal(tools) // what was JSON encodes
	}
	if json.Unmarshal(req["messages"], &messages) == nil && len(messages) > 0 {
		last := messages[len(messages)-1]
		if json.Unmarshal(last["content"], &content) == nil && len(content) > 0 {
			content[len(content)-1]["cache_control"] = mark
			last["content"], _ = json.Marshal(content)
			req["messages"], _ = json.Marshal(messages)
		}
	}
	return json.Marshal(req)
}
