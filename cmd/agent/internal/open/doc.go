// Package open opens what settings name, and runs pipelines on it. A [Desk] is what a
// pipeline works with: skills, a model under its limits, a corpus with what it is
// searched by, saved runs, spans. It makes each of the five pipelines, and [Run] runs
// one: with an id, a trace and its spans.
//
//	d, err := open.New(ctx, app, settings, cassette, open.Want{Skills: evidence.Skills(), Corpus: open.Corpus})
//	p, err := d.Comply(false)
//	final, took, err := open.Run(ctx, d, t, open.Follows(p.Graph(), t.In))
//
// It knows no verb, and prints nothing but warnings.
package open
