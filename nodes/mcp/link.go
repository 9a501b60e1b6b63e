package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A link is a connection to a server.
type link struct {
	session *sdk.ClientSession
	renew   func()        // before each call
	cut     func()        // stops reading and writing at once
	stderr  *tail         // nil without a process
	ended   chan struct{} // closed when the connection is over
	changed atomic.Bool   // the server reported that its tools changed

	mu    sync.Mutex
	fault error  // the first fault in what it sent
	asked string // what the server asked for and was refused; "" for nothing
}

// report records the first fault.
func (l *link) report(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fault == nil {
		l.fault = err
	}
}

// met returns the first fault, and the server's last refused request.
func (l *link) met() (asked string, fault error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked, l.fault
}

// connect connects to a server. Its errors come from failed.
func connect(ctx context.Context, s Server) (*link, error) {
	l := &link{renew: func() {}, cut: func() {}, ended: make(chan struct{})}
	transport, err := l.transport(s)
	if err != nil {
		return nil, l.failed(ctx, s, "", err)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "assay", Version: "1"}, &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{}, // no roots, sampling or elicitation
		MultiRoundTrip:         &sdk.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { l.changed.Store(true) },
	})
	client.AddReceivingMiddleware(l.refuse)
	err = l.within(ctx, func(ctx context.Context) (err error) {
		l.session, err = client.Connect(ctx, transport, nil)
		return err
	})
	if err != nil {
		err = l.failed(ctx, s, "", err)
		l.cut()
		return nil, err
	}
	go func() {
		_ = l.session.Wait() // a call reports why it ended
		close(l.ended)
	}()
	return l, nil
}

// transport starts the server's process, or makes the transport to its address.
func (l *link) transport(s Server) (sdk.Transport, error) {
	if s.URL != "" {
		life, cut := context.WithCancel(context.Background())
		l.cut = cut
		return over(life, s, l.report), nil
	}
	var out io.ReadCloser
	var in io.WriteCloser
	if s.pipe != nil {
		pipe := s.pipe()
		out, in = pipe, pipe
		l.cut = func() { _ = pipe.Close() } // it cannot fail
	} else {
		p, err := start(s)
		if err != nil {
			return nil, err
		}
		out, in = p.out, ending{p}
		l.cut, l.stderr = p.kill, p.stderr
	}
	g := &guard{ReadCloser: out, byLine: true, report: l.report}
	l.renew = g.renew
	return &sdk.IOTransport{Reader: g, Writer: in, MaxLineLength: 2 * maxBytes}, nil
}

// refuse refuses a server's requests, except pings. Notifications pass.
func (l *link) refuse(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if method == "ping" || strings.HasPrefix(method, "notifications/") {
			return next(ctx, method, req)
		}
		l.mu.Lock()
		l.asked = method
		l.mu.Unlock()
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this client gives no answers of a model, folders or input of a person"}
	}
}

// within calls fn. If fn does not return soon after its context has ended, for example while it
// writes to a server that does not read, the connection is cut.
func (l *link) within(ctx context.Context, fn func(context.Context) error) error {
	done := make(chan error, 1)
	go func() { done <- fn(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
	}
	l.cut()
	return <-done
}

// close closes the connection. A server that does not end by itself is killed.
func (l *link) close() {
	done := make(chan struct{})
	go func() {
		_ = l.session.Close() // an error at the end does not matter: all results are there
		close(done)
	}()
	timer := time.NewTimer(3 * grace)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
	l.cut()
	<-done
	<-l.ended
}

// isOver reports whether the connection has ended.
func (l *link) isOver() bool {
	select {
	case <-l.ended:
		return true
	default:
		return false
	}
}

// codeRejected is the error code that the SDK uses for an HTTP answer that is not an answer of the
// protocol.
const codeRejected = -32005

// failed says why a call or the connection has no result. The timeout is ctx's own; the caller
// checks whether its own context ended.
func (l *link) failed(ctx context.Context, s Server, tool string, err error) error {
	out := &CallError{Server: s.Name, Tool: tool, Err: err}
	log := ""
	if l.stderr != nil {
		log = Printable(l.stderr.String())
	}
	asked, fault := l.met()
	refused, isRefusal := errors.AsType[*jsonrpc.Error](err)
	switch {
	case fault != nil:
		out.What = fault.Error()
	case ctx.Err() != nil:
		out.What = fmt.Sprintf("it did not answer within %v: see whether it runs, or allow more with its timeout", s.Timeout)
	case isRefusal && refused.Code != codeRejected:
		out.What, out.Said = fmt.Sprintf("it refused (code %d)", refused.Code), Printable(refused.Message)
	case tool == "" && s.Command != "" && l.stderr == nil:
		out.What = fmt.Sprintf("its command %q cannot be started: %v", s.Command, err)
	case tool == "" && s.Command != "":
		out.What, out.Said = fmt.Sprintf("its command %q does not speak the protocol, or has ended: run it by hand, and name the variables that it needs", s.Command), log
	case s.URL != "":
		out.What, out.Said = "it cannot be reached, or does not speak the protocol: check its address", Printable(err.Error())
	case errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		out.What, out.Said = "it ended: see its log; the next call starts it again", log
	default:
		out.What, out.Said = "its answer cannot be understood: report it to who makes the server", Printable(err.Error())
	}
	out.Said = s.hide()(out.Said)
	if asked != "" {
		out.What += fmt.Sprintf(" (it asked for %s, which it does not get)", Printable(asked))
	}
	return out
}
