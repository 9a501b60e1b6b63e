package open

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/memory/qa"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/research/recall"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// Remembered holds the remembered answers of one corpus, with the conditions under which an answer
// is served now.
type Remembered struct {
	Name    string         // of the corpus
	Answers *qa.Memory     // nil when no answer was remembered yet
	Corpus  *memory.Corpus // nil when it cannot be opened
	Fault   error          // why the corpus cannot be opened
	Now     []qa.Condition // nil if the corpus cannot be opened
}

// Stale reports whether an entry would not be served, whatever it cites.
func (r *Remembered) Stale(e qa.Entry) bool {
	return r.Fault != nil || len(qa.Differences(e.Conditions, r.Now)) > 0
}

// A RememberedAnswer is a remembered answer, with the verdict whether it would be served.
type RememberedAnswer struct {
	Schema     int             `json:"schema"`
	Corpus     string          `json:"corpus"`
	ID         string          `json:"id"`
	Question   string          `json:"question"`
	Answer     string          `json:"answer"`
	Confidence float64         `json:"confidence"`
	Stored     time.Time       `json:"stored"`
	Served     int             `json:"served"`
	LastServed time.Time       `json:"last_served,omitzero"`
	Servable   bool            `json:"servable"` // with the settings of this call
	WhyNot     []string        `json:"why_not"`  // empty when it is servable
	Conditions []qa.Condition  `json:"conditions"`
	Changed    []qa.Difference `json:"changed"` // of the conditions
	Sources    []state.Source  `json:"sources"`
	// Result is the answer in the form of a run's result. Passages are the passages of its sources,
	// in their order. Both are empty when the corpus cannot be opened.
	Result   state.Answer    `json:"-"`
	Passages []state.Passage `json:"-"`
}

// Judge decides whether an entry would be served, and why not.
func (r *Remembered) Judge(e qa.Entry) (RememberedAnswer, error) {
	s := RememberedAnswer{
		Schema: 1, Corpus: r.Name, ID: e.ID, Question: e.Question, Answer: e.Answer, Confidence: e.Confidence, Stored: e.Stored,
		Served: e.Served, LastServed: e.LastServed, WhyNot: []string{}, Conditions: e.Conditions, Changed: []qa.Difference{}, Sources: []state.Source{},
	}
	if r.Fault != nil {
		s.WhyNot = append(s.WhyNot, "the corpus cannot be opened")
	} else {
		s.Changed = append(s.Changed, qa.Differences(e.Conditions, r.Now)...)
	}
	for _, d := range s.Changed {
		s.WhyNot = append(s.WhyNot, whyNot(d))
	}
	kept, err := recall.Remembered(e, r.Corpus)
	if unsound, ok := errors.AsType[*recall.UnsoundError](err); ok {
		s.WhyNot = append(s.WhyNot, unsound.Reason)
	} else if err != nil {
		return s, err
	}
	if r.Corpus != nil && kept.Whole() {
		s.Result = research.Result(state.Agent{Objective: e.Question, Answer: e.Answer, Plan: kept.Steps, Check: kept.Check}, nil, r.Corpus)
		s.Sources = s.Result.Sources
		for _, source := range s.Sources {
			s.Passages = append(s.Passages, passageOf(source, kept.Steps))
		}
	}
	s.Servable = len(s.WhyNot) == 0
	return s, nil
}

// whyNot describes a condition that has changed.
func whyNot(d qa.Difference) string {
	none := func(s string) string {
		if s == "" {
			return "none"
		}
		return llm.Cut(s, 60)
	}
	if d.Name == "corpus" {
		return fmt.Sprintf("the corpus has changed: its fingerprint was %.12s, it is %.12s", d.Then, d.Now)
	}
	if skill, ok := strings.CutPrefix(d.Name, "skill "); ok {
		return fmt.Sprintf("the skill %s has changed: its hash was %.12s, it is %.12s", skill, none(d.Then), none(d.Now))
	}
	return fmt.Sprintf("%s was %s, it is %s", d.Name, none(d.Then), none(d.Now))
}

// passageOf finds the passage of a source.
func passageOf(source state.Source, steps []state.Step) state.Passage {
	for _, step := range steps {
		for _, h := range step.Hits {
			if p := h.Passage; p.Doc == source.Doc && p.Start == source.Start && p.End == source.End && p.Text == source.Text {
				return p
			}
		}
	}
	return state.Passage{Doc: source.Doc, Title: source.Title, Section: source.Section, Start: source.Start, End: source.End, Text: source.Text}
}

// openRecall opens a tenant's remembered answers from a corpus, which the caller closes, and the
// pipeline's view of them.
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

// Conditions lists what answers depend on: the settings that can change an answer, and the corpus
// with this fingerprint and trained ranker.
func Conditions(s config.Settings, corpus, ranker string, set *skills.Set) ([]qa.Condition, error) {
	// The graph does not depend on the model and the corpus.
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

// serversLabel names the MCP servers that a searching model may call, with their tools. A hash
// stands for their addresses and commands, which may hold a secret.
func serversLabel(s config.Settings) string {
	var out []string
	for _, name := range s.ServerNames() {
		server := s.Servers[name]
		sum := sha256.Sum256([]byte(strings.Join(append([]string{server.URL, server.Command}, server.Args...), "\x00")))
		out = append(out, fmt.Sprintf("%s (%x): %s", name, sum[:4], strings.Join(server.Tools, " ")))
	}
	return strings.Join(out, "; ")
}
