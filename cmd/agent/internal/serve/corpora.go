package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/memory"
	"example.com/assay/memory/document"
	"example.com/assay/memory/retrieval"
	"example.com/assay/serve/page"
	"example.com/assay/serve/runs"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// corpora are what the page shows of corpora.
type corpora struct{ *server }

// samples are what a reader should know of the embedded corpora.
var samples = map[string]string{
	open.SampleCorpus: "A teaching sample of law that is embedded in the program, not legal advice.",
	open.CountyCorpus: "An invented county that is embedded in the program, for compliance questions.",
}

// List implements page.Corpora. The embedded samples are always there, and so is the default
// corpus, for which they answer while it is empty.
func (c corpora) List(_ context.Context, name string) ([]page.Corpus, error) {
	t, err := c.tenant(name)
	if err != nil {
		return nil, err
	}
	list, err := c.readable(t)
	var out []page.Corpus
	for _, info := range list {
		out = append(out, c.describe(info))
	}
	return out, err
}

// readable are the corpora that a tenant may read, sorted by name.
func (s *server) readable(t tenant) ([]memory.CorpusInfo, error) {
	list, err := memory.List(s.settings.Home)
	if err != nil {
		return nil, s.fault("listing the corpora", err)
	}
	for _, always := range []string{config.DefaultCorpus, open.SampleCorpus, open.CountyCorpus} {
		if !slices.ContainsFunc(list, func(info memory.CorpusInfo) bool { return info.Name == always }) {
			list = append(list, memory.CorpusInfo{Name: always})
		}
	}
	slices.SortFunc(list, func(a, b memory.CorpusInfo) int { return strings.Compare(a.Name, b.Name) })
	return slices.DeleteFunc(list, func(info memory.CorpusInfo) bool { return !t.may(info.Name) }), nil
}

// describe describes a corpus without opening it.
func (c corpora) describe(info memory.CorpusInfo) page.Corpus {
	out := page.Corpus{
		Name: info.Name, Note: samples[info.Name], Files: info.Files, Documents: info.Documents, Passages: info.Passages, Bytes: info.Bytes,
		Generation: info.Generation, Fingerprint: info.Fingerprint, Embedder: info.Embedder, Fault: c.told(info.Fault),
	}
	if info.Generation != "" {
		return out
	}
	if _, embedded := samples[info.Name]; embedded {
		out.Note += " It is unpacked when it is first used."
	}
	if info.Name == config.DefaultCorpus {
		out.Fault, out.Note = "", "Nothing is ingested into it. Until something is, the embedded sample answers for it."
	}
	return out
}

// fault is an error that a tenant may learn. What is none of the caller's says where files
// are, perhaps, and is for who runs the server.
func (s *server) fault(doing string, err error) error {
	var (
		missing *runs.NotFoundError
		key     *retrieval.UnknownKeyError
	)
	if err == nil || s.tenantFile == "" || errors.As(err, &missing) || errors.As(err, &key) || errors.Is(err, context.Canceled) {
		return err
	}
	s.Warn("%s: %v", doing, err)
	return fmt.Errorf("%s: this failed; who runs the server sees why in its log", doing)
}

// told is a reason that a tenant may learn. Of several tenants none learns where files are.
func (s *server) told(reason string) string {
	if reason != "" && s.tenantFile != "" {
		return "who runs the server sees why: agent corpus list"
	}
	return reason
}

// Open implements page.Corpora.
func (c corpora) Open(ctx context.Context, tenant, name string) (page.OpenCorpus, error) {
	t, err := c.tenant(tenant)
	if err != nil {
		return nil, err
	}
	d, err := c.corpus(ctx, t, name)
	if err != nil {
		return nil, err
	}
	return &openCorpus{d, c.server, name, d.Corpus.Describe()}, nil
}

// corpus opens a corpus that a tenant may read, on a desk that the caller releases.
func (s *server) corpus(ctx context.Context, t tenant, name string) (*desk, error) {
	if config.CheckCorpus("corpus", name) != nil || !t.may(name) {
		return nil, &runs.NotFoundError{What: "corpus", ID: name}
	}
	with := s.settings
	if with.Corpus = name; name != open.CountyCorpus {
		if _, err := open.CorpusFor(with); err != nil {
			return nil, &runs.NotFoundError{What: "corpus", ID: name}
		}
	}
	d, err := s.desks.take(ctx, place{tenant: t.owner(), corpus: name})
	return d, s.fault(fmt.Sprintf("opening corpus %q", name), err)
}

// An openCorpus is a corpus on a desk.
type openCorpus struct {
	*desk
	server *server
	name   string // by which it was opened
	infos  []memory.SourceInfo
}

func (o *openCorpus) Search(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
	found, err := o.Corpus.Search(ctx, q)
	return found, o.fault("searching", err)
}

func (o *openCorpus) About() page.Corpus {
	out := corpora{o.server}.describe(o.Corpus.Info())
	if out.Name != o.name {
		out.Note = fmt.Sprintf("Nothing is ingested into %s. Until something is, the embedded corpus %s answers for it. %s", o.name, out.Name, out.Note)
		out.Name = o.name
	}
	return out
}

// fault is that of the server, of what is done with this corpus.
func (o *openCorpus) fault(doing string, err error) error {
	return o.server.fault(fmt.Sprintf("%s corpus %q", doing, o.name), err)
}

func (o *openCorpus) Ingested() (time.Time, error) {
	when, err := o.Corpus.Ingested()
	return when, o.fault("reading", err)
}

func (o *openCorpus) Facts() []page.Fact {
	t := o.Corpus.Training()
	out := []page.Fact{
		{Name: "Likeness of words", Value: render.Training(t)},
		{Name: "Vectors", Value: render.LookedAt(t)},
		{Name: "Ranking of words", Value: fmt.Sprintf("BM25, k1 %g, b %g", t.BM25.K1, t.BM25.B)},
	}
	if r, ok := o.Corpus.Ranker(); ok {
		if o.server.tenantFile != "" && r.Fault != "" {
			r.Fault = o.server.told(r.Fault)
		}
		out = append(out, page.Fact{Name: "Trained ranker", Value: render.Ranker(r)})
	}
	if by := o.Lookup.Reranker; by != config.NoReranker && by != "" && o.server.tenantFile == "" {
		out = append(out, page.Fact{Name: "Reranker", Value: by})
	}
	return out
}

func (o *openCorpus) Facets(ctx context.Context, limit int) ([]page.Facet, error) {
	list, err := o.Corpus.Facets(ctx, limit)
	out := make([]page.Facet, len(list))
	for i, f := range list {
		out[i] = page.Facet{Key: f.Key, Passages: f.Passages, Distinct: f.Distinct}
		for _, v := range f.Values {
			out[i].Values = append(out[i].Values, page.FacetValue(v))
		}
	}
	return out, o.fault("reading", err)
}

func (o *openCorpus) Unread() (list []page.Fact, all int) {
	unread := o.Corpus.Unread()
	if o.server.tenantFile == "" {
		for _, s := range unread {
			list = append(list, page.Fact{Name: s.Path, Value: s.Reason})
		}
	}
	return list, len(unread)
}

func (o *openCorpus) Sources() []string { return o.Corpus.Sources() }

func (o *openCorpus) Source(_ context.Context, name string) (page.Source, error) {
	at, found := slices.BinarySearchFunc(o.infos, name, func(s memory.SourceInfo, name string) int { return strings.Compare(s.Source, name) })
	if !found {
		return page.Source{}, &runs.NotFoundError{What: "document", ID: name}
	}
	i := o.infos[at]
	out := page.Source{Name: i.Source, Format: i.Format, Bytes: i.Bytes, Empty: i.Empty, Lost: i.Lost, LostRecords: i.LostRecords}
	path, original, err := o.Corpus.TextPath(name)
	if err == nil {
		err = o.Corpus.Check(name)
	}
	changed, isChange := errors.AsType[*document.InputError](err)
	switch {
	case isChange && o.server.tenantFile == "":
		out.Stale = changed.Msg
	case err != nil:
		out.Stale = "it cannot be read as it was ingested"
	}
	if o.server.tenantFile == "" {
		out.Path, out.From = path, original
	}
	return out, nil
}

func (o *openCorpus) Passage(id string) (state.Passage, bool, error) {
	p, ok, err := o.Corpus.Passage(id)
	return p, ok, o.fault("reading", err)
}

// Text implements page.OpenCorpus. Of several tenants none reads what was not ingested.
func (o *openCorpus) Text(_ context.Context, name string, from, to int) (data []byte, err error) {
	path, _, err := o.Corpus.TextPath(name)
	if err != nil {
		return nil, &runs.NotFoundError{What: "document", ID: name}
	}
	defer func() { err = o.fault(fmt.Sprintf("reading %q of", name), err) }()
	if o.server.tenantFile != "" {
		if err := o.Corpus.Check(name); err != nil {
			return nil, err
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("reading %q: %s is not a file any more", name, path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", name, err)
	}
	defer func() { err = cli.Also(err, file.Close()) }()
	to = min(to, int(info.Size()))
	data = make([]byte, max(0, to-from))
	n, err := file.ReadAt(data, int64(from))
	if errors.Is(err, io.EOF) { // it was cut meanwhile
		err = nil
	}
	return data[:n], err
}

// maxDocument is how many bytes a document has at most that is shown beside an answer.
const maxDocument = 8 << 20

// documents reads the texts of a corpus that a tenant may read, as they stand: a document has
// the name of a text, or its path.
func (s *server) documents(tenant, corpus string) proof.Documents {
	return func(ctx context.Context, d proof.Document) (content proof.Content, err error) {
		c, err := corpora{s}.Open(ctx, tenant, corpus)
		if err != nil {
			return content, err
		}
		defer func() { err = cli.Also(err, c.Close()) }()
		name, known := open.SourceOf(c.(*openCorpus).Corpus, d)
		if !known {
			return content, fmt.Errorf("the corpus %s has no such text", corpus)
		}
		data, err := c.Text(ctx, name, 0, maxDocument+1)
		if err == nil && len(data) > maxDocument {
			err = fmt.Errorf("it has more than %d bytes", maxDocument)
		}
		return proof.Content{Text: string(data), Changed: err == nil && open.Changed(c.(*openCorpus).Corpus, name)}, err
	}
}

func (o *openCorpus) Close() error { return o.fault("closing", o.release()) }
