package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/store"
	"example.com/assay/serve/a2a"
	"example.com/assay/serve/agui"
	"example.com/assay/serve/internal/seal"
	"example.com/assay/serve/langgraph"
	"example.com/assay/serve/mcp"
	"example.com/assay/serve/openai"
	"example.com/assay/serve/page"
	"example.com/assay/serve/runs"
)

// A Graph is a graph that callers run by its name.
type Graph = runs.Graph

// GraphOptions describe a graph. Nil is the zero value.
type GraphOptions struct {
	Description string
}

// Register makes a graph available to callers under a name.
func Register[S any](name string, g *graph.Compiled[S], opts *GraphOptions) Graph {
	if opts == nil {
		opts = &GraphOptions{}
	}
	return Graph{Name: name, Description: opts.Description, App: g.App()}
}

// A Tenant is a caller with a token. It sees only its own threads, runs and memory.
type Tenant struct {
	Name  string // of letters, digits, "-" and "_"
	Token string
}

// Options configure a server.
type Options struct {
	Graphs       []Graph            // the first is that of A2A's messages that name none
	Checkpointer graph.Checkpointer // keeps threads
	Store        store.Store        // keeps records of threads and runs, and the callers' memory
	Log          *eventlog.Log      // keeps events of runs
	Items        store.Store        // the callers' memory, if not in Store: such as one with an Embedder
	// Runs configure how runs are executed; the fields above win. With several tenants,
	// Quota.AtOnce defaults to one less than AtOnce, and Quota.Waiting to an equal share of Waiting,
	// so no tenant can block the others. With Authenticate the share is a tenth at most.
	Runs runs.Options

	// Tenants may call, with all scopes. A request carries the token as "Authorization: Bearer …" or
	// as "X-Api-Key".
	Tenants []Tenant
	// Authenticate says who sends a request without a token of Tenants. Its error is a *DeniedError;
	// any other is passed to Runs.Warn and answered with status 503. It must not read the body.
	// Pages ask it with the request of the browser, and with a token that a person has entered as
	// "Authorization: Bearer …".
	// Package serve/oidc makes one. Default: nobody else may call.
	Authenticate func(*http.Request) (Caller, error)
	// Issuer is the address of the authorization server that gives out tokens for Authenticate, for
	// clients of MCP. Default: clients are not told.
	Issuer string
	// Open lets everybody call who reaches the server, as one tenant.
	Open bool
	// Hosts are the server's names for callers, in addition to the loopback names:
	// "assay.example.com".
	Hosts []string
	// Origins are the origins of pages that may call from a browser: "https://chat.example.com".
	// The server's own origin is always allowed.
	Origins []string
	// Strict refuses requests with what the server does not know; see langgraph.Options and
	// openai.Options.
	Strict bool
	// MaxBody bounds a request's body, in bytes. Default: 8 MiB.
	MaxBody int64
	// BodyTime limits the time for a body to arrive. Default: 30 seconds.
	BodyTime time.Duration
	// TakeTime limits how long a caller may read nothing of an answer. A client can resume a stream
	// that ended so from its last event. Default: a minute.
	TakeTime time.Duration

	// Page serves pages for people under /ui/; the fields here win. The log then gets all events
	// that the pages show. Default: no pages.
	Page *page.Options

	// MCP serves tools to assistants at /mcp; the fields here win, and the key is in the store.
	// Default: no tools.
	MCP *mcp.Options

	Version string // reported by /info, the pages and MCP
	// Access is called after each request. Default: none.
	Access func(Access)
}

// An Access describes an answered request.
type Access struct {
	ID       string // also in the answer's header X-Request-Id
	Tenant   string // empty when the caller was refused
	Subject  string // of the Caller
	Method   string
	Path     string // without the query; a long one is cut
	Status   int
	Bytes    int64
	Duration time.Duration
	Remote   string
}

// A Server answers requests. The caller closes it, then the checkpointer, the store and the log.
type Server struct {
	Options
	identify func(*http.Request) (Caller, error)
	key      []byte // seals what clients keep
	runs     *runs.Manager
	metrics  *metrics
	tools    *mcp.Mounting // nil without MCP
	links    page.Links
	handler  http.Handler
}

// New starts a server, and resumes the runs that an earlier process left behind.
func New(ctx context.Context, o Options) (*Server, error) {
	if o.Items == nil {
		o.Items = o.Store
	}
	o.MaxBody, o.BodyTime, o.TakeTime = cmp.Or(o.MaxBody, 8<<20), cmp.Or(o.BodyTime, 30*time.Second), cmp.Or(o.TakeTime, time.Minute)
	if o.Access == nil {
		o.Access = func(Access) {}
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	s := &Server{Options: o, identify: o.authenticator()}
	s.metrics = newMetrics(s)
	r := o.Runs
	r.Checkpointer, r.Store, r.Log = o.Checkpointer, o.Store, o.Log
	if r.Plan == nil {
		r.Plan = langgraph.Plan
	}
	r.Tell = append(slices.Clip(r.Tell), langgraph.Tell)
	if o.Page != nil {
		r.Modes, r.Subgraphs = r.Modes|page.Modes, true
	}
	n := len(o.Tenants)
	if o.Authenticate != nil {
		n = max(n, 10) // nobody knows how many
	}
	if n > 1 {
		r.Quota.AtOnce = cmp.Or(r.Quota.AtOnce, max(1, cmp.Or(r.AtOnce, runs.DefaultAtOnce)-1))
		r.Quota.Waiting = cmp.Or(r.Quota.Waiting, max(1, cmp.Or(r.Waiting, runs.DefaultWaiting)/n))
	}
	r.Tell = append(slices.Clip(r.Tell), a2a.Tell)
	observe := r.Observe
	r.Observe = func(run runs.Run) func(runs.Run) {
		ended := s.metrics.run()
		if observe == nil {
			return ended
		}
		other := observe(run)
		return func(run runs.Run) { ended(run); other(run) }
	}
	var err error
	if s.key, err = seal.StoredKey(ctx, o.Store); err != nil {
		return nil, err
	}
	if s.runs, err = runs.Open(ctx, o.Graphs, r); err != nil {
		return nil, err
	}
	if o.MCP != nil {
		if err := s.mount(); err != nil {
			s.runs.Close(ctx)
			return nil, err
		}
	}
	s.handler = s.routes()
	return s, nil
}

// mount creates the MCP handler.
func (s *Server) mount() (err error) {
	o := *s.MCP
	o.Version, o.Key = s.Version, s.key
	o.Space = func(ctx context.Context, tenant string) (*runs.Space, error) {
		c := callerOf(ctx)
		c.Tenant = tenant
		return s.runs.For(c), nil
	}
	s.tools, err = mcp.New(o)
	return err
}

// Check returns an error for invalid options.
func (o *Options) Check() error {
	switch {
	case o.Checkpointer == nil || o.Store == nil || o.Log == nil:
		return errors.New("a server needs a checkpointer, a store and a log")
	case len(o.Graphs) == 0:
		return errors.New("a server needs a graph")
	case !o.Open && len(o.Tenants) == 0 && o.Authenticate == nil:
		return errors.New("a server needs tenants, or must be open to everybody")
	case o.Open && (len(o.Tenants) > 0 || o.Authenticate != nil):
		return errors.New("a server that is open to everybody has no tenants")
	}
	tokens := map[string]bool{}
	for i, t := range o.Tenants {
		if !ValidTenant(t.Name) {
			return fmt.Errorf("the name of tenant %q must have 1 to 64 letters, digits, \"-\" and \"_\"", t.Name)
		}
		if len(t.Token) < minToken {
			return fmt.Errorf("the token of tenant %q is too short: it needs %d bytes", t.Name, minToken)
		}
		if tokens[t.Token] || slices.ContainsFunc(o.Tenants[:i], func(other Tenant) bool { return other.Name == t.Name }) {
			return fmt.Errorf("tenant %q is named twice, or has the token of another", t.Name)
		}
		tokens[t.Token] = true
	}
	return nil
}

// minToken is the minimum length of a token in bytes.
const minToken = 16

// ValidTenant reports whether a text can be the name of a tenant: 1 to 64 letters, digits, "-" and
// "_".
func ValidTenant(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	})
}

// Handler returns the handler for all paths.
func (s *Server) Handler() http.Handler { return s.handler }

// HTTP returns an HTTP server with the handler, and with limits that apply before it: headers of 64
// KiB that arrive within 10 seconds, and two minutes without a request. A caller that wraps the
// handler replaces HTTP's Handler field.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler: s.handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: log.New(warner{s.runs}, "", 0),
	}
}

// A warner passes package http's log to Options.Runs.Warn.
type warner struct{ runs *runs.Manager }

func (w warner) Write(line []byte) (int, error) {
	w.runs.Warn(errors.New(strings.TrimSpace(string(line))))
	return len(line), nil
}

// Runs returns the manager of the runs.
func (s *Server) Runs() *runs.Manager { return s.runs }

// Close takes no more runs. Executing runs stop after their superstep, or at once when ctx ends.
// They continue when a server is opened again.
func (s *Server) Close(ctx context.Context) {
	if s.tools != nil {
		if err := s.tools.Close(); err != nil {
			s.runs.Warn(err)
		}
	}
	s.runs.Close(ctx)
}

// routes puts the protocols behind the guard. Only the health check and A2A's cards are open.
func (s *Server) routes() http.Handler {
	space := func(r *http.Request) *runs.Space { return s.runs.For(callerOf(r.Context())) }
	tenant := func(r *http.Request) string { return callerOf(r.Context()).Tenant }
	wire := langgraph.Handler(langgraph.Options{
		Space:   func(r *http.Request) (*runs.Space, error) { return space(r), nil },
		Items:   func(r *http.Request) store.Store { return store.Below(s.Items, "items", tenant(r)) },
		Version: s.Version, Strict: s.Strict,
	})
	mux := http.NewServeMux()
	if s.Page != nil {
		mux.Handle("/ui/", s.page())
	}
	mux.Handle("/", s.entrance(s.authorized(wire)))
	mux.Handle("/v1/", s.authorized(openai.Handler(openai.Options{Space: space, Strict: s.Strict})))
	ui := s.authorized(agui.Handler(agui.Options{Space: space}))
	mux.Handle("/agui", ui)
	mux.Handle("/agui/", ui)
	agent := a2a.Handler(a2a.Options{Space: space, Default: s.Graphs[0].Name, Token: !s.Open, Version: s.Version})
	mux.Handle(a2a.Path, s.authorized(agent))
	mux.Handle(a2a.Path+"/", s.authorized(agent))
	mux.Handle(a2a.CardPath, agent)
	mux.Handle(a2a.Path+"/{graph}"+a2a.CardPath, agent)
	if s.tools != nil {
		mux.Handle(mcp.Path, s.authorized(s.tools.Handler(tenant)))
		mux.Handle(mcp.MetadataPath, mcp.Metadata(s.Issuer))
	}
	mux.Handle("GET /metrics", s.authorized(s.metrics.handler()))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, `{"ok":true}`) })
	mux.HandleFunc("GET /readyz", s.ready)
	return s.watched(s.guarded(mux))
}

// page serves the pages for people.
func (s *Server) page() http.Handler {
	o := *s.Page
	o.Links = &s.links
	o.Authenticate, o.Admit, o.Space, o.Version, o.Key = s.identified, s.admitted, s.runs.For, s.Version, s.key
	return page.Handler(o)
}

// SignInLink returns the path of a link to the page that signs one browser in with a token, once and
// for page.LinkTime. This process alone knows it.
func (s *Server) SignInLink(token string) string {
	now := time.Now
	if s.Page != nil && s.Page.Now != nil {
		now = s.Page.Now
	}
	return s.links.New(token, now())
}

// ready reports whether the server takes runs and can save them.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	select {
	case <-s.runs.Closed():
		say(w, http.StatusServiceUnavailable, `{"ready":false,"detail":"the server is stopping"}`)
		return
	default:
	}
	if _, err := s.Store.ListNamespaces(r.Context(), store.NamespaceQuery{Limit: 1}); err != nil {
		say(w, http.StatusServiceUnavailable, `{"ready":false,"detail":"the store does not answer"}`)
		return
	}
	say(w, http.StatusOK, `{"ready":true}`)
}

func say(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body)) // the caller has left
}
