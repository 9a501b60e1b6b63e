// Package serve puts graphs behind HTTP, for the clients of LangGraph, OpenAI, AG-UI and A2A, and for
// assistants that call tools.
//
//	s, err := serve.New(ctx, serve.Options{
//		Graphs:       []serve.Graph{serve.Register("chain", chain, nil), serve.Register("fan", fan, nil)},
//		Checkpointer: saver, Store: rows, Log: log,
//	})
//	if err != nil {
//		return err
//	}
//	defer s.Close(ctx)
//	h := s.HTTP()
//	h.Addr = "127.0.0.1:2024"
//	err = h.ListenAndServe()
//
// The handler requires a token of Options.Tenants, or what Options.Authenticate asks for, unless
// Options.Open is set; A2A's public cards need none. It answers only to its own host names, and to
// pages of other origins only if Options.Origins names them. It limits bodies, filters, pages of
// lists, and the runs of each tenant; a free slot goes to the tenant with the fewest runs.
// Server.HTTP limits headers and idle connections. X-Forwarded-… headers are ignored. Tokens appear in
// no log, metric or error.
//
// The package knows the registered graphs, and no pipeline by name. It opens no socket and no file,
// and no endpoint writes files or corpora. It limits what is kept of a tenant's threads only with
// runs.Quota.Bytes, and does not limit a tenant's items, streams and requests per time.
package serve
