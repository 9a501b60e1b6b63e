package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/lsa"
	"example.com/assay/memory/vector"
	"example.com/assay/state"
)

// Phases that Update reports.
const (
	PhaseOpen      = "reading the index"
	PhaseIndex     = "indexing"
	PhaseEmbed     = "training the embedder"
	PhaseMeaning   = "embedding" // by a remote embedder
	PhaseCalibrate = "calibrating"
	PhaseSeal      = "sealing"
)

const (
	analyseBatch = 512  // passages that are prepared at a time
	refitBelow   = 5000 // passages up to which every update trains the embedder anew
	refitShare   = .20  // of the passages must have changed for it above that

	// flatUpTo is how many passages' vectors are scanned whole. Above it the
	// scan takes longer than the rest of a query, and they get lists.
	flatUpTo = 200000
)

// Update builds the generation opts.Dir and returns when it is on disk. From
// is not changed, whatever happens: immutable files are linked, others
// copied. On an error or cancellation Dir is removed, and the generation
// never existed. Calls with different Dirs may run at once.
//
// Below 5,000 passages, or when a fifth of them changed since the last time,
// the embedder and the calibration are learnt anew; otherwise new passages
// are folded in and both stay. Vectors of a remote embedder are kept for
// passages that stay; in another space, everything is learnt anew.
func Update(ctx context.Context, opts UpdateOptions) (Stats, error) {
	if err := checkOptions(opts); err != nil {
		return Stats{}, fmt.Errorf("updating the index: %w", err)
	}
	if err := os.Mkdir(opts.Dir, 0o700); err != nil {
		return Stats{}, fmt.Errorf("updating the index: %w", err)
	}
	u := &update{ctx: ctx, opts: opts, refitBelow: refitBelow, flatUpTo: flatUpTo}
	if err := guarded(u.run); err != nil {
		return Stats{}, errors.Join(fmt.Errorf("updating the index: %w", err), os.RemoveAll(opts.Dir))
	}
	return u.manifest.Stats, nil
}

func checkOptions(opts UpdateOptions) error {
	if err := opts.BM25.Check(); err != nil {
		return err
	}
	if opts.Dir == "" {
		return errors.New("no directory given for the new generation; set Dir")
	}
	if _, err := os.Lstat(opts.Dir); err == nil {
		return fmt.Errorf("%q exists; a generation is written once, give a new directory: %w", opts.Dir, fs.ErrExist)
	}
	ids := make(map[string]bool, len(opts.Add))
	for i, p := range opts.Add {
		if p.ID == "" {
			return fmt.Errorf("passage %d of %d (document %q) has no id", i+1, len(opts.Add), p.Doc)
		}
		if ids[p.ID] {
			return fmt.Errorf("two passages have the id %q; ids must be unique in a corpus", p.ID)
		}
		ids[p.ID] = true
		if !validText(p) {
			return fmt.Errorf("passage %q is not valid UTF-8; convert its document first", p.ID)
		}
	}
	return nil
}

func validText(p state.Passage) bool {
	for key, value := range p.Metadata {
		if !utf8.ValidString(key) || !utf8.ValidString(value) {
			return false
		}
	}
	return !slices.ContainsFunc([]string{p.ID, p.Doc, p.Title, p.Section, p.Text, p.Source}, func(s string) bool { return !utf8.ValidString(s) })
}

// An update is one run of Update.
type update struct {
	ctx  context.Context
	opts UpdateOptions

	refitBelow, flatUpTo int // the constants, but in tests

	old      *Index // without a store; nil when starting from nothing
	oldBags  [][]lsa.Cell
	oldFiles *manifest

	drafts   []draft
	lexicon  *lexicon        // of the drafts' bags
	fresh    map[string]bool // ids that the new generation has and From has not in this form
	gone     int
	table    *table
	model    *lsa.Model
	vectors  []float32
	set      *vector.Set // of vectors
	manifest manifest
}

func (u *update) run() error {
	steps := []func() error{u.open, u.index, u.embed, u.calibrate, u.seal}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return u.ctx.Err()
}

// report tells the caller how far the work is, and whether to go on.
func (u *update) report(phase string, done, total int) error {
	if u.opts.Progress != nil {
		u.opts.Progress(phase, done, total)
	}
	return u.ctx.Err()
}

// open reads the earlier generation's sidecars.
func (u *update) open() error {
	if err := u.report(PhaseOpen, 0, 1); err != nil {
		return err
	}
	u.lexicon = newLexicon(nil)
	if u.opts.From != "" {
		m, err := readManifest(u.opts.From)
		if err != nil {
			return err
		}
		files, err := m.verify(u.opts.From, append(m.sidecars(), bagsFile)...)
		if err != nil {
			return err
		}
		u.oldFiles = m
		if u.old, err = assemble(u.opts.From, m, files); err == nil {
			var bags lsa.Corpus
			bags, err = decodeBags(files[bagsFile])
			u.oldBags, u.lexicon = bags.Docs, newLexicon(bags.Terms)
		}
		if err == nil && len(u.oldBags) != len(u.old.table.rows) {
			err = fmt.Errorf("%d bags for %d passages", len(u.oldBags), len(u.old.table.rows))
		}
		if err != nil {
			return &CorruptError{Dir: u.opts.From, Err: err}
		}
	}
	return u.report(PhaseOpen, 1, 1)
}

// index writes bleve's files and the drafts of the new table.
func (u *update) index() error {
	removed, err := u.removed()
	if err != nil {
		return err
	}
	var old []draft
	if u.old != nil {
		old = u.old.table.drafts(u.oldBags)
	}
	u.fresh = make(map[string]bool, len(u.opts.Add))
	for _, p := range u.opts.Add {
		u.fresh[p.ID] = true
	}
	for _, d := range old {
		if !removed[d.id] && !u.fresh[d.id] {
			u.drafts = append(u.drafts, d)
		}
	}
	u.gone = len(old) - len(u.drafts)
	if err := u.write(removed); err != nil {
		return err
	}
	slices.SortFunc(u.drafts, func(a, b draft) int { return strings.Compare(a.id, b.id) })
	u.table = newTable(u.drafts)
	return nil
}

// removed is the set of ids to leave out.
func (u *update) removed() (map[string]bool, error) {
	out := make(map[string]bool, len(u.opts.Remove))
	for _, id := range u.opts.Remove {
		known := false
		if u.old != nil {
			_, known = u.old.table.find(id)
		}
		if !known {
			return nil, fmt.Errorf("removing passage %q: the index %q does not hold it", id, u.opts.From)
		}
		out[id] = true
	}
	return out, nil
}

// write puts the passages into bleve: as a change of the earlier generation
// where something of it stays, else from nothing.
func (u *update) write(removed map[string]bool) (err error) {
	if len(u.drafts)+len(u.opts.Add) == 0 {
		return nil // an empty corpus has no bleve
	}
	var b builder
	switch {
	case len(u.drafts) == 0:
		if b, err = newOfflineBuilder(u.opts.Dir, len(u.opts.Add)); err != nil {
			return fmt.Errorf("creating the stored index: %w", err)
		}
	default:
		if err := cloneStore(u.opts.From, u.opts.Dir, u.oldFiles.Files); err != nil {
			return fmt.Errorf("copying the stored index: %w", err)
		}
		delta, err := newDeltaBuilder(u.opts.Dir)
		if err != nil {
			return fmt.Errorf("opening the copied index: %w", err)
		}
		b = delta
		for _, id := range u.opts.Remove {
			if removed[id] && !u.fresh[id] {
				if err := delta.remove(id); err != nil {
					return errors.Join(fmt.Errorf("removing passage %q: %w", id, err), delta.close())
				}
			}
		}
	}
	if err := u.addAll(b); err != nil {
		if _, offline := b.(*offlineBuilder); offline {
			return err // its files lie in Dir, which goes
		}
		return errors.Join(err, b.close())
	}
	if err := b.close(); err != nil {
		return fmt.Errorf("writing the stored index: %w", err)
	}
	return nil
}

func (u *update) addAll(b builder) error {
	total := len(u.opts.Add)
	labels := citation.Label(u.opts.Add)
	for from := 0; from < total; from += analyseBatch {
		if err := u.report(PhaseIndex, from, total); err != nil {
			return err
		}
		to := min(from+analyseBatch, total)
		batch, err := analyse(u.opts.Add[from:to], labels[from:to])
		if err != nil {
			return err
		}
		for _, a := range batch {
			u.drafts = append(u.drafts, newDraft(a, u.lexicon.cells(a.bag)))
			if err := b.add(a); err != nil {
				return fmt.Errorf("storing passage %q: %w", a.passage.ID, err)
			}
		}
	}
	return u.report(PhaseIndex, total, total)
}

// embed trains the embedder, or folds the new passages in.
func (u *update) embed() error {
	if err := u.report(PhaseEmbed, 0, 1); err != nil {
		return err
	}
	rows := make([][]lsa.Cell, len(u.drafts))
	for i, d := range u.drafts {
		rows[i] = d.bag
	}
	corpus := u.lexicon.corpus(rows)
	stats := &u.manifest.Stats
	*stats = Stats{Passages: len(u.table.rows), Documents: len(u.table.docs), Terms: len(corpus.Terms), Fingerprint: u.table.fingerprint()}

	u.manifest.Changed = len(u.fresh) + u.gone
	if u.old != nil {
		u.manifest.Changed += u.oldFiles.Changed
	}
	stats.Space = u.spaceID()
	stats.BM25 = u.opts.BM25.Resolved()
	stats.Refit = u.old == nil || u.respaced() || u.old.bm25 != stats.BM25 || len(rows) < u.refitBelow || outgrown(u.manifest.Changed, u.old.model.Docs())
	if stats.Refit {
		var err error
		if u.model, err = lsa.Fit(u.ctx, corpus, nil); err != nil {
			return err
		}
		u.manifest.Changed = 0
	} else {
		u.model = u.old.model
	}
	stats.Dimensions, stats.Embedder = u.model.Dims(), u.model.ID()
	u.project(corpus)
	model, err := u.model.MarshalBinary()
	if err != nil {
		return fmt.Errorf("encoding the embedder: %w", err)
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{bagsFile, encodeBags(corpus)}, {modelFile, model}, {vectorsFile, encodeVectors(u.vectors)}} {
		if err := writeFile(u.opts.Dir, f.name, f.data); err != nil {
			return err
		}
	}
	if err := u.arrange(); err != nil {
		return err
	}
	return u.report(PhaseEmbed, 1, 1)
}

// outgrown reports whether so many passages have changed since the embedder
// was fitted on a number of them that it no longer speaks for the corpus.
func outgrown(changed, fitted int) bool {
	return float64(changed) >= refitShare*float64(fitted)
}

// project computes the vectors that are not those of the earlier generation.
func (u *update) project(corpus lsa.Corpus) {
	dims := u.model.Dims()
	u.vectors = make([]float32, len(corpus.Docs)*dims)
	parallel(len(corpus.Docs), func(i int) {
		row := u.vectors[i*dims : (i+1)*dims]
		id := u.drafts[i].id
		if !u.manifest.Stats.Refit && !u.fresh[id] {
			if ord, ok := u.old.table.find(id); ok {
				copy(row, u.old.vector(int32(ord)))
				return
			}
		}
		vector, _ := u.model.Project(bagOf(corpus, i))
		copy(row, vector)
	})
}

// calibrate writes the table, now that bleve's document numbers are final,
// asks the remote embedder and learns the calibration.
func (u *update) calibrate() (err error) {
	x := newIndex(u.opts.Dir, u.table, u.model, u.set, u.opts.BM25)
	if err := x.openStore(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if err := u.number(x); err != nil {
		return err
	}
	if err := writeFile(u.opts.Dir, tableFile, u.table.encode()); err != nil {
		return err
	}
	if err := u.mean(x); err != nil {
		return err
	}
	if !u.manifest.Stats.Refit {
		u.manifest.Calibration = u.old.calibration
	} else if u.manifest.Calibration, err = x.calibrate(u.ctx, func(done, total int) error { return u.report(PhaseCalibrate, done, total) }); err != nil {
		return err
	}
	if x.meaning != nil {
		u.manifest.Scale = &x.meaning.scale
	}
	return nil
}

// number records which passage each of bleve's document numbers is.
func (u *update) number(x *Index) error {
	if x.store == nil {
		return nil
	}
	ids, err := x.store.ids()
	if err != nil {
		return fmt.Errorf("reading back the stored index: %w", err)
	}
	found := 0
	u.table.drawn = make([]int, len(ids))
	for i, id := range ids {
		u.table.drawn[i] = -1
		if id == "" {
			continue
		}
		ord, ok := u.table.find(id)
		if !ok {
			return fmt.Errorf("reading back the stored index: it holds passage %q, which was removed", id)
		}
		u.table.drawn[i] = ord
		found++
	}
	if found != len(u.table.rows) {
		return fmt.Errorf("reading back the stored index: it holds %d of %d passages", found, len(u.table.rows))
	}
	return nil
}

func (u *update) seal() error {
	if err := u.report(PhaseSeal, 0, 1); err != nil {
		return err
	}
	if err := u.manifest.seal(u.opts.Dir); err != nil {
		return err
	}
	return u.report(PhaseSeal, 1, 1)
}
