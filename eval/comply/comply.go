// Package comply measures the compliance pipeline on questions whose answering passages people
// judged: whether answers cite them, and whether all guarantees of the answers are met.
//
//	set, err := comply.Read(ctx, comply.Files{Format: "obliqa", Data: "questions.jsonl"}, nil)
//	got, err := comply.Evaluate(ctx, set, ask, 2, nil)
//
// It does not ingest, print or ship data. It does not judge whether an answer is complete.
package comply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	Problems []string // problems found by checking the audit again
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
	// Counts of violated guarantees, over all answers.
	NotVerbatim int           // quotes that are not the bytes of their document
	Uncited     int           // statements without an id
	Unverified  int           // ids in answers that are of no verified requirement
	Problems    int           // all faults in audits, including those above
	Elapsed     time.Duration // of all questions together
}

// Evaluate asks every question, several at the same time, checks each audit against its
// documents, and measures. The first error of ask ends it.
func Evaluate(ctx context.Context, questions []Question, ask func(context.Context, string) (evidence.Audit, error), jobs int, progress task.Progress) (Evaluation, error) {
	if len(questions) == 0 {
		return Evaluation{}, errors.New("evaluating: there are no questions")
	}
	began := time.Now()
	var out Evaluation
	var err error
	out.Outcomes, out.Score, err = task.Timed(ctx, progress, "asking", len(questions), jobs, func(ctx context.Context, i int) (Outcome, error) {
		audit, err := ask(ctx, questions[i].Text)
		if err != nil {
			return Outcome{}, fmt.Errorf("asking question %q: %w", questions[i].ID, err)
		}
		return Outcome{Question: questions[i], Audit: audit, Cited: cited(audit), Problems: evidence.Check(audit).Problems}, nil
	})
	if err != nil {
		return Evaluation{}, err
	}
	out.Elapsed = time.Since(began)
	out.count()
	_, err = task.Figures(&out.Score, out.Outcomes, figures)
	return out, err
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

// count counts violated guarantees.
func (e *Evaluation) count() {
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
}

var figures = []task.Figure[Outcome]{
	{Name: "gold_cited", Of: func(o Outcome) (task.Fraction, bool) { return task.Yes(o.Hit()), o.Answered() }},
	{Name: "gold_cited_of_all", Of: func(o Outcome) (task.Fraction, bool) { return task.Yes(o.Hit()), true }},
	{Name: "answered", Of: func(o Outcome) (task.Fraction, bool) { return task.Yes(o.Answered()), true }},
	{Name: "gold_precision", Of: func(o Outcome) (task.Fraction, bool) { return task.Mean(share(o.Cited, o.Gold)), o.Answered() }},
	{Name: "relevant_precision", Of: func(o Outcome) (task.Fraction, bool) {
		return task.Mean(share(o.Cited, slices.Concat(o.Gold, o.Relevant))), o.Answered() && len(o.Relevant) > 0
	}},
	{Name: "gold_recall", Of: func(o Outcome) (task.Fraction, bool) { return task.Mean(share(o.Gold, o.Cited)), true }},
	{Name: "cited_records", Of: func(o Outcome) (task.Fraction, bool) { return task.Mean(float64(len(o.Cited))), o.Answered() }},
	{Name: "high_grounding", Of: func(o Outcome) (task.Fraction, bool) {
		return task.Yes(o.Audit.Grounding == evidence.GroundedHigh), o.Answered()
	}},
}

// share is the share of the entries of list that are also in of.
func share(list, of []string) float64 {
	n := 0
	for _, id := range list {
		if slices.Contains(of, id) {
			n++
		}
	}
	return metrics.Rate(n, len(list))
}
