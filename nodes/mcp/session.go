package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/internal/plainjson"
)

// A Session calls the tools of one server. It starts the server when it first needs it, and again
// after the server has ended. It is safe for concurrent use.
type Session struct {
	server  Server
	opts    Options
	offered []Definition // all tools, by name
	tools   []Definition // tools that may be called, by name, after the checks
	pinned  []byte       // their definitions before the checks

	gate   chan struct{} // held while the link is made, checked or ended
	link   *link         // nil before the first call
	over   error         // why no more calls are made; nil while they are
	listed bool          // pinned is known
}

// Open lists a server's tools and checks those that may be called. With a tape that answers, it
// does not start the server. The caller closes the session.
func Open(ctx context.Context, server Server, opts *Options) (*Session, error) {
	server, err := server.checked()
	if err != nil {
		return nil, fmt.Errorf("opening a session: %w", err)
	}
	s := &Session{server: server, gate: make(chan struct{}, 1)}
	if opts != nil {
		s.opts = *opts
	}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// An outcome is a server's answer or failure, as a tape stores it.
type outcome struct {
	Tools      []Definition    `json:"tools,omitempty"`      // for a list
	Text       string          `json:"text,omitempty"`       // for a result
	Structured json.RawMessage `json:"structured,omitempty"` // for a result
	What       string          `json:"what,omitempty"`       // for a failure
	Said       string          `json:"said,omitempty"`       // for a failure
}

func (s *Session) open(ctx context.Context) error {
	allowed, err := plainjson.Encode(map[string][]string{"allowed": append([]string{}, s.server.Tools...)})
	if err != nil {
		return fmt.Errorf("encoding the names of tools: %w", err)
	}
	out, err := s.ask(ctx, "", "tools/list", allowed, func(ctx context.Context, l *link) (outcome, error) {
		tools, err := s.list(ctx, l)
		return outcome{Tools: tools}, err
	})
	if err != nil {
		return err
	}
	s.offered = out.Tools
	if s.pinned, err = s.pin(out.Tools); err != nil {
		return err
	}
	s.listed = true
	var problems []error
	for _, name := range s.server.Tools {
		at := slices.IndexFunc(out.Tools, func(d Definition) bool { return d.Name == name })
		if at < 0 {
			problems = append(problems, &CallError{Server: s.server.Name, What: fmt.Sprintf("it has no tool %q: remove it from the tools that may be called; it has: %s", name, Printable(strings.Join(names(out.Tools), ", ")))})
			continue
		}
		d, err := out.Tools[at].usable(s.opts.Inspect)
		if err != nil {
			problems = append(problems, &CallError{Server: s.server.Name, What: fmt.Sprintf("its tool %q cannot be called: %v; remove it from the tools that may be called", name, err)})
			continue
		}
		s.tools = append(s.tools, d)
	}
	return errors.Join(problems...)
}

func names(list []Definition) []string {
	out := make([]string, len(list))
	for i, d := range list {
		out[i] = d.Name
	}
	return out
}

// Offered returns all tools that the server lists, sorted by name. Only tools that may be called
// have schemas.
func (s *Session) Offered() []Definition { return slices.Clone(s.offered) }

// Definitions returns the tools that may be called.
func (s *Session) Definitions() []Definition { return slices.Clone(s.tools) }

// Server returns the server's name.
func (s *Session) Server() string { return s.server.Name }

// Close ends the connection, and the server if this program started it. Running and later calls
// fail.
func (s *Session) Close() error {
	s.gate <- struct{}{}
	defer func() { <-s.gate }()
	s.over = errors.New("the session was closed")
	if s.link != nil {
		s.link.close()
		s.link = nil
	}
	return nil
}

// pin returns the parts of the callable tools' definitions that must not change.
func (s *Session) pin(list []Definition) ([]byte, error) {
	return plainjson.Encode(slices.DeleteFunc(slices.Clone(list), func(d Definition) bool { return !slices.Contains(s.server.Tools, d.Name) }))
}

// ask asks the server with fn, or the tape. The outcome on a tape includes a failure of the server,
// so a replay fails with the same text.
func (s *Session) ask(ctx context.Context, tool, method string, params json.RawMessage, fn func(context.Context, *link) (outcome, error)) (outcome, error) {
	live := func(outer context.Context) (json.RawMessage, error) {
		ctx, cancel := context.WithTimeout(outer, s.server.Timeout)
		defer cancel()
		out, err := s.reach(ctx, tool, fn)
		failure, isFailure := errors.AsType[*CallError](err)
		switch {
		case outer.Err() != nil:
			return nil, context.Cause(outer)
		case isFailure:
			out = outcome{What: failure.What, Said: failure.Said}
		case err != nil:
			return nil, err
		}
		return plainjson.Encode(out)
	}
	call := live
	if s.opts.Tape != nil {
		call = func(ctx context.Context) (json.RawMessage, error) {
			return s.opts.Tape.Outside(ctx, s.server.Name, method, params, live)
		}
	}
	data, err := call(ctx)
	if err != nil {
		return outcome{}, fmt.Errorf("asking the server %q: %w", s.server.Name, err)
	}
	var out outcome
	if err := json.Unmarshal(data, &out); err != nil {
		return out, fmt.Errorf("reading what the server %q answered: %w", s.server.Name, err)
	}
	if out.What != "" {
		return out, &CallError{Server: s.server.Name, Tool: tool, What: out.What, Said: out.Said}
	}
	return out, nil
}

// reach calls fn with a live link.
func (s *Session) reach(ctx context.Context, tool string, fn func(context.Context, *link) (outcome, error)) (outcome, error) {
	l, err := s.linked(ctx)
	if err != nil {
		return outcome{}, err
	}
	l.renew()
	var out outcome
	err = l.within(ctx, func(ctx context.Context) (err error) {
		out, err = fn(ctx, l)
		return err
	})
	if _, known := errors.AsType[*CallError](err); err != nil && !known {
		err = l.failed(ctx, s.server, tool, err)
	}
	if _, fault := l.met(); fault != nil { // its output may be incomplete
		l.cut()
	}
	return out, err
}

// linked returns the link, and reconnects after it has ended. The callable tools must be the ones
// that were listed first.
func (s *Session) linked(ctx context.Context) (*link, error) {
	select {
	case s.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, &CallError{Server: s.server.Name, What: fmt.Sprintf("it did not start within %v", s.server.Timeout), Err: ctx.Err()}
	}
	defer func() { <-s.gate }()
	if s.over != nil {
		return nil, &CallError{Server: s.server.Name, What: s.over.Error()}
	}
	anew := s.link == nil || s.link.isOver()
	if anew {
		if s.link != nil {
			s.link.close()
			s.link = nil
		}
		l, err := connect(ctx, s.server)
		if err != nil {
			return nil, err
		}
		s.link = l
	}
	if changed := s.link.changed.Swap(false); s.listed && (anew || changed) {
		if err := s.recheck(ctx, s.link); err != nil {
			return nil, err
		}
	}
	return s.link, nil
}

// recheck lists the tools again, and ends the session if they have changed. The caller holds the
// gate.
func (s *Session) recheck(ctx context.Context, l *link) error {
	l.renew()
	var now []byte
	err := l.within(ctx, func(ctx context.Context) error {
		list, err := s.list(ctx, l)
		if err == nil {
			now, err = s.pin(list)
		}
		return err
	})
	if err != nil {
		l.changed.Store(true) // the next call checks again
		return l.failed(ctx, s.server, "", err)
	}
	if !bytes.Equal(now, s.pinned) {
		s.over = errors.New("it changed its tools in the middle of a session, and is not called any more: look at what they are now, and start again")
		return &CallError{Server: s.server.Name, What: s.over.Error()}
	}
	return nil
}

// list asks a server for its tools.
func (s *Session) list(ctx context.Context, l *link) ([]Definition, error) {
	var all []*sdk.Tool
	cursor := ""
	for page := 1; ; page++ {
		got, err := l.session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		all = append(all, got.Tools...)
		if cursor = got.NextCursor; cursor == "" {
			break
		}
		if page >= maxPages || len(all) > maxTools {
			return nil, &CallError{Server: s.server.Name, What: fmt.Sprintf("its list of tools does not end within %d pages or %d tools: leave it out", maxPages, maxTools)}
		}
	}
	if len(all) > maxTools {
		return nil, &CallError{Server: s.server.Name, What: fmt.Sprintf("it lists %d tools; at most %d are read: leave it out", len(all), maxTools)}
	}
	list, err := defined(all, s.server.Tools)
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(list); i++ {
		if list[i].Name == list[i-1].Name {
			return nil, &CallError{Server: s.server.Name, What: fmt.Sprintf("it lists the tool %q twice: leave it out", Printable(list[i].Name))}
		}
	}
	return list, nil
}
