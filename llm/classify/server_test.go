package classify_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/assay/llm/classify"
)

const key = "sk-very-secret-key"

// A request is what a server was sent.
type request struct {
	path, auth, body string
	texts            []string // of each input, a pair as "text\x00claim"
}

// A server of a classifier speaks all wires. It answers what answer says, or,
// with answer nil, the probability of each text, by the labels of a wire.
type server struct {
	*httptest.Server
	p      func(text string) float64
	yes    string // label
	no     string
	answer func(w http.ResponseWriter, r request) bool // reports whether it answered

	mu   sync.Mutex
	seen []request
}

func (s *server) requests() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

func serve(t *testing.T, s *server) *server {
	t.Helper()
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		body, err := io.ReadAll(hr.Body)
		if err != nil && hr.Context().Err() == nil {
			t.Errorf("reading a request: %v", err)
		}
		r := request{path: hr.URL.Path, auth: hr.Header.Get("Authorization"), body: string(body), texts: textsOf(t, hr.URL.Path, body)}
		s.mu.Lock()
		s.seen = append(s.seen, r)
		s.mu.Unlock()
		if s.answer == nil || !s.answer(w, r) {
			io.WriteString(w, s.answered(r))
		}
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func textsOf(t *testing.T, path string, body []byte) (out []string) {
	var sent struct {
		Inputs   [][]string `json:"inputs"`
		Input    []string   `json:"input"`
		Messages []struct {
			Content string `json:"content"`
		} `json:"messages"`
	}
	if len(body) == 0 {
		return nil
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Errorf("a request to %s cannot be read: %v", path, err)
	}
	pair := func(prompt string) string {
		return strings.Replace(strings.TrimPrefix(prompt, "Document: "), "\nClaim: ", "\x00", 1)
	}
	for _, in := range sent.Inputs {
		out = append(out, strings.Join(in, "\x00"))
	}
	for _, in := range sent.Input {
		out = append(out, pair(in))
	}
	for _, m := range sent.Messages {
		out = append(out, pair(m.Content))
	}
	return out
}

// answered is the wire's answer.
func (s *server) answered(r request) string {
	var parts []string
	for i, text := range r.texts {
		p := s.p(text)
		switch {
		case strings.HasSuffix(r.path, "/predict"):
			parts = append(parts, fmt.Sprintf(`[{"label":%q,"score":%v},{"label":%q,"score":%v}]`, s.no, 1-p, s.yes, p))
		case strings.HasSuffix(r.path, "/classify"):
			label := s.no
			if p >= .5 {
				label = s.yes
			}
			parts = append(parts, fmt.Sprintf(`{"index":%d,"label":%q,"probs":[%v,%v],"num_classes":2}`, i, label, 1-p, p))
		default:
			return fmt.Sprintf(`{"model":"served","choices":[{"message":{"role":"assistant","content":"x"},"logprobs":{"content":[{"token":"x","logprob":-1,"top_logprobs":[{"token":" %s","logprob":%v},{"token":"%s","logprob":%v},{"token":"Maybe","logprob":-9}]}]}}],"usage":{"prompt_tokens":7,"completion_tokens":1}}`,
				s.yes, math.Log(p), s.no, math.Log(1-p))
		}
	}
	list := "[" + strings.Join(parts, ",") + "]"
	if strings.HasSuffix(r.path, "/classify") {
		slices.Reverse(parts) // the index counts
		return `{"id":"classify-1","object":"list","model":"served","data":[` + strings.Join(parts, ",") + `],"usage":{"prompt_tokens":7}}`
	}
	return list
}

func client(t *testing.T, task classify.Task, o classify.Options) *classify.Client {
	t.Helper()
	c, err := classify.NewClient(task, &o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// shared is the share of a claim's words that a text has, kept from 0 and 1.
func shared(pair string) float64 {
	text, claim, _ := strings.Cut(strings.ToLower(pair), "\x00")
	words := strings.Fields(strings.Trim(claim, "."))
	n := 0
	for _, w := range words {
		if slices.Contains(strings.Fields(strings.NewReplacer(".", "", ",", "").Replace(text)), w) {
			n++
		}
	}
	return .02 + .96*float64(n)/float64(max(len(words), 1))
}

var suffixes = map[string]string{"tei": "/predict", "vllm": "/classify", "minicheck": "/v1"}
