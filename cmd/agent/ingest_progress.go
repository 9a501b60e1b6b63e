package main

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"
)

// ingestProgress shows how far an ingest is: a bar on a terminal, else a line
// a second at most, so that quick ones print nothing.
type ingestProgress struct {
	app   *app
	quiet bool
	phase string
	total int
	bar   *progressbar.ProgressBar
	last  time.Time
	err   error
}

func (a *app) newIngestProgress(quiet bool) *ingestProgress {
	return &ingestProgress{app: a, quiet: quiet && !a.verbose, last: a.now()}
}

// update takes one report of progress.
func (p *ingestProgress) update(phase string, done, total int) {
	switch {
	case p.quiet:
	case p.app.stderr.tty:
		p.show(phase, done, total)
	case p.app.now().Sub(p.last) >= time.Second:
		p.last = p.app.now()
		fmt.Fprintf(p.app.stderr, "%s %d/%d\n", phase, done, total)
	}
}

func (p *ingestProgress) show(phase string, done, total int) {
	if total <= 0 {
		return // nothing to measure
	}
	if p.bar == nil || phase != p.phase || total != p.total {
		p.finish()
		p.phase, p.total = phase, total
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(p.app.stderr), progressbar.OptionSetDescription(phase),
			progressbar.OptionEnableColorCodes(false), progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetWidth(min(max(p.app.stderr.width-40, 10), 40)),
			progressbar.OptionThrottle(50*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	if p.err == nil {
		p.err = p.bar.Set(min(max(done, 0), total))
	}
}

func (p *ingestProgress) finish() {
	if p.bar != nil && p.err == nil {
		p.err = p.bar.Clear()
	}
	p.bar = nil
}

// close removes the bar.
func (p *ingestProgress) close() error {
	p.finish()
	if p.err != nil {
		return fmt.Errorf("showing progress: %w", p.err)
	}
	return nil
}
