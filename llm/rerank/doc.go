// Package rerank orders passages by how well they answer a question: by a
// reranking model behind HTTP ([Client]), or by a language model that is shown
// the whole list ([Judge]). Both have the methods of memory.Reranker.
//
//	by, err := rerank.NewClient(&rerank.Options{BaseURL: "http://localhost:8080", Model: "bge-reranker-v2-m3"})
//	scores, err := by.Rerank(ctx, question, texts)
//
// What it does not do: it retries nothing and falls back to nothing, which is
// for whoever asks for an order; its scores mean nothing beside those of
// another call.
package rerank
