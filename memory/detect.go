package memory

import (
	"context"
	"fmt"

	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A Detector detects prompt injections: the spans of the sentences with them, by text. It is safe
// for concurrent use.
type Detector interface {
	Detect(ctx context.Context, texts []string) ([][]text.Span, error)
	ID() string // its name in error reports
}

// kindDetected is the kind of a prompt injection that a detector found.
const kindDetected = "detected"

// detect records in the hits of r the prompt injections that a detector finds. If the detector
// fails, the hits stay as they are and r gives the reason: a search must not fail because of a
// check of its passages. The returned error is that of ctx.
func detect(ctx context.Context, by Detector, r *retrieval.Result) error {
	if len(r.Hits) == 0 {
		return nil
	}
	texts := make([]string, len(r.Hits))
	for i, h := range r.Hits {
		texts[i] = h.Passage.Text
	}
	found, err := by.Detect(ctx, texts)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil {
		err = checkSpans(found, texts)
	}
	if err != nil {
		r.Uninspected = text.Clip(fmt.Sprintf("detecting orders with %q: %v", by.ID(), err), maxFallback)
		return nil
	}
	for i, spans := range found {
		for _, s := range spans {
			r.Hits[i].Passage.Orders = append(r.Hits[i].Passage.Orders, state.Order{Kind: kindDetected, Start: s.Start, End: s.End})
		}
	}
	return nil
}

func checkSpans(found [][]text.Span, texts []string) error {
	if len(found) != len(texts) {
		return fmt.Errorf("it looked at %d of %d passages", len(found), len(texts))
	}
	for i, spans := range found {
		for _, s := range spans {
			if s.Start < 0 || s.End > len(texts[i]) || s.Start >= s.End {
				return fmt.Errorf("it found an order outside of passage %d", i+1)
			}
		}
	}
	return nil
}

// withhold removes prompt injections from the hits and from the passages around them.
func withhold(inspect retrieval.Inspect, hits []state.Hit) {
	take := func(list []state.Passage) []state.Passage {
		out := make([]state.Passage, len(list))
		for i, p := range list {
			out[i] = p.Withhold(inspect)
		}
		return out
	}
	for i := range hits {
		h := &hits[i]
		h.Passage = h.Passage.Withhold(inspect)
		if len(h.Before)+len(h.After) > 0 {
			h.Before, h.After = take(h.Before), take(h.After)
		}
	}
}
