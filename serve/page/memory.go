package page

import (
	"context"
	"html/template"
	"time"

	"example.com/assay/serve/page/evidence"
	"example.com/assay/serve/page/look"
	"example.com/assay/state/proof"
)

// Memory gives access to remembered questions and answers. For a corpus that the tenant may not
// read, and for an unknown ID, it returns a *runs.NotFoundError.
type Memory interface {
	// Corpora describes the memory of each corpus that a tenant may read, sorted by name, without
	// entries.
	Corpora(ctx context.Context, tenant string) ([]Shelf, error)
	// List returns the newest entries of a corpus, newest first.
	List(ctx context.Context, tenant, corpus string, limit int) (Shelf, error)
	// Show returns one entry.
	Show(ctx context.Context, tenant, corpus, id string) (Remembered, error)
	// Forget removes an entry for good.
	Forget(ctx context.Context, tenant, corpus, id string) error
}

// A Shelf is the memory of one corpus.
type Shelf struct {
	Corpus  string
	Total   int
	Stale   int    // entries that would not be served now
	Served  int    // how often entries were served
	Fault   string // why no entry is served now; empty if no reason is known
	Entries []Entry
}

// An Entry is a remembered question.
type Entry struct {
	ID         string
	Question   string
	Confidence float64
	Stored     time.Time
	Served     int
	Stale      bool // it would not be served now: one of its conditions has changed
}

// Remembered is a remembered answer.
type Remembered struct {
	Entry
	Corpus string
	Answer string // Markdown
	// Proof is the answer with its evidence; Documents reads the evidence's documents. Nil if the
	// evidence cannot be read.
	Proof      *proof.Proof
	Documents  proof.Documents
	LastServed time.Time
	WhyNot     []string // why it would not be served now; empty if it would
	Conditions []Condition
}

// A Condition is a value that an answer depends on.
type Condition struct{ Name, Then, Now string }

var (
	memoryPage     = parsed("memory.tmpl")
	rememberedPage = parsed("remembered.tmpl")
)

// A remembering is the page of remembered questions.
type remembering struct {
	Shelves []Shelf
	Chosen  *Shelf // the shelf whose entries are shown; nil for none
	Pager   pager
}

// memories shows the memory of each corpus, and the entries of one.
func (v *visit) memories() error {
	from, err := v.number("from", 0)
	if err != nil {
		return err
	}
	ctx := v.r.Context()
	out := remembering{}
	if out.Shelves, err = v.Memory.Corpora(ctx, v.tenant); err != nil {
		return err
	}
	name := v.r.URL.Query().Get("corpus")
	if name == "" && len(out.Shelves) == 1 && out.Shelves[0].Total > 0 {
		name = out.Shelves[0].Corpus
	}
	if name != "" {
		s, err := v.Memory.List(ctx, v.tenant, name, from+perPage)
		if err != nil {
			return err
		}
		s.Entries = s.Entries[min(from, len(s.Entries)):]
		out.Chosen = &s
		out.Pager = pages("answers", root+"memory", min(from, s.Total), perPage, s.Total, "corpus", name)
	}
	return v.show(memoryPage, "Memory", look.Frame{Title: "Memory"}, out)
}

// A recollection is the page of one answer.
type recollection struct {
	Remembered
	Evidence template.HTML // empty if it cannot be read
}

// remembered shows one remembered answer.
func (v *visit) remembered() error {
	r, err := v.Memory.Show(v.r.Context(), v.tenant, v.r.PathValue("corpus"), v.r.PathValue("id"))
	if err != nil {
		return err
	}
	out := recollection{Remembered: r}
	if r.Proof != nil {
		if out.Evidence, err = evidence.Section(v.r.Context(), *r.Proof, r.Documents, nil); err != nil {
			return err
		}
	}
	return v.show(rememberedPage, "Memory", look.Frame{Title: "A remembered answer", Heading: r.Question, Eyebrow: "Remembered of the corpus " + r.Corpus, Full: true}, out)
}

// forget removes a remembered answer for good.
func (v *visit) forget() error {
	corpus := v.r.PathValue("corpus")
	if err := v.Memory.Forget(v.r.Context(), v.tenant, corpus, v.r.PathValue("id")); err != nil {
		return err
	}
	return v.to(query(root+"memory", "corpus", corpus))
}
