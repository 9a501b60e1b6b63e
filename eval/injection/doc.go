// Package injection measures what becomes of orders that are hidden in evidence:
// whether they are found, whether harmless texts are taken for such, and whether
// an answer does what they say.
//
//	set, err := injection.Read(ctx, "bipia_injection", nil)
//	got, err := injection.Evaluate(ctx, set, nil)
//	for _, m := range got.Metrics { fmt.Println(m.Name, m.Value, m.Lo, m.Hi) }
//
// [Fit] trains the weights of orders; eval/train ships what it makes. Every text
// is data here, and nothing follows it. The package does not print.
package injection
