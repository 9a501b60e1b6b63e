package shown

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// Of reads the answer of a pipeline. An answer of a pipeline that is not Assay's own is
// read as a state.Answer. The error is that the JSON is not what the pipeline writes.
func Of(pipeline string, answer json.RawMessage) (proof.Proof, error) {
	b := builder{Proof: proof.Proof{Pipeline: pipeline}}
	var err error
	switch pipeline {
	case "comply":
		err = read(answer, func(a evidence.Audit) { b.common(a.Answer, a.Answer.Answer); b.audit(a) })
	case "edges":
		err = read(answer, func(a causal.Answer) { b.common(a.Answer, a.Answer.Answer); b.edges(a) })
	case "extract":
		err = read(answer, func(a extract.Answer) { b.common(a.Answer, a.Answer.Answer); b.fields(a) })
	case "verify":
		err = read(answer, func(a verify.Answer) { b.common(a.Answer, a.Answer.Answer); b.checks(a.Answer) })
	default:
		err = read(answer, func(a state.Answer) { b.common(a, research.WithoutSources(a.Answer)); b.checks(a) })
	}
	if err != nil {
		return proof.Proof{}, fmt.Errorf("reading the answer of %s: %w", pipeline, err)
	}
	return b.Proof, nil
}

func read[T any](data json.RawMessage, then func(T)) error {
	var a T
	if err := json.Unmarshal(data, &a); err != nil {
		return err
	}
	then(a)
	return nil
}

// A builder fills a Proof.
type builder struct{ proof.Proof }

var statusTones = map[state.Status]proof.Tone{
	state.StatusAnswered: proof.Good, state.StatusUngrounded: proof.Warn, state.StatusNoEvidence: proof.Warn, state.StatusInterrupted: proof.Warn,
}

// common is what every pipeline's answer has. Text is the answer without its sources.
func (b *builder) common(a state.Answer, text string) {
	b.Question, b.Answer, b.Choice, b.Warnings = a.Question, text, a.Choice, a.Warnings
	b.Status, b.Tone, b.Words = a.Status, cmp.Or(statusTones[a.Status], proof.Bad), a.Words()
	if head, _, _ := strings.Cut(b.Words, ":"); text != "" && a.Status == state.StatusNoEvidence || strings.Contains("\n"+text, "\n"+head+":") || strings.Contains(text, b.Words) {
		b.Words = "" // the answer says so itself
	}
	for _, s := range a.Sources {
		p := proof.Passage{Doc: b.document(s.Doc, s.Path, s.Original), Head: fmt.Sprintf("Source %d", s.N), Where: s.Where, Start: s.Start, End: s.End, Text: s.Text, Stale: s.Stale}
		if s.Query > 0 {
			p.Head = fmt.Sprintf("Query %d, source %d", s.Query, s.Source)
			p.Marks = append(p.Marks, fmt.Sprintf("[Query %d][Source %d]", s.Query, s.Source))
		}
		if s.Label != "" {
			p.Head = fmt.Sprintf("Passage %d, cited as %s", s.N, s.Label)
			p.Marks = append(p.Marks, "["+s.Label+"]")
		}
		b.Passages = append(b.Passages, p)
	}
	if n := a.Nearest; n != nil {
		b.Nearest = &proof.Nearest{Where: n.Where, Why: n.Why, Quote: proof.Quote{Stand: proof.Weighed, Doc: b.document(n.Doc, n.Path, n.Original), Start: n.Start, End: n.End, Text: n.Line}}
	}
	if r := a.Relevance; r != nil && a.Status != state.StatusNoEvidence {
		b.measure("relevance", "%s", r.Words(a.Model == "" || a.Model == "offline"))
		if r.Parts > 1 {
			b.measure("parts of the question", "%d of %d found", r.Found, r.Parts)
		}
	}
	if n := a.Verification.QuotesChecked; n > 0 {
		b.measure("quotes", "%d of %d exact", a.Verification.QuotesExact, n)
	}
	for _, l := range a.Losses {
		b.note("Lost on the way", string(l.Cause), proof.Warn, l.Missing+": "+l.Error)
	}
}

func (b *builder) measure(name, format string, args ...any) {
	b.Measures = append(b.Measures, proof.Measure{Name: name, Text: fmt.Sprintf(format, args...)})
}

func (b *builder) note(group, label string, tone proof.Tone, text string) *proof.Note {
	b.Notes = append(b.Notes, proof.Note{Group: group, Label: plain(label), Tone: tone, Text: text})
	return &b.Notes[len(b.Notes)-1]
}

// add appends a finding, and gives it its id.
func (b *builder) add(f proof.Finding) *proof.Finding {
	n := 1
	for _, other := range b.Findings {
		if other.Kind == f.Kind {
			n++
		}
	}
	f.ID, f.Label = fmt.Sprintf("%s-%d", f.Kind, n), cmp.Or(f.Label, fmt.Sprint(n))
	b.Findings = append(b.Findings, f)
	return &b.Findings[len(b.Findings)-1]
}

// document is the index of a document, which is its file, or its name without one. A file
// of several documents, such as records, has its own name.
func (b *builder) document(name, path, original string) int {
	for i, d := range b.Documents {
		switch {
		case path != "" && d.Path == path:
			if d.Name != name {
				b.Documents[i].Name = filepath.Base(cmp.Or(d.Original, path))
			}
			return i
		case (path == "" || d.Path == "") && d.Name == name:
			return i
		}
	}
	b.Documents = append(b.Documents, proof.Document{Name: name, Path: path, Original: original})
	return len(b.Documents) - 1
}

// quote is a quote in the document whose passage holds its bytes: of passages with the
// name of its text, if there are any.
func (b *builder) quote(q state.Quote, stand proof.Stand) proof.Quote {
	out := proof.Quote{Stand: stand, Doc: -1, Start: q.Start, End: q.End, Text: q.Text}
	for _, p := range b.Passages {
		d := b.Documents[p.Doc]
		if from := q.Start - p.Start; from >= 0 && from <= len(p.Text) && strings.HasPrefix(p.Text[from:], q.Text) && (out.Doc < 0 || d.Name == q.Source) {
			if out.Doc = p.Doc; d.Name == q.Source {
				return out
			}
		}
	}
	if out.Doc < 0 || slices.ContainsFunc(b.Documents, func(d proof.Document) bool { return d.Name == q.Source }) {
		out.Doc = b.document(q.Source, "", "")
	}
	return out
}

// plain is the name of a kind or a status in words.
func plain(s string) string { return strings.ReplaceAll(s, "_", " ") }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
