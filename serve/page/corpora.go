package page

import (
	"context"
	"time"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// Corpora give access to indexed corpora. For a corpus that does not exist, or that the tenant may
// not read, they return a *runs.NotFoundError.
type Corpora interface {
	// List describes the corpora that a tenant may read, sorted by name.
	List(ctx context.Context, tenant string) ([]Corpus, error)
	// Open opens a corpus. The caller closes it.
	Open(ctx context.Context, tenant, name string) (OpenCorpus, error)
}

// A Corpus describes a corpus.
type Corpus struct {
	Name        string
	Note        string // a further remark, in a sentence
	Files       int
	Documents   int // a file of records counts each record
	Passages    int
	Bytes       int64 // of text
	Generation  string
	Fingerprint string
	Embedder    string
	Fault       string // why it cannot be opened; empty if no reason is known
}

// An OpenCorpus is an open corpus.
type OpenCorpus interface {
	retrieval.Retriever
	// About describes the corpus.
	About() Corpus
	// Ingested returns when the corpus last changed.
	Ingested() (time.Time, error)
	// Facts returns further facts: how the corpus was trained, how it is searched.
	Facts() []Fact
	// Facets returns the keys of metadata that a search can filter by, sorted, each with its most
	// frequent values, at most limit.
	Facets(ctx context.Context, limit int) ([]Facet, error)
	// Unread returns files that were found but are not in the corpus, and their number. It returns
	// no files if the reader must not learn where they are.
	Unread() (list []Fact, all int)
	// Sources returns the names of the texts, sorted.
	Sources() []string
	// Source describes a text, and checks whether the text has changed.
	Source(ctx context.Context, name string) (Source, error)
	// Text returns the bytes of a text from from to to, or to its end.
	Text(ctx context.Context, name string, from, to int) ([]byte, error)
	// Original returns the bytes of the PDF that a text was extracted from, as it was ingested. The
	// error is a *runs.NotFoundError if there is none, or the file is another one now.
	Original(ctx context.Context, name string) ([]byte, error)
	// Passage returns the passage with an ID, and whether it exists.
	Passage(id string) (state.Passage, bool, error)
	Close() error
}

// A Fact is a name with a value.
type Fact struct{ Name, Value string }

// A Source describes a text of a corpus.
type Source struct {
	Name   string
	Path   string // the text's file; empty if the reader must not learn it
	From   string // the file that the text was extracted from; empty if it is the same
	Format string
	Bytes  int    // of the text that was ingested
	Stale  string // why the text differs from the ingested one; empty if it does not
	Empty  int    // records without a text
	Lost   []string
	// LostRecords is how many records could not be read; Lost lists the first ones.
	LostRecords int
}

// A Facet is a key of metadata with its values in passages.
type Facet struct {
	Key      string
	Passages int // passages with the key
	Distinct int // number of values
	Values   []FacetValue
}

// A FacetValue is a value and the number of passages with it.
type FacetValue struct {
	Value    string
	Passages int
}
