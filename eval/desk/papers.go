package desk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"example.com/assay/eval/jsonl"
	"example.com/assay/eval/task"
	"example.com/assay/internal/plainfile"
	"example.com/assay/nodes/extract"
)

// Verbs of questions.
const (
	Ask    = "ask"    // the research pipeline
	Comply = "comply" // the evidence pipeline
)

// A Question is asked of the documents.
type Question struct {
	ID, Verb, Kind, Question string
	Answerable               bool
	Gold                     []string // a right quote holds one of them
	Not                      []string // and none of these
}

// A Claim is verified against the documents.
type Claim struct {
	ID, Claim string
	Supported bool
}

// A Form is read by its schema.
type Form struct {
	ID     string // its file's name
	Path   string
	Schema *extract.Schema
	Gold   []string // its values, sorted; see valuesOf
}

// Papers is the content of a folder.
type Papers struct {
	Documents string // the folder; empty when there is nothing to ask
	Questions []Question
	Claims    []Claim
	Forms     []Form
}

// Suffixes of the files next to a form.
const (
	goldSuffix   = ".gold.json"
	schemaSuffix = ".schema.json"
)

// Read reads a folder: documents with questions.jsonl and claims.jsonl, and forms, in a folder
// forms or directly. Every part may be missing, but not all. Faults name the file and the line.
func Read(ctx context.Context, dir string, progress task.Progress) (*Papers, error) {
	p := &Papers{}
	err := errors.Join(p.readQuestions(ctx, filepath.Join(dir, "questions.jsonl"), progress), p.readClaims(ctx, filepath.Join(dir, "claims.jsonl"), progress))
	for _, folder := range []string{filepath.Join(dir, "forms"), dir} {
		if err == nil {
			err = p.readForms(folder)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading papers: %w", err)
	}
	asked := len(p.Questions)+len(p.Claims) > 0
	if documents := filepath.Join(dir, "documents"); asked {
		if info, err := os.Stat(documents); err != nil || !info.IsDir() {
			return nil, task.Usagef("%s has questions or claims, and no folder documents", dir)
		}
		p.Documents = documents
	}
	if !asked && len(p.Forms) == 0 {
		return nil, task.Usagef("%s has no papers: it needs documents/ with questions.jsonl or claims.jsonl, or forms, such as invoice.txt with invoice.txt%s and invoice.txt%s", dir, schemaSuffix, goldSuffix)
	}
	return p, nil
}

// each is jsonl.Each for a file that may be missing. A missing ID is the line number.
func each[T any](ctx context.Context, path string, progress task.Progress, do func(at jsonl.Place, r T) error) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return jsonl.Each(ctx, path, "id", progress.Of(task.Reading), do)
}

func orLine(id jsonl.Ident, at jsonl.Place) string {
	if id == "" {
		return "line " + strconv.Itoa(at.Line)
	}
	return string(id)
}

func (p *Papers) readQuestions(ctx context.Context, path string, progress task.Progress) error {
	type record struct {
		ID         jsonl.Ident `json:"id"`
		Verb       string      `json:"verb"`
		Kind       string      `json:"kind"`
		Question   string      `json:"question"`
		Answerable bool        `json:"answerable"`
		Gold       []string    `json:"gold"`
		Not        []string    `json:"not"`
	}
	seen := map[string]int{}
	return each(ctx, path, progress, func(at jsonl.Place, r record) error {
		q := Question{orLine(r.ID, at), r.Verb, r.Kind, strings.TrimSpace(r.Question), r.Answerable, r.Gold, r.Not}
		if q.Verb == "" {
			q.Verb = Ask
		}
		switch {
		case q.Verb != Ask && q.Verb != Comply:
			return at.Fault("verb", fmt.Sprintf("it is %q", q.Verb), "write ask or comply")
		case q.Answerable != (len(q.Gold) > 0):
			return at.Fault("gold", "a question is answerable if it has gold, and only then", "give both or neither")
		}
		p.Questions = append(p.Questions, q)
		return errors.Join(at.Unique(seen, q.ID), at.Want("question", q.Question != ""))
	})
}

func (p *Papers) readClaims(ctx context.Context, path string, progress task.Progress) error {
	type record struct {
		ID        jsonl.Ident `json:"id"`
		Claim     string      `json:"claim"`
		Supported *bool       `json:"supported"`
	}
	return each(ctx, path, progress, func(at jsonl.Place, r record) error {
		if err := errors.Join(at.Want("claim", strings.TrimSpace(r.Claim) != ""), at.Want("supported", r.Supported != nil)); err != nil {
			return err
		}
		p.Claims = append(p.Claims, Claim{orLine(r.ID, at), r.Claim, *r.Supported})
		return nil
	})
}

func (p *Papers) readForms(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err // names the folder
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), goldSuffix)
		if !ok {
			continue
		}
		f := Form{ID: name, Path: filepath.Join(dir, name)}
		gold, err := plainfile.Read(f.Path+goldSuffix, 0)
		if err != nil {
			return err
		}
		if f.Gold, err = valuesOf(gold); err != nil {
			return fmt.Errorf("%s%s: %w", f.Path, goldSuffix, err)
		}
		schema, err := plainfile.Read(f.Path+schemaSuffix, 0)
		if err != nil {
			return err
		}
		if f.Schema, err = extract.ParseSchema(schema); err != nil {
			return fmt.Errorf("%s%s: %w", f.Path, schemaSuffix, err)
		}
		p.Forms = append(p.Forms, f)
	}
	return nil
}
