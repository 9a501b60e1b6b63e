// Package causal decides for each edge of a drafted causal graph whether a
// corpus shows it: a loop per edge searches for and against it, asks a judge,
// searches again by what the judge misses, lets an adversary attack what is
// held to be strong, and grounds or rejects. What is grounded becomes a graph
// without cycles.
//
//	p, err := causal.New(causal.Deps{Model: model, Skills: set, Corpus: corpus}, nil)
//	final, err := p.Run(ctx, edges, nil)
//	for _, e := range final.Edges { fmt.Println(e.ID, e.Status, e.Rejection.Reason) }
//
// A verdict counts only when its quote is in a passage that was read, byte for
// byte. A rejected edge stays in the result with everything that was read and
// said; only the graph leaves it out. One edge's failure is that edge's.
//
// The package does not say what causes what: an edge is grounded when the corpus
// states it, and rejected when it does not, which is not the same as false. It
// estimates no effect and adjusts for no confounder.
package causal
