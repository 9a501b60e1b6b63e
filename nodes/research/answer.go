package research

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"example.com/assay/state"
)

// A Locator finds the file whose bytes a passage's offsets count, and the file
// that it was extracted from, if it is not the same. memory.Corpus is one.
type Locator interface {
	TextPath(source string) (path, original string, err error)
}

// Result turns a finished run into the answer that is printed. It reads the
// cited files once more: a source whose file no longer holds the passage is
// marked stale, and its quotes do not count as exact.
func Result(final state.Agent, runErr error, files Locator) state.Answer {
	a := state.Answer{
		Schema: state.AnswerSchema, Pipeline: "research", Status: status(final, runErr), Question: final.Objective,
		Answer: final.Answer, Choice: final.Choice.Letter, Sources: []state.Source{}, Confidence: final.MeanConfidence(), Warnings: final.Warnings,
		Metrics: state.RunMetrics{Metrics: final.Metrics, NodeMS: map[string]float64{}},
	}
	switch {
	case runErr != nil:
		a.Error = runErr.Error()
	case a.Status == state.StatusFailed:
		a.Error = stoppedBy(final.Plan)
	}
	for i, c := range Cited(final) {
		source := sourceOf(i+1, c, files)
		a.Sources = append(a.Sources, source)
		a.Verification.QuotesChecked += len(source.Quotes)
		if source.Stale == "" {
			a.Verification.QuotesExact += len(source.Quotes)
		}
	}
	return a
}

func status(final state.Agent, runErr error) state.Status {
	switch {
	case errors.Is(runErr, context.Canceled) || errors.Is(runErr, context.DeadlineExceeded):
		return state.StatusInterrupted
	case runErr != nil:
		return state.StatusFailed
	case !final.Injection.Safe:
		return state.StatusRejected
	case final.Count(state.StepCompleted) > 0:
		return state.StatusAnswered
	case stoppedBy(final.Plan) != "":
		return state.StatusFailed
	}
	return state.StatusNoEvidence
}

// stoppedBy returns the first error of the model or the index that stopped a
// step, which is not the same as finding nothing.
func stoppedBy(plan []state.Step) string {
	for _, step := range plan {
		if step.Error != "" {
			return step.Error
		}
	}
	return ""
}

func sourceOf(n int, c CitedSource, files Locator) state.Source {
	p := c.Hit.Passage
	s := state.Source{
		N: n, Query: c.Step, Source: c.N, Doc: p.Doc, Title: p.Title, Where: p.Where(), Section: p.Section, Page: p.Page, Element: p.Element, Line: p.Line,
		Start: p.Start, End: p.End, Text: p.Text, Quotes: []state.QuoteSpan{},
	}
	for _, q := range c.Quotes {
		s.Quotes = append(s.Quotes, state.QuoteSpan{Start: q.Start, End: q.End, Text: q.Text})
	}
	var err error
	if s.Path, s.Original, err = files.TextPath(p.Source); err != nil {
		s.Stale = err.Error()
		return s
	}
	s.Stale = compare(s.Path, p)
	return s
}

const changed = "the file has changed since it was ingested; ingest it again"

// compare reads the passage's bytes from its file and says what is different.
func compare(path string, p state.Passage) string {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Sprintf("opening the source: %v", err)
	}
	defer f.Close()
	text := make([]byte, p.End-p.Start)
	if _, err := f.ReadAt(text, int64(p.Start)); errors.Is(err, io.EOF) {
		return changed
	} else if err != nil {
		return fmt.Sprintf("reading bytes %d–%d: %v", p.Start, p.End, err)
	}
	if string(text) != p.Text {
		return changed
	}
	return ""
}
