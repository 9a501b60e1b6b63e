package openai

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"sync"

	"github.com/sashabaranov/go-openai"

	"example.com/assay/llm/internal/wire"
)

// DefaultBaseURL is OpenAI's own server. OllamaBaseURL is an Ollama server on this machine.
const (
	DefaultBaseURL = "https://api.openai.com/v1"
	OllamaBaseURL  = "http://localhost:11434/v1"
)

// Options configure a server. Nil and the zero value mean OpenAI's own server without a key.
type Options struct {
	// Key is sent as a bearer token, unless it is empty. A key of 8 bytes or more is a secret and
	// is cut out of everything that the server returns.
	Key string
	// BaseURL ends before "/chat/completions" and "/embeddings". Default
	// DefaultBaseURL.
	BaseURL string
	// Provider is the provider's name in errors and responses. Default "openai".
	Provider string
	// Reasoning sends a model's reasoning back with its messages, under reasoning_content. Some
	// servers require it between calls of tools, others refuse it. Default: it is left out.
	Reasoning bool
	// Transport carries the calls. Default http.DefaultTransport.
	Transport http.RoundTripper
}

// Capability is the strictest response format that a server supports.
type Capability string

const (
	Unknown    Capability = ""            // no answer has shown it yet
	JSONSchema Capability = "json_schema" // it makes answers fit a schema
	JSONObject Capability = "json_object" // it makes answers JSON
	PromptOnly Capability = "prompt"      // the prompt must ask for JSON
)

// A Server provides models. For all of them it remembers which response format the server supports.
// It is safe for concurrent use.
type Server struct {
	provider string
	// The library drops a temperature of 0 from a request, and the server would use its default;
	// cold adds it again.
	cold, plain *openai.Client

	reasoning bool // see Options

	host string // of the base URL, unless that is the default

	mu         sync.Mutex
	capability Capability
	counting   counting
}

// NewServer returns a server. It makes no call. It returns an error for an invalid key or address.
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
	transport := &wire.Transport{Provider: o.Provider, Base: o.Transport, Secrets: []string{o.Key}, Event: event, Rewrite: named}
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
	return &Server{provider: o.Provider, cold: client(true), plain: client(false), host: host, reasoning: o.Reasoning}, nil
}

// Capability returns the known capability of the server.
func (s *Server) Capability() Capability {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.capability
}

// found records the format that produced JSON. The first one stays: concurrent first calls each
// find out for themselves.
func (s *Server) found(c Capability) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.capability == Unknown {
		s.capability = c
	}
}

var otherName = regexp.MustCompile(`"reasoning"\s*:\s*"`)

// named gives reasoning the name that the library knows: some servers call it "reasoning". Within
// a JSON string the quotes of such a text have a backslash, so only names match.
func named(data []byte) []byte {
	return otherName.ReplaceAllLiteral(data, []byte(`"reasoning_content":"`))
}
