package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/serve/runs"
)

// A Call is one call of a tool.
type Call struct {
	Tenant string

	tool     *tenant
	name     string
	req      *sdk.CallToolRequest
	progress float64
	state    *sealed // nil at the first call
}

// call reads the sealed state that a client returns from an earlier call.
func (t *tenant) call(name string, req *sdk.CallToolRequest) (*Call, error) {
	c := &Call{Tenant: t.name, tool: t, name: name, req: req}
	if state := req.Params.RequestState; state != "" {
		c.state = &sealed{}
		if err := t.seal.Open(c.purpose(), state, c.state); err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState was changed, or is of another server, tool or tenant: call the tool again without it"}
		}
	}
	return c, nil
}

// purpose is the purpose that a state is sealed for.
func (c *Call) purpose() string { return c.Tenant + "/" + c.name }

// Space returns the caller's space.
func (c *Call) Space(ctx context.Context) (*runs.Space, error) {
	if c.tool.Space == nil {
		return nil, errors.New("this server runs no graphs")
	}
	return c.tool.Space(ctx, c.Tenant)
}

// Arguments returns the call's arguments as the client wrote them.
func (c *Call) Arguments() json.RawMessage { return c.req.Params.Arguments }

// Progress sends the client a progress message, if it asked for them. A failure to send is ignored:
// the client gets the output anyway.
func (c *Call) Progress(ctx context.Context, message string) {
	token := c.req.Params.GetProgressToken()
	if token == nil {
		return
	}
	c.progress++
	_ = c.req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: c.progress, Message: message}) // the client has left: ctx ends
}

// InputRequired is a tool's error that asks a person. The client then calls the tool again, with
// the same arguments and the answers.
type InputRequired struct {
	Questions []Question
	state     sealed
}

func (e *InputRequired) Error() string {
	var texts []string
	for _, q := range e.Questions {
		texts = append(texts, q.Text)
	}
	return "a person must answer first: " + strings.Join(texts, "; ")
}

// A Question is asked by the client.
type Question struct {
	ID     string
	Text   string
	Schema json.RawMessage // schema of an object with scalar fields
}

// sealed is the state of a waiting run that the client keeps.
type sealed struct {
	Thread string          `json:"thread"`
	IDs    map[string]bool `json:"ids"` // IDs of the questions; true if the answer is a text
}

// ask returns the result that asks the client, or an error if this client cannot be asked.
func (c *Call) ask(e *InputRequired) (*sdk.CallToolResult, error) {
	old := c.req.ProtocolVersion() < stateless
	switch caps := c.req.ClientCapabilities(); {
	case caps == nil || caps.Elicitation == nil:
		return nil, fmt.Errorf("%w. This client cannot ask (it has no elicitation): use another one for this tool", e)
	case old && c.state != nil: // the SDK asks clients of older versions only once
		return nil, fmt.Errorf("%w. This client is asked once per call: it needs version %s of the protocol", e, stateless)
	}
	state, err := c.tool.seal.Close(c.purpose(), e.state)
	if err != nil {
		return nil, err
	}
	out := &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{}, RequestState: state}
	for _, q := range e.Questions {
		out.InputRequests[q.ID] = &sdk.ElicitParams{Message: q.Text, RequestedSchema: q.Schema}
	}
	return out, nil
}
