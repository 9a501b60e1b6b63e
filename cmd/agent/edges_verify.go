package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/graph/trace"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/follow"
	"example.com/assay/state"
	"example.com/assay/telemetry"
)

// edgesFlags are the flags of edges verify.
type edgesFlags struct {
	format, trace, thread string
	asJSON                bool
}

// edgesFormats are the ways to print verified edges for people.
func edgesFormats() []string { return []string{"table", "mermaid", "dot"} }

func (a *app) edgesVerifyCommand() *cobra.Command {
	var flags settingFlags
	var f edgesFlags
	cmd := &cobra.Command{
		Use:   "verify EDGES.json --corpus NAME",
		Short: "Check each edge of a causal graph against a corpus",
		Long: `Verify decides for every edge whether the corpus shows that the one variable
causes the other. It searches for and against the edge, asks a judge, searches
again by what the judge misses, lets an adversary attack edges that are held to
be strong, and grounds the edge or rejects it with a reason. A verdict counts only
with a quote that is in a passage byte for byte. Rejected edges stay in the result
with all that was read; the graph of grounded edges leaves them out and has no
cycles.

The file is a JSON list of edges or {"edges": [...]}, as agent edges draft writes
it; of an edge, from_var and to_var are needed. - is standard input.

With --thread the run is saved under a name, and the same command goes on with it
after a failure or a kill; a concluded edge is not judged again. Exit code 3 says
that no edge is grounded, or that calls were lost and what is missing; 1 that calls
were lost and no edge is grounded.`,
		Example: `  agent edges verify edges.json --corpus handbook
  agent edges verify edges.json --corpus handbook --format dot | dot -Tsvg > edges.svg
  agent edges draft docs/ | agent edges verify - --corpus handbook --json`,
		Args: exactly(1, "one file of edges"),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := a.edgesVerify(cmd, &flags, f, args[0])
			if err != nil && f.asJSON && !a.printed {
				failed := failedAnswer("", err)
				failed.Pipeline, failed.End = "edges", endOf(err)
				a.printJSON(causal.Answer{Answer: failed, Edges: []state.Edge{}, DAG: causal.DAG(nil), Audit: []state.AuditEntry{}})
			}
			return err
		},
	}
	fl := cmd.Flags()
	fl.String("corpus", defaultCorpus, "`NAME` of the corpus that edges are checked against")
	fl.StringVar(&f.format, "format", "table", "`FORMAT` of the result: table, mermaid or dot")
	fl.StringVar(&f.trace, "trace", "", "write the run's trace to `FILE` (JSON Lines)")
	fl.StringVar(&f.thread, "thread", "", "save the run under this `NAME`; the same command goes on with it")
	fl.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	flags.registerModel(cmd)
	flags.registerTimeout(cmd)
	flags.registerCassette(cmd)
	registerGrounding(cmd)
	return cmd
}

func (a *app) edgesVerify(cmd *cobra.Command, flags *settingFlags, f edgesFlags, path string) (err error) {
	ctx := cmd.Context()
	s, err := a.resolve(cmd, flags)
	if err != nil {
		return err
	}
	draw := map[string]func([]state.Edge, state.CausalDAG) string{"table": causal.Table, "mermaid": causal.Mermaid, "dot": causal.DOT}[f.format]
	switch {
	case draw == nil:
		return usagef("--format is %q%s; known: %s", f.format, didYouMean(f.format, edgesFormats()), joined(edgesFormats()))
	case cmd.Flags().Changed("trace") && f.trace == "":
		return usagef("--trace is empty: name a file")
	case cmd.Flags().Changed("thread"):
		if err := checkThread("--thread", f.thread); err != nil {
			return err
		}
	}
	edges, err := a.readEdges(ctx, path)
	if err != nil {
		return err
	}
	x, err := a.openExchange(cmd, flags, &s)
	if err != nil {
		return err
	}
	defer func() { err = also(err, x.close()) }()
	g, err := a.openGrounder(ctx, s, x, f.thread != "")
	if err != nil {
		return err
	}
	defer func() { err = also(err, g.Close()) }()
	if flags.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, flags.timeout, errTimeout(flags.timeout))
		defer cancel()
	}
	if g.corpus.Name() == sampleCorpus {
		a.warn(sampleNote)
	}
	line := a.newProgress(f.asJSON)
	done := 0
	answer, runErr := g.verify(ctx, edges, f, func(ev graph.Event[state.Causal]) {
		if ev.Kind == graph.NodeUpdate && ev.Node == causal.NodeEdge {
			done++
			line.show(fmt.Sprintf("%d of %s", done, count(len(edges), "edge")))
		}
		observe(line, ev)
	})
	line.close()
	switch {
	case f.asJSON:
		a.printJSON(answer)
	case f.format == "table":
		fmt.Fprint(a.stdout, draw(answer.Edges, answer.DAG))
		a.printDAG(answer)
		a.printEnd(answer.End)
	default:
		fmt.Fprint(a.stdout, draw(answer.Edges, answer.DAG))
	}
	if words := answer.Words(); !f.asJSON && f.format != "table" && len(answer.Losses) > 0 && answer.Status == state.StatusUngrounded {
		a.warn("%s", words) // the drawing is for another program
	}
	a.warnOf(answer.Answer)
	return told(answer.End, runErr)
}

// printDAG says what is in the graph, and what is wrong with the draft.
func (a *app) printDAG(answer causal.Answer) {
	fmt.Fprintf(a.stdout, "\n%s %d in the graph\n", answer.Answer.Answer, len(answer.DAG.Edges))
	for _, c := range answer.DAG.Cycles {
		fmt.Fprintf(a.stdout, "cycle, left out %s: %s\n", oneLine(c.Edge), oneLine(joinPath(c.Path)))
	}
	for _, p := range answer.DAG.Reversed {
		fmt.Fprintf(a.stdout, "both directions: %s and %s\n", oneLine(p.First), oneLine(p.Second))
	}
	for _, p := range answer.DAG.Duplicates {
		fmt.Fprintf(a.stdout, "the same edge twice: %s and %s\n", oneLine(p.First), oneLine(p.Second))
	}
}

func joinPath(path []string) string {
	var b bytes.Buffer
	for i, v := range path {
		if i > 0 {
			b.WriteString(" → ")
		}
		b.WriteString(v)
	}
	return b.String()
}

// A grounder verifies edges with one set of settings.
type grounder struct {
	desk
	threads  *sqlite.Saver // nil when the run is not saved
	tracing  *tracing
	pipeline *causal.Pipeline
}

func (a *app) openGrounder(ctx context.Context, s settings, x *exchange, saved bool) (_ *grounder, err error) {
	d, err := a.openDesk(ctx, s, x, causal.Skills(), a.openConfigured)
	if err != nil {
		return nil, err
	}
	g := &grounder{desk: d}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.Close())
		}
	}()
	if g.tracing, err = openTracing(ctx, s); err != nil {
		return nil, err
	}
	opts := s.grounding.options(s.limits.Concurrency)
	if saved {
		if g.threads, err = openThreads(ctx, s.home); err != nil {
			return nil, err
		}
		opts.Checkpointer = g.threads
	}
	g.pipeline, err = causal.New(causal.Deps{Model: d.asked, Skills: d.set, Corpus: d.corpus, Embedder: d.corpus, Inspect: ordersIn}, opts)
	return g, err
}

// Close releases the corpus and sends the spans that are left. That they are lost
// is told and no error.
func (g *grounder) Close() error {
	if err := g.tracing.close(); err != nil {
		g.warn("%v", err)
	}
	var err error
	if g.threads != nil {
		err = g.threads.Close()
	}
	return errors.Join(err, g.desk.Close())
}

// threadEdges is the metadatum of a thread that holds a hash of its edges.
const threadEdges = "edges"

// onThread says how a run is saved, and whether it goes on.
func (g *grounder) onThread(ctx context.Context, thread string, edges []state.Edge, run *graph.RunOptions) (resumes bool, err error) {
	if thread == "" {
		return false, nil
	}
	data, err := json.Marshal(edges)
	if err != nil {
		return false, fmt.Errorf("saving the run: %w", err)
	}
	sum := sha256.Sum256(data)
	run.Thread = thread
	run.Metadata = map[string]string{
		threadCorpus: g.corpus.Name(), threadFingerprint: g.corpus.Fingerprint(), threadEdges: hex.EncodeToString(sum[:]),
		threadQuestion: "edges: " + count(len(edges), "edge"),
	}
	for c, err := range g.threads.List(ctx, graph.Query{Thread: thread, Limit: 1}) {
		switch {
		case err != nil:
			return false, fmt.Errorf("reading thread %q: %w", thread, err)
		case c.Metadata[threadEdges] != run.Metadata[threadEdges] || c.Metadata[threadFingerprint] != run.Metadata[threadFingerprint]:
			return false, usagef("thread %q is of other edges or another corpus; name another, or remove it: agent threads remove %s", thread, thread)
		}
		return true, nil
	}
	return false, nil
}

func (g *grounder) verify(ctx context.Context, edges []state.Edge, f edgesFlags, watch func(graph.Event[state.Causal])) (answer causal.Answer, err error) {
	runID, err := newRunID(g.now(), g.random)
	if err != nil {
		return answer, err
	}
	var kept causal.Kept
	observe := func(ev graph.Event[state.Causal]) {
		kept.Observe(ev)
		watch(ev)
	}
	opts := follow.Options[state.Causal]{Observe: observe, Run: graph.RunOptions{RunID: runID}, End: func(final state.Causal, err error) state.End {
		end := causal.End(final, err)
		end.In(g.corpus.Name())
		return end
	}}
	resumes, err := g.onThread(ctx, f.thread, edges, &opts.Run)
	if err != nil {
		return answer, err
	}
	if rec := g.tracing.recorder(ctx, runID, g.corpus.Name()); rec != nil {
		ctx = rec.Context(ctx)
		opts.Observe = func(ev graph.Event[state.Causal]) {
			telemetry.Observe(rec, ev)
			observe(ev)
		}
		defer rec.End()
	}
	in := causal.Input(edges)
	if opts.Resume = resumes; resumes {
		in = nil
	}
	final, took, runErr := runTraced(ctx, g.pipeline.Graph(), in, opts, f.trace, func() (trace.Header, error) {
		return traceHeader(g.app, g.settings, runID, in, g.skills, g.corpus, causalTraced, nil)
	})
	if runErr != nil {
		if final, err = kept.State(edges); err != nil {
			return answer, also(runErr, err)
		}
	}
	answer, err = causal.Result(final, runErr, g.corpus)
	answer.RunID, answer.Model, answer.Trace, answer.Corpus = runID, g.modelLabel(), f.trace, g.corpus.Name()
	answer.In(g.corpus.Name())
	measured(&answer.Metrics, took)
	return answer, also(runErr, err)
}
