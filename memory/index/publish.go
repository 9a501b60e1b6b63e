package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/memory/index/internal/served"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/state"
)

// PublishOptions say what Publish copies, and where to.
type PublishOptions struct {
	From string     // a generation of files
	Dir  string     // what searches need beside the collection is written here; must not exist, its parent must
	To   Collection // must not exist
	// Settle bounds the wait until the server ranks as the files do; default 10 minutes.
	Settle time.Duration
	// Progress is called as the work goes on, never concurrently. Nil: nobody watches.
	Progress func(phase string, done, total int)
}

// Phases that Publish reports.
const (
	PhaseWrite  = "writing to the server"
	PhaseSettle = "waiting until the server ranks as the files do"
)

// Publish copies the passages of a generation to a server. It returns when the server
// has all of them and ranks them as the files do, so that searches by [OpenServed] may
// begin. On an error or cancellation Dir and the collection are removed. A generation
// with vectors of a remote embedder is refused.
func Publish(ctx context.Context, opts PublishOptions) (err error) {
	x, err := Open(opts.From)
	if err != nil {
		return fmt.Errorf("publishing an index: %w", err)
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if x.gen.Stats.Space != "" {
		return fmt.Errorf("publishing an index: its vectors are of %q, and a server ranks by those of the offline embedder alone; ingest without a remote embedder", x.gen.Stats.Space)
	}
	p := &publication{ctx: ctx, opts: opts, x: x, learnt: served.NewLearnt()}
	if err = p.run(); err == nil {
		return nil
	}
	// The context may be why it ended, and what is half written must go all the same.
	clear, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	return errors.Join(fmt.Errorf("publishing an index: %w", err), opts.To.Drop(clear), os.RemoveAll(opts.Dir))
}

// A publication is one run of Publish.
type publication struct {
	ctx  context.Context
	opts PublishOptions
	x    *Index

	own, within [][]string // keys of numbered parts, per passage
	titles      map[int32]string
	order       []int32 // all passages, by document and place
	places      []int   // of these, in their document

	lock   sync.Mutex
	learnt *served.Learnt
	done   int
}

func (p *publication) run() error {
	for _, step := range []func() error{
		func() error { return os.Mkdir(p.opts.Dir, 0o700) },
		func() error { return p.opts.To.Create(p.ctx, p.x.gen.Stats.BM25.Resolved()) },
		p.lookUp, p.write, p.seal, p.settle,
	} {
		if err := codec.Guarded(step); err != nil {
			return err
		}
	}
	return nil
}

func (p *publication) report(phase string, done, total int) {
	if p.opts.Progress != nil {
		p.opts.Progress(phase, done, total)
	}
}

// lookUp finds what a record says beside its passage.
func (p *publication) lookUp() (err error) {
	t := p.x.gen.table
	if p.own, err = p.keys(storage.OwnField); err != nil {
		return err
	}
	if p.within, err = p.keys(storage.WithinField); err != nil {
		return err
	}
	p.titles = make(map[int32]string, len(t.Titles))
	for _, title := range t.Titles {
		p.titles[title.Ord] = titleValue(title.Key)
	}
	for _, members := range t.Members() {
		slices.SortFunc(members, t.ByPlace)
		for place, ord := range members {
			p.order, p.places = append(p.order, ord), append(p.places, place)
		}
	}
	return nil
}

// keys lists the terms of a field per passage.
func (p *publication) keys(field string) ([][]string, error) {
	out := make([][]string, p.x.gen.table.Len())
	return out, storage.EachTerm(p.ctx, p.x.corpus.Store, field, "", func(term string, list []storage.Posting) {
		term = strings.Clone(term)
		for _, found := range list {
			out[found.Ord] = append(out[found.Ord], term)
		}
	})
}

const (
	writtenAtOnce = 200
	writers       = 4 // a server answers one batch while the next is made
)

// write sends the records, several batches at a time.
func (p *publication) write() error {
	p.report(PhaseWrite, 0, len(p.order))
	g, ctx := errgroup.WithContext(p.ctx)
	g.SetLimit(max(writers, runtime.GOMAXPROCS(0)))
	for from := 0; from < len(p.order) && ctx.Err() == nil; from += writtenAtOnce {
		g.Go(func() error {
			return codec.Guarded(func() error { return p.batch(ctx, from, min(from+writtenAtOnce, len(p.order))) })
		})
	}
	return cmp.Or(g.Wait(), context.Cause(p.ctx))
}

// batch sends the records from..to of the order, and learns their words.
func (p *publication) batch(ctx context.Context, from, to int) error {
	stems, records := new(analysis.Stemmer), make([]Record, 0, to-from)
	learnt := served.NewLearnt()
	var before state.Passage
	for i := from; i < to; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i == from && p.places[i] > 0 {
			var err error
			if before, err = p.x.corpus.Store.Passage(p.order[i-1]); err != nil {
				return err
			}
		}
		read, err := p.x.corpus.Store.Passage(p.order[i])
		if err != nil {
			return err
		}
		r, err := p.record(i, read, stems)
		if err != nil {
			return err
		}
		r.Opens = r.Place == 0 || before.Section != read.Section
		before = read
		records = append(records, r)
		learnt.Learn(read)
	}
	if err := p.opts.To.Write(ctx, records); err != nil {
		return err
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.learnt.Add(learnt)
	p.done += len(records)
	p.report(PhaseWrite, p.done, len(p.order))
	return nil
}

func (p *publication) record(i int, read state.Passage, stems *analysis.Stemmer) (Record, error) {
	ord := p.order[i]
	a, err := storage.Analyse(read, citation.Labels{}, stems)
	if err != nil {
		return Record{}, err
	}
	r := Record{Passage: read, Meta: a.Meta, Own: p.own[ord], Within: p.within[ord], Title: p.titles[ord], Place: p.places[i]}
	for _, t := range a.Bag {
		for range t.N {
			r.Terms = append(r.Terms, t.Text)
		}
	}
	if v := p.x.gen.vectors.Row(ord); slices.ContainsFunc(v, func(c float32) bool { return c != 0 }) {
		r.Vector = v
	}
	return r, nil
}

// seal writes the directory.
func (p *publication) seal() error {
	l, err := p.x.corpus.Count(p.ctx, p.learnt)
	if err != nil {
		return err
	}
	m := &manifest{Stats: p.x.gen.Stats, Changed: p.x.gen.Changed, Calibration: p.x.gen.Calibration}
	model, err := p.x.gen.model.MarshalBinary()
	if err != nil {
		return fmt.Errorf("encoding the embedder: %w", err)
	}
	if err := errors.Join(codec.Write(p.opts.Dir, lexiconFile, l.Encode()), codec.Write(p.opts.Dir, modelFile, model)); err != nil {
		return err
	}
	return m.seal(p.opts.Dir, nil)
}
