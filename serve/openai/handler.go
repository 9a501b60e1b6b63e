package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/runs"
)

// Options configure a handler.
type Options struct {
	// Space returns the space of a request's caller.
	Space func(*http.Request) *runs.Space
	// Heartbeat is how often a silent stream sends a comment. Default: 15 seconds.
	Heartbeat time.Duration
	// Strict refuses requests with a field that has no effect. Default: the answer names it.
	Strict bool
}

// A call is one request.
type call struct {
	Options
	*runs.Space
	w http.ResponseWriter
	r *http.Request
}

// Handler returns the handler for all paths below /v1/.
func Handler(o Options) http.Handler {
	if o.Heartbeat <= 0 {
		o.Heartbeat = 15 * time.Second
	}
	mux := http.NewServeMux()
	for pattern, serve := range map[string]func(*call) error{
		"POST /v1/chat/completions": (*call).complete,
		"GET /v1/models":            (*call).listModels,
		"GET /v1/models/{model}":    (*call).getModel,

		"POST /v1/responses":                       (*call).respond,
		"GET /v1/responses/{response}":             stored((*call).getResponse),
		"DELETE /v1/responses/{response}":          stored((*call).deleteResponse),
		"POST /v1/responses/{response}/cancel":     stored((*call).cancelResponse),
		"GET /v1/responses/{response}/input_items": stored((*call).inputItems),
		"/v1/": (*call).nowhere,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			c := &call{o, o.Space(r), w, r}
			if err := serve(c); err != nil && r.Context().Err() == nil {
				refusal.Later(w.Header(), err)
				send(w, failureOf(err))
			}
		})
	}
	return mux
}

func (c *call) ctx() context.Context { return c.r.Context() }

// nowhere answers requests for unknown paths.
func (c *call) nowhere() error {
	return &failure{Status: http.StatusNotFound, Message: "there is no " + c.r.Method + " " + c.r.URL.Path + " here: see docs/serving.md", Code: "unknown_url"}
}

// modelJSON is a model as clients read it.
type modelJSON struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"` // unknown: 0
	Owner   string `json:"owned_by"`
}

func modelOf(g runs.Graph) modelJSON { return modelJSON{ID: g.Name, Object: "model", Owner: "assay"} }

// models returns the graphs that hold a conversation.
func (c *call) models() []runs.Graph {
	return slices.DeleteFunc(c.Graphs(), func(g runs.Graph) bool { return !g.Converses() })
}

func (c *call) model(name string) (runs.Graph, error) {
	var names []string
	for _, g := range c.models() {
		if g.Name == name {
			return g, nil
		}
		names = append(names, g.Name)
	}
	return runs.Graph{}, &failure{Status: http.StatusNotFound, Message: "there is no model " + quoted(name) + "; there are: " + strings.Join(names, ", "), Param: "model", Code: "model_not_found"}
}

func (c *call) listModels() error {
	list := []modelJSON{}
	for _, g := range c.models() {
		list = append(list, modelOf(g))
	}
	reply(c.w, http.StatusOK, map[string]any{"object": "list", "data": list})
	return nil
}

func (c *call) getModel() error {
	g, err := c.model(c.r.PathValue("model"))
	if err == nil {
		reply(c.w, http.StatusOK, modelOf(g))
	}
	return err
}

func reply(w http.ResponseWriter, status int, v any) {
	data, _ := json.Marshal(v) // a value of ours can always be encoded
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data) // the caller has left
}
