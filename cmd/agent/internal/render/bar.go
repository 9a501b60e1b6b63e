package render

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"

	"example.com/assay/cmd/agent/internal/cli"
)

// Bar shows the progress of a phase and the time that is left at the pace so far. On a
// terminal it is a bar, elsewhere and in a narrow one at most one line per second, so that a
// quick phase prints nothing.
type Bar struct {
	app   *cli.App
	quiet bool
	phase string
	total int
	began time.Time // the phase
	bar   *progressbar.ProgressBar
	last  time.Time
	err   error
}

// NewBar makes a bar. A quiet bar shows nothing, unless --verbose is set.
func NewBar(a *cli.App, quiet bool) *Bar {
	return &Bar{app: a, quiet: quiet && !a.Verbose, last: a.Now()}
}

// Update takes one report of progress.
func (p *Bar) Update(phase string, done, total int) {
	if p.quiet || total <= 0 {
		return // nobody watches, or nothing to measure
	}
	now := p.app.Now()
	if phase != p.phase || total != p.total {
		p.finish()
		p.phase, p.total, p.began = phase, total, now
	}
	done = min(max(done, 0), total)
	left := remaining(now.Sub(p.began), done, total)
	switch {
	case p.app.Stderr.Live && p.app.Stderr.Width >= 60:
		p.show(done, left)
	case now.Sub(p.last) >= time.Second:
		p.last = now
		fmt.Fprintf(p.app.Stderr, "%s %d/%d%s\n", phase, done, total, left)
	}
}

// remaining estimates the time that is left, "" while it is unknown.
func remaining(took time.Duration, done, total int) string {
	if done == 0 || done == total || took < time.Second {
		return ""
	}
	left := time.Duration(float64(took) * float64(total-done) / float64(done))
	return fmt.Sprintf(", %s left", left.Round(time.Second))
}

func (p *Bar) show(done int, left string) {
	if p.bar == nil {
		p.bar = progressbar.NewOptions(p.total,
			progressbar.OptionSetWriter(p.app.Stderr), progressbar.OptionSetDescription(p.phase),
			progressbar.OptionEnableColorCodes(false), progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetWidth(min(max(p.app.Stderr.Width-50, 10), 40)),
			progressbar.OptionThrottle(50*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	p.bar.Describe(p.phase + left)
	if p.err == nil {
		p.err = p.bar.Set(done)
	}
}

func (p *Bar) finish() {
	if p.bar != nil && p.err == nil {
		p.err = p.bar.Clear()
	}
	p.bar = nil
}

// Close removes the bar.
func (p *Bar) Close() error {
	p.finish()
	if p.err != nil {
		return fmt.Errorf("showing progress: %w", p.err)
	}
	return nil
}
