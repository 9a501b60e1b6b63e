package open

import (
	"context"
	"fmt"

	"example.com/assay/memory"
)

// patience is how many stretches an ingest embeds before the words of their passages can be searched.
const patience = 2048

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
			if cause := context.Cause(ctx); cause != nil {
				err = cause // what an interrupted ingest says of itself, that nothing was changed, is not true of both
			}
			return report, fmt.Errorf("the passages can be searched by their words; reading them for their meaning stopped, and goes on when they are ingested again: %w", err)
		}
		report.Unembedded, report.Passages, report.Fingerprint = next.Unembedded, next.Passages, next.Fingerprint
	}
	return report, nil
}
