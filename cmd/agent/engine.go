package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/graph/trace"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/memory/qa"
	"example.com/assay/nodes/follow"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state"
	"example.com/assay/telemetry"
)

// An engine answers questions from one corpus with one set of settings.
type engine struct {
	*app
	settings
	corpus   *memory.Corpus
	skills   map[string]string // name to hash
	pipeline *research.Pipeline
	answers  *qa.Memory  // nil when nothing is remembered
	budget   *llm.Budget // of one question, and of the session
	tracing  *tracing
	threads  *sqlite.Saver // nil when runs are not saved
	finder   *finder
}

// openEngine opens what the settings name, and asks through an exchange that
// stays its caller's. Its Close is the caller's, too.
func (a *app) openEngine(ctx context.Context, s settings, x *exchange) (_ *engine, err error) {
	set, err := s.loadSkills()
	if err != nil {
		return nil, err
	}
	e := &engine{app: a, settings: s}
	if e.skills, err = skillHashes(set, research.Skills()); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.release())
		}
	}()
	if e.finder, err = a.openFinder(ctx, s, set, x); err != nil {
		return e, err
	}
	if e.corpus, err = a.openCorpus(ctx, s.home, s.corpus, e.finder.options()); err != nil {
		return nil, err
	}
	if s.saves {
		if e.threads, err = openThreads(ctx, s.home); err != nil {
			return e, err
		}
	}
	if e.pipeline, err = e.compile(ctx, set, x); err != nil {
		return e, err
	}
	e.tracing, err = openTracing(ctx, s)
	return e, err
}

func (e *engine) compile(ctx context.Context, set *skills.Set, x *exchange) (*research.Pipeline, error) {
	opts, err := e.pipelineOptions(e.settings)
	if err != nil {
		return nil, err
	}
	model, err := x.model(ctx, e.settings)
	if err != nil {
		return nil, err
	}
	e.budget = x.controls.Budget()
	deps := research.Deps{Model: model, Skills: set, Corpus: e.corpus, Inspect: ordersIn}
	if e.memory {
		e.answers, deps.Memory, err = openRecall(ctx, e.settings, e.corpus, set)
		if errors.As(err, new(*qa.DamagedError)) {
			e.warn("%v; answering without memory", err)
		} else if err != nil {
			return nil, fmt.Errorf("%w; --no-memory goes without it", err)
		}
	}
	if e.threads != nil {
		opts.Checkpointer = e.threads
	}
	if e.offersEdges() {
		tool, err := e.edgeTool(ctx, set, x)
		if err != nil {
			return nil, err
		}
		opts.Tools = []research.Tool{tool}
	}
	return research.New(deps, opts)
}

// pipelineOptions are what settings say of the pipeline itself.
func (a *app) pipelineOptions(s settings) (*research.Options, error) {
	opts := &research.Options{
		SkipInjectionCheck: s.skipInjection, ConfidenceThreshold: s.threshold, SearchTool: s.searchTool,
		SkipVerification: !s.verification.enabled, Verify: s.verification.options(),
	}
	if cmp.Or(s.modelsBySkill()[skills.SynthesizeAndCite], s.model) == offline.Name {
		opts.Passages, opts.WarnOfCited = offlinePassages, true
	}
	return opts, a.checkSearchTool(s)
}

// offlinePassages is how many passages a step reads offline, where reading costs
// no tokens.
const offlinePassages = 20

// checkSearchTool refuses that a model should search that cannot. What a
// cassette answers for is not known, nor needed.
func (a *app) checkSearchTool(s settings) error {
	model := cmp.Or(s.modelsBySkill()[skills.SynthesizeAndCite], s.model)
	if !s.searchTool || s.replayed != "" || a.models[model] == nil {
		return nil
	}
	return usagef("%s is set, and the model that writes the answer is %s, which calls no tools: choose another with --model, or take it back with --search-tool=false", keySearchTool, model)
}

// Close releases the corpus and sends the spans that are left. That they are
// lost is told and no error: it changes no answer.
func (e *engine) Close() error {
	if err := e.tracing.close(); err != nil {
		e.warn("%v", err)
	}
	return e.release()
}

// release closes what was opened.
func (e *engine) release() error {
	var errs []error
	if e.threads != nil {
		errs = append(errs, e.threads.Close())
	}
	if e.answers != nil {
		errs = append(errs, e.answers.Close())
	}
	if e.corpus != nil {
		errs = append(errs, e.corpus.Close())
	}
	return errors.Join(append(errs, e.finder.close())...)
}

// isSample reports whether the embedded sample answers.
func (e *engine) isSample() bool { return e.corpus.Name() == sampleCorpus }

// openCorpus opens a corpus for questions: the embedded sample for its own
// name, and for the default corpus while nothing is in that.
func (a *app) openCorpus(ctx context.Context, home, name string, opts *memory.OpenOptions) (*memory.Corpus, error) {
	note := func(what string) { a.warn("%s", what) }
	if name == sampleCorpus {
		return openSample(ctx, home, note)
	}
	if name == countyCorpus {
		return countySample.open(ctx, home, note)
	}
	corpus, err := memory.OpenWith(home, name, opts)
	var unknown *memory.UnknownCorpusError
	var empty *memory.EmptyCorpusError
	missing := errors.As(err, &unknown)
	if name == defaultCorpus && (missing || errors.As(err, &empty)) {
		return openSample(ctx, home, note)
	}
	if missing {
		return nil, unknownCorpus(name, unknown.Known)
	}
	if err != nil || opts == nil {
		return corpus, err
	}
	given := ""
	if opts.Space != nil {
		given = opts.Space.ID()
	}
	if made := corpus.Info().Space; made != given { // now, and not in the midst of a run
		other := &memory.EmbedderError{Corpus: name, Made: made, Given: given}
		return nil, errors.Join(usagef("%w (the key embedder says which is used)", other), corpus.Close())
	}
	return corpus, nil
}

// unknownCorpus is the error of a corpus that does not exist. The sample
// always does.
func unknownCorpus(name string, known []string) error {
	var others []string
	for _, k := range known {
		if k != sampleCorpus && k != countyCorpus {
			others = append(others, k)
		}
	}
	all := append(others, sampleCorpus, countyCorpus)
	return usagef("there is no corpus %q%s; known: %s; make it with: agent ingest PATH… --corpus %s",
		name, didYouMean(name, all), strings.Join(all, ", "), name)
}

// A question is one thing to ask and who follows.
type question struct {
	text    string
	trace   string           // file that receives the trace; empty for none
	copy    io.Writer        // receives the trace, too; nil for none
	open    string           // source of the answer to open; empty for none
	thread  string           // that the run is saved in; empty for none
	resume  bool             // go on with the thread; text is what it asks
	earlier []state.Exchange // the conversation before it
	timeout time.Duration
	observe func(graph.Event[state.Agent])
}

// errTimeout is the cause with which --timeout stops a question.
type errTimeout time.Duration

func (e errTimeout) Error() string {
	return fmt.Sprintf("stopped after %v, as --timeout says", time.Duration(e))
}

func (e errTimeout) Unwrap() error { return context.DeadlineExceeded }

// ask runs the pipeline on one question. The answer is complete also when the
// error says that the run was stopped or failed.
func (e *engine) ask(ctx context.Context, q question) (answer state.Answer, err error) {
	runID, err := newRunID(e.now(), e.random)
	if err != nil {
		return failedAnswer(q.text, err), err
	}
	if q.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, q.timeout, errTimeout(q.timeout))
		defer cancel()
	}
	opts := &research.AskOptions{Observe: q.observe, Earlier: q.earlier, Resume: q.resume, Run: graph.RunOptions{RunID: runID}}
	if err := e.onThread(ctx, q, opts); err != nil {
		return failedAnswer(q.text, err), err
	}
	header, err := traceHeader(e.app, e.settings, runID, opts.Input(q.text), e.skills, e.corpus, askTraced, nil)
	if err != nil {
		return failedAnswer(q.text, err), err
	}
	var sinks []io.Writer
	var file *os.File
	if q.trace != "" {
		if file, err = os.Create(q.trace); err != nil {
			err = usagef("writing the trace: %w", err)
			return failedAnswer(q.text, err), err
		}
		sinks = append(sinks, file)
	}
	if q.copy != nil {
		sinks = append(sinks, q.copy)
	}
	if len(sinks) > 0 {
		opts.Trace = trace.NewWriter(io.MultiWriter(sinks...), header)
	}
	if rec := e.tracing.recorder(ctx, runID, e.corpus.Name()); rec != nil {
		ctx = rec.Context(ctx)
		opts.Observe = func(ev graph.Event[state.Agent]) {
			telemetry.Observe(rec, ev)
			if q.observe != nil {
				q.observe(ev)
			}
		}
		defer rec.End()
	}
	e.budget.Reset()
	final, times, runErr := e.pipeline.Ask(ctx, q.text, opts)
	if runErr != nil && ctx.Err() != nil {
		runErr = context.Cause(ctx) // what stopped the run, not which node met it
	}
	if file != nil {
		if err := file.Close(); err != nil {
			runErr = errors.Join(runErr, fmt.Errorf("writing the trace: %w", err))
		}
	}
	return e.result(final, times, runErr, runID, q.trace), runErr
}

// result completes what the pipeline knows of a run.
func (e *engine) result(final state.Agent, times follow.Took, runErr error, runID, traceFile string) state.Answer {
	answer := research.Result(final, runErr, e.corpus)
	answer.RunID, answer.Model, answer.Corpus, answer.Trace = runID, e.modelLabel(), e.corpus.Name(), traceFile
	if !e.verification.showClaims {
		answer.Verification.ClaimCheck = withoutClaims(answer.Verification.ClaimCheck)
		answer.Verification.Choice = withoutClaims(answer.Verification.Choice)
	}
	if runErr != nil { // the node that sums up did not run
		answer.Metrics.Metrics = sumUp(final)
		if answer.Answer == "" {
			answer.Answer = soFar(final)
		}
	}
	for node, d := range times.Node {
		answer.Metrics.NodeMS[node] = milliseconds(d)
	}
	answer.Metrics.NodeUsage = times.Usage
	answer.Metrics.ElapsedMS = milliseconds(times.Total)
	return answer
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func sumUp(s state.Agent) state.Metrics {
	return state.Metrics{
		ModelUsage: s.Usage, Iterations: s.Iterations, StepsCompleted: s.Count(state.StepCompleted),
		StepsFailed: s.Count(state.StepFailed), StepsPending: s.Count(state.StepPending), QueryType: s.QueryType,
		MemoryHit: s.Memory.Hit, HasAnswer: s.Count(state.StepCompleted) > 0, InjectionSafe: s.Injection.Safe,
	}
}

// soFar is the answer of a run that was stopped: the steps that it completed.
func soFar(s state.Agent) string {
	var b strings.Builder
	for _, step := range s.Plan {
		if step.Status == state.StepCompleted {
			answer := strings.ReplaceAll(step.Answer, "[Source ", fmt.Sprintf("[Query %d][Source ", step.ID))
			fmt.Fprintf(&b, "### Step %d: %s\n\n%s\n\n", step.ID, step.Phase, answer)
		}
	}
	return strings.TrimSpace(b.String())
}

// failedAnswer is the answer of a run that did not begin.
func failedAnswer(question string, err error) state.Answer {
	return state.Answer{
		Schema: state.AnswerSchema, Pipeline: "research", End: state.Outcome{Err: err}.End(), Question: question, Sources: []state.Source{},
		Metrics: state.RunMetrics{NodeMS: map[string]float64{}, NodeUsage: map[string]state.ModelUsage{}},
	}
}
