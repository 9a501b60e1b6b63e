// Package store is long-term memory: JSON objects under namespaces, which
// outlive the threads that write them and are shared by all. It follows
// LangGraph's BaseStore.
//
// # Use
//
// A node gets a store by closure. The packages below this one open one: memory,
// sqlite, postgres.
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
// Search finds items below a namespace, by filters on their fields (Equal,
// AtLeast, In and so on) and, with an Embedder, by meaning. Items may expire.
//
// # Backends
//
// New makes a Store of a Backend, which keeps rows and knows nothing of JSON,
// filters, clocks or vectors. All of that is here, once, so that every backend
// gives the same answers. The package storetest checks that one does.
//
// # What it does not do
//
// It is not for the state of a run: that is what checkpoints are for. It has no
// index on fields and none on vectors: a search reads every item below its
// namespace and scores it in Go, which is meant for thousands of items, not for
// millions. It does not decide who may read what: a namespace is a name. It does
// not sweep expired items by itself. It has no transactions that read before
// they write.
//
// It imports the standard library only, prints nothing and logs nothing.
package store
