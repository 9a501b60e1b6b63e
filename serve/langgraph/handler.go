package langgraph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/assay/graph/store"
	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/runs"
)

// Options configure a handler.
type Options struct {
	// Space returns the space of a request's caller. Its error is answered with status 401.
	Space func(*http.Request) (*runs.Space, error)
	// Items returns the long-term memory of a caller. Default: requests for it are refused.
	Items func(*http.Request) store.Store
	// Version is the version that /info reports.
	Version string
	// Strict refuses what the server does not know, with status 422: fields of a request, channels
	// of an input, settings. Default: they are kept with the run, as in LangGraph's server.
	Strict bool
	// Heartbeat is how often a silent stream sends a comment. Default: 5 seconds.
	Heartbeat time.Duration
}

type server struct {
	Options
}

// A call is one request.
type call struct {
	*server
	*runs.Space
	w http.ResponseWriter
	r *http.Request
}

// Handler returns the handler for all paths of the protocol.
func Handler(o Options) http.Handler {
	if o.Heartbeat <= 0 {
		o.Heartbeat = 5 * time.Second
	}
	s := &server{o}
	mux := http.NewServeMux()
	for pattern, serve := range map[string]handler{
		"GET /ok":   (*call).ok,
		"GET /info": (*call).info,

		"POST /assistants":                             (*call).createAssistant,
		"POST /assistants/search":                      (*call).searchAssistants,
		"POST /assistants/count":                       (*call).countAssistants,
		"GET /assistants/{assistant}":                  (*call).getAssistant,
		"PATCH /assistants/{assistant}":                (*call).patchAssistant,
		"DELETE /assistants/{assistant}":               (*call).deleteAssistant,
		"POST /assistants/{assistant}/latest":          (*call).latestAssistant,
		"POST /assistants/{assistant}/versions":        (*call).assistantVersions,
		"GET /assistants/{assistant}/graph":            (*call).assistantGraph,
		"GET /assistants/{assistant}/schemas":          (*call).assistantSchemas,
		"GET /assistants/{assistant}/subgraphs":        (*call).assistantSubgraphs,
		"GET /assistants/{assistant}/subgraphs/{node}": (*call).assistantSubgraphs,

		"POST /threads":                            (*call).createThread,
		"POST /threads/search":                     (*call).searchThreads,
		"POST /threads/prune":                      (*call).pruneThreads,
		"POST /threads/count":                      (*call).countThreads,
		"GET /threads/{thread}":                    (*call).getThread,
		"PATCH /threads/{thread}":                  (*call).patchThread,
		"DELETE /threads/{thread}":                 (*call).deleteThread,
		"POST /threads/{thread}/copy":              (*call).copyThread,
		"GET /threads/{thread}/state":              (*call).getState,
		"POST /threads/{thread}/state":             (*call).updateState,
		"GET /threads/{thread}/state/{checkpoint}": (*call).getState,
		"POST /threads/{thread}/state/checkpoint":  (*call).stateAtCheckpoint,
		"GET /threads/{thread}/history":            (*call).getHistory,
		"POST /threads/{thread}/history":           (*call).postHistory,

		"GET /threads/{thread}/runs":               (*call).listRuns,
		"POST /threads/{thread}/runs":              (*call).createRun,
		"POST /threads/{thread}/runs/stream":       (*call).streamRun,
		"POST /threads/{thread}/runs/wait":         (*call).waitRun,
		"GET /threads/{thread}/runs/{run}":         (*call).getRun,
		"DELETE /threads/{thread}/runs/{run}":      (*call).deleteRun,
		"GET /threads/{thread}/runs/{run}/join":    (*call).joinRun,
		"GET /threads/{thread}/runs/{run}/stream":  (*call).joinStream,
		"POST /threads/{thread}/runs/{run}/cancel": (*call).cancelRun,
		"POST /threads/{thread}/commands":          (*call).command,
		"POST /threads/{thread}/stream/events":     (*call).streamEvents,
		"GET /threads/{thread}/stream":             (*call).joinThread,
		"POST /runs":                               (*call).createRun,
		"POST /runs/stream":                        (*call).streamRun,
		"POST /runs/wait":                          (*call).waitRun,
		"POST /runs/batch":                         (*call).createRuns,
		"POST /runs/cancel":                        (*call).cancelRuns,
		"POST /threads/{thread}/runs/crons":        (*call).createCron,
		"POST /runs/crons":                         (*call).createCron,
		"POST /runs/crons/search":                  (*call).searchCrons,
		"POST /runs/crons/count":                   (*call).countCrons,
		"PATCH /runs/crons/{cron}":                 (*call).patchCron,
		"DELETE /runs/crons/{cron}":                (*call).deleteCron,
		"GET /runs/{run}/stream":                   (*call).joinStream,

		"PUT /store/items":         (*call).putItem,
		"GET /store/items":         (*call).getItem,
		"DELETE /store/items":      (*call).deleteItem,
		"POST /store/items/search": (*call).searchItems,
		"POST /store/namespaces":   (*call).listNamespaces,
	} {
		mux.HandleFunc(pattern, s.handle(serve))
	}
	return mux
}

// A handler serves a request. It returns the answer, as JSON: see [status] and [call.send]. Nil
// means that the handler has answered itself.
type handler func(*call) (any, error)

// A status is an answer without a body.
type status int

func (s *server) handle(serve handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &call{server: s, w: w, r: r}
		var err error
		if c.Space, err = s.Space(r); err != nil {
			c.fail(http.StatusUnauthorized, err.Error())
			return
		}
		answer, err := serve(c)
		switch code, bare := answer.(status); {
		case err != nil && r.Context().Err() != nil: // the caller has left
		case err != nil:
			refusal.Later(w.Header(), err)
			c.fail(refusal.Status(err), err.Error())
		case bare:
			w.WriteHeader(int(code))
		case answer != nil:
			c.send(http.StatusOK, answer)
		}
	}
}

func (c *call) fail(status int, text string) {
	if len(text) > maxDetail { // it may quote the request
		text = strings.ToValidUTF8(text[:maxDetail], "") + "…"
	}
	c.send(status, map[string]string{"detail": text})
}

// maxDetail bounds the bytes of an error's text.
const maxDetail = 1000

func (c *call) send(status int, v any) {
	data, err := json.Marshal(v)
	if err != nil { // a value of ours can always be encoded
		status, data = http.StatusInternalServerError, []byte(`{"detail":"encoding the answer failed"}`)
	}
	c.w.Header().Set("Content-Type", "application/json")
	c.w.WriteHeader(status)
	_, _ = c.w.Write(data) // the caller has left
}

// body reads the request's JSON. An empty body is an empty object.
func (c *call) body(v any) error {
	data, err := io.ReadAll(c.r.Body)
	if err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	if len(strings.TrimSpace(string(data))) == 0 {
		return nil
	}
	return c.decode(data, v)
}

// decode reads JSON from a request. If the server is strict, it refuses an unknown field by its name.
func (s *server) decode(data []byte, v any) error {
	if len(strings.TrimSpace(string(data))) == 0 {
		return refusal.New(http.StatusUnprocessableEntity, "the request is empty: it must be JSON")
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	if s.Strict {
		d.DisallowUnknownFields()
	}
	err := d.Decode(v)
	if err == nil && d.More() {
		err = errors.New("there is more than one value")
	}
	if err == nil {
		return nil
	}
	if errors.As(err, new(*runs.InvalidError)) {
		return err
	}
	if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return refusal.New(http.StatusUnprocessableEntity, "the field %s is not understood here; nothing was done", field)
	}
	return refusal.New(http.StatusUnprocessableEntity, "the request is not JSON that is understood here: %s", refusal.JSON(err))
}

// flag reads a boolean query parameter.
func (c *call) flag(name string) bool {
	switch strings.ToLower(c.r.URL.Query().Get(name)) {
	case "true", "1", "yes":
		return true
	}
	return false
}

// number reads a number from the query.
func (c *call) number(name string, otherwise int) (int, error) {
	text := c.r.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, refusal.New(http.StatusUnprocessableEntity, "%s is %q: it must be a number from 0", name, text)
	}
	return n, nil
}

// maxPage bounds the length of a page of a list.
const maxPage = 1000

// page is the requested part of a list.
type page struct {
	Limit  *int `json:"limit"`
	Offset int  `json:"offset"`
}

// cut returns a page of a list, and sends the list's length in a header.
func cut[T any](c *call, list []T, p page) ([]T, error) {
	limit := 10
	if p.Limit != nil {
		limit = *p.Limit
	}
	if limit < 0 || limit > maxPage || p.Offset < 0 {
		return nil, refusal.New(http.StatusUnprocessableEntity, "limit must be from 0 to %d, offset from 0", maxPage)
	}
	c.w.Header().Set("X-Pagination-Total", strconv.Itoa(len(list)))
	from := min(p.Offset, len(list))
	to := min(from+limit, len(list))
	if to < len(list) {
		c.w.Header().Set("X-Pagination-Next", strconv.Itoa(to))
	}
	return list[from:to], nil
}

// A pattern is an object whose fields an object must have, at any depth. It is parsed once for all
// searched objects.
type pattern struct {
	wants any // nil for nothing
}

// maxFilter bounds the bytes of a filter: each object is compared with all of it.
const maxFilter = 64 << 10

func (f *pattern) UnmarshalJSON(data []byte) error {
	if len(data) > maxFilter {
		return &runs.InvalidError{Err: fmt.Errorf("a filter of %d bytes is too long: it has %d at most", len(data), maxFilter)}
	}
	return json.Unmarshal(data, &f.wants)
}

// matches reports whether an object has all fields of the pattern.
func (f *pattern) matches(have json.RawMessage) bool {
	if f.wants == nil {
		return true
	}
	var v any
	return (len(have) == 0 || json.Unmarshal(have, &v) == nil) && runs.Includes(v, f.wants)
}

// selected returns the requested fields of objects; all fields without names.
func selected[T, JSON any](list []T, shown func(T) JSON, names []string) (any, error) {
	out := []any{}
	for _, one := range list {
		if len(names) == 0 {
			out = append(out, shown(one))
			continue
		}
		data, err := json.Marshal(shown(one))
		if err != nil {
			return nil, err
		}
		var all map[string]json.RawMessage
		if err := json.Unmarshal(data, &all); err != nil {
			return nil, err
		}
		maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return !slices.Contains(names, name) })
		out = append(out, all)
	}
	return out, nil
}

// moment formats a time for clients.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func object(data json.RawMessage) json.RawMessage {
	if len(data) == 0 || string(data) == "null" {
		return json.RawMessage("{}")
	}
	return data
}

func (c *call) ok() (any, error) { return map[string]bool{"ok": true}, nil }

func (c *call) info() (any, error) {
	return map[string]any{
		"version": c.Version, "context": "go",
		"flags": map[string]bool{"assistants": true, "crons": true, "langsmith": false, "langsmith_tracing_replicas": false},
	}, nil
}

func (c *call) ctx() context.Context { return c.r.Context() }
