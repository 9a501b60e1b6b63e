package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"example.com/assay/internal/plainjson"
	"example.com/assay/llm"
)

// A Server is asked in JSON without a client library. It is safe for concurrent use.
type Server struct {
	provider, key string
	client        *http.Client
}

// NewServer returns a server. Provider is its name in errors. The key is sent as a bearer token
// unless it is empty, and cut out of everything that comes back. A nil base is
// http.DefaultTransport.
func NewServer(provider, key string, base http.RoundTripper) *Server {
	transport := &Transport{Provider: provider, Base: base, Secrets: []string{key}}
	return &Server{provider, key, &http.Client{Transport: transport}}
}

// Post sends a body as JSON and returns the answer, which is JSON. It returns the cause of ctx,
// *llm.StatusError, *llm.ConnectionError or *llm.ResponseError.
func (s *Server) Post(ctx context.Context, url string, body any) ([]byte, error) {
	data, err := plainjson.Encode(body)
	if err != nil {
		return nil, fmt.Errorf("encoding a request to the %s: %w", s.provider, err)
	}
	return s.send(ctx, http.MethodPost, url, data)
}

// Get requests an address, under the rules of Post.
func (s *Server) Get(ctx context.Context, url string) ([]byte, error) {
	return s.send(ctx, http.MethodGet, url, nil)
}

func (s *Server) send(ctx context.Context, method, url string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("making a request to the %s: %w", s.provider, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	if s.key != "" {
		req.Header.Set("Authorization", "Bearer "+s.key)
	}
	resp, err := s.client.Do(req)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	default:
		if plain, ok := Plain(err); ok {
			return nil, plain
		}
		return nil, &llm.ConnectionError{Provider: s.provider, Err: errors.New("the request failed")} // the client's error may quote the request
	}
	defer func() { _ = resp.Body.Close() }() // Transport has read it to the end
	return io.ReadAll(resp.Body)
}
