// Package comply measures the compliance pipeline on questions whose answering
// passages people judged: whether answers cite them, and whether everything that
// answers promise holds.
//
//	set, err := comply.Read(ctx, comply.Files{Format: "obliqa", Data: "questions.jsonl"}, nil)
//	got, err := comply.Evaluate(ctx, set, ask, 2, nil)
//
// It does not ingest, print or ship data. It does not judge whether an answer is
// complete.
package comply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/assay/eval/jsonl"
	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
	"example.com/assay/nodes/evidence"
)

// formatObliQA is the one format that Read knows.
const formatObliQA = "obliqa"

// formats lists them.
func formats() []string { return []string{formatObliQA} }

// Files name a collection.
type Files struct {
	Format string // one of the formats that Read knows
	Data   string // {id, question, qrels}
	Expert string // {id, expert_relations: [{passage_uid, relation}]}; may be empty
}

// A Question has the ids of the records that answer it.
type Question struct {
	ID, Text string
	Gold     []string // sorted
	Relevant []string // further records that experts found relevant, sorted
}

// Read reads the questions. Faults name the file, the line and the field.
func Read(ctx context.Context, f Files, progress task.Progress) ([]Question, error) {
	if f.Format != formatObliQA {
		return nil, fmt.Errorf("reading questions: there is no format %q; known: %s", f.Format, strings.Join(formats(), ", "))
	}
	type record struct {
		ID       string         `json:"id"`
		Question string         `json:"question"`
		Qrels    map[string]int `json:"qrels"`
	}
	var out []Question
	at := map[string]int{}
	err := jsonl.Each(ctx, f.Data, "id", progress.Of(task.Reading), func(place jsonl.Place, r record) error {
		if err := errors.Join(place.Want("question", strings.TrimSpace(r.Question) != ""), place.Want("qrels", len(r.Qrels) > 0)); err != nil {
			return err
		}
		q := Question{ID: r.ID, Text: r.Question}
		for id, grade := range r.Qrels {
			if grade > 0 {
				q.Gold = append(q.Gold, id)
			}
		}
		slices.Sort(q.Gold)
		at[r.ID] = len(out)
		out = append(out, q)
		return nil
	})
	if err == nil && f.Expert != "" {
		err = readExpert(ctx, f.Expert, out, at)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading questions: %w", err)
	case len(out) == 0:
		return nil, fmt.Errorf("reading questions: %s holds none", f.Data)
	}
	return out, nil
}

func readExpert(ctx context.Context, path string, out []Question, at map[string]int) error {
	type record struct {
		ID        string `json:"id"`
		Relations []struct {
			Passage  string `json:"passage_uid"`
			Relation int    `json:"relation"`
		} `json:"expert_relations"`
	}
	return jsonl.Each(ctx, path, "id", nil, func(_ jsonl.Place, r record) error {
		i, ok := at[r.ID]
		if !ok {
			return nil
		}
		for _, rel := range r.Relations {
			if rel.Relation > 0 {
				out[i].Relevant = append(out[i].Relevant, rel.Passage)
			}
		}
		slices.Sort(out[i].Relevant)
		return nil
	})
}

// An Outcome is the result of a question.
type Outcome struct {
	Question
	Audit    evidence.Audit
	Cited    []string // records that the answer cites, in order, each once
	Problems []string // what checking the audit again found
}

// Answered reports whether there was an answer.
func (o Outcome) Answered() bool { return o.Audit.Result == evidence.ResultAnswered }

// Hit reports whether the answer cites a gold record.
func (o Outcome) Hit() bool {
	return slices.ContainsFunc(o.Cited, func(id string) bool { return slices.Contains(o.Gold, id) })
}

// An Evaluation holds the results of the pipeline. answered is the share of questions with
// an answer. gold_cited is the share of answers that cite a gold record,
// gold_cited_of_all the same share of all questions. gold_precision is the mean share of
// an answer's cited records that are gold; relevant_precision also counts those that
// experts found relevant. gold_recall is the mean share of the gold records that is cited.
type Evaluation struct {
	task.Score
	Outcomes []Outcome // in the order of the questions
	// Counts of what must not happen, over all answers.
	NotVerbatim int           // quotes that are not the bytes of their document
	Uncited     int           // statements without an id
	Unverified  int           // ids in answers that are of no verified requirement
	Problems    int           // all faults in audits, including those above
	Elapsed     time.Duration // of all questions together
}

// Evaluate asks every question, several at the same time, checks each audit against its
// documents, and measures. The first error of ask ends it.
func Evaluate(ctx context.Context, questions []Question, ask func(context.Context, string) (evidence.Audit, error), jobs int, run *task.Run) (Evaluation, error) {
	if len(questions) == 0 {
		return Evaluation{}, errors.New("evaluating: there are no questions")
	}
	began := time.Now()
	out := Evaluation{Outcomes: make([]Outcome, len(questions))}
	times := make([]time.Duration, len(questions))
	var mu sync.Mutex // of done and the progress
	done := 0
	err := task.Together(ctx, len(questions), jobs, func(ctx context.Context, i int) error {
		began := time.Now()
		audit, err := ask(ctx, questions[i].Text)
		if err != nil {
			return fmt.Errorf("asking question %q: %w", questions[i].ID, err)
		}
		times[i] = time.Since(began)
		out.Outcomes[i] = Outcome{Question: questions[i], Audit: audit, Cited: cited(audit), Problems: evidence.Check(audit).Problems}
		mu.Lock()
		defer mu.Unlock()
		if done++; run != nil && run.Progress != nil {
			run.Progress("asking", done, len(questions))
		}
		return nil
	})
	if err != nil {
		return Evaluation{}, err
	}
	out.Elapsed, out.Score = time.Since(began), run.Score(times)
	return out, out.measure()
}

// cited are the records that an answer cites: a long record has several passages.
func cited(audit evidence.Audit) []string {
	var out []string
	for _, s := range audit.Statements {
		for _, l := range s.Lineage {
			id, _, _ := strings.Cut(l.Chunk, "~")
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

func (e *Evaluation) measure() error {
	for _, o := range e.Outcomes {
		e.Problems += len(o.Problems)
		for _, p := range o.Problems {
			if strings.Contains(p, "are not its quote") {
				e.NotVerbatim++
			}
		}
		for _, s := range o.Audit.Statements {
			if len(s.IDs) == 0 {
				e.Uncited++
			}
			for _, id := range s.IDs {
				if !slices.ContainsFunc(o.Audit.Verified, func(v evidence.VerifiedRequirement) bool { return v.ID == id }) {
					e.Unverified++
				}
			}
		}
	}
	for _, m := range []struct {
		name string
		of   func(Outcome) (value float64, counts bool)
	}{
		{"gold_cited", func(o Outcome) (float64, bool) { return metrics.One(o.Hit()), o.Answered() }},
		{"gold_cited_of_all", func(o Outcome) (float64, bool) { return metrics.One(o.Hit()), true }},
		{"answered", func(o Outcome) (float64, bool) { return metrics.One(o.Answered()), true }},
		{"gold_precision", func(o Outcome) (float64, bool) { return share(o.Cited, o.Gold), o.Answered() }},
		{"relevant_precision", func(o Outcome) (float64, bool) {
			return share(o.Cited, slices.Concat(o.Gold, o.Relevant)), o.Answered() && len(o.Relevant) > 0
		}},
		{"gold_recall", func(o Outcome) (float64, bool) { return share(o.Gold, o.Cited), true }},
		{"cited_records", func(o Outcome) (float64, bool) { return float64(len(o.Cited)), o.Answered() }},
		{"high_grounding", func(o Outcome) (float64, bool) {
			return metrics.One(o.Audit.Grounding == evidence.GroundedHigh), o.Answered()
		}},
	} {
		var values []float64
		for _, o := range e.Outcomes {
			if v, counts := m.of(o); counts {
				values = append(values, v)
			}
		}
		if len(values) == 0 {
			continue // no question has it
		}
		if err := e.Measure(len(values), metrics.Mean(m.name, values)); err != nil {
			return err
		}
	}
	return nil
}

// share is the share of the entries of list that are in of.
func share(list, of []string) float64 {
	n := 0
	for _, id := range list {
		if slices.Contains(of, id) {
			n++
		}
	}
	return metrics.Rate(n, len(list))
}
