package open

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/assay/llm"
	"example.com/assay/memory"
	"example.com/assay/memory/qa"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/research/recall"
	"example.com/assay/state"
)

// Remembered is the memory of one corpus, with the conditions under which an answer is
// served now.
type Remembered struct {
	Name    string         // of the corpus
	Answers *qa.Memory     // nil when nothing was remembered yet
	Corpus  *memory.Corpus // nil when it cannot be opened
	Fault   error          // why the corpus cannot be opened
	Now     []qa.Condition // nil if the corpus cannot be opened
}

// Stale reports whether an entry would not be served, whatever it cites.
func (r *Remembered) Stale(e qa.Entry) bool {
	return r.Fault != nil || len(qa.Differences(e.Conditions, r.Now)) > 0
}

// A RememberedAnswer is an entry with its verdict.
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
	// Result is the answer as a run of it ends, and Passages are those of its sources, in
	// their order. Both are empty when the corpus cannot be opened.
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

// passageOf is the passage that a source is.
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
