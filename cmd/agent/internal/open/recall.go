package open

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/memory/qa"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/research/recall"
	"example.com/assay/skills"
)

// openRecall opens a tenant's memory of a corpus's answers, which the caller closes, and
// the pipeline's view of it.
func openRecall(ctx context.Context, k *Store, tenant string, s config.Settings, corpus *memory.Corpus, set *skills.Set) (*qa.Memory, research.Memory, error) {
	now, err := Conditions(s, corpus.Fingerprint(), RankerID(corpus), set)
	if err != nil {
		return nil, nil, err
	}
	answers, err := k.Answers(ctx, tenant, corpus.Name(), &qa.Options{Embed: corpus.Embed})
	if err != nil {
		return nil, nil, err
	}
	return answers, recall.New(answers, corpus, now), nil
}

// RankerID identifies the trained ranker that a corpus uses, "" for none.
func RankerID(corpus *memory.Corpus) string {
	if info, ok := corpus.Ranker(); ok && info.InUse {
		return info.ID
	}
	return ""
}

// Conditions lists what answers depend on, with these settings and a corpus with this
// fingerprint and trained ranker. Every setting that can change an answer is included.
func Conditions(s config.Settings, corpus, ranker string, set *skills.Set) ([]qa.Condition, error) {
	// The graph is the same whatever model and corpus work in it.
	p, err := research.New(research.Deps{Model: offline.New(nil), Skills: set, Corpus: &memory.Corpus{}}, &research.Options{SkipVerification: !s.Verification.Enabled})
	if err != nil {
		return nil, err
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	more := []qa.Condition{
		{Name: "model", Value: s.ModelLabel()},
		{Name: "confidence_threshold", Value: number(s.Threshold)},
		{Name: "embedder", Value: s.Lookup.Embedder},
		{Name: "reranker", Value: s.Lookup.Reranker},
	}
	if e := s.Lookup.Encoder; e != "" && e != config.NoEncoder {
		more = append(more, qa.Condition{Name: "encoder", Value: e})
	}
	if s.Lookup.Dimension > 0 {
		more = append(more, qa.Condition{Name: "dimension of the embedder", Value: strconv.Itoa(s.Lookup.Dimension)})
	}
	if ranker != "" {
		more = append(more, qa.Condition{Name: "trained ranker", Value: ranker})
	}
	if s.SearchTool {
		more = append(more, qa.Condition{Name: config.KeySearchTool, Value: strconv.FormatBool(true)})
	}
	if s.OffersEdges() {
		more = append(more, qa.Condition{Name: causal.ToolVerifyEdge, Value: strconv.FormatBool(true)})
	}
	if s.SearchTool && len(s.Servers) > 0 {
		more = append(more, qa.Condition{Name: "MCP servers", Value: serversLabel(s)})
	}
	if s.Lookup.Model != "" {
		more = append(more, qa.Condition{Name: "model of the reranker", Value: s.Lookup.Model})
	}
	if d := s.Lookup.Detector; d.URL != "" {
		more = append(more, qa.Condition{Name: "detector of injection", Value: strings.TrimSpace(d.URL + " " + d.Model + " " + d.Labels.String())})
	}
	if v := s.Verification; v.Enabled {
		more = append(more, qa.Condition{Name: "verification", Value: fmt.Sprintf(
			"from confidence %s, corrected at most %d times, unsupported claims: %s", number(v.Threshold), v.Attempts, v.Unsupported)})
		if j := v.Judge; j.URL != "" {
			more = append(more, qa.Condition{Name: "judge of claims", Value: strings.TrimSpace(j.URL + " " + j.Model + " " + j.Labels.String() + " " + j.Calibration.String())})
		}
	}
	return recall.Conditions(corpus, p.Graph().Fingerprint(), set, more...)
}

// serversLabel names the MCP servers that a searching model may call, with their tools and a
// hash of how they are reached, which may hold a secret.
func serversLabel(s config.Settings) string {
	var out []string
	for _, name := range s.ServerNames() {
		server := s.Servers[name]
		sum := sha256.Sum256([]byte(strings.Join(append([]string{server.URL, server.Command}, server.Args...), "\x00")))
		out = append(out, fmt.Sprintf("%s (%x): %s", name, sum[:4], strings.Join(server.Tools, " ")))
	}
	return strings.Join(out, "; ")
}
