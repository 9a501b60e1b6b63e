package openai_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sashabaranov/go-openai"

	wire "example.com/assay/serve/openai"
	"example.com/assay/serve/runs"
)

func clientOf(url, key string) *openai.Client {
	config := openai.DefaultConfig(key)
	config.BaseURL = url + "/v1"
	return openai.NewClientWithConfig(config)
}

func request(texts ...string) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: "parrot", Temperature: 0.5, MaxCompletionTokens: 100, N: 1, User: "u"}
	for i, text := range texts {
		role := openai.ChatMessageRoleUser
		if i%2 == 1 {
			role = openai.ChatMessageRoleAssistant
		}
		r.Messages = append(r.Messages, openai.ChatCompletionMessage{Role: role, Content: text})
	}
	return r
}

// received is the text of a stream, and its usage.
func received(t *testing.T, c *openai.Client, r openai.ChatCompletionRequest) (text string, usage *openai.Usage, err error) {
	t.Helper()
	r.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	stream, err := c.CreateChatCompletionStream(t.Context(), r)
	if err != nil {
		return "", nil, err
	}
	defer stream.Close()
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return text, usage, nil
		}
		if err != nil {
			return text, usage, err
		}
		for _, choice := range chunk.Choices {
			text += choice.Delta.Content
		}
		if chunk.Usage != nil {
			usage = chunk.Usage
		}
	}
}

// A client in Go lists models, gets answers whole and in pieces, and knows errors.
func TestClient(t *testing.T) {
	s := served(t, nil)
	c := clientOf(s.URL, token)
	models, err := c.ListModels(t.Context())
	if err != nil || len(models.Models) != 1 || models.Models[0].ID != "parrot" {
		t.Errorf("%+v, %v", models, err)
	}
	whole, err := c.CreateChatCompletion(t.Context(), request("spend"))
	if err != nil || len(whole.Choices) != 1 || whole.Choices[0].FinishReason != openai.FinishReasonStop || whole.Usage.TotalTokens != 14 {
		t.Fatalf("%+v, %v", whole, err)
	}
	text, usage, err := received(t, c, request("spend"))
	if err != nil || text != whole.Choices[0].Message.Content || usage == nil || usage.PromptTokens != 6 {
		t.Errorf("%q, %+v, %v", text, usage, err)
	}
	if text, _, err = received(t, c, request("spend", text, "two")); err != nil || text != "“Über” 2: TWO" {
		t.Errorf("%q, %v", text, err)
	}
	status := func(err error) int {
		e := (*openai.APIError)(nil)
		if !errors.As(err, &e) || e.Message == "" || e.Type == "" {
			t.Errorf("%T %v", err, err)
			return 0
		}
		return e.HTTPStatusCode
	}
	if _, err := clientOf(s.URL, "wrong").ListModels(t.Context()); status(err) != http.StatusUnauthorized {
		t.Error(err)
	}
	bad := request("hi")
	bad.Tools = []openai.Tool{{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{Name: "f"}}}
	if answer, err := c.CreateChatCompletion(t.Context(), bad); err != nil || answer.Choices[0].Message.Content != "“Über” 1: HI" {
		t.Errorf("with a tool that is not called: %+v, %v", answer, err)
	}
	bad.Messages[0].Role = "ghost"
	if _, err := c.CreateChatCompletion(t.Context(), bad); status(err) != http.StatusBadRequest {
		t.Error(err)
	}
	if _, _, err := received(t, c, request("fail")); err == nil || status(err) != 0 {
		t.Error(err)
	}
}

// A fork waits for the run on its thread, and does not know of it.
func TestForkOfBusyThread(t *testing.T) {
	s := served(t, nil)
	c := clientOf(s.URL, token)
	_, text := s.ask(talk{}.user("one"))
	answers := make(chan string, 2)
	ask := func(question string) {
		answer, err := c.CreateChatCompletion(t.Context(), request("one", text, question))
		if err != nil {
			answers <- err.Error()
			return
		}
		answers <- answer.Choices[0].Message.Content
	}
	go ask("wait")
	<-s.begun
	go ask("two")
	for _, waiting := s.runs.Counts(); waiting == 0 && len(answers) == 0; _, waiting = s.runs.Counts() {
		time.Sleep(time.Millisecond)
	}
	close(s.open)
	got := []string{<-answers, <-answers}
	slices.Sort(got)
	if !slices.Equal(got, []string{"“Über” 2: TWO", "“Über” 2: WAIT"}) {
		t.Errorf("%q", got)
	}
	threads, err := s.runs.Space("ann").Find(t.Context(), runs.ThreadQuery{})
	if err != nil || len(threads) != 1 {
		t.Errorf("%d threads, %v", len(threads), err)
	}
}

// A stream that waits shows that it lives. A server that stops says so.
func TestClosing(t *testing.T) {
	s := served(t, nil)
	h := wire.Handler(wire.Options{Space: func(*http.Request) *runs.Space { return s.runs.Space("ann") }, Heartbeat: 5 * time.Millisecond})
	w := &beats{head: http.Header{}, alive: make(chan struct{}, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://127.0.0.1/v1/chat/completions", strings.NewReader(`{"model":"parrot","stream":true,"messages":[{"role":"user","content":"wait"}]}`))
		if err != nil {
			t.Error(err)
			return
		}
		h.ServeHTTP(w, r)
	}()
	<-s.begun
	<-w.alive
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		s.runs.Close(t.Context())
	}()
	<-done
	if w.last != `data: {"error":{"code":null,"message":"the server is stopping","param":null,"type":"server_error"}}`+"\n\n" {
		t.Errorf("the stream ends with %q", w.last)
	}
	<-closed
}

// beats notes what is written last, and that there was a heartbeat.
type beats struct {
	head  http.Header
	last  string
	alive chan struct{}
}

func (b *beats) Header() http.Header { return b.head }
func (b *beats) WriteHeader(int)     {}
func (b *beats) Flush()              {}
func (b *beats) Write(data []byte) (int, error) {
	if b.last = string(data); b.last == ": heartbeat\n\n" {
		select {
		case b.alive <- struct{}{}:
		default:
		}
	}
	return len(data), nil
}
