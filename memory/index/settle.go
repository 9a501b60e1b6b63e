package index

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/storage"
)

const (
	probeSample  = 24   // passages that are asked for in words of theirs, and by their vectors
	probeTerms   = 4    // of each
	probeDepth   = 10   // hits that are compared
	probeKnown   = 1000 // passages of which the score is known
	rankedAlike  = .97  // of the score of the best, what a server's hits must have by the files' own ranking
	placedAlike  = .90  // the same by vectors, whose index is approximate
	probeEvery   = 2 * time.Second
	settleWithin = 10 * time.Minute
)

// settle waits until the server has all records and ranks them as the files do. A server
// may go on counting words for a while after the last write.
func (p *publication) settle() error {
	limit := cmp.Or(p.opts.Settle, settleWithin)
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	words, vectors, err := p.probes()
	if err != nil {
		return err
	}
	start := time.Now()
	for {
		p.report(PhaseSettle, int(time.Since(start).Seconds()), int(limit.Seconds()))
		why, err := p.unsettled(ctx, words, vectors)
		if err != nil || why == "" {
			return err
		}
		select {
		case <-time.After(probeEvery):
		case <-p.ctx.Done():
			return p.ctx.Err()
		case <-ctx.Done():
			return fmt.Errorf("the server does not rank as it should after %s: %s; look at its log, then ingest again", limit, why)
		}
	}
}

// A probe is an ask and what its best records have by the files' own ranking.
type probe struct {
	ask   Ask
	score map[string]float64 // per id; what is not in it has nothing
	best  float64            // of as many as are asked for
}

// probes makes asks of a sample of passages: some words of each, and its vector.
func (p *publication) probes() (words, vectors []probe, err error) {
	x := p.x.corpus
	for i := range min(probeSample, x.Table.Len()) {
		ord := int32(i * x.Table.Len() / min(probeSample, x.Table.Len()))
		read, err := x.Store.Passage(ord)
		if err != nil {
			return nil, nil, err
		}
		a, err := storage.Analyse(read, citation.Labels{}, new(analysis.Stemmer))
		if err != nil || len(a.Bag) == 0 {
			continue
		}
		var terms []string
		for j := range min(probeTerms, len(a.Bag)) {
			terms = append(terms, a.Bag[j*len(a.Bag)/probeTerms].Text)
		}
		terms = analysis.Distinct(terms)
		ranked, scores, err := x.ByWords(p.ctx, terms, nil, probeKnown)
		if err != nil {
			return nil, nil, err
		}
		words = append(words, p.probe(Ask{Terms: terms}, ranked, scores))
		v := x.Vectors.Row(ord)
		ranked, scores = nil, nil
		for _, m := range x.Vectors.Top(v, probeKnown, 0, nil) {
			ranked, scores = append(ranked, m.Row), append(scores, x.Vectors.Dot(v, m.Row))
		}
		if len(ranked) > 0 {
			vectors = append(vectors, p.probe(Ask{Vector: v}, ranked, scores))
		}
	}
	return words, vectors, nil
}

func (p *publication) probe(ask Ask, ranked []int32, scores []float64) probe {
	ask.Limit = probeDepth
	out := probe{ask: ask, score: make(map[string]float64, len(ranked))}
	for i, ord := range ranked {
		out.score[p.x.gen.table.ID(ord)] = scores[i]
		if i < probeDepth {
			out.best += scores[i]
		}
	}
	return out
}

// unsettled says what is not yet as it should be, "" for nothing.
func (p *publication) unsettled(ctx context.Context, words, vectors []probe) (string, error) {
	n, err := p.opts.To.Count(ctx)
	if err != nil {
		return "", err
	}
	if n != p.x.corpus.Passages {
		return fmt.Sprintf("it counts %d passages of %d", n, p.x.corpus.Passages), nil
	}
	for _, kind := range []struct {
		name   string
		probes []probe
		least  float64
	}{{"words", words, rankedAlike}, {"vectors", vectors, placedAlike}} {
		alike, err := p.alike(ctx, kind.probes)
		if err != nil {
			return "", err
		}
		if alike < kind.least {
			return fmt.Sprintf("its best hits by %s have %.3f of what the best have", kind.name, alike), nil
		}
	}
	return "", nil
}

// alike is the share of the best score that a server's records have, in the mean.
func (p *publication) alike(ctx context.Context, probes []probe) (float64, error) {
	if len(probes) == 0 {
		return 1, nil
	}
	asks := make([]Ask, len(probes))
	for i, probe := range probes {
		asks[i] = probe.ask
	}
	found, err := p.opts.To.Find(ctx, asks)
	if err != nil {
		return 0, err
	}
	var sum float64
	for i, probe := range probes {
		var have float64
		for _, r := range found[i] {
			have += probe.score[r.Passage.ID]
		}
		sum += have / probe.best
	}
	return sum / float64(len(probes)), nil
}
