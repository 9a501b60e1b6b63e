package render

import (
	"encoding/json"
	"fmt"

	"github.com/mattn/go-runewidth"
	"github.com/rs/zerolog"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
)

// Progress shows a running pipeline: on a terminal one line that is replaced, with -v a
// line of log per node.
type Progress struct {
	live *cli.Screen // nil for none
	log  zerolog.Logger
	step int // retrievals begun
}

// NewProgress returns the progress of a question. quiet leaves only the log.
func NewProgress(a *cli.App, quiet bool) *Progress {
	p := &Progress{log: a.Logger()}
	if a.Stderr.TTY && !quiet && !a.Verbose {
		p.live = a.Stderr
	}
	return p
}

// Observe takes one event of a run.
func Observe[S any](p *Progress, ev graph.Event[S]) {
	node := ev.Node
	if ev.Namespace != "" {
		node = ev.Namespace + "/" + node
	}
	switch ev.Kind {
	case graph.NodeStart:
		p.Show(node)
	case graph.NodeUpdate:
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
	case llm.EventModelCall:
		var call llm.CallEvent
		if err := json.Unmarshal(data, &call); err != nil {
			p.log.Warn().Str("node", node).Err(err).Msg("reading a model_call event")
			return
		}
		p.log.Info().Str("node", node).Str("skill", call.Skill).Str("model", call.Model).Bool("ok", call.OK).
			Int("input_tokens", call.Usage.InputTokens).Int("output_tokens", call.Usage.OutputTokens).Msg("model call")
	case retrieval.EventName:
		var r retrieval.Event
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

// Show replaces the live line.
func (p *Progress) Show(what string) {
	if p.live == nil {
		return
	}
	if p.step > 0 {
		what = fmt.Sprintf("step %d  %s", p.step, what)
	}
	fmt.Fprintf(p.live, "\r\x1b[K%s", runewidth.Truncate("… "+what, max(p.live.Width-1, 10), "…"))
}

// Close removes the live line.
func (p *Progress) Close() {
	if p.live != nil {
		fmt.Fprint(p.live, "\r\x1b[K")
	}
}
