package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/assay/memory/document"
)

// read loads what is new or changed below the roots and decides what of the
// old generation stays.
func (r *ingestion) read(ctx context.Context, list []found) error {
	old := make(map[string]file, len(r.old.Files))   // by path
	taken := make(map[string]bool, len(r.old.Files)) // sources
	for _, f := range r.old.Files {
		old[f.Path] = f
		taken[f.Source] = true
	}
	kept := map[string]bool{} // paths below the roots that stay in the corpus
	for i, item := range list {
		r.progress("reading files", i, len(list))
		before, known := old[item.path]
		moved := known && before.Root != item.root && below(before.Root, item.root)
		if !known || moved { // a wider root names its files anew, so that it does not matter which was first
			delete(taken, before.Source)
			before.Source = sourceName(item, taken)
			before.Path, before.Root = item.path, item.root
		}
		after, err := r.one(ctx, before, known && !moved && !r.afresh)
		if err != nil {
			reason, ok := faultOf(err)
			if !ok || item.named {
				return err
			}
			r.report.Skipped = append(r.report.Skipped, Skip{Path: item.path, Reason: reason})
			continue
		}
		kept[item.path], taken[before.Source] = true, true
		r.files = append(r.files, after)
		r.report.Skipped = append(r.report.Skipped, lostOf(item.path, after.Lost, after.LostAll)...)
		switch {
		case !known:
			r.report.Added++
		case moved || after.Hash != before.Hash || after.Text != before.Text || after.Reader != before.Reader:
			r.report.Changed++
			r.remove = append(r.remove, before.Passages...)
		default:
			r.report.Unchanged++
		}
	}
	r.progress("reading files", len(list), len(list))
	if err := r.keepOthers(ctx, kept); err != nil {
		return err
	}
	if len(kept) == 0 && r.report.Removed == 0 || len(r.files) == 0 {
		return r.nothing()
	}
	if err := r.dropRunning(ctx); err != nil {
		return err
	}
	return r.checkIDs()
}

// one returns a file as it is now, with its passages added to the new
// generation unless the old one holds them already (same).
func (r *ingestion) one(ctx context.Context, before file, same bool) (file, error) {
	if same {
		hash, err := document.HashFile(ctx, before.Path, &r.opts.Load)
		if err != nil {
			return file{}, err
		}
		if hash == before.Hash && r.hasText(before) && r.sameReader(ctx, before) {
			return before, nil
		}
	}
	d, err := document.Load(ctx, before.Path, before.Source, &r.opts.Load)
	if err != nil {
		return file{}, err
	}
	after := before
	after.Format, after.Hash, after.Reader, after.Text, after.Bytes, after.Skipped = d.Format, d.Hash, d.Reader, "", len(d.Text), d.Skipped
	after.Edges = d.Edges()
	after.Lost, after.LostAll = d.Lost, d.LostRecords
	if !d.Plain {
		if after.Text, err = r.keepText(d.Text); err != nil {
			return file{}, err
		}
	}
	passages, err := document.Passages(ctx, d, &r.opts.Split)
	if err != nil {
		return file{}, err
	}
	after.Passages = make([]string, len(passages))
	for i, p := range passages {
		after.Passages[i] = p.ID
	}
	r.add = append(r.add, passages...)
	r.report.Records += d.Skipped
	return after, nil
}

// sameReader reports whether what read a file is still what would read it.
func (r *ingestion) sameReader(ctx context.Context, f file) bool {
	return f.Reader == "" || document.CurrentReader(ctx, f.Reader)
}

// hasText reports whether the text kept of a file is there.
func (r *ingestion) hasText(f file) bool {
	if f.Text == "" {
		return true
	}
	info, err := os.Stat(r.store.path(textsDir, f.Text))
	return err == nil && info.Size() == int64(f.Bytes)
}

// keepText stores an extracted text and returns its name in texts/.
func (r *ingestion) keepText(text string) (string, error) {
	sum := sha256.Sum256([]byte(text))
	name := hex.EncodeToString(sum[:]) + ".txt"
	if info, err := os.Stat(r.store.path(textsDir, name)); err == nil && info.Size() == int64(len(text)) {
		return name, nil
	}
	if err := r.store.writeFile(textsDir+"/"+name, []byte(text)); err != nil {
		return "", fmt.Errorf("keeping an extracted text: %w", err)
	}
	return name, nil
}

// keepOthers carries over the files that lie outside the roots and counts
// those that are gone from below them.
func (r *ingestion) keepOthers(ctx context.Context, kept map[string]bool) error {
	for _, f := range r.old.Files {
		if kept[f.Path] {
			continue
		}
		if slices.ContainsFunc(r.roots, func(root string) bool { return below(f.Path, root) }) {
			r.report.Removed++
			r.remove = append(r.remove, f.Passages...)
			continue
		}
		if r.afresh {
			var err error
			if f, err = r.one(ctx, f, false); err != nil {
				return &EarlierFileError{Err: err}
			}
		}
		r.files = append(r.files, f)
	}
	return nil
}

// nothing is the error of an ingest that would leave nothing.
func (r *ingestion) nothing() error { return nothingToRead(r.opts.Paths, r.report.Skipped) }

func nothingToRead(paths []string, skipped []Skip) error {
	const shown = 3
	var b strings.Builder
	for i, s := range skipped {
		if i == shown {
			fmt.Fprintf(&b, "; and %d more", len(skipped)-shown)
			break
		}
		fmt.Fprintf(&b, "; skipped %s: %s", s.Path, s.Reason)
	}
	return fmt.Errorf("found no document in %s; supported are %s%s",
		strings.Join(paths, ", "), strings.Join(document.Extensions(), " "), b.String())
}

// checkIDs refuses two passages of one id, which records of two files can
// have.
func (r *ingestion) checkIDs() error {
	owner := map[string]string{}
	for _, f := range r.files {
		for _, id := range f.Passages {
			if first, ok := owner[id]; ok {
				return &document.InputError{Path: f.Path, Msg: fmt.Sprintf("its passage %q has the id of one in %s", id, first),
					Hint: "give records ids that are unique in the corpus, or ingest the files into two corpora"}
			}
			owner[id] = f.Path
		}
	}
	return nil
}

// faultOf returns what is wrong with a file, or false when the error is not
// the file's.
func faultOf(err error) (string, bool) {
	var input *document.InputError
	if !errors.As(err, &input) {
		return "", false
	}
	short := *input
	short.Path = filepath.Base(input.Path)
	return short.Error(), true
}

// lostOf lists the records that a file lost.
func lostOf(path string, lost []string, all int) []Skip {
	var out []Skip
	for _, reason := range lost {
		out = append(out, Skip{Path: path, Reason: reason + " (only this record is left out)"})
	}
	if more := all - len(lost); more > 0 {
		out = append(out, Skip{Path: path, Reason: fmt.Sprintf("%d more of its records are left out", more)})
	}
	return out
}

// sourceName names a new file within the corpus: by its path below its root,
// with as many of the root's own directories in front as it takes to be the
// only one of that name.
func sourceName(f found, taken map[string]bool) string {
	name := f.rel
	dir := f.root
	if f.path == f.root {
		dir = filepath.Dir(f.root)
	}
	for taken[name] {
		parent := filepath.Dir(dir)
		if parent == dir { // only a text that lies at two places at once gets here
			name = "_/" + name
			continue
		}
		name = filepath.Base(dir) + "/" + name
		dir = parent
	}
	return name
}
