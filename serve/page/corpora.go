package page

import (
	"context"
	"time"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// Corpora are what is indexed. For a corpus that is not there, or that the tenant may not
// read, their error is a *runs.NotFoundError.
type Corpora interface {
	// List describes the corpora that a tenant may read, sorted by name.
	List(ctx context.Context, tenant string) ([]Corpus, error)
	// Open opens a corpus, which the caller closes.
	Open(ctx context.Context, tenant, name string) (OpenCorpus, error)
}

// A Corpus describes a corpus.
type Corpus struct {
	Name        string
	Note        string // what else a reader should know, in a sentence
	Files       int
	Documents   int // a file of records holds several
	Passages    int
	Bytes       int64 // of text
	Generation  string
	Fingerprint string
	Embedder    string
	Fault       string // why it cannot be opened; empty if nothing is known to keep it from that
}

// An OpenCorpus is a corpus that is read.
type OpenCorpus interface {
	retrieval.Retriever
	// About describes it.
	About() Corpus
	// Ingested is when it was changed last.
	Ingested() (time.Time, error)
	// Facts are what else is known of it: how it was trained, how it is searched.
	Facts() []Fact
	// Facets are the keys of the metadata that passages can be chosen by, sorted, each with
	// its most frequent values, at most limit.
	Facets(ctx context.Context, limit int) ([]Facet, error)
	// Unread is what was found and is not in it. Where the reader must not learn where files
	// are, it has no entries, and all says how many there are.
	Unread() (list []Fact, all int)
	// Sources are the names of its texts, sorted.
	Sources() []string
	// Source describes a text; it looks whether the text has changed.
	Source(ctx context.Context, name string) (Source, error)
	// Text reads the bytes of a text from one place up to another, or up to its end.
	Text(ctx context.Context, name string, from, to int) ([]byte, error)
	// Passage is the passage with an ID, and whether there is one.
	Passage(id string) (state.Passage, bool, error)
	Close() error
}

// A Fact is a name and what it stands for.
type Fact struct{ Name, Value string }

// A Source describes a text of a corpus.
type Source struct {
	Name   string
	Path   string // where the text is; empty where the reader must not learn it
	From   string // the file that the text was extracted from; empty if it is that file
	Format string
	Bytes  int    // of the text that was ingested
	Stale  string // why the text is not what was ingested; empty if it is
	Empty  int    // records without a text
	Lost   []string
	// LostRecords is how many records could not be read; Lost has the first.
	LostRecords int
}

// A Facet is a key of metadata with values that passages have.
type Facet struct {
	Key      string
	Passages int // that have the key
	Distinct int // values
	Values   []FacetValue
}

// A FacetValue is a value, and how many passages have it.
type FacetValue struct {
	Value    string
	Passages int
}
