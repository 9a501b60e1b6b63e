// Package open opens what settings name, and runs pipelines on it. A [Desk] holds what a
// pipeline needs: skills, a model under its limits, a corpus with embedder and reranker,
// saved runs, spans. It makes each of the five pipelines. [Run] runs one with an id, a
// trace and spans.
//
//	d, err := open.New(ctx, app, settings, cassette, open.Want{Skills: evidence.Skills(), Corpus: open.Corpus})
//	p, err := d.Comply(false)
//	final, took, err := open.Run(ctx, d, &open.Traced[evidence.State]{Graph: p.Graph(), In: in.Update()})
//
// With a Temporal server in the settings, workers run the graph instead, if the verb wants
// that; [KindOf] tells them what each pipeline needs.
//
// It knows no verb, and prints only warnings.
package open
