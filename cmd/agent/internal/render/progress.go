package render

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/rs/zerolog"
	"github.com/schollz/progressbar/v3"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/graph"
	"example.com/assay/state/event"
)

// Progress shows one running pipeline: on a terminal one line that is replaced, with -v a line of
// log for each node. The line shows the finished tasks of a superstep, the time that the others
// need at that pace, and the time so far.
type Progress struct {
	live    *cli.Screen // nil for none
	log     zerolog.Logger
	step    int // the research step that searched last
	now     func() time.Time
	tasks   map[string]*tasks // of the current supersteps, by namespace
	stop    chan struct{}     // ends the clock
	stopped chan struct{}

	mu    sync.Mutex // the clock repaints the line
	began time.Time
	what  string // the line; "" while there is none
}

// tasks counts the tasks of one superstep.
type tasks struct {
	began       time.Time
	done, total int
}

// NewProgress returns the progress of a question. quiet leaves only the log.
func NewProgress(a *cli.App, quiet bool) *Progress {
	p := &Progress{log: a.Logger(), now: a.Now, began: a.Now(), tasks: map[string]*tasks{}}
	if a.Stderr.Live && !quiet && !a.Verbose {
		p.live, p.stop, p.stopped = a.Stderr, make(chan struct{}), make(chan struct{})
		a.Stderr.Measure()
		go p.clock()
	}
	return p
}

// clock repaints the line each second.
func (p *Progress) clock() {
	defer close(p.stopped)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.mu.Lock()
			p.paint()
			p.mu.Unlock()
		case <-p.stop:
			return
		}
	}
}

// Observe takes one event of a run.
func Observe[S any](p *Progress, ev graph.Event[S]) {
	node := ev.Node
	if ev.Namespace != "" {
		node = ev.Namespace + "/" + node
	}
	switch ev.Kind {
	case graph.StepStart:
		p.tasks[ev.Namespace] = &tasks{began: p.now(), total: len(ev.Nodes)}
	case graph.NodeUpdate, graph.NodeFailed: // a handled failure is followed by a NodeUpdate
		if t := p.tasks[ev.Namespace]; t != nil {
			t.done++
		}
	}
	switch ev.Kind {
	case graph.NodeStart:
		p.Show(node + p.share(ev.Namespace))
	case graph.NodeUpdate:
		if share := p.share(ev.Namespace); share != "" {
			p.Show(node + share)
		}
		p.log.Info().Str("node", node).Float64("ms", cli.Milliseconds(ev.Elapsed)).Msg("done")
	case graph.NodeFailed:
		p.log.Error().Str("node", node).Float64("ms", cli.Milliseconds(ev.Elapsed)).Err(ev.Err).Msg("failed")
	case graph.NodeRetry:
		p.log.Warn().Str("node", node).Int("attempt", ev.Attempt).Err(ev.Err).Msg("trying again")
	case graph.NodeCustom:
		p.custom(node, ev.Name, ev.Data)
	case graph.RunEnd:
		if ev.Namespace == "" {
			p.log.Info().Float64("ms", cli.Milliseconds(ev.Elapsed)).Err(ev.Err).Msg("run ended")
		}
	}
}

// custom logs what a node published. It logs no questions and no passages: the trace holds them.
func (p *Progress) custom(node, name string, data json.RawMessage) {
	switch name {
	case event.ModelCall:
		var call event.Call
		if err := json.Unmarshal(data, &call); err != nil {
			p.log.Warn().Str("node", node).Err(err).Msg("reading a model_call event")
			return
		}
		p.log.Info().Str("node", node).Str("skill", call.Skill).Str("model", call.Model).Bool("ok", call.OK).
			Int("input_tokens", call.Usage.InputTokens).Int("output_tokens", call.Usage.OutputTokens).Msg("model call")
	case event.Retrieval:
		var r event.Search
		if err := json.Unmarshal(data, &r); err != nil {
			p.log.Warn().Str("node", node).Err(err).Msg("reading a retrieval event")
			return
		}
		p.step = max(p.step, r.StepID) // the retrieval of a correction has no step
		p.Show(fmt.Sprintf("%s: %d of %d passages, confidence %.2f", node, len(r.Hits), r.Candidates, r.Confidence))
		p.log.Info().Str("node", node).Int("step", r.StepID).Int("queries", len(r.Queries)).Int("candidates", r.Candidates).
			Int("hits", len(r.Hits)).Float64("confidence", r.Confidence).Msg("retrieval")
	}
}

// share shows the finished tasks of a superstep with several tasks, and the remaining time.
func (p *Progress) share(namespace string) string {
	t := p.tasks[namespace]
	if t == nil || t.total < 2 {
		return ""
	}
	return fmt.Sprintf(" %d/%d%s", t.done, t.total, remaining(p.now().Sub(t.began), t.done, t.total))
}

// Show replaces the live line.
func (p *Progress) Show(what string) {
	if p.live == nil {
		return
	}
	if p.step > 0 {
		what = fmt.Sprintf("step %d  %s", p.step, what)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
	p.paint()
}

// paint writes the live line, with the time so far from one second on.
func (p *Progress) paint() {
	if p.what == "" {
		return
	}
	line := "… "
	if took := p.now().Sub(p.began); took >= time.Second {
		line += took.Round(time.Second).String() + "  "
	}
	fmt.Fprintf(p.live, "\r\x1b[K%s", runewidth.Truncate(line+p.what, max(p.live.Width-1, 10), "…"))
}

// Clear removes the live line until the next event.
func (p *Progress) Clear() {
	if p.live == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = ""
	fmt.Fprint(p.live, "\r\x1b[K")
}

// Close removes the live line for good. It may be called again.
func (p *Progress) Close() {
	if p.live == nil {
		return
	}
	close(p.stop)
	<-p.stopped
	p.Clear()
	p.live = nil
}

// Bar shows the progress of a phase, and the time that it still needs at the pace so far. On a
// terminal it is a bar. Elsewhere, and on a narrow terminal, it prints at most one line per second,
// so that a quick phase prints nothing.
type Bar struct {
	app   *cli.App
	quiet bool
	phase string
	total int
	began time.Time // start of the phase
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

// remaining estimates the remaining time, "" while it is unknown.
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
