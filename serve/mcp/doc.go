// Package mcp serves tools, resources and prompts to assistants by the Model Context
// Protocol, on the official SDK: over standard input and output, and over HTTP.
//
//	search := mcp.NewTool(mcp.About{Name: "search", Description: "Finds passages."},
//		func(ctx context.Context, c *mcp.Call, in Query) (Passages, error) { … })
//	m, err := mcp.New(mcp.Options{Name: "assay", Tools: []mcp.Tool{search}})
//	if err != nil {
//		return err
//	}
//	err = m.Serve(ctx, tenant, os.Stdin, os.Stdout) // or m.Handler(caller)
//
// Schemas come from Go types. An output that is longer than the caller wants is cut, and
// links say where the rest is. What a graph asks a person becomes an input request, whose
// state is sealed, so that any server with the key goes on with the run.
//
// The package knows no pipeline. It asks for no model of the client (sampling), none of its
// folders (roots) and sends it no log: the protocol gives these up. It checks neither tokens
// nor hosts: package serve does.
package mcp
