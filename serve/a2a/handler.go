package a2a

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/errordetails"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/internal/sse"
	"example.com/assay/serve/runs"
)

// Options configure a handler.
type Options struct {
	// Space returns the space of a request's caller. Public cards only read its graphs.
	Space func(*http.Request) *runs.Space
	// Default is the graph of a new context whose first message names none. Default: the first of
	// the graphs.
	Default string
	// Token says that callers need a token, for the card.
	Token   bool
	Version string // of the agent, for the card
	// Heartbeat is how often a silent stream sends a comment. Default: 15 seconds.
	Heartbeat time.Duration
}

// A call is one request.
type call struct {
	Options
	*runs.Space
	w     http.ResponseWriter
	r     *http.Request
	graph string // in the path; "" for all graphs

	ending bool // the end of a task's last run is being written
}

// Path is the path of the agent with all graphs, and Path + "/{graph}" that of an agent with one.
// CardPath is the path of the first one's card; below the path of another is that one's.
const (
	Path     = "/a2a"
	CardPath = "/.well-known/agent-card.json"
)

// Handler returns the handler for Path, CardPath, and all paths below Path. Only the paths that end
// with CardPath may be served without a token.
func Handler(o Options) http.Handler {
	o.Heartbeat = cmp.Or(o.Heartbeat, 15*time.Second)
	mux := http.NewServeMux()
	for pattern, serve := range map[string]func(*call){
		"POST /a2a":                                    (*call).answerRPC,
		"POST /a2a/{graph}":                            (*call).answerRPC,
		"GET /.well-known/agent-card.json":             (*call).giveCard,
		"GET /a2a/{graph}/.well-known/agent-card.json": (*call).giveCard,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			c := &call{Options: o, Space: o.Space(r), w: w, r: r, graph: r.PathValue("graph")}
			if _, err := c.Graph(c.graph); c.graph != "" && err != nil {
				http.Error(w, "there is no such graph", http.StatusNotFound)
				return
			}
			serve(c)
		})
	}
	return mux
}

func (c *call) ctx() context.Context { return c.r.Context() }

// A rpcRequest is a request of JSON-RPC.
type rpcRequest struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// A method answers with a value, or with a stream of events.
type method func(*call, json.RawMessage) (any, error)

// An updates is a stream of events.
type updates func(context.Context) iter.Seq2[a2a.Event, error]

var methods = map[string]method{
	"SendMessage":          with((*call).send),
	"SendStreamingMessage": with((*call).sendStreaming),
	"GetTask":              with((*call).getTask),
	"ListTasks":            with((*call).listTasks),
	"CancelTask":           with((*call).cancelTask),
	"SubscribeToTask":      with((*call).subscribe),
	"GetExtendedAgentCard": with((*call).extendedCard),

	"CreateTaskPushNotificationConfig": with((*call).createPush),
	"GetTaskPushNotificationConfig":    with((*call).getPush),
	"ListTaskPushNotificationConfigs":  with((*call).listPushes),
	"DeleteTaskPushNotificationConfig": with((*call).deletePush),
}

// with makes a method of a function that takes its parameters.
func with[P any](do func(*call, *P) (any, error)) method {
	return func(c *call, data json.RawMessage) (any, error) {
		var in P
		if len(data) > 0 {
			if err := json.Unmarshal(data, &in); err != nil {
				return nil, fmt.Errorf("%w: %w", a2a.ErrInvalidParams, err)
			}
		}
		return do(c, &in)
	}
}

// answerRPC answers a request of JSON-RPC.
func (c *call) answerRPC() {
	in, do, err := c.read()
	var out any
	if err == nil {
		out, err = do(c, in.Params)
	}
	if c.ctx().Err() != nil {
		return
	}
	events, streams := out.(updates)
	if !streams && (err == nil || c.r.Header.Get("Accept") != "text/event-stream") {
		c.w.Header().Set("Content-Type", "application/json")
		_, _ = c.w.Write(reply(in.ID, out, err)) // the caller may have left
		return
	}
	if err != nil { // as an event: a client of streams in Go reads nothing else
		events = func(context.Context) iter.Seq2[a2a.Event, error] {
			return func(yield func(a2a.Event, error) bool) { yield(nil, err) }
		}
	}
	c.stream(in.ID, events)
}

// read reads a request of JSON-RPC, and finds its method.
func (c *call) read() (in rpcRequest, do method, err error) {
	data, err := io.ReadAll(c.r.Body)
	switch {
	case err != nil:
		return in, nil, fmt.Errorf("reading the request: %w", err)
	case !json.Valid(data):
		return in, nil, a2a.ErrParseError
	case json.Unmarshal(data, &in) != nil, in.Version != "2.0", in.Method == "":
		return in, nil, fmt.Errorf("%w: it must be one object of JSON-RPC 2.0 with a method", a2a.ErrInvalidRequest)
	case len(in.ID) > 0 && strings.IndexByte("{[tf", in.ID[0]) >= 0:
		in.ID = nil
		return in, nil, fmt.Errorf("%w: its id must be a string or a number", a2a.ErrInvalidRequest)
	}
	version := cmp.Or(c.r.Header.Get("A2A-Version"), c.r.URL.Query().Get("A2A-Version"), "0.3")
	if version != "1.0" && !strings.HasPrefix(version, "1.0.") {
		return in, nil, fmt.Errorf("%w: the header A2A-Version says %.20q, and this server speaks 1.0", a2a.ErrVersionNotSupported, version)
	}
	do = methods[in.Method]
	if do == nil {
		return in, nil, fmt.Errorf("%w: %.60q", a2a.ErrMethodNotFound, in.Method)
	}
	return in, do, nil
}

// stream sends events until they end, the client leaves or the server closes.
func (c *call) stream(id json.RawMessage, events updates) {
	out, ok := sse.Open(c.w)
	if !ok {
		return
	}
	write := func(data []byte) error {
		_, err := fmt.Fprintf(out, "data: %s\n\n", data)
		return err
	}
	ended, err := sse.Follow(c.ctx(), out, sse.Options{Heartbeat: c.Heartbeat, Comment: "heartbeat", Closed: c.Closed()}, events,
		func(ev a2a.Event) error { return write(reply(id, a2a.StreamResponse{Event: ev}, nil)) })
	if ended && err != nil {
		err = write(reply(id, nil, err))
	}
	if err == nil {
		_ = out.Flush() // the client may have left
	}
}

// codes are the protocol's errors.
var codes = []struct {
	is   error
	code int
}{
	{a2a.ErrParseError, -32700}, {a2a.ErrInvalidRequest, -32600}, {a2a.ErrMethodNotFound, -32601}, {a2a.ErrInvalidParams, -32602},
	{a2a.ErrTaskNotFound, -32001}, {a2a.ErrTaskNotCancelable, -32002},
	{a2a.ErrUnsupportedOperation, -32004}, {a2a.ErrUnsupportedContentType, -32005}, {a2a.ErrVersionNotSupported, -32009},
	{a2a.ErrInternalError, -32603},
}

// reply encodes a response of JSON-RPC.
func reply(id json.RawMessage, result any, err error) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	if err == nil {
		var data []byte
		if data, err = json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "result": result}); err == nil {
			return data
		}
	}
	kind := codes[0]
	for _, kind = range codes { // ends with the internal error
		if errors.Is(err, kind.is) || errors.Is(kindOf(err), kind.is) {
			break
		}
	}
	info := errordetails.NewErrorInfo(a2a.ErrorReason(kind.is), string(a2a.ProtocolDomain), nil)
	data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{ // texts can always be encoded
		"code": kind.code, "message": err.Error(), "data": []any{info},
	}})
	return data
}

// kindOf returns the protocol's error for an error of the runs.
func kindOf(err error) error {
	switch refusal.Status(err) {
	case http.StatusNotFound:
		return a2a.ErrTaskNotFound
	case http.StatusUnprocessableEntity, http.StatusBadRequest, http.StatusRequestEntityTooLarge:
		return a2a.ErrInvalidParams
	case http.StatusConflict:
		return a2a.ErrUnsupportedOperation
	}
	return a2a.ErrInternalError
}
