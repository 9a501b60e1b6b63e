package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"example.com/assay/graph"
	saver "example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/store"
	rows "example.com/assay/graph/store/memory"
	"example.com/assay/nodes/conversation"
	"example.com/assay/serve"
	"example.com/assay/serve/runs"
	"example.com/assay/state/message"
)

const token = "the-token-of-ann"

type said struct {
	Text string `json:"text"`
	Turn int    `json:"turn"`
}

// A parrot is a pipeline that says what it hears, cites it, and counts the turns. Some
// words make it fail, ask, wait or spend.
type parrot struct {
	begun chan struct{} // gets one when a turn waits
	open  chan struct{} // closed when waiting turns may end
	voice atomic.Value  // what the last run has chosen: a string
}

func (p *parrot) answer(ctx context.Context, text string) (string, error) {
	switch {
	case strings.HasPrefix(text, "fail"):
		return "", errors.New("it fails")
	case strings.HasPrefix(text, "ask"):
		who, err := graph.Interrupt[string](ctx, "who", "Who is it?")
		return "it is " + who, err
	case strings.HasPrefix(text, "wait"):
		p.begun <- struct{}{}
		select {
		case <-p.open:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	case strings.HasPrefix(text, "long"):
		return strings.Repeat("ä long answer. ", 1000), nil
	case strings.HasPrefix(text, "spend"):
		for _, model := range []string{"m", "offline", "m"} {
			if err := graph.Emit(ctx, "model_call", json.RawMessage(`{"model":"`+model+`","usage":{"input_tokens":3,"output_tokens":4}}`)); err != nil {
				return "", err
			}
		}
	}
	return strings.ToUpper(text), nil
}

func (p *parrot) graph(t testing.TB) serve.Graph {
	t.Helper()
	text := graph.LastValue("text", func(s *said) *string { return &s.Text })
	turn := graph.LastValue("turn", func(s *said) *int { return &s.Turn })
	g := graph.NewStateGraph(text, turn)
	g.AddNode("say", func(ctx context.Context, s said) (graph.Update[said], error) {
		answer, err := p.answer(ctx, s.Text)
		return graph.Update[said]{text.Set(answer)}, err
	})
	g.AddEdge(graph.Start, "say")
	inner, err := g.Compile(&graph.CompileOptions{Name: "parrot"})
	if err != nil {
		t.Fatal(err)
	}
	chat, err := conversation.Graph("parrot", conversation.Pipeline[said]{
		Graph: inner,
		Ask: func(heard conversation.Turn) graph.Update[said] {
			return graph.Update[said]{text.Set(heard.Text), turn.Set(len(heard.Earlier) + 1)}
		},
		Reply: func(s said) conversation.Reply {
			before := fmt.Sprintf("“Über” %d: ", s.Turn)
			return conversation.Reply{Text: before + s.Text, Earlier: json.RawMessage(`{}`), Citations: []message.Citation{
				{Type: "citation", StartIndex: utf8.RuneCountInString(before), EndIndex: utf8.RuneCountInString(before + s.Text), CitedText: s.Text, Doc: "d1", Path: "a/b.md", Start: 7, End: 9},
			}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	registered := serve.Register("parrot", chat, nil)
	registered.Settings = []runs.Setting{{Name: "voice"}}
	registered.Open = func(_ context.Context, _ string, r runs.Run) (runs.Opening, error) {
		p.voice.Store(string(r.Spec.Settings["voice"]))
		return runs.Opening{App: chat.App()}, nil
	}
	return registered
}

// counter is a graph that holds no conversation.
func counter(t testing.TB) serve.Graph {
	n := graph.LastValue("n", func(s *said) *int { return &s.Turn })
	g := graph.NewStateGraph(n)
	g.AddNode("add", func(context.Context, said) (graph.Update[said], error) { return nil, nil })
	g.AddEdge(graph.Start, "add")
	app, err := g.Compile(&graph.CompileOptions{Name: "counter"})
	if err != nil {
		t.Fatal(err)
	}
	return serve.Register("counter", app, nil)
}

// A server is one for tests, with what it keeps.
type server struct {
	*httptest.Server
	*parrot
	runs  *runs.Manager
	store store.Store
	t     testing.TB
}

func served(t testing.TB, change func(*serve.Options)) *server {
	t.Helper()
	ctx := context.Background()
	kept, err := rows.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	log, err := eventlog.OpenFile(ctx, filepath.Join(t.TempDir(), "events.db"))
	if err != nil {
		t.Fatal(err)
	}
	p := &parrot{begun: make(chan struct{}, 10), open: make(chan struct{})}
	o := serve.Options{
		Graphs: []serve.Graph{p.graph(t), counter(t)}, Checkpointer: saver.New(), Store: kept, Log: log,
		Tenants: []serve.Tenant{{Name: "ann", Token: token}, {Name: "bob", Token: "the-token-of-bob"}},
		Runs:    runs.Options{Warn: func(err error) { t.Error(err) }},
	}
	if change != nil {
		change(&o)
	}
	s, err := serve.New(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
		stop, done := context.WithTimeout(ctx, 10*time.Second)
		defer done()
		s.Close(stop)
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
	return &server{h, p, s.Runs(), kept, t}
}

// call makes a request.
func (s *server) call(method, path, body string, header ...string) (int, string, http.Header) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, string(data), answer.Header
}

// A completion is an answer as the tests read it.
type completion struct {
	ID      string
	Object  string
	Model   string
	Choices []struct {
		Message struct {
			Role        string
			Content     string
			Annotations []annotation
		}
		FinishReason string `json:"finish_reason"`
	}
	Usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
	}
	Assay about
	Error map[string]any
}

type annotation struct {
	Type string
	URL  struct {
		Start int `json:"start_index"`
		End   int `json:"end_index"`
		URL   string
		Title string
	} `json:"url_citation"`
	Assay struct {
		CitedText string `json:"cited_text"`
		Doc, Path string
		Start     int
		End       int
	}
}

type about struct {
	Thread     string `json:"thread_id"`
	Run        string `json:"run_id"`
	Interrupts []struct {
		ID    string
		Value string
	}
}

// A talk is a conversation as a client keeps it.
type talk []map[string]string

func (c talk) user(text string) talk {
	return append(c[:len(c):len(c)], map[string]string{"role": "user", "content": text})
}

func (c talk) assistant(text string) talk {
	return append(c[:len(c):len(c)], map[string]string{"role": "assistant", "content": text})
}

// ask asks for the answer to a conversation.
func (s *server) ask(c talk, header ...string) (completion, string) {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"model": "parrot", "messages": c})
	if err != nil {
		s.t.Fatal(err)
	}
	status, data, _ := s.call("POST", "/v1/chat/completions", string(body), header...)
	var out completion
	if err := json.Unmarshal([]byte(data), &out); err != nil || status != http.StatusOK || len(out.Choices) != 1 {
		s.t.Fatalf("%d %s", status, data)
	}
	return out, out.Choices[0].Message.Content
}

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	return ctx, stop
}
