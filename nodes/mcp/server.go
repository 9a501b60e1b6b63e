package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.com/assay/internal/plainjson"
	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text/pattern"
)

const (
	// DefaultTimeout is the default time limit of a call, and of the start of a server.
	DefaultTimeout = 60 * time.Second
	// DefaultMaxOutput is the default maximum size of a result, in bytes.
	DefaultMaxOutput = 64 << 10
)

// A Server says how to reach a server and which of its tools may be called. It has either a Command
// or a URL.
type Server struct {
	// Name is the server's name in traces, errors and names of tools: a letter, then at
	// most 29 letters, digits, "_" or "-".
	Name string
	// Command is a program that speaks the protocol on its standard input and output, found in
	// PATH, with its arguments.
	Command string
	Args    []string
	// Env is the whole environment of the command, as NAME=VALUE. Default: empty. The values of
	// names such as API_KEY are cut out of the server's texts.
	Env []string
	// URL is the address of a server that speaks streamable HTTP.
	URL string
	// Header is sent with each request to URL. Secret values in it are also cut out of the server's
	// texts. With a header, the address must begin with https or name this machine, and redirects
	// to other servers are never followed.
	Header http.Header
	// Tools are the names of the tools that may be called. Default: none.
	Tools []string
	// Timeout limits a call, and the start of the server. Default DefaultTimeout.
	Timeout time.Duration
	// MaxOutput is the maximum size of a result in bytes; a larger one fails the call. Default
	// DefaultMaxOutput.
	MaxOutput int

	pipe func() io.ReadWriteCloser // for tests, instead of Command and URL
}

// Options configure a session. Nil and the zero value work.
type Options struct {
	// Budget bounds the calls of a run by its MaxToolCalls. Default: no bound.
	Budget *llm.Budget
	// Tape records calls or answers them. Default: calls are made and not recorded.
	Tape Tape
	// Inspect finds prompt injection in the server's texts. Default: none is detected.
	Inspect retrieval.Inspect
}

// A Tape records calls that live makes, or answers them without live: a *cassette.Recorder or a
// *cassette.Player.
type Tape interface {
	Outside(ctx context.Context, server, method string, params json.RawMessage, live func(context.Context) (json.RawMessage, error)) (json.RawMessage, error)
}

var serverName = pattern.New(`^[A-Za-z][A-Za-z0-9_-]{0,29}$`)

// secretName matches the names of variables and headers that probably hold secrets.
var secretName = pattern.New(`(?i)key|token|secret|pass|auth|cred|cookie`)

const minSecret = 8 // bytes; shorter secrets might match ordinary words

// hide returns a function that cuts the server's secrets out of its texts, in plain and in JSON
// form.
func (s Server) hide() func(string) string {
	var secrets []string
	for _, pair := range s.Env {
		if name, value, _ := strings.Cut(pair, "="); secretName.MatchString(name) {
			secrets = append(secrets, value)
		}
	}
	for name, values := range s.Header {
		if secretName.MatchString(name) {
			secrets = append(secrets, strings.Fields(strings.Join(values, " "))...)
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }) // longer ones first, since one may contain another
	var pairs []string
	for _, secret := range secrets {
		if len(secret) < minSecret {
			continue
		}
		pairs = append(pairs, secret, "[key]")
		if data, err := plainjson.Encode(secret); err == nil { // a text can be encoded
			pairs = append(pairs, strings.Trim(string(data), `"`), "[key]")
		}
	}
	return strings.NewReplacer(pairs...).Replace
}

// checked returns the server with its defaults, or an error for invalid fields.
func (s Server) checked() (Server, error) {
	switch {
	case !serverName.MatchString(s.Name):
		return s, fmt.Errorf("the server's name is %q: it must be a letter, then at most 29 letters, digits, \"_\" or \"-\"", s.Name)
	case s.pipe == nil && (s.Command == "") == (s.URL == ""):
		return s, fmt.Errorf("the server %q needs a command or an address, and not both", s.Name)
	case s.Timeout < 0 || s.MaxOutput < 0:
		return s, fmt.Errorf("the server %q: its timeout and its largest output may not be negative", s.Name)
	}
	if s.Timeout == 0 {
		s.Timeout = DefaultTimeout
	}
	if s.MaxOutput == 0 {
		s.MaxOutput = DefaultMaxOutput
	}
	if s.URL == "" {
		return s, nil
	}
	if err := CheckURL(s.URL, len(s.Header) > 0); err != nil {
		return s, fmt.Errorf("the server %q: %w", s.Name, err)
	}
	return s, nil
}

// CheckURL refuses an address that is not HTTP, that holds credentials, or that would send a secret
// unencrypted.
func CheckURL(address string, secret bool) error {
	u, err := url.Parse(address)
	switch {
	case err != nil: // the error's text would show the address
		return errors.New("its address cannot be read: write one such as https://tools.example.com/mcp")
	case u.User != nil:
		return errors.New("its address holds credentials: put them into headers")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("its address is %q: write one such as https://tools.example.com/mcp", u.Redacted())
	case secret && u.Scheme == "http" && !isLocal(u.Hostname()):
		return fmt.Errorf("its headers would go to %s in the clear: use https", u.Host)
	}
	return nil
}

func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
