// Package claims measures judges of claims: it reads a judged collection, asks
// a judge about every claim or response, and reports how often it was right,
// how well its probabilities order and how honest they are.
//
//	set, err := claims.Read(ctx, claims.Files{Format: "wice", Data: "claims.jsonl.gz"}, nil)
//	got, err := claims.Evaluate(ctx, set, claims.NewOffline(), nil)
//	for _, m := range got.Metrics { fmt.Println(m.Name, m.Value, m.Lo, m.Hi) }
//
// Anything that answers [Judge] can be measured: the offline judge, the
// verification pipeline, a model.
//
// The package does not print, train or split responses into claims. It ships no data.
package claims
