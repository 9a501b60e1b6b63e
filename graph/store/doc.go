// Package store is long-term memory: JSON objects under namespaces, which outlive the threads that
// write them and are shared by all. It follows LangGraph's BaseStore.
//
// # Use
//
// A node gets a store by closure. The packages below this one open one: memory, sqlite, postgres.
//
//	s, err := memory.New(nil)
//	if err != nil {
//		return err
//	}
//	ann := []string{"users", "ann"}
//	if err := store.Put(ctx, s, ann, "diet", Preference{Text: "no fish"}, nil); err != nil {
//		return err
//	}
//	diet, err := store.Get[Preference](ctx, s, ann, "diet")
//
// Search finds items below a namespace, by filters on their fields (Equal, AtLeast, In and so on)
// and, with an Embedder, by meaning. Items may expire.
//
// # Backends
//
// New makes a Store from a Backend, which keeps rows. JSON, filters, clocks and vectors are handled
// here, once, so every backend gives the same answers. Package storetest tests a backend.
//
// # What it does not do
//
// It does not hold the state of a run: checkpoints do. It has no index on fields or vectors: a
// search reads every item below its namespace and scores it in Go, which suits thousands of items,
// not millions. It does not decide who may read what: a namespace is only a name. It does not sweep
// expired items by itself. It has no transactions that read before they write.
//
// It imports only the standard library, prints nothing and logs nothing.
package store
