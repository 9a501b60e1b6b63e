// Package causal measures judges of causal language: it reads a judged
// collection, asks a judge about every sentence or pair, and reports how often it
// was right, how well its probabilities order and how honest they are.
//
//	set, err := causal.Read(ctx, causal.Files{Format: "pairs", Data: "pairs.jsonl"}, nil)
//	judge, err := causal.NewOffline(set.Format)
//	got, err := causal.Evaluate(ctx, set, judge, nil)
//	for _, m := range got.Metrics { fmt.Println(m.Name, m.Value, m.Lo, m.Hi) }
//
// The package does not print or train, and it measures sentences, not the
// verification of edges, which searches as well. It ships no data.
package causal
