package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"google.golang.org/genai"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// DefaultBaseURL is the server of the Gemini API. VertexBaseURL is the server of Vertex in the
// location "global".
const (
	DefaultBaseURL = "https://generativelanguage.googleapis.com/"
	VertexBaseURL  = "https://aiplatform.googleapis.com/"
)

// Options configure access to Gemini. Key is required; on Vertex, Credentials may replace it.
type Options struct {
	// Key is the API key; on Vertex it is a key for express mode.
	Key string
	// BaseURL ends before the API's version. Default: DefaultBaseURL, or on Vertex the server for
	// Location.
	BaseURL string
	// Vertex speaks Vertex's API instead of the Gemini API.
	Vertex bool
	// Credentials, Project and Location are for Vertex without a key. Location defaults to
	// "global".
	Credentials *Credentials
	Project     string
	Location    string
	// Thoughts asks for summaries of the model's thoughts, as the response's Reasoning. Models
	// that do not think refuse it. Default: none.
	Thoughts bool
	// Transport carries the calls. Default http.DefaultTransport.
	Transport http.RoundTripper
}

// newClient returns the library's client. It makes no call.
func newClient(ctx context.Context, model string, opts *Options) (*genai.Client, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.Credentials != nil && o.Location == "" {
		o.Location = "global"
	}
	if o.BaseURL == "" {
		o.BaseURL = o.server()
	}
	if err := errors.Join(checkName(model), o.check(), wire.CheckKey(o.Key), wire.CheckBaseURL(o.BaseURL)); err != nil {
		return nil, fmt.Errorf("setting up %s: %w", Provider, err)
	}
	transport := &wire.Transport{Provider: Provider, Base: o.Transport, Secrets: []string{o.Key}, Event: event}
	config := &genai.ClientConfig{
		APIKey: o.Key, Backend: genai.BackendGeminiAPI, HTTPClient: &http.Client{Transport: transport},
		HTTPOptions: genai.HTTPOptions{BaseURL: strings.TrimRight(o.BaseURL, "/") + "/"},
	}
	if o.Vertex {
		config.Backend = genai.BackendVertexAI
	}
	if c := o.Credentials; c != nil {
		config.Project, config.Location = o.Project, o.Location
		transport.Token = c.token
		if c.quotaProject != "" {
			config.HTTPOptions.Headers = http.Header{"X-Goog-User-Project": {c.quotaProject}}
		}
	}
	client, err := genai.NewClient(ctx, config)
	if err != nil { // the library's message would show the key
		return nil, fmt.Errorf("setting up %s: the library refused the settings; check the key and the base URL", Provider)
	}
	return client, nil
}

// server is the default address for the other settings.
func (o *Options) server() string {
	switch {
	case !o.Vertex:
		return DefaultBaseURL
	case o.Location == "" || o.Location == "global":
		return VertexBaseURL
	case o.Location == "us" || o.Location == "eu":
		return "https://aiplatform." + o.Location + ".rep.googleapis.com/"
	}
	return "https://" + o.Location + "-aiplatform.googleapis.com/"
}

// host is the server's host, or "" for the default server.
func (o *Options) host() string {
	base, err := url.Parse(o.BaseURL)
	if err != nil || strings.TrimRight(o.BaseURL, "/")+"/" == o.server() {
		return ""
	}
	return base.Host
}

func (o *Options) check() error {
	switch {
	case !o.Vertex && (o.Credentials != nil || o.Project != "" || o.Location != ""):
		return errors.New("credentials, project and location are for Vertex")
	case o.Vertex && o.Credentials != nil && o.Key != "":
		return errors.New("there are a key and credentials: give one of both")
	case o.Credentials != nil && (!plain(o.Project) || !plain(o.Location)):
		return fmt.Errorf("the project is %q and the location %q: both are needed, in letters, digits and . : -", llm.Cut(o.Project, 100), llm.Cut(o.Location, 100))
	case o.Credentials == nil && (o.Project != "" || o.Location != ""):
		return errors.New("a project and a location need credentials, such as those of gcloud auth application-default login")
	case o.Credentials == nil && o.Key == "":
		return errors.New("there is no key: make one at https://aistudio.google.com/apikey")
	}
	return nil
}

// plain reports whether a text can be part of an address unchanged.
func plain(text string) bool {
	for _, r := range text {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(".:-", r) {
			return false
		}
	}
	return text != "" && !strings.Contains(text, "..")
}

// checkName refuses a name that would change the call's address.
func checkName(name string) error {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-/@", r) {
			return fmt.Errorf("the model's name %q may hold letters, digits and . _ - / @ only", llm.Cut(name, 100))
		}
	}
	if name == "" || strings.Contains(name, "..") || strings.HasPrefix(name, "/") {
		return fmt.Errorf("the model's name is %q: it must be one such as gemini-2.5-flash", llm.Cut(name, 100))
	}
	return nil
}

// event judges an event of a stream. An answer is complete with its finish reason; a blocked prompt
// has none.
func event(data []byte) (wire.Verdict, error) {
	var chunk struct {
		Candidates []struct {
			FinishReason string `json:"finishReason"`
		} `json:"candidates"`
		PromptFeedback struct {
			BlockReason string `json:"blockReason"`
		} `json:"promptFeedback"`
	}
	if json.Unmarshal(data, &chunk) != nil {
		return wire.More, nil // the library reports the error
	}
	if chunk.PromptFeedback.BlockReason != "" {
		return wire.Whole, nil
	}
	for _, c := range chunk.Candidates {
		if c.FinishReason != "" {
			return wire.Whole, nil
		}
	}
	return wire.More, nil
}
