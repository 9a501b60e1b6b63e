// Package rerank orders passages by how well they answer a question: with a reranking model behind
// HTTP ([Client]), or with a language model that sees the whole list ([Judge]). Both implement
// memory.Reranker.
//
//	by, err := rerank.NewClient(&rerank.Options{BaseURL: "http://localhost:8080", Model: "bge-reranker-v2-m3"})
//	scores, err := by.Rerank(ctx, question, texts)
//
// The package does not retry and has no fallback: its caller does. Scores of different calls cannot
// be compared.
package rerank
