// Package causal decides, for each edge of a drafted causal graph, whether a corpus states it. A
// loop for each edge searches for evidence for and against it, asks a judge, searches again for
// what the judge misses, and lets an adversary attack strong edges. Grounded edges form a graph
// without cycles.
//
//	p, err := causal.New(causal.Deps{Model: model, Skills: set, Corpus: corpus}, nil)
//	final, err := p.Run(ctx, edges, nil)
//	for _, e := range final.Edges { fmt.Println(e.ID, e.Status, e.Rejection.Reason) }
//
// A verdict counts only if a passage that was read contains its quote, byte for byte. A rejected
// edge stays in the result with all its evidence; only the graph leaves it out. A failure affects
// only its own edge.
//
// The package does not say what causes what: a grounded edge is stated by the corpus; a rejected
// edge is not stated, which does not make it false. It estimates no effect and adjusts for no
// confounder.
package causal
