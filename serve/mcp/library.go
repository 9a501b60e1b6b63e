package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Library holds resources that clients read by URI.
type Library interface {
	// Templates returns the forms of the resources' URIs.
	Templates() []Template
	// List returns the few resources that are worth listing.
	List(ctx context.Context, tenant string) ([]Link, error)
	// Read returns a resource. The client sees the error: the resource does not exist, or cannot be
	// read.
	Read(ctx context.Context, tenant, uri string) (Content, error)
	// Complete returns values that begin with text, for an argument of a template or a prompt by
	// its name. Earlier holds the values of earlier arguments. An argument without completion has
	// no values.
	Complete(ctx context.Context, tenant, argument, text string, earlier map[string]string) ([]string, error)
}

// A Template is a form of URIs (RFC 6570).
type Template struct{ URI, Name, Title, Description, MIMEType string }

// Content is a resource.
type Content struct{ MIMEType, Text string }

// addLibrary adds the resources of a tenant.
func (t *tenant) addLibrary() {
	for _, f := range t.Library.Templates() {
		t.server.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: f.URI, Name: f.Name, Title: f.Title, Description: f.Description, MIMEType: f.MIMEType}, t.read)
	}
	t.server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			res, err := next(ctx, method, req)
			list, ok := res.(*sdk.ListResourcesResult)
			if err != nil || !ok || list.NextCursor != "" { // the library's resources come last
				return res, err
			}
			links, err := t.Library.List(ctx, t.name)
			for _, l := range links {
				list.Resources = append(list.Resources, &sdk.Resource{URI: l.URI, Name: l.Name, Description: l.Description, MIMEType: l.MIMEType})
			}
			return list, err
		}
	})
}

func (t *tenant) read(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	c, err := t.Library.Read(ctx, t.name, req.Params.URI)
	if err != nil {
		data, failed := json.Marshal(map[string]string{"uri": req.Params.URI})
		if failed != nil {
			return nil, failed
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error(), Data: data}
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: c.MIMEType, Text: c.Text}}}, nil
}

// mostValues is the protocol's limit for the values of a completion.
const mostValues = 100

func (t *tenant) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	var earlier map[string]string
	if req.Params.Context != nil {
		earlier = req.Params.Context.Arguments
	}
	values, err := t.Library.Complete(ctx, t.name, req.Params.Argument.Name, req.Params.Argument.Value, earlier)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	all := len(values)
	shown := values[:min(all, mostValues)]
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: append([]string{}, shown...), Total: all, HasMore: all > mostValues}}, nil
}

// A Prompt is a text with arguments that a person chooses.
type Prompt struct {
	Name, Title, Description string
	Arguments                []Argument
	// Text returns the message that begins the conversation. Required arguments are present.
	Text func(arguments map[string]string) string
}

// An Argument is an argument of a prompt.
type Argument struct {
	Name, Description string
	Optional          bool
}

func (t *tenant) addPrompt(p Prompt) {
	out := &sdk.Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
	for _, a := range p.Arguments {
		out.Arguments = append(out.Arguments, &sdk.PromptArgument{Name: a.Name, Description: a.Description, Required: !a.Optional})
	}
	t.server.AddPrompt(out, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		for _, a := range p.Arguments {
			if !a.Optional && req.Params.Arguments[a.Name] == "" {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("prompt %q needs the argument %q: %s", p.Name, a.Name, a.Description)}
			}
		}
		return &sdk.GetPromptResult{Description: p.Description, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: p.Text(req.Params.Arguments)}}}}, nil
	})
}

// A Page shows tool outputs inside the client, which gives each output to it. The protocol calls it
// an app.
type Page struct {
	URI, Name, Description string // the URI begins with "ui://"
	HTML                   func() (string, error)
}

// The protocol's names for pages.
const (
	pageType      = "text/html;profile=mcp-app"
	pageExtension = "io.modelcontextprotocol/ui"
)

func (t *tenant) addPage(p Page) {
	t.server.AddResource(&sdk.Resource{URI: p.URI, Name: p.Name, Description: p.Description, MIMEType: pageType}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		html, err := p.HTML()
		if err != nil {
			return nil, err
		}
		border := sdk.Meta{"ui": map[string]any{"prefersBorder": true}}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: p.URI, MIMEType: pageType, Text: html, Meta: border}}}, nil
	})
}

// checkPages reports pages that tools name but the options lack.
func (o *Options) checkPages() error {
	for _, t := range o.Tools {
		if uri := t.about.Page; uri != "" && !slices.ContainsFunc(o.Pages, func(p Page) bool { return p.URI == uri }) {
			return fmt.Errorf("tool %q is shown by %s, which is not a page of the server", t.about.Name, uri)
		}
	}
	return nil
}
