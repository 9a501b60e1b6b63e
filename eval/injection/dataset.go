package injection

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"example.com/assay/eval/jsonl"
	"example.com/assay/memory/document"
	"example.com/assay/memory/text"
)

// A Context is a harmless document with a question that it may answer.
type Context struct{ ID, Text, Question string }

// An Attack is a prompt injection.
type Attack struct{ ID, Category, Text string }

// A Dataset holds contexts and attacks. It does not change after reading.
type Dataset struct {
	Contexts []Context
	Attacks  []Attack
	Hash     string // SHA-256 over everything, in hexadecimal
}

// Read reads the folder of a collection as BIPIA has them (Yi et al.,
// "Benchmarking and defending against indirect prompt injection attacks", 2023):
// email_contexts.jsonl, {id, context, question}, and text_attacks.jsonl, {id,
// category, attack}; each may be compressed (.gz). The error for a fault in a file wraps a
// *document.InputError with the file, the line and the field. Other errors are files that
// cannot be opened, and cancellation.
func Read(ctx context.Context, dir string, progress func(done, total int)) (*Dataset, error) {
	d, seen := &Dataset{}, map[string]int{}
	var digest jsonl.Digest
	add := func(at jsonl.Place, id string, fields ...[2]string) error {
		for _, f := range fields {
			if strings.TrimSpace(f[1]) == "" {
				return at.Fault(f[0], "it is missing or empty", "every record needs it")
			}
			digest.Add(f[1])
		}
		return at.Unique(seen, id)
	}
	type situation struct {
		ID       jsonl.Ident `json:"id"`
		Context  string      `json:"context"`
		Question string      `json:"question"`
	}
	type attack struct {
		ID       jsonl.Ident `json:"id"`
		Category string      `json:"category"`
		Attack   string      `json:"attack"`
	}
	contexts, attacks := jsonl.File(dir, "email_contexts.jsonl"), jsonl.File(dir, "text_attacks.jsonl")
	err := jsonl.Each(ctx, contexts, "id", progress, func(at jsonl.Place, r situation) error {
		d.Contexts = append(d.Contexts, Context{string(r.ID), r.Context, r.Question})
		return add(at, string(r.ID), [2]string{"context", r.Context}, [2]string{"question", r.Question})
	})
	if err == nil {
		err = jsonl.Each(ctx, attacks, "id", progress, func(at jsonl.Place, r attack) error {
			d.Attacks = append(d.Attacks, Attack{string(r.ID), r.Category, strings.TrimSpace(r.Attack)})
			return add(at, string(r.ID), [2]string{"category", r.Category}, [2]string{"attack", r.Attack})
		})
	}
	for _, need := range []struct {
		path string
		n    int
	}{{contexts, len(d.Contexts)}, {attacks, len(d.Attacks)}} {
		if err == nil && need.n == 0 {
			err = &document.InputError{Path: need.path, Msg: "it has no record", Hint: "write one JSON object per line"}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading attacks: %w", err)
	}
	d.Hash = digest.Sum()
	return d, nil
}

// A position is the place of an attack in a context.
type position string

// positions lists them.
func positions() []position { return []position{"start", "middle", "end"} }

// place inserts an attack into a context, on separate lines, and returns its offsets. The middle is
// the end of the middle sentence.
func place(document, attack string, at position) (poisoned string, start, end int) {
	cut := len(document)
	switch at {
	case "start":
		return attack + "\n" + document, 0, len(attack)
	case "middle":
		if spans := text.Sentences(document); len(spans) > 1 {
			cut = spans[len(spans)/2-1].End
		}
	}
	head := document[:cut] + "\n"
	return head + attack + "\n" + document[cut:], len(head), len(head) + len(attack)
}

// These texts were written for the project. Weights are trained on the ordinary
// documents and on some kinds of attacks, never on the tricky texts, which are harmless
// and sound like attacks, nor on the other kinds.
var (
	//go:embed data/attacks.txt
	attacksFile string
	//go:embed data/ordinary.txt
	ordinaryFile string
	//go:embed data/tricky.txt
	trickyFile string
)

// Written returns the project's own attacks: of kinds to train on, and of kinds that
// no weights are trained on. Where a kind is also one of BIPIA's, it has its name.
func Written() (trained, unseen []Attack) {
	for i, line := range lines(attacksFile) {
		kind, order, _ := strings.Cut(line, ": ")
		attack := Attack{fmt.Sprintf("written-%d", i+1), strings.TrimPrefix(kind, "!"), order}
		if attack.Category == kind {
			trained = append(trained, attack)
		} else {
			unseen = append(unseen, attack)
		}
	}
	return trained, unseen
}

// second returns an attack of the n-th one's category: the next, or the first.
func second(attacks []Attack, n int) Attack {
	for i := range attacks {
		if a := attacks[(n+1+i)%len(attacks)]; a.Category == attacks[n].Category {
			return a
		}
	}
	return attacks[n]
}

// Ordinary returns the documents that weights are trained on as harmless.
func Ordinary() []string { return lines(ordinaryFile) }

// Tricky returns harmless questions and documents that sound like attacks.
func Tricky() (questions, documents []string) {
	for _, line := range lines(trickyFile) {
		if q, ok := strings.CutPrefix(line, "? "); ok {
			questions = append(questions, q)
		} else {
			documents = append(documents, line)
		}
	}
	return questions, documents
}

func lines(file string) []string {
	var out []string
	for line := range strings.Lines(file) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}
