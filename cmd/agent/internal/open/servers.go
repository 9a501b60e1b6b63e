package open

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/decide/injection"
	threadrows "example.com/assay/graph/checkpoint/postgres"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/store"
	noterows "example.com/assay/graph/store/postgres"
	"example.com/assay/llm"
	raterows "example.com/assay/llm/postgres"
	"example.com/assay/memory/embed"
	vectorrows "example.com/assay/memory/embed/postgres"
	"example.com/assay/memory/qa"
	answerrows "example.com/assay/memory/qa/postgres"
	"example.com/assay/nodes/mcp"
)

// servers are the sessions with MCP servers of an exchange.
type servers struct {
	mu       sync.Mutex
	opened   bool
	sessions []*mcp.Session
}

// Sessions opens the MCP servers of the settings, the first time, and returns their sessions
// in the order of their names, or the errors of all that cannot be used. The exchange closes them. A cassette that answers needs no
// server. Cases, whose calls are recorded one by one, have none.
func (x *Exchange) Sessions(ctx context.Context, s config.Settings) ([]*mcp.Session, error) {
	x.servers.mu.Lock()
	defer x.servers.mu.Unlock()
	if x.servers.opened || x.given != nil {
		return x.servers.sessions, nil
	}
	names := s.ServerNames()
	sessions, errs := make([]*mcp.Session, len(names)), make([]error, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() { sessions[i], errs[i] = x.session(ctx, s.Servers[name]) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil { // the next question tries again
		for _, one := range sessions {
			if one != nil {
				err = errors.Join(err, one.Close())
			}
		}
		return nil, err
	}
	x.servers.sessions, x.servers.opened = sessions, true
	return sessions, nil
}

// session opens one server.
func (x *Exchange) session(ctx context.Context, s *config.Server) (*mcp.Session, error) {
	opts := &mcp.Options{Budget: x.Controls.Budget(), Inspect: injection.Orders}
	server := plainServer(s)
	switch {
	case x.player != nil:
		opts.Tape = x.player
	default:
		if x.recorder != nil {
			opts.Tape = x.recorder
		}
		var err error
		if server, err = Server(x.Env, s); err != nil {
			return nil, err
		}
	}
	session, err := mcp.Open(ctx, server, opts)
	if err != nil {
		return nil, fmt.Errorf("%w; agent doctor checks it, and without %s.%s in the configuration it is not used", err, config.KeyServers, s.Name)
	}
	return session, nil
}

// closeServers closes the sessions.
func (x *Exchange) closeServers() error {
	x.servers.mu.Lock()
	defer x.servers.mu.Unlock()
	var errs []error
	for _, session := range x.servers.sessions {
		errs = append(errs, session.Close())
	}
	x.servers.sessions = nil
	return errors.Join(errs...)
}

// plainServer is a server of the settings without its variables and headers.
func plainServer(s *config.Server) mcp.Server {
	return mcp.Server{
		Name: s.Name, Command: s.Command, Args: s.Args, URL: s.URL, Tools: slices.Concat(s.Tools, s.Ask),
		Timeout: s.Timeout, MaxOutput: s.MaxOutput,
	}
}

// Server is a server of the settings with what it gets of the environment, and its headers.
func Server(env cli.Environment, s *config.Server) (mcp.Server, error) {
	out := plainServer(s)
	for _, name := range s.Env {
		value, set := env[name]
		if !set {
			return out, cli.Usagef("%s.%s.env names %s, which is not set: export it, or remove the name", config.KeyServers, s.Name, name)
		}
		out.Env = append(out.Env, name+"="+value)
	}
	if s.HeaderFile == "" {
		return out, nil
	}
	text, err := config.ReadKey(s.HeaderFile)
	if err == nil {
		out.Header, err = header(text)
	}
	if err != nil {
		return out, cli.Usagef("%s.%s.header_file: %w", config.KeyServers, s.Name, err)
	}
	return out, nil
}

var headerName = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

// header reads lines such as "Authorization: Bearer KEY". Its errors repeat none of them.
func header(text string) (http.Header, error) {
	out := http.Header{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || !headerName.MatchString(name) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' }) {
			return nil, fmt.Errorf("line %d of the file is not a header: write one such as Authorization: Bearer KEY", i+1)
		}
		out.Add(name, strings.TrimSpace(value))
	}
	return out, nil
}

// tables are what a PostgreSQL server keeps.
type tables struct {
	llm.Buckets
	pool   *pgxpool.Pool
	schema string
}

// connect makes all tables, so that the first verb that a user with that right runs makes
// what others need.
func connect(ctx context.Context, at config.Store) (server, error) {
	pool, err := pgxpool.NewWithConfig(ctx, at.Connect)
	if err != nil {
		return nil, err
	}
	t := &tables{pool: pool, schema: at.Schema}
	if err := t.prepare(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return t, nil
}

func (t *tables) prepare(ctx context.Context) error {
	saver, err := t.threads(ctx)
	if err == nil {
		err = saver.Close()
	}
	if err == nil {
		_, err = t.notes(ctx)
	}
	if err == nil {
		_, err = t.answers(ctx, "", nil)
	}
	if err == nil {
		_, err = vectorrows.New(ctx, t.pool, &vectorrows.Options{Schema: t.schema})
	}
	if err == nil {
		t.Buckets, err = raterows.New(ctx, t.pool, &raterows.Options{Schema: t.schema})
	}
	if err == nil {
		var events *eventlog.Log
		if events, err = t.events(ctx); err == nil {
			err = events.Close()
		}
	}
	return err
}

func (t *tables) close() { t.pool.Close() }

func (t *tables) threads(ctx context.Context) (Saver, error) {
	saver, err := threadrows.New(ctx, t.pool, &threadrows.Options{Schema: t.schema})
	if err != nil {
		return nil, err // and no Saver that holds a nil
	}
	return saver, nil
}

func (t *tables) notes(ctx context.Context) (store.Store, error) {
	return noterows.New(ctx, t.pool, &noterows.Options{Schema: t.schema})
}

func (t *tables) answers(ctx context.Context, corpus string, opts *qa.Options) (*qa.Memory, error) {
	rows, err := answerrows.New(ctx, t.pool, corpus, &answerrows.Options{Schema: t.schema})
	if err != nil {
		return nil, err
	}
	return qa.New(rows, opts), nil
}

func (t *tables) vectors(ctx context.Context, opts *embed.CacheOptions) (*embed.Cache, error) {
	rows, err := vectorrows.New(ctx, t.pool, &vectorrows.Options{Schema: t.schema})
	if err != nil {
		return nil, err
	}
	return embed.NewCache(rows, opts), nil
}

func (t *tables) events(ctx context.Context) (*eventlog.Log, error) {
	return eventlog.Open(ctx, t.pool, t.schema)
}
