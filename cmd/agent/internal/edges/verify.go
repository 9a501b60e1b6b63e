package edges

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph"
	"example.com/assay/memory/text"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state"
)

func edgesVerify(a *cli.App, cmd *cobra.Command, flags *config.Flags, f edgesFlags, path string) (err error) {
	ctx := cmd.Context()
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	draw := map[string]func([]causal.Edge, causal.DAG) string{"mermaid": causal.Mermaid, "dot": causal.DOT}[f.format]
	switch {
	case draw == nil && f.format != "table":
		return cli.Usagef("--format is %q%s; known: %s", f.format, text.DidYouMean(f.format, edgesFormats()), strings.Join(edgesFormats(), ", "))
	case cli.Named(cmd, "trace") != nil:
		return cli.Named(cmd, "trace")
	case cmd.Flags().Changed("thread"):
		if err := open.CheckThread("--thread", f.thread); err != nil {
			return err
		}
	}
	edges, err := readEdges(ctx, a, path)
	if err != nil {
		return err
	}
	files, err := flags.Cassette(cmd)
	if err != nil {
		return err
	}
	d, err := open.New(ctx, a, s, files, open.Want{Skills: causal.Skills(), Corpus: open.Corpus, Threads: f.thread != "", Spans: true, Workers: true})
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, d.Close()) }()
	ctx, cancel := cli.Within(ctx, flags.Timeout)
	defer cancel()
	if d.IsSample() {
		a.Warn(open.SampleNote)
	}
	line := render.NewProgress(a, f.asJSON)
	answer, runErr := verify(ctx, d, edges, f, func(ev graph.Event[json.RawMessage]) { render.Observe(line, ev) })
	line.Close()
	if answer == nil {
		return runErr
	}
	switch {
	case f.asJSON:
		a.PrintJSON(answer)
	case f.format == "table":
		render.Proof(a, answer.Proof(), true)
	default:
		fmt.Fprint(a.Stdout, draw(answer.Edges, answer.DAG))
	}
	if words := answer.Words(); !f.asJSON && f.format != "table" && len(answer.Losses) > 0 && answer.Status == state.StatusUngrounded {
		a.Warn("%s", words) // the drawing is for another program
	}
	render.Warnings(a, answer.Answer)
	return cli.Told(answer.End, runErr)
}

// threadEdges is the key in a thread's metadata that holds the hash of its edges.
const threadEdges = "edges"

// onThread sets how a run is saved, and reports whether it continues an earlier one.
func onThread(ctx context.Context, d *open.Desk, thread string, edges []causal.Edge, run *graph.RunOptions) (resumes bool, err error) {
	if thread == "" {
		return false, nil
	}
	data, err := json.Marshal(edges)
	if err != nil {
		return false, fmt.Errorf("saving the run: %w", err)
	}
	sum := sha256.Sum256(data)
	run.Thread = thread
	run.Metadata = map[string]string{threadEdges: hex.EncodeToString(sum[:])}
	for c, err := range d.Threads.List(ctx, graph.Query{Thread: thread, Limit: 1}) {
		switch {
		case err != nil:
			return false, fmt.Errorf("reading thread %q: %w", thread, err)
		case c.Metadata[threadEdges] != run.Metadata[threadEdges] || c.Metadata[open.ThreadFingerprint] != d.Corpus.Fingerprint():
			return false, cli.Usagef("thread %q has other edges or another corpus; name another thread, or remove it: agent threads remove %s", thread, thread)
		}
		return true, nil
	}
	return false, nil
}

// verify runs the pipeline on edges. When the run is stopped, the answer holds the conclusions
// about the edges that were finished.
func verify(ctx context.Context, d *open.Desk, edges []causal.Edge, f edgesFlags, watch func(graph.Event[json.RawMessage])) (*causal.Answer, error) {
	p, err := d.Edges()
	if err != nil {
		return nil, err
	}
	var kept causal.Kept
	r := open.Run{Pipeline: open.MustPipeline("edges"), Made: p.Instance(), Title: "edges: " + cli.Count(len(edges), "edge"), File: f.trace}
	r.Observe = func(ev graph.Event[json.RawMessage]) {
		kept.Observe(ev)
		watch(ev)
	}
	finished := r.Made.Answer
	r.Made.Answer = func(final json.RawMessage, runErr error, files pipeline.Library) (pipeline.Answer, error) {
		if runErr == nil {
			return finished(final, nil, files)
		}
		so, err := kept.State(edges)
		if err != nil {
			return nil, err
		}
		answer, err := causal.Result(so, runErr, files)
		return &answer, err
	}
	resumes, err := onThread(ctx, d, f.thread, edges, &r.Options)
	if err == nil && !resumes {
		r.Input, err = open.Encoded(causal.Input(edges))
	}
	if err != nil {
		return nil, err
	}
	got, err := d.Answer(ctx, r)
	answer, _ := got.(*causal.Answer) // nil when the run did not begin
	return answer, err
}
