package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/llm/openai"
)

func embedder(t *testing.T, url string, opts *openai.EmbedderOptions) *openai.Embedder {
	t.Helper()
	server, err := openai.NewServer(&openai.Options{Key: key, BaseURL: url})
	if err != nil {
		t.Fatal(err)
	}
	e, err := server.Embedder("embed-test", opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEmbed(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.OpenAI, nil)
	texts := []string{"tort", "battery", "touching", "harm", "intent"}
	for _, dimension := range []int{0, 5} {
		before := s.Asked()
		got, err := embedder(t, s.URL, &openai.EmbedderOptions{MaxTexts: 2, Dimension: dimension}).Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			if want := llmtest.Vector("", text, dimension); !slices.Equal(got[i], want) {
				t.Errorf("%s of dimension %d: %v; want %v", text, dimension, got[i], want)
			}
		}
		if n := s.Asked() - before; n != 3 {
			t.Errorf("%d calls for 5 texts, 2 a call", n)
		}
	}
	if _, err := embedder(t, s.URL, nil).Embed(t.Context(), []string{"a", ""}); err == nil {
		t.Error("an empty text was embedded")
	}
	why := errors.New("the user left")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, why)
	defer cancel()
	s.Fail(func(http.ResponseWriter, llmtest.Reply) { time.Sleep(100 * time.Millisecond) })
	if _, err := embedder(t, s.URL, nil).Embed(ctx, texts); !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
}

func TestEmbedErrors(t *testing.T) {
	status := func(err error) bool {
		e, ok := errors.AsType[*llm.StatusError](err)
		return ok && e.Status == 429 && e.RetryAfter == 7*time.Second
	}
	connection := func(err error) bool { _, ok := errors.AsType[*llm.ConnectionError](err); return ok }
	write := func(body string) llmtest.Fault {
		return func(w http.ResponseWriter, _ llmtest.Reply) { _, _ = io.WriteString(w, body) }
	}
	for name, tc := range map[string]struct {
		fault llmtest.Fault
		check func(error) bool
	}{
		"429":             {llmtest.Refuse(429, "7"), status},
		"reset":           {llmtest.Reset, connection},
		"truncated":       {llmtest.Cut, isResponse},
		"too few":         {write(`{"data":[{"index":0,"embedding":[1]}]}`), isResponse},
		"twice the same":  {write(`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`), isResponse},
		"beyond the end":  {write(`{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}`), isResponse},
		"other lengths":   {write(`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`), isResponse},
		"of another kind": {write(`{"data":"` + key + `"}`), isResponse},
		"too large":       {write(`{"data":[{"index":0,"embedding":[1e99]},{"index":1,"embedding":[1]}]}`), isResponse},
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.NewServer(t, llmtest.OpenAI, nil)
			s.Fail(tc.fault)
			got, err := embedder(t, s.URL, nil).Embed(t.Context(), []string{"a", "b"})
			if err == nil || got != nil || !tc.check(err) || strings.Contains(err.Error(), key) {
				t.Errorf("got %v, %#v: %v", got, err, err)
			}
		})
	}
}

func TestEmbedderID(t *testing.T) {
	for want, tc := range map[string]struct {
		url  string
		opts *openai.EmbedderOptions
	}{
		"openai/embed-test/own":                 {"", nil},
		"openai/embed-test/256":                 {"", &openai.EmbedderOptions{Dimension: 256}},
		"openai@localhost:11434/embed-test/own": {openai.OllamaBaseURL, nil},
	} {
		if got := embedder(t, tc.url, tc.opts).ID(); got != want {
			t.Errorf("ID %q; want %q", got, want)
		}
	}
}

// The dimension is sent only when it was set: not every model takes one.
func TestEmbedRequest(t *testing.T) {
	for dimension, want := range map[int]string{0: "", 3: "3"} {
		var fields map[string]json.RawMessage
		transport := seeing(func(body []byte) string {
			fields = nil
			if err := json.Unmarshal(body, &fields); err != nil {
				t.Error(err)
			}
			return `{"data":[{"index":0,"embedding":[1,2,3]}]}`
		})
		server, err := openai.NewServer(&openai.Options{Transport: transport})
		if err != nil {
			t.Fatal(err)
		}
		e, err := server.Embedder("m", &openai.EmbedderOptions{Dimension: dimension})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Embed(t.Context(), []string{"a"}); err != nil {
			t.Fatal(err)
		}
		if got := string(fields["dimensions"]); got != want || fields["temperature"] != nil {
			t.Errorf("dimensions %q of %v; want %q", got, fields, want)
		}
	}
}

// seeing answers by what was sent.
type seeing func(body []byte) string

func (s seeing) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(s(body)))}, nil
}
