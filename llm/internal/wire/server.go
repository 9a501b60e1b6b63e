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

// A Server is asked in JSON, without a client library. It is safe for concurrent
// use.
type Server struct {
	provider, key string
	client        *http.Client
}

// NewServer returns a server by its name in errors. The key is sent as a bearer
// token, and cut out of all that comes back; empty sends none. A nil base is
// http.DefaultTransport.
func NewServer(provider, key string, base http.RoundTripper) *Server {
	transport := &Transport{Provider: provider, Base: base, Secrets: []string{key}}
	return &Server{provider, key, &http.Client{Transport: transport}}
}

// Post sends a body as JSON and returns the answer, which is JSON. Errors are
// those of ctx (its cause), *llm.StatusError, *llm.ConnectionError and
// *llm.ResponseError.
func (s *Server) Post(ctx context.Context, url string, body any) ([]byte, error) {
	data, err := plainjson.Encode(body)
	if err != nil {
		return nil, fmt.Errorf("encoding a request to the %s: %w", s.provider, err)
	}
	return s.send(ctx, http.MethodPost, url, data)
}

// Get asks for what is at an address, as Post does.
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
		return nil, &llm.ConnectionError{Provider: s.provider, Err: errors.New("the request failed")} // the client's own words may hold what was sent
	}
	defer func() { _ = resp.Body.Close() }() // it was read to its end below the client
	return io.ReadAll(resp.Body)
}
