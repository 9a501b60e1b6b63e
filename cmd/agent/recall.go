package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/memory/qa"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/research/recall"
	"example.com/assay/skills"
)

// openRecall opens the memory of a corpus's answers, to be closed by the
// caller, and the pipeline's view of it.
func openRecall(ctx context.Context, s settings, corpus *memory.Corpus, set *skills.Set) (*qa.Memory, research.Memory, error) {
	now, err := conditionsOf(s, corpus.Fingerprint(), idOfRanker(corpus), set)
	if err != nil {
		return nil, nil, err
	}
	answers, err := qa.Open(ctx, qa.Path(s.home, corpus.Name()), &qa.Options{Embed: corpus.Embed})
	if err != nil {
		return nil, nil, err
	}
	return answers, recall.New(answers, corpus, now), nil
}

// idOfRanker identifies the trained ranker that orders what a corpus finds, ""
// for none.
func idOfRanker(corpus *memory.Corpus) string {
	if info, ok := corpus.Ranker(); ok && info.InUse {
		return info.ID
	}
	return ""
}

// conditionsOf lists what answers depend on with these settings and a corpus
// of that fingerprint and trained ranker. Every setting that can change an
// answer is one of them.
func conditionsOf(s settings, corpus, ranker string, set *skills.Set) ([]qa.Condition, error) {
	// The graph is the same whatever model and corpus work in it.
	p, err := research.New(research.Deps{Model: offline.New(nil), Skills: set, Corpus: &memory.Corpus{}}, &research.Options{SkipVerification: !s.verification.enabled})
	if err != nil {
		return nil, err
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	more := []qa.Condition{
		{Name: "model", Value: s.modelLabel()},
		{Name: "confidence_threshold", Value: number(s.threshold)},
		{Name: "embedder", Value: s.lookup.embedder},
		{Name: "reranker", Value: s.lookup.reranker},
	}
	if s.lookup.dimension > 0 {
		more = append(more, qa.Condition{Name: "dimension of the embedder", Value: strconv.Itoa(s.lookup.dimension)})
	}
	if ranker != "" {
		more = append(more, qa.Condition{Name: "trained ranker", Value: ranker})
	}
	if s.searchTool {
		more = append(more, qa.Condition{Name: keySearchTool, Value: strconv.FormatBool(true)})
	}
	if s.offersEdges() {
		more = append(more, qa.Condition{Name: causal.ToolVerifyEdge, Value: strconv.FormatBool(true)})
	}
	if s.lookup.model != "" {
		more = append(more, qa.Condition{Name: "model of the reranker", Value: s.lookup.model})
	}
	if d := s.lookup.detector; d.url != "" {
		more = append(more, qa.Condition{Name: "detector of injection", Value: strings.TrimSpace(d.url + " " + d.model + " " + d.labels)})
	}
	if v := s.verification; v.enabled {
		more = append(more, qa.Condition{Name: "verification", Value: fmt.Sprintf(
			"from confidence %s, corrected at most %d times, unsupported claims: %s", number(v.threshold), v.attempts, v.unsupported)})
		if j := v.judge; j.url != "" {
			more = append(more, qa.Condition{Name: "judge of claims", Value: strings.TrimSpace(j.url + " " + j.model + " " + j.labels + " " + j.calibration)})
		}
	}
	return recall.Conditions(corpus, p.Graph().Fingerprint(), set, more...)
}

// skillHashes maps each of some skills to the hash of its content.
func skillHashes(set *skills.Set, names []string) (map[string]string, error) {
	hashes := map[string]string{}
	for _, name := range names {
		skill, err := set.Get(name)
		if err != nil {
			return nil, err
		}
		hashes[name] = skill.Hash
	}
	return hashes, nil
}
