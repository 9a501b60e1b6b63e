package render

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/rs/zerolog"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/graph"
	"example.com/assay/state/event"
)

// Progress shows one running pipeline: on a terminal one line that is replaced, with -v a
// line of log per node. The line says how many tasks of a superstep have ended, how long the
// rest will take at that pace, and how long a question has taken so far.
type Progress struct {
	live    *cli.Screen // nil for none
	log     zerolog.Logger
	step    int // retrievals begun
	now     func() time.Time
	tasks   map[string]*tasks // of supersteps with several, by namespace
	stop    chan struct{}     // ends the clock
	stopped chan struct{}

	mu    sync.Mutex // the clock repaints the line
	began time.Time
	what  string // the line; "" while there is none
}

// tasks are those of one superstep.
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
	case graph.NodeUpdate, graph.NodeFailed: // a failure that is handled is followed by one
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

// custom logs what a node published. Neither questions nor passages are
// logged; the trace holds them.
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

// share is what is done of a superstep with several tasks, and the time that is left.
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

// paint writes the live line, with the time so far when it exceeds a second.
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
