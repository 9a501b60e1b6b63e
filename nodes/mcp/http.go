package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// over makes the transport to a server's address. Its requests end with life.
func over(life context.Context, s Server, report func(error)) sdk.Transport {
	base := http.DefaultTransport.(*http.Transport).Clone() // the standard library sets it to this type
	client := &http.Client{
		Transport: sending(func(req *http.Request) (*http.Response, error) {
			ctx, cancel := context.WithCancel(req.Context())
			stop := context.AfterFunc(life, cancel)
			end := func() { stop(); cancel() }
			if req.Method == http.MethodDelete { // ends the session; wait for it only briefly
				timer := time.AfterFunc(grace, cancel)
				end = func() { timer.Stop(); stop(); cancel() }
			}
			req = req.Clone(ctx)
			for name, values := range s.Header {
				req.Header[name] = values
			}
			resp, err := base.RoundTrip(req)
			if err != nil {
				end()
				return nil, err
			}
			if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
				report(fmt.Errorf("it refuses this program (HTTP status %d): give it a header with a key that it accepts", resp.StatusCode))
			}
			events := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
			resp.Body = &body{&guard{ReadCloser: resp.Body, byLine: events, report: report}, end}
			return resp, nil
		}),
		CheckRedirect: func(*http.Request, []*http.Request) error {
			err := errors.New("it redirects to another address: write that one")
			report(err)
			return err
		},
	}
	return &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: maxBytes}
}

// sending is a function that sends requests.
type sending func(*http.Request) (*http.Response, error)

// RoundTrip sends a request.
func (s sending) RoundTrip(req *http.Request) (*http.Response, error) { return s(req) }

// A body ends its request when it is closed.
type body struct {
	*guard
	end func()
}

// Close closes the body.
func (b *body) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
