// Package open opens what settings name, and runs pipelines on it. A [Desk] holds what a
// pipeline needs: skills, a model under its limits, a corpus with embedder and reranker,
// saved runs, spans. [Pipelines] is the list of what the program offers, and makes each on a
// desk. [Desk.Answer] runs one with an id, a trace and spans.
//
//	d, err := open.New(ctx, app, settings, cassette, open.Want{Skills: evidence.Skills(), Corpus: open.Corpus})
//	p, err := d.Comply(false)
//	answer, err := d.Answer(ctx, open.Run{Pipeline: comply, Made: p.Instance(), Input: input})
//
// With a Temporal server in the settings, workers run the graph instead, if the verb wants
// that: [PipelineOf] finds what they make.
//
// It knows no verb, and prints only warnings.
package open
