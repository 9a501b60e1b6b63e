// Package serve puts graphs behind HTTP, for the clients of LangGraph and of OpenAI.
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
// bodies, and how many runs each tenant has.
//
// The package knows graphs by registration and no pipeline by name. It opens no socket and
// no file. It has no endpoint that writes files or corpora.
package serve
