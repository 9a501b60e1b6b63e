package open

import (
	"context"
	"fmt"

	"example.com/assay/memory"
)

// patience is how many passages an ingest reads for their meaning before their words can be searched.
const patience = 256

// MeaningPhase is what the progress of Ingest calls the reading of what may be quoted.
const MeaningPhase = "reading for meaning"

// Ingest reads files into a corpus that is searched with the embedder. When many passages are new, the
// corpus is searched by words first, and found is told so; the vectors follow. What an interrupted
// call has embedded is kept, and the next call goes on from there.
func (f *Finder) Ingest(ctx context.Context, opts memory.IngestOptions, found func(memory.Report)) (memory.Report, error) {
	opts.Space = f.Space
	if !f.encodes() {
		return memory.Ingest(ctx, opts)
	}
	opts.Patience = patience
	report, err := memory.Ingest(ctx, opts)
	if err != nil {
		return report, err
	}
	if report.Unembedded > 0 {
		if found != nil {
			found(report)
		}
		opts.Patience, opts.Rebuild = 0, false
		next, err := memory.Ingest(ctx, opts)
		if err != nil {
			return report, stopped(ctx, "the passages can be searched by their words; reading them for their meaning", err)
		}
		report.Unembedded, report.Passages, report.Fingerprint = next.Unembedded, next.Passages, next.Fingerprint
	}
	corpus, err := memory.OpenWith(opts.Home, opts.Corpus, &memory.OpenOptions{Servers: opts.Servers, Meaning: f.Space})
	if err != nil {
		return report, err
	}
	err = corpus.Read(ctx, func(done, total int) {
		if opts.Progress != nil {
			opts.Progress(MeaningPhase, done, total)
		}
	})
	if closing := corpus.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return report, stopped(ctx, "the passages can be searched; reading what may be quoted", err)
	}
	return report, nil
}

// stopped is the error of a reading that ended early. What an interrupted ingest says of itself, that
// nothing was changed, is not true of both phases.
func stopped(ctx context.Context, what string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return fmt.Errorf("%s stopped, and goes on when they are ingested again: %w", what, err)
}
