package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/serve/internal/seal"
	"example.com/assay/serve/runs"
)

// Options configure a Mounting.
type Options struct {
	Name, Title, Version string
	Instructions         string // tell the model which tool to use when
	Tools                []Tool
	Library              Library // readable resources; default: none
	Prompts              []Prompt
	Pages                []Page
	// Space returns a tenant's space, for tools that run graphs. The context has the values of the
	// request, or of the one that began its session. Default: such tools fail.
	Space func(ctx context.Context, tenant string) (*runs.Space, error)
	// Key seals the state of input requests: 32 bytes, the same in all processes that serve the
	// same threads. Default: a random key for this process.
	Key []byte

	idle     time.Duration            // default: idle
	sessions int                      // default: mostSessions
	tune     func(*sdk.ServerOptions) // changed by tests
	more     func(*sdk.Server)        // extended by tests
}

// A session of a client with an old protocol version ends after this silence, and a tenant may have
// this many. Clients of newer versions have no sessions.
const (
	idle         = 30 * time.Minute
	mostSessions = 1000
)

// A Mounting serves the tools, resources and prompts of its options. Several goroutines may use it
// at once.
type Mounting struct {
	Options
	seal    *seal.Seal
	schemas *sdk.SchemaCache

	mu      sync.Mutex
	tenants map[string]*tenant
}

// A tenant has its own server, so no tenant can use another's session.
type tenant struct {
	*Mounting
	name          string
	server        *sdk.Server
	current, past http.Handler // for clients of this version of the protocol, and of older ones
}

// New returns a Mounting.
func New(o Options) (*Mounting, error) {
	o.idle, o.sessions = cmp.Or(o.idle, idle), cmp.Or(o.sessions, mostSessions)
	s, err := seal.New(o.Key)
	if err != nil {
		return nil, err
	}
	if o.Name == "" {
		return nil, errors.New("a server of MCP needs a name")
	}
	names := map[string]bool{}
	for _, t := range o.Tools {
		if names[t.about.Name] {
			return nil, fmt.Errorf("tool %q is named twice", t.about.Name)
		}
		names[t.about.Name] = true
	}
	if err := o.checkPages(); err != nil {
		return nil, err
	}
	return &Mounting{Options: o, seal: s, schemas: sdk.NewSchemaCache(), tenants: map[string]*tenant{}}, nil
}

// tenant returns the server of a tenant.
func (m *Mounting) tenant(name string) *tenant {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.tenants[name]; t != nil {
		return t
	}
	t := &tenant{Mounting: m, name: name}
	t.server = sdk.NewServer(&sdk.Implementation{Name: m.Name, Title: m.Title, Version: cmp.Or(m.Version, "devel")}, t.serverOptions())
	for _, tool := range m.Tools {
		tool.add(t)
	}
	for _, p := range m.Prompts {
		t.addPrompt(p)
	}
	for _, p := range m.Pages {
		t.addPage(p)
	}
	if m.Library != nil {
		t.addLibrary()
	}
	if m.more != nil {
		m.more(t.server)
	}
	get := func(*http.Request) *sdk.Server { return t.server }
	t.current = sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: -1, DisableLocalhostProtection: true, // the caller of Handler ensures both
	})
	t.past = sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
		SessionTimeout: m.idle, MaxRequestBodyBytes: -1, DisableLocalhostProtection: true,
	})
	m.tenants[name] = t
	return t
}

func (t *tenant) serverOptions() *sdk.ServerOptions {
	o := &sdk.ServerOptions{
		Instructions: t.Instructions, Capabilities: &sdk.ServerCapabilities{}, SchemaCache: t.schemas,
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" }, // tenants see different things
	}
	if len(t.Pages) > 0 {
		o.Capabilities.AddExtension(pageExtension, map[string]any{"mimeTypes": []string{pageType}})
	}
	if t.Library != nil {
		o.CompletionHandler = t.complete
	}
	if t.tune != nil {
		t.tune(o)
	}
	return o
}

// stateless is the first protocol version without sessions.
const stateless = "2026-07-28"

// Handler returns the handler of one path; caller returns the tenant of a request. The caller of
// Handler must limit bodies, and check tokens, hosts and origins. Clients of older versions get
// sessions: without one they cannot be asked during a call.
func (m *Mounting) Handler(caller func(*http.Request) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := m.tenant(caller(r))
		if r.Header.Get("Mcp-Protocol-Version") >= stateless {
			t.current.ServeHTTP(w, r)
			return
		}
		if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" && t.open() >= m.sessions {
			http.Error(w, fmt.Sprintf("there are %d sessions already: end one (DELETE), or use version %s of the protocol, which has none", m.sessions, stateless), http.StatusServiceUnavailable)
			return
		}
		t.past.ServeHTTP(w, r)
	})
}

func (t *tenant) open() (n int) {
	for range t.server.Sessions() {
		n++
	}
	return n
}

// Close ends the sessions of clients with older versions.
func (m *Mounting) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, t := range m.tenants {
		for s := range t.server.Sessions() {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// Serve serves one client that writes into in and reads from out, until it closes in or ctx ends.
// Nothing else may write into out. A line that is not a message gets an error as its answer.
func (m *Mounting) Serve(ctx context.Context, tenant string, in io.ReadCloser, out io.WriteCloser) error {
	safe := &shared{WriteCloser: out}
	err := m.tenant(tenant).server.Run(ctx, &sdk.IOTransport{Reader: newLines(in, safe), Writer: safe})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
