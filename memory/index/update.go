package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/lsa"
)

// Phases that Update reports.
const (
	PhaseOpen    = "reading the index"
	PhaseIndex   = "indexing"
	PhaseEmbed   = "training the embedder"
	PhaseMeaning = "embedding" // by a remote embedder
	PhaseSeal    = "sealing"
)

const (
	refitBelow = 5000 // passages up to which every update trains the embedder anew
	refitShare = .20  // of the passages that it was trained on; as many changes train it anew above that

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
// the embedder is trained anew; otherwise new passages are folded in. Vectors of
// a remote embedder are kept for passages that stay, unless the space is another.
func Update(ctx context.Context, opts UpdateOptions) (Stats, error) {
	err := checkOptions(opts)
	if err == nil {
		err = os.Mkdir(opts.Dir, 0o700)
	}
	if err != nil {
		return Stats{}, fmt.Errorf("updating the index: %w", err)
	}
	u := &update{ctx: ctx, opts: opts, refitBelow: refitBelow, flatUpTo: flatUpTo}
	if err := u.run(); err != nil {
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
	return nil
}

// An update is one run of Update.
type update struct {
	ctx  context.Context
	opts UpdateOptions

	refitBelow, flatUpTo int // the constants, but in tests

	old *generation // empty when starting from nothing

	parts    *storage.Builder
	kept     []int32 // per row of table: its ordinal in the earlier generation, -1 of a new one
	fresh    int     // passages that From has not in this form
	gone     int     // of From that are not there any more, or not in this form
	table    *storage.Table
	terms    storage.Vocabulary
	model    *lsa.Model
	manifest manifest

	linked map[string]file // of the earlier generation, that stay as they are
}

func (u *update) run() (err error) {
	u.linked = map[string]file{}
	if err := codec.Guarded(u.open); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, u.parts.Wait(), u.old.close()) }()
	if err := u.report(PhaseOpen, 1, 1); err != nil {
		return err
	}
	gone, err := u.addAll() // calls Stream, whose panics are not ours
	if err != nil {
		return err
	}
	for _, step := range []func() error{func() error { return u.index(gone) }, u.embed, u.mean, u.seal} {
		if u.parts.Places() > u.flatUpTo {
			debug.FreeOSMemory() // what a step of a large corpus took is not needed by the next
		}
		if err := codec.Guarded(step); err != nil {
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
	u.old = &generation{manifest: new(manifest), table: new(storage.Table), model: new(lsa.Model)}
	from := storage.Earlier{Dir: u.opts.From, Table: u.old.table}
	if u.opts.From != "" {
		m, err := readManifest(u.opts.From)
		if err != nil {
			return err
		}
		files, err := m.verify(u.opts.From, append(m.sidecars(), termsFile)...)
		if err != nil {
			return err
		}
		terms, err := storage.DecodeVocabulary(files[termsFile])
		if err == nil {
			u.old, err = decodeGeneration(u.opts.From, m, files)
		}
		if err != nil {
			return &CorruptError{Dir: u.opts.From, Err: err}
		}
		from.Parts, from.Table, from.Terms, from.Verify, from.Link = m.Parts, u.old.table, terms, u.verify, u.link
	}
	u.parts = storage.NewBuilder(u.ctx, u.opts.Dir, from)
	return nil
}

// index makes the new table, and settles which parts there are.
func (u *update) index(gone []string) error {
	removed, err := u.removed(gone)
	if err != nil {
		return err
	}
	places, err := u.collect(removed)
	if err != nil {
		return err
	}
	if u.terms, err = u.parts.Settle(places); err != nil {
		return err
	}
	u.manifest.Parts = u.parts.Parts
	u.table = storage.NewTable(u.old.table, u.kept, u.parts.Fresh, places, u.parts.Places())
	u.parts.Fresh = nil
	return errors.Join(codec.Write(u.opts.Dir, termsFile, u.terms.Encode()), codec.Write(u.opts.Dir, tableFile, u.table.Encode()...))
}

// addAll builds the parts of what is new. It returns the sources that are gone.
func (u *update) addAll() (gone []string, err error) {
	if err := u.report(PhaseIndex, 0, len(u.opts.Add)); err != nil {
		return nil, err
	}
	if err := u.parts.Add(u.opts.Add); err != nil {
		return nil, err
	}
	if u.opts.Stream != nil {
		if gone, err = u.opts.Stream(u.parts.Add); err != nil {
			return nil, err
		}
	}
	if err := u.parts.Flush(); err != nil {
		return nil, err
	}
	return gone, u.report(PhaseIndex, len(u.opts.Add), len(u.opts.Add))
}

// embed trains the embedder, or folds the new passages in.
func (u *update) embed() error {
	if err := u.report(PhaseEmbed, 0, 1); err != nil {
		return err
	}
	stats, rows := &u.manifest.Stats, u.table.Len()
	*stats = Stats{Passages: rows, Documents: len(u.table.Docs), Terms: len(u.terms), Fingerprint: u.table.Fingerprint()}

	u.manifest.Changed = u.old.Changed + u.fresh + u.gone
	stats.Space, stats.Cut = u.spaceID(), u.cut().Name()
	stats.BM25 = u.opts.BM25.Resolved()
	stats.Refit = rows < u.refitBelow || float64(u.manifest.Changed) >= refitShare*float64(u.old.model.Docs())
	if stats.Refit {
		if err := u.fit(); err != nil {
			return err
		}
		u.manifest.Changed = 0
	} else {
		u.model = u.old.model
	}
	stats.Dimensions, stats.Embedder = u.model.Dims(), u.model.ID()
	if err := u.keepModel(); err != nil {
		return err
	}
	if err := u.arrange(); err != nil {
		return err
	}
	return u.report(PhaseEmbed, 1, 1)
}

func (u *update) seal() error {
	if err := u.report(PhaseSeal, 0, 1); err != nil {
		return err
	}
	if err := u.manifest.seal(u.opts.Dir, u.linked); err != nil {
		return err
	}
	return u.report(PhaseSeal, 1, 1)
}

// removed tells which passages of the earlier generation to leave out, by their ordinals.
func (u *update) removed(sources []string) ([]bool, error) {
	out := make([]bool, u.old.table.Len())
	for _, id := range u.opts.Remove {
		ord, known := u.old.table.Find(id)
		if !known {
			return nil, fmt.Errorf("removing passage %q: the index %q does not hold it", id, u.opts.From)
		}
		out[ord] = true
	}
	u.old.table.OfSources(sources, out)
	return out, nil
}

// collect lists the rows of the new generation, sorted by id: those of the earlier
// one that stay, and the new ones. It returns their places.
func (u *update) collect(removed []bool) (places []int32, err error) {
	fresh := u.parts.Fresh
	slices.SortFunc(fresh, func(a, b storage.Draft) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), cmp.Compare(a.Place, b.Place))
	})
	before := u.old.table.Len()
	u.kept, places = make([]int32, 0, before+len(fresh)), make([]int32, 0, before+len(fresh))
	next := int32(0)
	keep := func(to int32) {
		for ; next < to; next++ {
			if !removed[next] {
				u.kept, places = append(u.kept, next), append(places, u.old.table.Place(next))
			}
		}
	}
	for i := range fresh {
		d := &fresh[i]
		at, known := u.old.table.Find(d.ID)
		keep(at)
		if known && at == next && !removed[at] {
			if u.opts.Stream != nil {
				return nil, &DuplicateError{ID: d.ID, Sources: [2]string{u.old.table.Source(at), d.Source}}
			}
			next++ // it is replaced
		}
		if i > 0 && d.ID == fresh[i-1].ID {
			return nil, &DuplicateError{ID: d.ID, Sources: [2]string{fresh[i-1].Source, d.Source}}
		}
		u.kept, places = append(u.kept, -1), append(places, d.Place)
	}
	keep(int32(before))
	u.fresh = len(fresh)
	u.gone = before + u.fresh - len(u.kept)
	return places, nil
}
