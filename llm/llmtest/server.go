package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/llm"
)

// A Server is a loopback server that speaks a provider's wire format and answers with a model,
// whole or streamed. Its wire carries prompts but no skills, so Wrap tells it from which request
// each prompt was rendered. A prompt without that information reaches the model as received:
// messages, tools and schema.
//
// A *llm.StatusError of its model becomes that status, any other error status 400. Embeddings are
// those of Vector.
type Server struct {
	*httptest.Server
	format Format
	model  llm.Model

	mu       sync.Mutex
	requests map[string]llm.Request // by the messages of user, assistant and tools
	asked    int
	faults   []Fault // for the next requests
}

// NewServer starts a server that ends with the test.
func NewServer(t testing.TB, format Format, m llm.Model) *Server {
	t.Helper()
	return start(t, format, m, httptest.NewServer)
}

// NewTLSServer is NewServer with a certificate that no client trusts.
func NewTLSServer(t testing.TB, format Format, m llm.Model) *Server {
	t.Helper()
	return start(t, format, m, httptest.NewTLSServer)
}

func start(t testing.TB, format Format, m llm.Model, start func(http.Handler) *httptest.Server) *Server {
	s := &Server{format: format, model: m, requests: map[string]llm.Request{}}
	s.Server = start(http.HandlerFunc(s.serve))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // tests break connections on purpose
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// Wrap returns a model that announces each request to the server before m makes it. m is a
// provider's model that asks this server.
func (s *Server) Wrap(m llm.Model) llm.Model { return telling{s, m} }

// Fail makes the next requests fail, each with its fault.
func (s *Server) Fail(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

// Asked returns the number of requests so far.
func (s *Server) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

type telling struct {
	server *Server
	model  llm.Model
}

func (t telling) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	told := req
	told.OnText = nil // the server's model must not call it
	t.server.mu.Lock()
	t.server.requests[promptKey(req.Messages)] = told
	t.server.mu.Unlock()
	return t.model.Generate(ctx, req)
}

// promptKey leaves out system messages, which a provider may extend, and the IDs of calls, which it
// may change.
func promptKey(messages []llm.Message) string {
	type call struct {
		Name, Arguments string
	}
	var said []any // encoded as JSON below
	for _, m := range messages {
		if m.Role == llm.System {
			continue
		}
		if m.Text != "" {
			said = append(said, string(m.Role), m.Text)
		}
		for _, c := range m.Calls {
			said = append(said, call{c.Name, canonical(c.Arguments)})
		}
		for _, r := range m.Results {
			said = append(said, canonical([]byte(r.Text)), r.Failed)
		}
	}
	key, _ := json.Marshal(said) // texts can always be encoded
	return string(key)
}

// canonical returns JSON with sorted keys, and other data as it is.
func canonical(data []byte) string {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return string(data)
	}
	out, _ := json.Marshal(v) // a decoded value can be encoded
	return string(out)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left
	}
	s.mu.Lock()
	s.asked++
	var fault Fault
	if len(s.faults) > 0 {
		fault, s.faults = s.faults[0], s.faults[1:]
	}
	s.mu.Unlock()
	reply, err := s.answer(r.Context(), r.URL.Path, body)
	if err != nil {
		status := http.StatusBadRequest
		if e, ok := errors.AsType[*llm.StatusError](err); ok {
			status = e.Status
			if e.RetryAfter > 0 {
				w.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter.Round(time.Second)/time.Second)))
			}
		}
		refuse(w, status, err.Error(), "")
		return
	}
	if fault != nil {
		fault(w, reply)
		return
	}
	w.Header().Set("Content-Type", reply.Type)
	for _, piece := range reply.Pieces {
		if _, err := w.Write(piece); err != nil {
			return // the client left
		}
		_ = http.NewResponseController(w).Flush()
	}
}

func refuse(w http.ResponseWriter, status int, text, param string) {
	detail := object{"message": text}
	if param != "" {
		detail["param"] = param
	}
	body, _ := json.Marshal(object{"error": detail}) // texts can always be encoded
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client may have left
}

func (s *Server) answer(ctx context.Context, path string, body []byte) (Reply, error) {
	wire := s.format.wire()
	if vectors, ok, err := wire.embed(path, body); ok {
		return Reply{Type: "application/json", Pieces: [][]byte{vectors}}, err
	}
	asked, err := wire.read(path, body)
	if err != nil {
		return Reply{}, err
	}
	s.mu.Lock()
	req, ok := s.requests[promptKey(asked.req.Messages)]
	s.mu.Unlock()
	if !ok {
		req = asked.req
	}
	resp, err := s.model.Generate(ctx, req)
	if err != nil {
		return Reply{}, err
	}
	if !asked.stream {
		whole, err := wire.whole(asked, resp)
		return Reply{Type: "application/json", Pieces: [][]byte{whole}}, err
	}
	events, err := wire.events(asked, resp)
	for i, event := range events {
		events[i] = []byte("data: " + string(event) + "\n\n")
	}
	return Reply{Type: "text/event-stream", Pieces: events}, err
}

// split cuts a text into the pieces of a stream: a few runes each, or more for a long text.
func split(text string) []string {
	var pieces []string
	size := max(4, len([]rune(text))/200)
	var piece strings.Builder
	n := 0
	for _, r := range text {
		piece.WriteRune(r)
		if n++; n%size == 0 {
			pieces = append(pieces, piece.String())
			piece.Reset()
		}
	}
	if piece.Len() > 0 {
		pieces = append(pieces, piece.String())
	}
	return pieces
}
