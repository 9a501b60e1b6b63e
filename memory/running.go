package memory

import (
	"context"
	"path"
	"slices"
	"strings"

	"example.com/assay/memory/document"
	"example.com/assay/state"
)

// Bounds for blocks that belong to a site rather than its pages: those at the head or foot of so
// many pages of a directory.
const (
	runningPages = 5  // no fewer
	runningShare = .5 // of the directory's, more
)

// running returns the blocks repeated over the pages of each directory, as "DIR/NAME", sorted.
func running(files []file) []string {
	pages := map[string]int{}
	counts := map[string]int{}
	for _, f := range files {
		if len(f.Edges) == 0 {
			continue
		}
		dir := path.Dir(f.Source)
		pages[dir]++
		for _, name := range f.Edges {
			counts[dir+"/"+name]++
		}
	}
	var out []string
	for key, n := range counts {
		if n >= runningPages && float64(n) > runningShare*float64(pages[path.Dir(key)]) {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}

// dropRunning removes blocks that repeat over pages from the passages, and restores those that no
// longer do. So passages depend only on the files of a corpus, not on the history of ingests.
func (r *ingestion) dropRunning(ctx context.Context) error {
	r.running = running(r.files)
	for _, f := range r.files {
		passages, fresh := r.pages[f.Source]
		now, before := runningOf(f, r.running), []string(nil)
		if !fresh {
			before = runningOf(f, r.old.Running)
		}
		if !slices.Equal(now, before) {
			again, err := r.without(ctx, f, now)
			if err != nil {
				return err
			}
			if again != nil {
				passages = *again
				if !fresh {
					r.changed(f)
				}
			}
		}
		delete(r.pages, f.Source)
		if err := r.push(passages); err != nil {
			return err
		}
	}
	return nil
}

// changed counts a file of the earlier generation as changed by others.
func (r *ingestion) changed(f file) {
	r.gone = append(r.gone, f.Source)
	r.report.Changed++
	if slices.ContainsFunc(r.roots, func(root string) bool { return below(f.Path, root) }) {
		r.report.Unchanged--
	}
}

// without reads a file's passages without some of its blocks; nil when it has changed
// since, and the next ingest reads it.
func (r *ingestion) without(ctx context.Context, f file, blocks []string) (*[]state.Passage, error) {
	d, err := document.Load(ctx, f.Path, f.Source, &r.opts.Load)
	if err != nil || d.Hash != f.Hash {
		return nil, ctx.Err()
	}
	names := map[string]bool{}
	for _, name := range blocks {
		names[name] = true
	}
	d.DropEdges(names)
	passages, err := document.Passages(ctx, d, &r.opts.Split)
	return &passages, err
}

// runningOf returns the names of a file's repeated blocks.
func runningOf(f file, running []string) []string {
	var out []string
	for _, name := range f.Edges {
		if _, ok := slices.BinarySearchFunc(running, path.Dir(f.Source)+"/"+name, strings.Compare); ok {
			out = append(out, name)
		}
	}
	return out
}
