package mcq

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/eval/jsonl"
	"example.com/assay/eval/retrieval"
	"example.com/assay/eval/task"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A Question has one right choice.
type Question struct {
	ID      string
	Stem    string // the facts and the question
	Facts   string // which several questions may share; may be empty
	Choices []skills.Choice
	Answer  string   // the letter of the right choice
	Gold    []string // ids of the passages that decide it
}

// A Dataset holds questions and the passages that decide them. It does not change after
// reading.
type Dataset struct {
	Passages  map[string]state.Passage
	Questions []Question // in the order of the file; ids distinct
	Hash      string     // SHA-256 over ids, stems, choices and answers, in hexadecimal

	corpus *retrieval.Dataset
}

// Files name a collection in the format barexam; each may be compressed with gzip.
type Files struct {
	Corpus    string // {id, text}, JSON Lines
	Questions string // {id, prompt, question, choices: {A: …}, answer, gold_passage_ids}
}

// Read reads a collection, line by line. The error for a fault in a file wraps a
// *document.InputError with the file, the line and the field. Other errors are files that
// cannot be opened, and cancellation.
func Read(ctx context.Context, f Files, progress task.Progress) (*Dataset, error) {
	corpus, err := retrieval.Read(ctx, retrieval.Files{Format: "barexam", Corpus: f.Corpus, Queries: f.Questions}, &retrieval.ReadOptions{Progress: progress})
	if err != nil {
		return nil, err
	}
	d := &Dataset{Passages: map[string]state.Passage{}, corpus: corpus}
	for _, p := range corpus.Passages {
		d.Passages[p.ID] = p
	}
	type record struct {
		ID       jsonl.Ident       `json:"id"`
		Prompt   string            `json:"prompt"`
		Question string            `json:"question"`
		Choices  map[string]string `json:"choices"`
		Answer   string            `json:"answer"`
		Gold     []jsonl.Ident     `json:"gold_passage_ids"`
	}
	var digest jsonl.Digest
	err = jsonl.Each(ctx, f.Questions, "id", nil, func(at jsonl.Place, r record) error {
		q := Question{ID: string(r.ID), Stem: strings.TrimSpace(r.Prompt + "\n" + r.Question), Facts: strings.TrimSpace(r.Prompt), Answer: r.Answer}
		for _, letter := range slices.Sorted(maps.Keys(r.Choices)) {
			if len(letter) != 1 || letter < "A" || letter > "Z" {
				return at.Fault("choices", fmt.Sprintf("%q is no letter of A to Z", letter), "write them as {\"A\": text, \"B\": text}")
			}
			q.Choices = append(q.Choices, skills.Choice{Letter: letter, Text: r.Choices[letter]})
		}
		if _, ok := r.Choices[q.Answer]; !ok || len(q.Choices) < 2 {
			return at.Fault("answer", fmt.Sprintf("%q is the letter of none of its %d choices", q.Answer, len(q.Choices)), "want at least two choices, and the letter of one")
		}
		for _, id := range r.Gold {
			if _, held := d.Passages[string(id)]; !held {
				return at.Fault("gold_passage_ids", fmt.Sprintf("the corpus has no passage %q", id), "name passages of "+f.Corpus)
			}
			q.Gold = append(q.Gold, string(id))
		}
		digest.Add(append([]string{q.ID, q.Stem, q.Answer}, texts(q)...)...)
		d.Questions = append(d.Questions, q)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading questions: %w", err)
	}
	d.Hash = digest.Sum()
	return d, nil
}

// texts are a question's choices.
func texts(q Question) []string {
	out := make([]string, len(q.Choices))
	for i, c := range q.Choices {
		out[i] = c.Text
	}
	return out
}
