package openai

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"github.com/sashabaranov/go-openai"

	"example.com/assay/llm/internal/wire"
)

// DefaultBaseURL is OpenAI's own server; OllamaBaseURL that of an Ollama on
// this machine.
const (
	DefaultBaseURL = "https://api.openai.com/v1"
	OllamaBaseURL  = "http://localhost:11434/v1"
)

// Options says where a server is. Nil and the zero value mean OpenAI's own
// server without a key.
type Options struct {
	// Key is sent as a bearer token; empty sends none. A key of 8 bytes or
	// more is a secret and is cut out of all that the server says.
	Key string
	// BaseURL ends before "/chat/completions" and "/embeddings". Default
	// DefaultBaseURL.
	BaseURL string
	// Provider is the name in errors and in responses. Default "openai".
	Provider string
	// Transport carries the calls. Default http.DefaultTransport.
	Transport http.RoundTripper
}

// Capability is how a server can be made to answer in JSON.
type Capability string

const (
	Unknown    Capability = ""            // no answer has told yet
	JSONSchema Capability = "json_schema" // it holds answers to a schema
	JSONObject Capability = "json_object" // it holds answers to JSON
	PromptOnly Capability = "prompt"      // it must be asked for JSON in words
)

// A Server is where models are asked. It remembers, for all its models, which
// response format the server understands. It is safe for concurrent use.
type Server struct {
	provider string
	// The library leaves a temperature of 0 out of a request, so that the
	// server's default would hold; cold puts it back.
	cold, plain *openai.Client

	host string // of the base URL, unless that is the default

	mu         sync.Mutex
	capability Capability
	counting   counting
}

// NewServer returns the server at the options' address. It makes no call.
// Errors are those of a key or an address that cannot be used.
func NewServer(opts *Options) (*Server, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if o.Provider == "" {
		o.Provider = "openai"
	}
	if err := errors.Join(wire.CheckKey(o.Key), wire.CheckBaseURL(o.BaseURL)); err != nil {
		return nil, fmt.Errorf("setting up %s: %w", o.Provider, err)
	}
	transport := &wire.Transport{Provider: o.Provider, Base: o.Transport, Secrets: []string{o.Key}, Event: event}
	client := func(zero bool) *openai.Client {
		config := openai.DefaultConfig(o.Key)
		config.BaseURL = o.BaseURL
		config.HTTPClient = &http.Client{Transport: transport}
		if zero {
			config.HTTPClient = &http.Client{Transport: zeroTemperature{transport}}
		}
		return openai.NewClientWithConfig(config)
	}
	host := ""
	if base, err := url.Parse(o.BaseURL); err == nil && o.BaseURL != DefaultBaseURL {
		host = base.Host
	}
	return &Server{provider: o.Provider, cold: client(true), plain: client(false), host: host}, nil
}

// Capability returns what is known of the server so far.
func (s *Server) Capability() Capability {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.capability
}

// found remembers the format that brought JSON. The first one stays: of
// concurrent first calls each finds out for itself.
func (s *Server) found(c Capability) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.capability == Unknown {
		s.capability = c
	}
}
