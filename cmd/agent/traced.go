package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/memory"
	"example.com/assay/nodes/follow"
	"example.com/assay/state"
)

// runTraced runs a pipeline's graph, and writes its trace to a file when one is
// named. Of a run that was stopped the error says what stopped it, and not which
// node met it.
func runTraced[S any](ctx context.Context, g *graph.Compiled[S], in graph.Update[S], opts follow.Options[S], traceFile string, header func() (trace.Header, error)) (final S, took follow.Took, err error) {
	if traceFile != "" {
		var head trace.Header
		if head, err = header(); err != nil {
			return final, took, err
		}
		var file *os.File
		if file, err = os.Create(traceFile); err != nil {
			return final, took, usagef("writing the trace: %w", err)
		}
		opts.Trace = trace.NewWriter(file, head)
		defer func() { err = also(err, file.Close()) }()
	}
	final, took, err = follow.Run(ctx, g, in, &opts)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return final, took, err
}

// measured puts what a run took into its answer's metrics.
func measured(m *state.RunMetrics, took follow.Took) {
	for node, d := range took.Node {
		m.NodeMS[node] = milliseconds(d)
	}
	m.NodeUsage, m.ElapsedMS = took.Usage, milliseconds(took.Total)
}

// Keys of a trace's configuration that are no settings.
const (
	tracedModel       = "model" // as answers name it; see settings.modelLabel
	tracedFingerprint = "corpus_fingerprint"
	tracedSchema      = "schema" // the JSON Schema itself
	tracedIterations  = "max_iterations"
	tracedOpinion     = "llm_verification"
	tracedReview      = "model_review"
)

// Settings that a trace holds beside the model, so that it can be run again.
var (
	searchTraced = []string{"embedder", "embedder_dimension", "reranker", "reranker_model"}
	verifyTraced = []string{"verification.confidence_threshold", "verification.max_crag_attempts", "verification.unsupported"}
	askTraced    = append([]string{"confidence_threshold", "skip_injection_check", keySearchTool, keyMemory, keyVerification}, verifyTraced...)
	causalTraced = []string{"causal.max_judge_iterations", "causal.grounding_confidence_threshold", "causal.enable_adversarial_pass", "causal.top_k"}
)

// traceHeader is the first line of a trace: what a run was given and with which
// settings, so that agent trace replay can run it again. It names no path and no
// server, so that traces of equal runs on two machines are equal but for ids and
// times. A corpus may be nil; more is added to the configuration.
func traceHeader[S any](a *app, s settings, runID string, in graph.Update[S], hashes map[string]string, corpus *memory.Corpus, keys []string, more map[string]string) (trace.Header, error) {
	table, err := a.settingTable()
	if err != nil {
		return trace.Header{}, err
	}
	config := map[string]string{tracedModel: s.modelLabel()}
	maps.Copy(config, more)
	if corpus != nil {
		config["corpus"], config[tracedFingerprint] = corpus.Name(), corpus.Fingerprint()
		keys = append(slices.Clone(keys), searchTraced...)
	}
	for _, key := range keys {
		if value := settingOf(table, key).show(&s); value != "" && !strings.Contains(value, "://") {
			config[key] = value
		}
	}
	header := trace.Header{RunID: runID, Config: config, Skills: hashes}
	if in != nil {
		if header.Input, err = json.Marshal(in); err != nil {
			return header, fmt.Errorf("tracing the input: %w", err)
		}
	}
	return header, nil
}
