package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.com/assay/llm"
)

// A Format is a provider's wire format.
type Format string

const (
	OpenAI Format = "openai" // POST …/chat/completions
	Gemini Format = "gemini" // POST …/models/NAME:generateContent
)

// A Server is a loopback server that speaks a provider's wire format and
// answers with a model. As a wire carries prompts and no skills, the server
// must be told what each prompt was rendered from: Wrap does that.
//
// It answers whole and streams nothing; an error of its model is status 400.
type Server struct {
	*httptest.Server
	format Format
	model  llm.Model

	mu       sync.Mutex
	requests map[string]llm.Request // by what the user and the assistant said
}

// NewServer starts a server that ends with the test.
func NewServer(t testing.TB, format Format, m llm.Model) *Server {
	t.Helper()
	s := &Server{format: format, model: m, requests: map[string]llm.Request{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// Wrap returns a model that tells the server of each request before m makes
// it. m is a provider's model that asks this server.
func (s *Server) Wrap(m llm.Model) llm.Model { return telling{s, m} }

type telling struct {
	server *Server
	model  llm.Model
}

func (t telling) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	t.server.mu.Lock()
	t.server.requests[promptKey(req.Messages)] = req
	t.server.mu.Unlock()
	return t.model.Generate(ctx, req)
}

// promptKey leaves out the system's messages, which a provider may extend.
func promptKey(messages []llm.Message) string {
	var b strings.Builder
	for _, m := range messages {
		if m.Role != llm.System && m.Text != "" {
			fmt.Fprintf(&b, "%s\x00%s\x00", m.Role, m.Text)
		}
	}
	return b.String()
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		var answer []byte
		if answer, err = s.answer(r.Context(), r.URL.Path, body); err == nil {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(answer) // a client that left is its own test's matter
			return
		}
	}
	message, _ := json.Marshal(err.Error())
	http.Error(w, fmt.Sprintf(`{"error":{"message":%s}}`, message), http.StatusBadRequest)
}

func (s *Server) answer(ctx context.Context, path string, body []byte) ([]byte, error) {
	name, messages, err := s.format.read(path, body)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	req, ok := s.requests[promptKey(messages)]
	s.mu.Unlock()
	if !ok {
		return nil, errors.New("the server was not told of this prompt: ask through Server.Wrap")
	}
	resp, err := s.model.Generate(ctx, req)
	if err != nil {
		return nil, err
	}
	return s.format.write(name, resp)
}

// turn is a message in Gemini's format.
type turn struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

type part struct {
	Text string `json:"text"`
}

func (f Format) read(path string, body []byte) (name string, messages []llm.Message, err error) {
	if f == Gemini {
		_, file, _ := strings.Cut(path, "/models/")
		var in struct {
			Contents []turn `json:"contents"`
		}
		if err := json.Unmarshal(body, &in); err != nil {
			return "", nil, err
		}
		for _, t := range in.Contents {
			role := llm.User
			if t.Role == "model" {
				role = llm.Assistant
			}
			for _, p := range t.Parts {
				messages = append(messages, llm.Message{Role: role, Text: p.Text})
			}
		}
		name, ok := strings.CutSuffix(file, ":generateContent")
		if !ok {
			return "", nil, fmt.Errorf("no such path: %s", path)
		}
		return name, messages, nil
	}
	var in struct {
		Model    string `json:"model"`
		Messages []struct {
			Role    llm.Role `json:"role"`
			Content string   `json:"content"`
		} `json:"messages"`
	}
	if !strings.HasSuffix(path, "/chat/completions") {
		return "", nil, fmt.Errorf("no such path: %s", path)
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return "", nil, err
	}
	for _, m := range in.Messages {
		messages = append(messages, llm.Message{Role: m.Role, Text: m.Content})
	}
	return in.Model, messages, nil
}

func (f Format) write(name string, resp llm.Response) ([]byte, error) {
	if f == Gemini {
		type candidate struct {
			Content      turn   `json:"content"`
			FinishReason string `json:"finishReason"`
		}
		return json.Marshal(struct {
			Candidates   []candidate    `json:"candidates"`
			Usage        map[string]int `json:"usageMetadata"`
			ModelVersion string         `json:"modelVersion"`
		}{
			[]candidate{{turn{"model", []part{{resp.Text}}}, "STOP"}},
			map[string]int{"promptTokenCount": resp.Usage.InputTokens, "candidatesTokenCount": resp.Usage.OutputTokens}, name,
		})
	}
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	type choice struct {
		Message      message `json:"message"`
		FinishReason string  `json:"finish_reason"`
	}
	return json.Marshal(struct {
		Model   string         `json:"model"`
		Choices []choice       `json:"choices"`
		Usage   map[string]int `json:"usage"`
	}{name, []choice{{message{"assistant", resp.Text}, "stop"}}, map[string]int{"prompt_tokens": resp.Usage.InputTokens, "completion_tokens": resp.Usage.OutputTokens}})
}
