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

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/decide/injection"
	"example.com/assay/nodes/mcp"
)

// servers holds an exchange's sessions with MCP servers.
type servers struct {
	mu       sync.Mutex
	opened   bool
	sessions []*mcp.Session
}

// Sessions returns the sessions with the MCP servers of the settings, in the order of their names.
// The first call opens them; it returns the errors of all servers that cannot be used. The exchange
// closes the sessions. A cassette that answers needs no server. Cases have no servers, since their
// calls are recorded case by case.
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

// session opens the session with one server.
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

// Server is a server of the settings with its variables and its headers.
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

// header reads lines such as "Authorization: Bearer KEY". Its errors do not repeat a line.
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
