package gemini_test

import (
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/assay/llm"
	"example.com/assay/llm/gemini"
	"example.com/assay/llm/llmtest"
)

func embedder(t *testing.T, opts gemini.EmbedderOptions) *gemini.Embedder {
	t.Helper()
	if opts.Server.Key == "" && opts.Server.Credentials == nil {
		opts.Server.Key = key
	}
	e, err := gemini.NewEmbedder(t.Context(), "embed-test", &opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// parallel reports whether got is want, scaled to length 1 if unit.
func parallel(got, want []float32, unit bool) bool {
	length := 1.0
	if unit {
		sum := 0.0
		for _, x := range want {
			sum += float64(x) * float64(x)
		}
		length = math.Sqrt(sum)
	}
	for i := range want {
		if len(got) != len(want) || math.Abs(float64(got[i])-float64(want[i])/length) > 1e-6 {
			return false
		}
	}
	return true
}

func TestEmbed(t *testing.T) {
	texts := []string{"tort", "battery", "touching"}
	for name, tc := range map[string]struct {
		opts  gemini.EmbedderOptions
		calls int // for three texts
	}{
		"gemini":            {gemini.EmbedderOptions{}, 1},
		"in batches":        {gemini.EmbedderOptions{MaxTexts: 2}, 2},
		"shortened":         {gemini.EmbedderOptions{Dimension: 5}, 1},
		"vertex":            {gemini.EmbedderOptions{Server: gemini.Options{Vertex: true}}, 3},
		"vertex, all":       {gemini.EmbedderOptions{MaxTexts: 250, Server: gemini.Options{Vertex: true}}, 1},
		"vertex by token":   {gemini.EmbedderOptions{MaxTexts: 3, Server: gemini.Options{Vertex: true, Credentials: gemini.StaticToken("t"), Project: "p"}}, 1},
		"vertex, shortened": {gemini.EmbedderOptions{Dimension: 5, Server: gemini.Options{Vertex: true}}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.NewServer(t, llmtest.Gemini, nil)
			tc.opts.Server.BaseURL = s.URL
			e := embedder(t, tc.opts)
			got, err := e.Embed(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range texts {
				if want := llmtest.Vector("RETRIEVAL_DOCUMENT", text, tc.opts.Dimension); !parallel(got[i], want, tc.opts.Dimension > 0) {
					t.Errorf("%s: %v; want %v", text, got[i], want)
				}
			}
			if n := s.Asked(); n != tc.calls {
				t.Errorf("%d calls; want %d", n, tc.calls)
			}
			query, err := e.EmbedQuery(t.Context(), "tort")
			if want := llmtest.Vector("RETRIEVAL_QUERY", "tort", tc.opts.Dimension); err != nil || !parallel(query, want, tc.opts.Dimension > 0) {
				t.Errorf("query: %v, %v; want %v", query, err, want)
			}
		})
	}
}

func TestEmbedErrors(t *testing.T) {
	isResponse := func(err error) bool { _, ok := errors.AsType[*llm.ResponseError](err); return ok }
	write := func(body string) llmtest.Fault {
		return func(w http.ResponseWriter, _ llmtest.Reply) { _, _ = io.WriteString(w, body) }
	}
	for name, tc := range map[string]struct {
		fault llmtest.Fault
		check func(error) bool
	}{
		"429": {llmtest.Refuse(429, "7"), func(err error) bool {
			e, ok := errors.AsType[*llm.StatusError](err)
			return ok && e.Status == 429 && e.RetryAfter == 7*time.Second
		}},
		"reset":         {llmtest.Reset, func(err error) bool { _, ok := errors.AsType[*llm.ConnectionError](err); return ok }},
		"truncated":     {llmtest.Cut, isResponse},
		"too few":       {write(`{"embeddings":[{"values":[1]}]}`), isResponse},
		"null":          {write(`{"embeddings":[{"values":[1]},null]}`), isResponse},
		"other lengths": {write(`{"embeddings":[{"values":[1]},{"values":[1,2]}]}`), isResponse},
		"wrong types":   {write(`{"embeddings":"` + key + `"}`), isResponse},
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.NewServer(t, llmtest.Gemini, nil)
			s.Fail(tc.fault)
			got, err := embedder(t, gemini.EmbedderOptions{Server: gemini.Options{BaseURL: s.URL}}).Embed(t.Context(), []string{"a", "b"})
			if err == nil || got != nil || !tc.check(err) || strings.Contains(err.Error(), key) {
				t.Errorf("got %v, %#v: %v", got, err, err)
			}
		})
	}
}

func TestEmbedderID(t *testing.T) {
	for want, opts := range map[string]gemini.EmbedderOptions{
		"gemini/embed-test/own":                {},
		"gemini/embed-test/768":                {Dimension: 768, Server: gemini.Options{BaseURL: "https://generativelanguage.googleapis.com"}},
		"gemini/embed-test/256":                {Dimension: 256, Server: gemini.Options{Vertex: true, Credentials: gemini.StaticToken("t"), Project: "p", Location: "europe-west4"}},
		"gemini@127.0.0.1:8080/embed-test/own": {Server: gemini.Options{BaseURL: "http://127.0.0.1:8080"}},
	} {
		if got := embedder(t, opts).ID(); got != want {
			t.Errorf("ID %q; want %q", got, want)
		}
	}
	if _, err := gemini.NewEmbedder(t.Context(), "m", &gemini.EmbedderOptions{Dimension: -1, Server: gemini.Options{Key: key}}); err == nil {
		t.Error("a negative dimension")
	}
}
