// Package serve puts graphs behind HTTP, for the clients of LangGraph and of OpenAI, and for
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
// The handler asks for a token unless Options.Open says that there is none, answers only
// to the names of its host, and to pages of other origins only if they are named. It bounds
// bodies, filters and parts of lists, and how many runs each tenant has; free slots go to
// the tenant with the fewest runs. Server.HTTP bounds headers and silent connections. What a
// proxy says in X-Forwarded-… is not believed. Tokens are in no log, metric or text.
//
// The package knows graphs by registration and no pipeline by name. It opens no socket and
// no file. It has no endpoint that writes files or corpora. It does not bound how many
// threads and items a tenant keeps, how many streams it reads, and how often it asks.
package serve
