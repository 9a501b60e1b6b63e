package memory

import (
	"context"
	"path"
	"slices"
	"strings"

	"example.com/assay/memory/document"
	"example.com/assay/state"
)

// Rules by which a block belongs to a site and not to its pages: it stands at the
// head or foot of so many pages of a directory.
const (
	runningPages = 5  // no fewer
	runningShare = .5 // of the directory's, more
)

// running lists what repeats over the pages of each directory, as "DIR/NAME", sorted.
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

// dropRunning takes what repeats over pages out of their passages, and puts back what
// no longer does. Passages depend on all files of a corpus alone, and not on the
// ingests that led there.
func (r *ingestion) dropRunning(ctx context.Context) error {
	r.running = running(r.files)
	fresh := map[string]bool{} // sources whose passages are in add
	for _, p := range r.add {
		fresh[p.Source] = true
	}
	again := map[string][]state.Passage{}
	for i, f := range r.files {
		now, before := runningOf(f, r.running), []string(nil)
		if !fresh[f.Source] {
			before = runningOf(f, r.old.Running)
		}
		if slices.Equal(now, before) {
			continue
		}
		d, err := document.Load(ctx, f.Path, f.Source, &r.opts.Load)
		if err != nil || d.Hash != f.Hash {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			continue // changed since: the next ingest reads it
		}
		names := map[string]bool{}
		for _, name := range now {
			names[name] = true
		}
		d.DropEdges(names)
		passages, err := document.Passages(ctx, d, &r.opts.Split)
		if err != nil {
			return err
		}
		if !fresh[f.Source] {
			r.remove = append(r.remove, f.Passages...)
			r.report.Changed++
			if below := slices.ContainsFunc(r.roots, func(root string) bool { return below(f.Path, root) }); below {
				r.report.Unchanged--
			}
		}
		r.files[i].Passages = make([]string, len(passages))
		for j, p := range passages {
			r.files[i].Passages[j] = p.ID
		}
		again[f.Source] = passages
	}
	if len(again) == 0 {
		return nil
	}
	add := slices.DeleteFunc(r.add, func(p state.Passage) bool { _, ok := again[p.Source]; return ok })
	for _, f := range r.files {
		add = append(add, again[f.Source]...)
	}
	r.add = add
	return nil
}

// runningOf lists the names of a file's blocks that repeat.
func runningOf(f file, running []string) []string {
	var out []string
	for _, name := range f.Edges {
		if _, ok := slices.BinarySearchFunc(running, path.Dir(f.Source)+"/"+name, strings.Compare); ok {
			out = append(out, name)
		}
	}
	return out
}
