package traces

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/decide/injection"
	"example.com/assay/eval"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/memory"
	"example.com/assay/nodes/follow"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// A rerunner repeats the run of a trace.
type rerunner struct {
	run func(ctx context.Context, from graph.Recording, shown *render.Progress) (rerun, error)
	// ends says that the trace records the end of its run, so the new trace must record it, too.
	ends bool
	// closers are called in reverse order.
	closers []func() error
}

// A rerun is the result of one repetition. Its err is the error of the pipeline.
type rerun struct {
	answer  state.Answer
	records []trace.Record
	err     error
}

func (r *rerunner) close() error {
	var err error
	for i := len(r.closers) - 1; i >= 0; i-- {
		err = cli.Also(err, r.closers[i]())
	}
	return err
}

// both replays the whole trace, which costs nothing and gives the answer of the run. Then it runs
// the pipeline from the point.
func (r *rerunner) both(ctx context.Context, path string, was []trace.Record, point *trace.Recording, shown *render.Progress) (before, after rerun, err error) {
	before.answer.Status, before.err = state.StatusCancelled, errors.New("the trace ends before its run does")
	last := rootEnd(was)
	r.ends = last != nil && last.End != nil
	if last != nil && last.Error == "" {
		whole, err := trace.NewRecording(was, nil)
		if err != nil {
			return before, after, fmt.Errorf("%s: %w", path, err)
		}
		if before, err = r.run(ctx, whole, nil); err != nil {
			return before, after, err
		}
		if unfit(before.err) {
			if point != nil {
				return before, after, fmt.Errorf("%s: %w; the pipeline differs from the trace's: without --from and --skill all of it runs again", path, before.err)
			}
			before.answer = state.Answer{End: state.End{Status: unknownStatus}}
		}
		if err := sameInput(path, was, before.records); err != nil {
			return before, after, err
		}
	} else if last != nil {
		before.answer.Status, before.err = state.StatusFailed, errors.New(last.Error)
		if r.ends {
			if err := json.Unmarshal(last.End, &before.answer.End); err != nil {
				return before, after, cli.Usagef("%s: reading how its run ended: %w", path, err)
			}
		}
	}
	var from graph.Recording
	if point != nil {
		from = point
	}
	if after, err = r.run(ctx, from, shown); err != nil {
		return before, after, err
	}
	if last := rootEnd(was); last != nil && last.End == nil { // the trace does not record the run's end
		if now := rootEnd(after.records); now != nil {
			now.End = nil
		}
	}
	if unfit(after.err) {
		return before, after, fmt.Errorf("%s: %w; begin at an earlier node, or without --from", path, after.err)
	}
	return before, after, sameInput(path, was, after.records)
}

// unknownStatus is the status of a run whose answer cannot be derived by another pipeline.
const unknownStatus state.Status = "unknown"

// unfit reports whether a run failed because it does not match its trace.
func unfit(err error) bool {
	return errors.As(err, new(*trace.MismatchError)) || errors.As(err, new(*graph.ReplayError))
}

// rootEnd is the record of the run's own end, nil when the trace was cut off.
func rootEnd(records []trace.Record) *trace.Record {
	for i := len(records) - 1; i >= 0; i-- {
		if records[i].Kind == graph.RunEnd.String() && records[i].Namespace == "" {
			return &records[i]
		}
	}
	return nil
}

// sameInput refuses a case whose input differs from the input of the trace.
func sameInput(path string, was, is []trace.Record) error {
	field, before, after, differ := trace.FirstField(was[0].Header.Input, is[0].Header.Input)
	if !differ {
		return nil
	}
	before, after = trace.Shorten(before, after, 100)
	return cli.Usagef("%s has another input than --case: at %s it was %s, and is %s", path, field, before, after)
}

// openCaseRerun prepares the run of a case, as agent eval cases does.
func openCaseRerun(ctx context.Context, a *cli.App, s config.Settings, x *open.Exchange, file string) (_ *rerunner, err error) {
	r := &rerunner{}
	defer func() {
		if err != nil {
			err = cli.Also(err, r.close())
		}
	}()
	c, err := eval.LoadCase(file)
	if err != nil {
		return nil, cli.Usagef("--case: %w", err)
	}
	set, err := s.LoadSkills()
	if err != nil {
		return nil, err
	}
	model, err := x.Model(ctx, s)
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", "agent-replay-*")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the corpus: %w", err)
	}
	r.closers = append(r.closers, func() error { return os.RemoveAll(home) })
	found, err := open.NewFinder(ctx, a, s, set, x)
	if err != nil {
		return nil, err
	}
	r.closers = append(r.closers, found.Close)
	corpora := eval.NewCorpora(home, &eval.CorporaOptions{Open: *found.Options()})
	r.closers = append(r.closers, corpora.Close)
	bench, err := open.NewBench(a, s, eval.Deps{Model: model, Skills: set, Corpora: corpora, Inspect: injection.Orders})
	if err != nil {
		return nil, err
	}
	r.run = func(ctx context.Context, from graph.Recording, _ *render.Progress) (rerun, error) {
		ready, err := bench.Prepare(ctx, c)
		if err != nil {
			return rerun{}, err
		}
		got, err := ready.Run(ctx, &graph.RunOptions{Replay: from})
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err == nil {
			var shown proof.Proof
			if shown, err = eval.Proof(open.Abouts(), c.Pipeline, got.Result); len(shown.Result) > 0 {
				got.Answer.Answer = string(shown.Result)
			}
		}
		return rerun{got.Answer, got.Trace, got.Err}, err
	}
	return r, nil
}

// openRerun makes the pipeline of a trace, with the settings of the trace.
func openRerun(ctx context.Context, a *cli.App, s config.Settings, x *open.Exchange, path string, first trace.Record) (_ *rerunner, err error) {
	conf := first.Header.Config
	p, err := open.PipelineOf(first.Graph)
	switch {
	case err != nil:
		return nil, cli.Usagef("%s: a run of this graph cannot be repeated: %w", path, err)
	case p.Corpus == pipeline.Always && conf["corpus"] == "":
		return nil, cli.Usagef("%s: it does not name its corpus; replay a golden trace with --case", path)
	}
	w := p.Want(conf)
	w.Corpus, w.Exchange, w.Forgets = nil, x, true
	if conf["corpus"] != "" {
		w.Corpus = open.Corpus
	}
	d, err := open.New(ctx, a, s, config.Cassette{}, w)
	if err != nil {
		return nil, err
	}
	r := &rerunner{closers: []func() error{d.Close}}
	if err = r.prepare(ctx, d, p, path, first); err != nil {
		return nil, cli.Also(err, r.close())
	}
	return r, nil
}

// prepare sets the rerunner to repeat the run of a trace on a desk.
func (r *rerunner) prepare(ctx context.Context, d *open.Desk, p open.Pipeline, path string, first trace.Record) error {
	conf := first.Header.Config
	if d.Corpus != nil {
		if was, is := conf[config.TracedFingerprint], d.Corpus.Fingerprint(); was != is {
			return cli.Usagef("%s: the run read corpus %q with fingerprint %.12s; its fingerprint is now %.12s, so the results may differ: ingest the earlier documents, or make a new trace", path, d.Settings.Corpus, was, is)
		}
	}
	made, err := p.On(ctx, d, conf)
	if err != nil {
		return cli.Usagef("%s: its first line: %w", path, err)
	}
	more := map[string]string{}
	for _, key := range []string{config.TracedSchema, config.TracedIterations, config.TracedOpinion, config.TracedReview} {
		if value, ok := conf[key]; ok {
			more[key] = value
		}
	}
	header, err := d.Header(p.Traced, more)
	if err != nil {
		return err
	}
	header.Input = first.Header.Input
	files := pipeline.Library(&memory.Texts{})
	if d.Corpus != nil {
		files = d.Corpus
	}
	conclude := func(final json.RawMessage, runErr error) (state.Answer, error) {
		answer, err := made.Answer(final, runErr, files)
		if err != nil {
			return state.Answer{}, err
		}
		return compared(p, answer)
	}
	r.run = func(ctx context.Context, from graph.Recording, shown *render.Progress) (out rerun, err error) {
		var lines bytes.Buffer
		opts := &follow.Options[json.RawMessage]{Run: graph.RunOptions{Replay: from}, Trace: trace.NewWriter(&lines, header)}
		if r.ends {
			opts.End = func(final json.RawMessage, err error) state.End {
				answer, bad := conclude(final, err)
				if bad != nil {
					return state.Outcome{Err: bad}.End()
				}
				answer.In(conf["corpus"])
				return answer.End
			}
		}
		if shown != nil {
			opts.Observe = func(ev graph.Event[json.RawMessage]) { render.Observe(shown, ev) }
		}
		final, _, runErr := follow.App(ctx, made.App, header.Input, opts)
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		if out.answer, err = conclude(final, runErr); err != nil {
			return out, err
		}
		out.err = runErr
		out.records, err = trace.Read(&lines)
		return out, err
	}
	return nil
}

// compared is the form of an answer that a replay compares. The text of an answer with a schema is
// its result.
func compared(p open.Pipeline, answer pipeline.Answer) (state.Answer, error) {
	out := *answer.Common()
	data, err := json.Marshal(answer)
	if err != nil {
		return out, fmt.Errorf("encoding the answer: %w", err)
	}
	shown, err := p.Proof(data)
	if len(shown.Result) > 0 {
		out.Answer = string(shown.Result)
	}
	return out, err
}
