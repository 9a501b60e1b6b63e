package rerank_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/llm"
	"example.com/assay/llm/rerank"
	"example.com/assay/memory"
)

var (
	_ memory.Reranker = (*rerank.Client)(nil)
	_ memory.Reranker = (*rerank.Judge)(nil)
)

const key = "sk-very-secret-key"

// A request is what a server was sent.
type request struct {
	path, auth string
	fields     map[string]json.RawMessage
	texts      []string
}

// A server answers requests to rerank in one dialect.
type server struct {
	*httptest.Server
	mu   sync.Mutex
	seen []request
}

func (s *server) requests() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

func serve(t *testing.T, answer func(w http.ResponseWriter, r request)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		r := request{path: hr.URL.Path, auth: hr.Header.Get("Authorization")}
		body, err := io.ReadAll(hr.Body)
		if err == nil {
			err = json.Unmarshal(body, &r.fields)
		}
		for _, name := range []string{"documents", "texts"} {
			if raw := r.fields[name]; err == nil && raw != nil {
				err = json.Unmarshal(raw, &r.texts)
			}
		}
		if err != nil {
			t.Errorf("a request cannot be read: %v", err)
		}
		s.mu.Lock()
		s.seen = append(s.seen, r)
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func client(t *testing.T, o rerank.Options) *rerank.Client {
	t.Helper()
	c, err := rerank.NewClient(&o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// relevance is what the servers here think of a text: its length.
func relevance(text string) float64 { return float64(len(text)) - 3.5 }

// results lists the scores best first, as servers do.
func results(texts []string, field, beside string) string {
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(texts[b]) - len(texts[a]) })
	var out []string
	for _, i := range order {
		out = append(out, fmt.Sprintf(`{"index":%d,%q:%v%s}`, i, field, relevance(texts[i]), beside))
	}
	return "[" + strings.Join(out, ",") + "]"
}

// The servers answer as those that they are named after: what they need, what
// they refuse, and what stands around the scores.
var dialects = map[string]struct {
	base   string
	needs  []string // fields; exactly these where strict
	strict bool
	tei    bool
	answer func(texts []string) string
}{
	"jina": {base: "/v1", needs: []string{"model", "query", "documents"}, answer: func(texts []string) string {
		return `{"model":"m","object":"list","usage":{"total_tokens":9},"results":` + results(texts, "relevance_score", `,"document":{"text":"…"}`) + `}`
	}},
	"cohere": {base: "/v2", needs: []string{"model", "query", "documents", "top_n"}, strict: true, answer: func(texts []string) string {
		return `{"id":"7","results":` + results(texts, "relevance_score", "") + `,"meta":{"api_version":{"version":"2"},"billed_units":{"search_units":1}}}`
	}},
	"vllm": {needs: []string{"query", "documents"}, answer: func(texts []string) string {
		return `{"id":"rerank-1","model":"m","usage":{"total_tokens":56},"results":` + results(texts, "relevance_score", `,"document":{"text":"…","multi_modal":null}`) + `}`
	}},
	"llama.cpp": {needs: []string{"query", "documents"}, answer: func(texts []string) string {
		return `{"model":"m","object":"list","usage":{"prompt_tokens":51},"results":` + results(texts, "relevance_score", "") + `}`
	}},
	"tei": {needs: []string{"query", "texts"}, tei: true, answer: func(texts []string) string { return results(texts, "score", "") }},
}

func TestDialects(t *testing.T) {
	texts := []string{"four", "a", "sixteen letters.", "no"}
	for name, d := range dialects {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r request) {
				for _, field := range d.needs {
					if r.fields[field] == nil {
						w.WriteHeader(http.StatusUnprocessableEntity)
						fmt.Fprintf(w, `{"error":"missing field %s","error_type":"Validation"}`, field)
						return
					}
				}
				if d.strict && len(r.fields) != len(d.needs) {
					w.WriteHeader(http.StatusBadRequest)
					fmt.Fprint(w, `{"message":"unknown field"}`)
					return
				}
				io.WriteString(w, d.answer(r.texts))
			})
			o := rerank.Options{BaseURL: s.URL + d.base, Model: "m", Key: key}
			want := rerank.Documents
			if d.tei {
				want = rerank.Texts
			}
			c := client(t, o)
			for range 2 {
				got, err := c.Rerank(t.Context(), "which & why?", texts)
				if err != nil {
					t.Fatal(err)
				}
				for i, text := range texts {
					if got[i] != relevance(text) {
						t.Errorf("scores %v", got)
					}
				}
			}
			seen := s.requests()
			calls := 2
			if d.tei {
				calls = 3 // the first finds out
			}
			if len(seen) != calls || c.Dialect() != want {
				t.Errorf("%d requests, dialect %q; want %d and %q", len(seen), c.Dialect(), calls, want)
			}
			last := seen[len(seen)-1]
			if last.path != d.base+"/rerank" || last.auth != "Bearer "+key || string(last.fields["query"]) != `"which & why?"` {
				t.Errorf("request %+v", last)
			}
		})
	}
}

// A server that refuses both dialects refuses something else: the first
// refusal is the error, and the dialect stays open.
func TestRefusedInBoth(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r request) {
		w.WriteHeader(http.StatusBadRequest)
		if r.fields["documents"] != nil {
			fmt.Fprint(w, `{"message":"no such model"}`)
		}
	})
	c := client(t, rerank.Options{BaseURL: s.URL})
	_, err := c.Rerank(t.Context(), "q", []string{"a"})
	status, ok := errors.AsType[*llm.StatusError](err)
	if !ok || status.Message != "no such model" || c.Dialect() != rerank.Detect || len(s.requests()) != 2 {
		t.Errorf("error %v, dialect %q, %d requests", err, c.Dialect(), len(s.requests()))
	}
}

// Long lists go in batches, and come back whole.
func TestBatches(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r request) { io.WriteString(w, results(r.texts, "score", "")) })
	var texts []string
	for i := range 70 {
		texts = append(texts, strings.Repeat("x", i+1))
	}
	got, err := client(t, rerank.Options{BaseURL: s.URL + "/rerank/"}).Rerank(t.Context(), "q", texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if got[i] != relevance(text) {
			t.Fatalf("text %d has the score %v", i, got[i])
		}
	}
	var sizes []int
	for _, r := range s.requests() {
		sizes = append(sizes, len(r.texts))
	}
	if !slices.Equal(sizes, []int{32, 32, 6}) {
		t.Errorf("batches of %v", sizes)
	}
	if got, err := client(t, rerank.Options{BaseURL: s.URL}).Rerank(t.Context(), "q", nil); err != nil || len(got) != 0 || len(s.requests()) != 3 {
		t.Errorf("of no texts: %v, %v, %d requests", got, err, len(s.requests()))
	}
}

// Answers that are no order of the texts are errors of their own type.
func TestBadAnswers(t *testing.T) {
	for name, tc := range map[string]struct{ body, want string }{
		"not JSON":      {`<html>`, "not JSON"},
		"empty object":  {`{}`, "0 scores for 2 texts"},
		"too few":       {`{"results":[{"index":0,"relevance_score":1}]}`, "1 scores for 2 texts"},
		"too many":      {`[{"index":0,"score":1},{"index":1,"score":1},{"index":1,"score":1}]`, "3 scores for 2 texts"},
		"twice":         {`[{"index":0,"score":1},{"index":0,"score":2}]`, "text 0 again"},
		"out of range":  {`[{"index":0,"score":1},{"index":2,"score":2}]`, "of text 2; there are 0 to 1"},
		"negative":      {`[{"index":-1,"score":1},{"index":0,"score":2}]`, "of text -1"},
		"no index":      {`[{"score":1},{"index":1,"score":2}]`, "lacks its index"},
		"no score":      {`[{"index":0,"score":null},{"index":1,"score":2}]`, "lacks its index or its score"},
		"other numbers": {`[{"index":"0","score":1},{"index":1,"score":2}]`, "decoding"},
		"a number":      {`7`, "decoding"},
		"infinite":      {`[{"index":0,"score":1e999},{"index":1,"score":2}]`, "decoding"},
	} {
		s := serve(t, func(w http.ResponseWriter, _ request) { io.WriteString(w, tc.body) })
		got, err := client(t, rerank.Options{BaseURL: s.URL}).Rerank(t.Context(), "q", []string{"a", "b"})
		if _, ok := errors.AsType[*llm.ResponseError](err); !ok || !strings.Contains(err.Error(), tc.want) || got != nil {
			t.Errorf("%s: %v, error %v; want a ResponseError with %q", name, got, err, tc.want)
		}
	}
}

// Failures are llm's typed errors, and never show the key, the question or a
// passage.
func TestFailures(t *testing.T) {
	const nobody = "http://127.0.0.1:1" // a port that no test server is given
	status := func(code int, body string) *server {
		return serve(t, func(w http.ResponseWriter, r request) { w.WriteHeader(code); io.WriteString(w, body) })
	}
	limited := serve(t, func(w http.ResponseWriter, _ request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	away := serve(t, func(w http.ResponseWriter, _ request) {
		w.Header().Set("Location", nobody)
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	cut := serve(t, func(w http.ResponseWriter, _ request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, `{"results":[`)
	})
	slow := serve(t, func(w http.ResponseWriter, _ request) { time.Sleep(300 * time.Millisecond) })
	as := func(status int) func(error) bool {
		return func(err error) bool {
			e, ok := errors.AsType[*llm.StatusError](err)
			return ok && e.Status == status && (status != 429 || e.RetryAfter == 7*time.Second)
		}
	}
	lost := func(err error) bool { _, ok := errors.AsType[*llm.ConnectionError](err); return ok }
	for name, tc := range map[string]struct {
		url  string
		want func(error) bool
	}{
		"wrong key":    {status(401, `{"detail":"bad key `+key+`","message":"bad key `+key+`"}`).URL, as(401)},
		"server error": {status(503, `{"error":"overloaded"}`).URL, as(503)},
		"limited":      {limited.URL, as(429)},
		"redirect":     {away.URL, as(307)},
		"cut":          {cut.URL, lost},
		"unreachable":  {nobody, lost},
		"slow":         {slow.URL, func(err error) bool { _, ok := errors.AsType[*llm.TimeoutError](err); return ok }},
	} {
		c := client(t, rerank.Options{BaseURL: tc.url, Key: key, Timeout: 100 * time.Millisecond})
		_, err := c.Rerank(t.Context(), "a private question", []string{"a private passage"})
		if !tc.want(err) {
			t.Errorf("%s: error %v", name, err)
			continue
		}
		if strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "private") {
			t.Errorf("%s: the error shows what was sent: %v", name, err)
		}
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(cause) })
	if _, err := client(t, rerank.Options{BaseURL: slow.URL}).Rerank(ctx, "q", []string{"a"}); err != cause {
		t.Errorf("cancelled: error %v; want the cause", err)
	}
}

func TestNewClient(t *testing.T) {
	for name, o := range map[string]*rerank.Options{
		"nil": nil, "no address": {}, "credentials": {BaseURL: "http://user:" + key + "@host"}, "a query": {BaseURL: "http://host/?k=" + key},
		"a bad key": {BaseURL: "http://host", Key: key + "\n"},
	} {
		if _, err := rerank.NewClient(o); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if id := client(t, rerank.Options{BaseURL: "http://host/v1", Model: "m", Key: key}).ID(); id != "m at http://host/v1" {
		t.Errorf("ID %q", id)
	}
}
