package proof

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"example.com/assay/state"
)

// Read makes a Proof of the JSON of an answer A, as build does of the answer.
func Read[A any](answer json.RawMessage, build func(A) Proof) (Proof, error) {
	var a A
	if err := json.Unmarshal(answer, &a); err != nil {
		return Proof{}, err
	}
	return build(a), nil
}

// A Builder fills a Proof.
type Builder struct{ Proof }

// New begins the proof of an answer with the fields common to all pipelines. text is the answer
// without its list of sources.
func New(a state.Answer, text string) *Builder {
	b := &Builder{Proof{Pipeline: a.Pipeline}}
	b.common(a, text)
	return b
}

var statusTones = map[state.Status]Tone{
	state.StatusAnswered: Good, state.StatusUngrounded: Warn, state.StatusNoEvidence: Warn, state.StatusInterrupted: Warn,
}

// common sets the fields common to all pipelines. text is the answer without its sources.
func (b *Builder) common(a state.Answer, text string) {
	b.Question, b.Answer, b.Choice, b.Warnings = a.Question, text, a.Choice, a.Warnings
	b.Asked, b.Respelt, b.RunID, b.Model, b.Corpus = a.Resolved, a.Respelt, a.RunID, a.Model, a.Corpus
	b.Status, b.Tone, b.Words = a.Status, cmp.Or(statusTones[a.Status], Bad), a.Words()
	if head, _, _ := strings.Cut(b.Words, ":"); text != "" && a.Status == state.StatusNoEvidence || strings.Contains("\n"+text, "\n"+head+":") || strings.Contains(text, b.Words) {
		b.Words = "" // the answer says so itself
	}
	b.Sources(a.Sources)
	if n := a.Nearest; n != nil {
		b.Nearest = &Nearest{Where: n.Where, Why: n.Why, Quote: Quote{Stand: Weighed, Doc: b.Document(n.Doc, n.Path, n.Original), Start: n.Start, End: n.End, Text: n.Line}}
	}
	if r := a.Relevance; r != nil && a.Status != state.StatusNoEvidence {
		b.Measure("relevance", "%s", r.Words(a.Model == "" || a.Model == "offline")).Aside = true
		if r.Parts > 1 {
			b.Measure("parts of the question", "%d of %d found", r.Found, r.Parts).Aside = true
		}
	}
	if n := a.Verification.QuotesChecked; n > 0 {
		exact := a.Verification.QuotesExact
		m := b.Measure("quotes", "%d of %d exact", exact, n)
		m.Usual = exact == n
		switch {
		case exact < n:
			m.Phrase = fmt.Sprintf("%s, %d exact", Count(n, "quote"), exact)
		case n == 1:
			m.Phrase = "1 quote, exact"
		default:
			m.Phrase = Count(n, "quote") + ", all exact"
		}
	}
	if a.Metrics.MemoryHit {
		b.Measure("from", "memory")
	}
	if a.Model != "" && a.Model != "offline" {
		b.Used, b.Cost = a.Metrics.ModelUsage.Words(), strings.TrimPrefix(a.Metrics.ModelUsage.CostWords(), ", ")
	}
	for _, l := range a.Losses {
		b.Note("Lost on the way", string(l.Cause), Warn, l.Missing+": "+l.Error).Aside = strings.Contains(a.Words()+text, l.Error)
	}
}

// Sources adds passages that were read.
func (b *Builder) Sources(list []state.Source) {
	for _, s := range list {
		p := Passage{Doc: b.Document(s.Doc, s.Path, s.Original), Head: fmt.Sprintf("Source %d", s.N), Where: s.Where, Start: s.Start, End: s.End, Text: s.Text, Stale: s.Stale}
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
}

// Measure adds a figure or a count, in words.
func (b *Builder) Measure(name, format string, args ...any) *Measure {
	b.Measures = append(b.Measures, Measure{Name: name, Text: fmt.Sprintf(format, args...)})
	return &b.Measures[len(b.Measures)-1]
}

// Note adds a further observation. The note may be changed until the next is added.
func (b *Builder) Note(group, label string, tone Tone, text string) *Note {
	b.Notes = append(b.Notes, Note{Group: group, Label: Words(label), Tone: tone, Text: text})
	return &b.Notes[len(b.Notes)-1]
}

// Add appends a finding, and gives it its id. The finding may be changed until the next is
// added.
func (b *Builder) Add(f Finding) *Finding {
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

// Document returns the index of a document, identified by its file, or by its name if it has none.
// A file of several documents, such as records, has its own name.
func (b *Builder) Document(name, path, original string) int {
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
	b.Documents = append(b.Documents, Document{Name: name, Path: path, Original: original})
	return len(b.Documents) - 1
}

// Quote returns a quote in the document whose passage contains its bytes, preferably a passage with
// the name of its text.
func (b *Builder) Quote(q state.Quote, stand Stand) Quote {
	out := Quote{Stand: stand, Doc: -1, Start: q.Start, End: q.End, Text: q.Text}
	for _, p := range b.Passages {
		d := b.Documents[p.Doc]
		if from := q.Start - p.Start; from >= 0 && from <= len(p.Text) && strings.HasPrefix(p.Text[from:], q.Text) && (out.Doc < 0 || d.Name == q.Source) {
			if out.Doc = p.Doc; d.Name == q.Source {
				return out
			}
		}
	}
	if out.Doc < 0 || slices.ContainsFunc(b.Documents, func(d Document) bool { return d.Name == q.Source }) {
		out.Doc = b.Document(q.Source, "", "")
	}
	return out
}

// Words returns the name of a kind or a status in words.
func Words(s string) string { return strings.ReplaceAll(s, "_", " ") }

// Count returns a number of things, in words: "2 edges".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
