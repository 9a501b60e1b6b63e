package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"example.com/assay/internal/disk"
	"example.com/assay/memory/document"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/encode"
	"example.com/assay/memory/index"
	"example.com/assay/state"
)

// IngestOptions names the files and the corpus, and how to read them.
type IngestOptions struct {
	Home   string   // the directory of all data; created if needed
	Corpus string   // its name: a-z, 0-9, '.', '_' and '-'
	Paths  []string // files and directories; directories are read whole

	// Load and Split configure how files are read and split. If a change affects the resulting
	// passages, every file of the corpus is read again.
	Load  document.LoadOptions
	Split document.SplitOptions

	// Space embeds the passages in addition to the offline embedder. A corpus with another space,
	// or none, is embedded again, with the vectors in the space's cache. Nil: the offline embedder
	// only.
	Space *embed.Space
	// Patience is the greatest number of texts, not yet embedded by Space, that an ingest waits
	// for. With more of them the corpus can only be searched by words at first, and
	// Report.Unembedded counts them; ingesting again with a Patience of 0 embeds them. 0 waits for
	// all.
	Patience int

	// BM25 are the ranking parameters. If they differ from the corpus's, its index is built again.
	BM25 index.BM25

	// Index is the address of the server for the index, or InFiles. If it differs from the
	// corpus's, the index moves. A server does not take vectors of Space. Empty: the corpus's
	// present one, and files for a new corpus.
	Index   string
	Servers Servers // connects to Index, and to servers with old data of the corpus

	// Rebuild discards the content of the corpus and builds it from Paths only. It does not need
	// the old generation, which may be damaged, and removes it once the new one is live.
	Rebuild bool

	// Progress is called during the work, never concurrently, with the current task and how much of
	// it is done. Optional.
	Progress func(phase string, done, total int)
}

// A Report is the result of an ingest.
type Report struct {
	Corpus      string `json:"corpus"`
	Added       int    `json:"added"` // files, as the next three
	Changed     int    `json:"changed"`
	Removed     int    `json:"removed"`
	Unchanged   int    `json:"unchanged"` // of those below Paths
	Files       int    `json:"files"`     // in the corpus now
	Passages    int    `json:"passages"`  // in the corpus now
	Records     int    `json:"empty_records"`
	Reembedded  bool   `json:"reembedded,omitempty"` // the corpus was of another embedder before
	Unembedded  int    `json:"unembedded,omitempty"` // passages that wait for their vectors; all are found by their words
	Skipped     []Skip `json:"skipped,omitempty"`
	Fingerprint string `json:"fingerprint"`
}

// Ingest reads files into a corpus, and makes it when it does not exist. A file with the
// content of the last ingest is not read again. A file leaves the corpus when it is
// gone from below one of Paths, or can no longer be read. Files from elsewhere stay.
//
// A file that Paths names and that cannot be read is an error; below a directory it is
// skipped and listed. After an error the corpus is unchanged, with one exception: when
// only the removal of replaced files failed, the new state is live, and the error says so.
//
// The errors to expect are *BusyError, *document.InputError, *CorruptCorpusError and,
// from a remote embedder, *embed.Error. After an *embed.Error the next ingest asks only
// for vectors that the cache of the space lacks.
func Ingest(ctx context.Context, opts IngestOptions) (Report, error) {
	report, err := ingest(ctx, opts, func(string) {})
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return report, fmt.Errorf("ingesting into corpus %q: %w before the end; nothing was changed, ingest again", opts.Corpus, context.Cause(ctx))
	}
	if err != nil {
		return report, fmt.Errorf("ingesting into corpus %q: %w", opts.Corpus, err)
	}
	return report, nil
}

// ingest calls step before every change to the corpus's directory.
func ingest(ctx context.Context, opts IngestOptions, step func(op string)) (report Report, err error) {
	if err := CheckName(opts.Corpus); err != nil {
		return Report{}, err
	}
	if opts.Home == "" || len(opts.Paths) == 0 {
		return Report{}, errors.New("nothing to do: name the home directory and at least one file or directory")
	}
	if err := opts.BM25.Check(); err != nil {
		return Report{}, err
	}
	s := &store{name: opts.Corpus, dir: corpusDir(opts.Home, opts.Corpus), step: step}
	w, roots, err := walk(ctx, opts.Paths, opts.Home)
	if err != nil {
		return Report{}, err
	}
	if err := os.MkdirAll(s.path(textsDir), 0o700); err != nil {
		return Report{}, fmt.Errorf("making the corpus's directory: %w", err)
	}
	lock, err := s.lock()
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()

	if report, err = attempt(ctx, s, opts, w, roots); err != nil {
		return Report{}, errors.Join(err, s.removeIfNew(ctx, opts.Servers))
	}
	return report, nil
}

// attempt ingests the files of w. Where the program or the options changed, it
// reads every file of the corpus again and starts from no index.
func attempt(ctx context.Context, s *store, opts IngestOptions, w *walker, roots []string) (Report, error) {
	run := ingestion{store: s, opts: opts, roots: roots, settings: settingsOf(opts.Load, opts.Split), old: &manifest{}}
	run.report, run.unread = Report{Corpus: opts.Corpus, Skipped: slices.Clone(w.skipped)}, slices.Clone(w.skipped)
	if err := run.begin(ctx); err != nil {
		return Report{}, err
	}
	if run.opts.Space != nil && run.wanted() != "" && encode.IsID(run.opts.Space.ID()) {
		run.opts.Space = nil // the hits of a server's word search are embedded by part when they are found
	}
	if run.opts.Space != nil && run.wanted() != "" {
		return Report{}, errors.New("an index on a server does not support a remote embedder; leave out the embedder, or set the index to " + InFiles)
	}
	run.afresh = !run.old.sameMaking(run.settings) || run.outdated()
	all, err := run.survey(ctx, w.files)
	if err != nil {
		return Report{}, err
	}
	if all && run.live != "" && !run.goneBelow(w.files) && !run.respaced() && !run.reranked() && !run.moved() {
		if err := run.read(ctx, w.files, func([]state.Passage) error { return nil }); err != nil {
			return Report{}, err
		}
		return run.finish(run.old), nil
	}
	m, err := run.commit(ctx, w.files)
	if errors.Is(err, errSettled) {
		return run.finish(run.old), nil
	}
	if err != nil {
		return Report{}, err
	}
	run.report.Reembedded = run.respaced()
	return run.finish(m), nil
}

// An ingestion is one run of Ingest.
type ingestion struct {
	store    *store
	opts     IngestOptions
	roots    []string
	settings settings
	live     string    // generation it starts from; "" for none
	old      *manifest // of live; empty for none
	afresh   bool      // read every file again and start from no index
	report   Report

	same  map[string]bool             // paths of files that are as they were
	files []file                      // of the new generation
	push  func([]state.Passage) error // receives the passages of a source
	pages map[string][]state.Passage  // by source: of pages, which wait
	gone  []string                    // sources of the live generation whose passages go

	running []string // blocks repeated over pages
	unread  []Skip   // skipped files and links

	fault error // of reading, which ends the making of the index
}

// errSettled says that a new generation would be the live one again.
var errSettled = errors.New("nothing has changed")

// begin finds where to start from and removes leftovers.
func (r *ingestion) begin(ctx context.Context) error {
	if r.opts.Rebuild {
		return nil // leftovers wait until the new generation is live: they may be all there is
	}
	live, err := r.store.current()
	if err != nil {
		return err
	}
	if live != "" {
		if r.old, err = readManifest(r.store.path(live, manifestFile)); err != nil {
			return &CorruptCorpusError{Name: r.store.name, Err: err}
		}
	}
	r.live = live
	if err := r.store.clean(live); err != nil || r.wanted() == "" {
		return err
	}
	return r.store.dropCollections(ctx, r.opts.Servers, true)
}

// outdated reports whether the live index is of another version of the format, or, as on
// a machine that only searches, not there.
// What else is wrong with it shows when it is read.
func (r *ingestion) outdated() bool {
	if r.live == "" {
		return false
	}
	_, err := index.ReadStats(r.store.path(r.live, indexDir))
	_, other := errors.AsType[*index.VersionError](err)
	return other || errors.Is(err, os.ErrNotExist)
}

// goneBelow reports whether a file of the live generation is no longer below the roots.
func (r *ingestion) goneBelow(list []found) bool {
	there := make(map[string]bool, len(list))
	for _, item := range list {
		there[item.path] = true
	}
	return slices.ContainsFunc(r.old.Files, func(f file) bool {
		return !there[f.Path] && slices.ContainsFunc(r.roots, func(root string) bool { return below(f.Path, root) })
	})
}

// settled reports whether the live generation already has the content that was read.
func (r *ingestion) settled() bool {
	return r.live != "" && r.report.Added+r.report.Changed+r.report.Removed == 0 && !r.afresh && !r.respaced() && !r.reranked() && !r.moved()
}

// respaced reports whether the live generation is of another embedder, or its passages were embedded in
// other pieces.
func (r *ingestion) respaced() bool {
	return r.live != "" && (r.old.Info.Space != r.opts.Space.ID() || r.old.Info.Cut != CutFor(r.opts.Space).For(r.old.Info.Passages).Name())
}

// reranked reports whether the live generation ranks with other parameters. What is
// wrong with it shows when it is read.
func (r *ingestion) reranked() bool {
	if r.live == "" {
		return false
	}
	stats, err := index.ReadStats(r.store.path(r.live, indexDir))
	return err == nil && stats.BM25.Resolved() != r.opts.BM25.Resolved()
}

func (r *ingestion) finish(m *manifest) Report {
	r.report.Files, r.report.Passages, r.report.Fingerprint = m.Info.Files, m.Info.Passages, m.Fingerprint
	return r.report
}

func (r *ingestion) progress(phase string, done, total int) {
	if r.opts.Progress != nil {
		r.opts.Progress(phase, done, total)
	}
}

// commit writes the next generation and makes it the live one.
func (r *ingestion) commit(ctx context.Context, list []found) (*manifest, error) {
	gen, err := r.store.next(r.live)
	if err != nil {
		return nil, err
	}
	if r.live == "" {
		r.store.step("begin")
		if err := os.WriteFile(r.store.path(begunFile), nil, 0o600); err != nil {
			return nil, fmt.Errorf("beginning the corpus: %w", err)
		}
	}
	r.store.step("make " + gen)
	if err := os.Mkdir(r.store.path(gen), 0o700); err != nil {
		return nil, fmt.Errorf("making generation: %w", err)
	}
	m, err := r.build(ctx, gen, list)
	if err == nil {
		err = r.store.setCurrent(gen)
	}
	if err != nil {
		// Unless the pointer already names it, the generation is of no use.
		if live, readErr := r.store.current(); readErr != nil || live != gen {
			err = errors.Join(err, r.unpublish(ctx, m), os.RemoveAll(r.store.path(gen)))
		}
		return nil, err
	}
	if err := errors.Join(r.store.clean(gen), r.store.dropCollections(ctx, r.opts.Servers, true)); err != nil {
		return nil, fmt.Errorf("the files are ingested, but the replaced ones could not be removed: %w", err)
	}
	return m, nil
}

// build fills the directory of a generation. With an error it may return a manifest, which
// describes data that is on a server already.
func (r *ingestion) build(ctx context.Context, gen string, list []found) (*manifest, error) {
	from := ""
	if r.live != "" && !r.afresh {
		from = r.store.path(r.live, indexDir)
	}
	r.store.step("index " + gen)
	r.pages = map[string][]state.Passage{}
	stats, err := index.Update(ctx, index.UpdateOptions{
		Dir: r.store.path(gen, indexDir), From: from, BM25: r.opts.BM25, Space: r.opts.Space, Cut: CutFor(r.opts.Space), Patience: r.opts.Patience, Progress: r.opts.Progress,
		Stream: func(add func([]state.Passage) error) ([]string, error) {
			if r.fault = r.read(ctx, list, add); r.fault == nil && r.settled() {
				r.fault = errSettled
			}
			return r.gone, r.fault
		},
	})
	if r.fault != nil {
		return nil, r.fault
	}
	if err != nil {
		if duplicate, ok := errors.AsType[*index.DuplicateError](err); ok {
			return nil, r.duplicated(duplicate)
		}
		if _, ok := errors.AsType[*index.CorruptError](err); ok {
			err = &CorruptCorpusError{Name: r.store.name, Err: err}
		}
		return nil, err
	}
	if r.opts.Space != nil && stats.Space == "" {
		r.report.Unembedded = stats.Passages
	}
	on, err := r.publish(ctx, gen)
	if err != nil {
		return nil, err
	}
	m := &manifest{Served: on, Version: FormatVersion, Document: document.Version, Settings: r.settings, Files: r.files, Running: r.running}
	m.leaveOut(r)
	m.seal()
	m.Info = m.describes(stats)
	data, err := m.encode()
	if err != nil {
		return m, err
	}
	if err := r.store.writeFile(gen+"/"+inUseFile, nil); err != nil {
		return m, fmt.Errorf("writing generation: %w", err)
	}
	if err := r.store.writeFile(gen+"/"+manifestFile, data); err != nil {
		return m, fmt.Errorf("writing generation: %w", err)
	}
	// The texts and the generation's own name must be on disk before CURRENT
	// names them.
	for _, dir := range []string{r.store.path(textsDir), r.store.dir} {
		if err := disk.Sync(dir); err != nil {
			return m, fmt.Errorf("writing generation: %w", err)
		}
	}
	return m, nil
}
