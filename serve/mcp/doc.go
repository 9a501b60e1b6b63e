// Package mcp serves tools, resources and prompts to assistants by the Model Context Protocol, with
// the official SDK: over standard input and output, and over HTTP.
//
//	search := mcp.NewTool(mcp.About{Name: "search", Description: "Finds passages."},
//		func(ctx context.Context, c *mcp.Call, in Query) (Passages, error) { … })
//	m, err := mcp.New(mcp.Options{Name: "assay", Tools: []mcp.Tool{search}})
//	if err != nil {
//		return err
//	}
//	err = m.Serve(ctx, tenant, os.Stdin, os.Stdout) // or m.Handler(caller)
//
// Schemas come from Go types. An output longer than the caller's limit is cut, and links say where
// to read the rest. An interrupt of a graph becomes an input request with a sealed state, so any
// server with the same key can continue the run.
//
// The package knows no pipeline. It does not use the client's models (sampling) or folders (roots)
// and sends it no log: the protocol deprecates these. It checks neither tokens nor hosts: package
// serve does.
package mcp
