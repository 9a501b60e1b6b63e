package openai_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/assay/llm/openai"
)

// canned answers every call with one body.
type canned string

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(c)))}, nil
}

func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{`{"choices":[{"message":{"content":[{"type":"text","text":"x"}]}}]}`, `{"choices":[null]}`, `{"usage":{"prompt_tokens":-3}}`, `[]`, `{"model":3}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		m := model(t, &openai.Options{Key: key, Transport: canned(body)})
		resp, err := m.Generate(t.Context(), request(object))
		if err == nil && (resp.Model == "" || resp.Usage.InputTokens < 0 || resp.Usage.OutputTokens < 0) {
			t.Errorf("response %+v of %q", resp, body)
		}
	})
}
