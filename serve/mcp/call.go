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

// call opens what a client brings back of an earlier call.
func (t *tenant) call(name string, req *sdk.CallToolRequest) (*Call, error) {
	c := &Call{Tenant: t.name, tool: t, name: name, req: req}
	if state := req.Params.RequestState; state != "" {
		c.state = &sealed{}
		if err := t.seal.open(c.purpose(), state, c.state); err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		}
	}
	return c, nil
}

// purpose is what a state is sealed for.
func (c *Call) purpose() string { return c.Tenant + "/" + c.name }

// Space is what the caller has.
func (c *Call) Space() (*runs.Space, error) {
	if c.tool.Space == nil {
		return nil, errors.New("this server runs no graphs")
	}
	return c.tool.Space(c.Tenant)
}

// Arguments are those of the call, as the client wrote them.
func (c *Call) Arguments() json.RawMessage { return c.req.Params.Arguments }

// Progress tells the client what is done now, if it wants to know. A client that does not
// take it learns the output all the same.
func (c *Call) Progress(ctx context.Context, message string) {
	token := c.req.Params.GetProgressToken()
	if token == nil {
		return
	}
	c.progress++
	_ = c.req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: c.progress, Message: message}) // the client has left: ctx ends
}

// InputRequired is an error of a tool that needs answers of a person before it can go on.
// The tool is then called again, with the same arguments and the answers.
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
	Schema json.RawMessage // of an object whose fields are plain values
}

// sealed is what a client keeps of a run that waits.
type sealed struct {
	Thread string          `json:"thread"`
	IDs    map[string]bool `json:"ids"` // of the questions; true for those that take a text
}

// ask makes the result that asks, or says why the client cannot be asked.
func (c *Call) ask(e *InputRequired) (*sdk.CallToolResult, error) {
	old := c.req.ProtocolVersion() < stateless
	switch caps := c.req.ClientCapabilities(); {
	case caps == nil || caps.Elicitation == nil:
		return nil, fmt.Errorf("%w. This client cannot ask (it has no elicitation): use another one for this tool", e)
	case old && c.state != nil: // the SDK asks such clients once
		return nil, fmt.Errorf("%w. This client is asked once per call: it needs version %s of the protocol", e, stateless)
	}
	state, err := c.tool.seal.close(c.purpose(), e.state)
	if err != nil {
		return nil, err
	}
	out := &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{}, RequestState: state}
	for _, q := range e.Questions {
		out.InputRequests[q.ID] = &sdk.ElicitParams{Message: q.Text, RequestedSchema: q.Schema}
	}
	return out, nil
}
