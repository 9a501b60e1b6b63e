package open

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/memory"
	"example.com/assay/memory/document"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/encode"
	"example.com/assay/memory/text"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// Corpus opens the corpus of the settings. While the default corpus is empty, it opens the embedded
// sample instead.
func Corpus(ctx context.Context, a *cli.App, s config.Settings, opts *memory.OpenOptions) (*memory.Corpus, error) {
	return openOr(ctx, a, s, opts, lawSample)
}

// ComplyCorpus opens the corpus of the settings, or the embedded compliance sample while
// the default corpus is empty.
func ComplyCorpus(ctx context.Context, a *cli.App, s config.Settings, opts *memory.OpenOptions) (*memory.Corpus, error) {
	return openOr(ctx, a, s, opts, countySample)
}

// openOr opens the corpus of the settings, or a sample while the default corpus is empty.
func openOr(ctx context.Context, a *cli.App, s config.Settings, opts *memory.OpenOptions, sample embedded) (*memory.Corpus, error) {
	for _, e := range []embedded{lawSample, countySample} {
		if s.Corpus == e.corpus {
			return e.open(ctx, s.Home, a.Note)
		}
	}
	var with memory.OpenOptions
	if opts != nil {
		with = *opts
	}
	with.Servers = config.Servers(a.Env)
	corpus, err := memory.OpenWith(s.Home, s.Corpus, &with)
	unknown, missing := errors.AsType[*memory.UnknownCorpusError](err)
	if s.Corpus == config.DefaultCorpus && (missing || errors.As(err, new(*memory.EmptyCorpusError))) {
		if sample.instead != "" {
			a.Warn("%s", sample.instead)
		}
		return sample.open(ctx, s.Home, a.Note)
	}
	if missing {
		return nil, UnknownCorpus(s.Corpus, unknown.Known)
	}
	if err != nil || opts == nil {
		return corpus, err
	}
	given := ""
	if opts.Space != nil {
		given = opts.Space.ID()
	}
	// The embedder is checked before the run, not in the middle of it. A corpus without vectors is
	// searched by its words, and so is a corpus with vectors when the encoder is switched off.
	remote := s.Lookup.Embedder != "" && s.Lookup.Embedder != config.OfflineEmbedder
	if made := corpus.Info().Space; made != given && encode.IsID(made) && encode.IsID(given) {
		a.Warn("corpus %s was read by another encoder and is searched by its words; ingest it again with: agent ingest PATH… --corpus %s", s.Corpus, s.Corpus)
		with.Space = nil
		again, err := memory.OpenWith(s.Home, s.Corpus, &with)
		return again, errors.Join(err, corpus.Close())
	}
	if made := corpus.Info().Space; made != given && (remote || made != "") && !(given == "" && encode.IsID(made)) {
		other := &memory.EmbedderError{Corpus: s.Corpus, Made: made, Given: given}
		return nil, errors.Join(cli.Usagef("%w (the key embedder of the configuration sets it)", other), corpus.Close())
	}
	return corpus, nil
}

// UnknownCorpus is the error for a corpus that does not exist. The samples always exist.
func UnknownCorpus(name string, known []string) error {
	var others []string
	for _, k := range known {
		if k != SampleCorpus && k != CountyCorpus {
			others = append(others, k)
		}
	}
	all := append(others, SampleCorpus, CountyCorpus)
	return cli.Usagef("there is no corpus %q%s; known: %s; make it with: agent ingest PATH… --corpus %s",
		name, text.DidYouMean(name, all), strings.Join(all, ", "), name)
}

// Named opens the corpus that a command line names.
func Named(a *cli.App, cmd *cobra.Command, name string) (*memory.Corpus, error) {
	home, err := a.Env.Home()
	if err != nil {
		return nil, err
	}
	if err := config.CheckCorpus("the name", name); err != nil {
		return nil, err
	}
	return Corpus(cmd.Context(), a, config.Settings{Home: home, Corpus: name}, nil)
}

// CorpusFor returns the name of the corpus that answers with these settings, without
// opening it.
func CorpusFor(s config.Settings) (string, error) {
	list, err := memory.List(s.Home)
	if err != nil {
		return "", err
	}
	var known []string
	for _, info := range list {
		known = append(known, info.Name)
		if info.Name == s.Corpus && (s.Corpus != config.DefaultCorpus || info.Generation != "" || info.Fault == "") {
			return s.Corpus, nil
		}
	}
	if s.Corpus == config.DefaultCorpus || s.Corpus == SampleCorpus {
		return SampleCorpus, nil
	}
	return "", UnknownCorpus(s.Corpus, known)
}

// SourceInfo is one text of a corpus.
type SourceInfo struct {
	Source   string `json:"source"`
	Path     string `json:"path"`               // the file that byte offsets refer to
	Original string `json:"original,omitempty"` // the file that it was extracted from
	Stale    string `json:"stale,omitempty"`    // why Path differs from what was ingested
}

// SourcesOf lists the texts of a corpus.
func SourcesOf(corpus *memory.Corpus) []SourceInfo {
	var out []SourceInfo
	for _, name := range corpus.Sources() {
		path, original, err := corpus.TextPath(name)
		info := SourceInfo{Source: name, Path: path, Original: original}
		if err = errors.Join(err, corpus.Check(name)); err != nil {
			info.Stale = err.Error()
		}
		out = append(out, info)
	}
	return out
}

// Documents reads the documents of an answer as they are now: the contents that the run itself
// holds, by name, and the documents of a corpus, which may be nil. It reads no other file,
// whatever an answer names.
func Documents(c *memory.Corpus, held map[string]proof.Content) proof.Documents {
	return func(ctx context.Context, d proof.Document) (proof.Content, error) {
		if content, ok := held[d.Name]; ok {
			return content, nil
		}
		if c == nil {
			return proof.Content{}, errors.New("the corpus of the run is not here or has changed, and no other file is opened because a run names it")
		}
		source, known := SourceOf(c, d)
		path, _, err := c.TextPath(source)
		if !known || err != nil {
			return proof.Content{}, fmt.Errorf("corpus %q no longer has it", c.Name())
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return proof.Content{}, errors.New("its file cannot be read any more")
		}
		return Content(ctx, c, source, string(text)), nil
	}
}

// mostStructured bounds the file whose blocks are found again to show them, in bytes.
const mostStructured = 8 << 20

// Content returns a text of a corpus as it is now, with the blocks that a reader sees as such. A file
// that is no longer what was ingested has none.
func Content(ctx context.Context, c *memory.Corpus, source, text string) proof.Content {
	out := proof.Content{Text: text, Changed: Changed(c, source)}
	format := c.Format(source)
	if out.Changed || format == "pdf" { // its pages show its tables
		return out
	}
	if d, err := c.Document(ctx, source, mostStructured); err == nil && d.Text == text {
		out.Blocks = ShownBlocks(format, text, d.Typed())
	}
	return out
}

// ShownBlocks are those blocks of a text that a reader sees as such: rows, and in a mail its fields and
// the earlier mails.
func ShownBlocks(format, text string, all []state.Block) (out []state.Block) {
	head := 0 // of a mail: the end of the fields that it begins with
	for _, b := range all {
		field := b.Kind == state.BlockField && b.Start >= head && strings.TrimSpace(text[head:b.Start]) == ""
		if field {
			head = b.End
		}
		if b.Kind == state.BlockRow || format == "eml" && (field || b.Kind == state.BlockQuoted) {
			out = append(out, b)
		}
	}
	return out
}

// Changed reports whether the file of a source was changed or removed since it was ingested. A
// damaged extracted text does not count.
func Changed(c *memory.Corpus, source string) bool {
	_, changed := errors.AsType[*document.InputError](c.Check(source))
	return changed
}

// SourceOf finds a document among the texts of a corpus, by its name or by its path.
func SourceOf(c *memory.Corpus, d proof.Document) (source string, known bool) {
	all := c.Sources()
	if slices.Contains(all, d.Name) {
		return d.Name, true
	}
	at := slices.IndexFunc(all, func(source string) bool {
		path, _, err := c.TextPath(source)
		return err == nil && d.Path != "" && path == d.Path
	})
	if at < 0 {
		return "", false
	}
	return all[at], true
}

// patience is the number of stretches that an ingest embeds before it makes the passages searchable
// by their words alone.
const patience = 2048

// Ingest reads files into a corpus that is searched with the embedder. When many passages are new,
// the corpus can be searched by words first: Ingest then calls found, unless that is nil, and makes
// the vectors. An interrupted call keeps the vectors that it made; the next call goes on from there.
func (f *Finder) Ingest(ctx context.Context, opts memory.IngestOptions, found func(memory.Report)) (memory.Report, error) {
	opts.Space = f.Space
	if !f.encodes() {
		return memory.Ingest(ctx, opts)
	}
	opts.Patience = patience
	report, err := memory.Ingest(ctx, opts)
	if err != nil {
		return report, err
	}
	if report.Unembedded > 0 {
		if found != nil {
			found(report)
		}
		opts.Patience, opts.Rebuild = 0, false
		next, err := memory.Ingest(ctx, opts)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause // the ingest's own error says that nothing was changed, which the first pass makes wrong
			}
			return report, fmt.Errorf("the passages can be searched by their words; reading them for their meaning stopped, and goes on when they are ingested again: %w", err)
		}
		report.Unembedded, report.Passages, report.Fingerprint = next.Unembedded, next.Passages, next.Fingerprint
	}
	return report, nil
}

// VectorStats returns the statistics of the cache of vectors, nil without a cache. It makes no file.
func (k *Store) VectorStats(ctx context.Context, opts *embed.CacheOptions) (*embed.CacheStats, error) {
	if has, err := k.Has(memory.VectorsPath(k.home)); !has {
		return nil, err
	}
	cache, err := k.Vectors(ctx, opts)
	if err != nil {
		return nil, err
	}
	stats := cache.Stats()
	return &stats, cache.Close()
}
