package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"example.com/assay/cmd/agent/internal/assistant"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/converse"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/llm"
	"example.com/assay/memory"
	"example.com/assay/memory/document"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/conversation"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/serve/page"
	"example.com/assay/serve/runs"
	"example.com/assay/state"
	"example.com/assay/state/event"
	"example.com/assay/state/message"
	"example.com/assay/state/proof"
)

// corpora implements page.Corpora: the corpora as the page shows them.
type corpora struct{ *server }

// samples are notes on the embedded corpora for readers.
var samples = map[string]string{
	open.SampleCorpus: "A teaching sample of law that is embedded in the program, not legal advice.",
	open.CountyCorpus: "An invented county that is embedded in the program, for compliance questions.",
}

// List implements page.Corpora. It always lists the embedded samples and the default corpus: while
// that is empty, a sample answers instead.
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

// fault turns an error into an error that a tenant may see. An error that the caller did not cause
// may say where files are: with tenants, only the log has it.
func (s *server) fault(doing string, err error) error {
	if err == nil || !s.shared() || errors.As(err, new(*runs.NotFoundError)) || errors.As(err, new(*retrieval.UnknownKeyError)) || errors.Is(err, context.Canceled) {
		return err
	}
	s.Warn("%s: %v", doing, err)
	return fmt.Errorf("%s: this failed; the server's log has the reason", doing)
}

// told turns a reason into a reason that a tenant may see: with tenants, nobody sees where files are.
func (s *server) told(reason string) string {
	if reason != "" && s.shared() {
		return "agent corpus list on the server has the reason"
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
	name   string // the name by which it was opened
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

// fault is server.fault for work on this corpus.
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
		if o.server.shared() && r.Fault != "" {
			r.Fault = o.server.told(r.Fault)
		}
		out = append(out, page.Fact{Name: "Trained ranker", Value: render.Ranker(r)})
	}
	if by := o.Lookup.Reranker; by != config.NoReranker && by != "" && !o.server.shared() {
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
	if !o.server.shared() {
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
	case isChange && !o.server.shared():
		out.Stale = changed.Msg
	case err != nil:
		out.Stale = "it cannot be read as it was ingested"
	}
	if !o.server.shared() {
		out.Path, out.From = path, original
	}
	return out, nil
}

func (o *openCorpus) Passage(id string) (state.Passage, bool, error) {
	p, ok, err := o.Corpus.Passage(id)
	return p, ok, o.fault("reading", err)
}

// Text implements page.OpenCorpus. With tenants, it reads only bytes that were ingested.
func (o *openCorpus) Text(_ context.Context, name string, from, to int) (data []byte, err error) {
	path, _, err := o.Corpus.TextPath(name)
	if err != nil {
		return nil, &runs.NotFoundError{What: "document", ID: name}
	}
	defer func() { err = o.fault(fmt.Sprintf("reading %q of", name), err) }()
	if o.server.shared() {
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
	if errors.Is(err, io.EOF) { // the file became shorter meanwhile
		err = nil
	}
	return data[:n], err
}

func (o *openCorpus) Close() error { return o.fault("closing", o.release()) }

// maxDocument bounds a document that is shown next to an answer, in bytes.
const maxDocument = 8 << 20

// documents reads the texts of a corpus that a tenant may read, as they are now. A document names a
// text, or its path.
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
		if err != nil {
			return content, err
		}
		content = open.Content(ctx, c.(*openCorpus).Corpus, name, string(data))
		if c.(*openCorpus).Corpus.Format(name) == "pdf" && !content.Changed {
			content.Paper = &proof.Paper{Address: page.OriginalPath(corpus, name), Place: func(ctx context.Context, spans []proof.Span) ([]proof.Page, error) {
				return s.place(ctx, tenant, corpus, name, content.Text, spans)
			}}
		}
		return content, nil
	}
}

// proof is the last answer of a conversation with its evidence, for the page. Its documents are the
// texts of the corpus, if the tenant may read it, or the message that an extraction read.
func (s *server) proof(ctx context.Context, tenant string, r runs.Run, data json.RawMessage) (*proof.Proof, proof.Documents, error) {
	var talk conversation.State
	if err := json.Unmarshal(data, &talk); err != nil {
		return nil, nil, fmt.Errorf("reading the conversation: %w", err)
	}
	name, answer := r.Graph, talk.Answer
	if r.Graph == assistant.Name {
		name, answer = assistant.Answered(talk.Messages)
	}
	if len(answer) == 0 || string(answer) == "null" {
		return s.spoken(tenant, r, talk.Messages)
	}
	of, err := open.PipelineOf(name)
	if err != nil {
		return nil, nil, err
	}
	p, err := of.Proof(answer)
	if err != nil {
		return nil, nil, err
	}
	text := ""
	for _, m := range talk.Messages {
		if m.Type == message.Human {
			text = m.Content.String()
		}
	}
	if of.Corpus != pipeline.Never {
		if p.Status == state.StatusNoEvidence && len(p.Passages) == 0 {
			p, err = s.searched(ctx, tenant, r, p)
		}
		return &p, s.documents(tenant, p.Corpus), err
	}
	return &p, func(context.Context, proof.Document) (proof.Content, error) {
		if text == "" {
			return proof.Content{}, errGone
		}
		return proof.Content{Text: text, Held: true}, nil
	}, nil
}

// longestExcerpt bounds what is shown of a passage that was read for nothing, in bytes.
const longestExcerpt = 200

// searched adds to a refusal the passages that the run's searches found, which its answer does not list.
// Those that the corpus no longer has are left out.
func (s *server) searched(ctx context.Context, tenant string, r runs.Run, p proof.Proof) (proof.Proof, error) {
	c, err := corpora{s}.Open(ctx, tenant, p.Corpus)
	if err != nil {
		return p, nil // the corpus is gone: its documents say so
	}
	defer func() {
		if err := c.Close(); err != nil {
			s.Warn("%v", err)
		}
	}()
	b := proof.Builder{Proof: p}
	seen := map[string]bool{}
	for ev, err := range s.runs.Space(tenant).Recorded(ctx, r.ID) {
		if err != nil {
			return p, err
		}
		var search event.Search
		if ev.Name != event.Retrieval || json.Unmarshal(ev.Data, &search) != nil {
			continue
		}
		for _, h := range search.Hits {
			found, ok, err := c.Passage(h.Passage)
			if err != nil {
				return p, err
			}
			if ok && !seen[h.Passage] {
				b.Note("Passages that were read", "", proof.Plain, found.Where()+": “"+llm.Cut(strings.Join(strings.Fields(found.Text), " "), longestExcerpt)+"”").Aside = true
			}
			seen[h.Passage] = true
		}
	}
	return b.Proof, nil
}

// spoken is what a model said last in its own words, with the quotes that its message cites; nil for
// a run that said nothing.
func (s *server) spoken(tenant string, r runs.Run, all []message.Message) (*proof.Proof, proof.Documents, error) {
	if len(all) == 0 || all[len(all)-1].Type != message.AI || all[len(all)-1].Content.String() == "" {
		return nil, nil, nil
	}
	t, err := s.tenant(tenant)
	if err != nil {
		return nil, nil, err
	}
	corpus, err := t.corpus(r.Settings[settingCorpus], s.settings.Corpus)
	p := converse.Proof(all[len(all)-1])
	return &p, s.documents(tenant, corpus), err
}

var errGone = errors.New("the message that it was is not kept")
