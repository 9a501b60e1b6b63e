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
	"example.com/assay/memory/index"
	"example.com/assay/state"
)

// survey finds the files that are as the live generation has them. It reports
// whether these are all.
func (r *ingestion) survey(ctx context.Context, list []found) (all bool, err error) {
	old := make(map[string]file, len(r.old.Files)) // by path
	for _, f := range r.old.Files {
		old[f.Path] = f
	}
	r.same = make(map[string]bool, len(list))
	for _, item := range list {
		before, known := old[item.path]
		if !known || r.afresh || movedTo(before, item) {
			continue
		}
		hash, err := document.HashFile(ctx, before.Path, &r.opts.Load)
		if err != nil {
			if _, ok := faultOf(err); !ok {
				return false, err
			}
			continue
		}
		r.same[item.path] = hash == before.Hash && r.hasText(before) && r.sameReader(ctx, before)
	}
	for _, item := range list {
		if !r.same[item.path] {
			return false, nil
		}
	}
	return !r.afresh, nil
}

// movedTo reports whether a wider root renames a file, so that the order of the two names does not
// matter.
func movedTo(before file, item found) bool {
	return before.Root != item.root && below(before.Root, item.root)
}

// read loads new and changed files below the roots, hands their passages to push, and
// decides which old ones stay.
func (r *ingestion) read(ctx context.Context, list []found, push func([]state.Passage) error) error {
	r.push = push
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
		moved, earlier := known && movedTo(before, item), before.Source
		if !known || moved {
			delete(taken, before.Source)
			before.Source = sourceName(item, taken)
			before.Path, before.Root = item.path, item.root
		}
		after, err := before, error(nil)
		if !r.same[item.path] {
			after, err = r.load(ctx, before)
		}
		if err != nil {
			reason, ok := faultOf(err)
			if !ok || item.named {
				return err
			}
			left := Skip{Path: item.path, Reason: reason}
			r.report.Skipped, r.unread = append(r.report.Skipped, left), append(r.unread, left)
			continue
		}
		kept[item.path], taken[before.Source] = true, true
		r.files = append(r.files, after)
		r.report.Skipped = append(r.report.Skipped, lostOf(item.path, after.Lost, after.LostAll)...)
		switch {
		case !known:
			r.report.Added++
		case r.same[item.path]:
			r.report.Unchanged++
		case moved || after.Hash != before.Hash || after.Text != before.Text || after.Reader != before.Reader:
			r.report.Changed++
			r.gone = append(r.gone, earlier)
		default: // only read again
			r.report.Unchanged++
			r.gone = append(r.gone, earlier)
		}
	}
	r.progress("reading files", len(list), len(list))
	if err := r.keepOthers(ctx, kept); err != nil {
		return err
	}
	if len(kept) == 0 && r.report.Removed == 0 || len(r.files) == 0 {
		return r.nothing()
	}
	return r.dropRunning(ctx)
}

// load reads a file and passes its passages on. Those of a page wait until the repeated blocks are
// known.
func (r *ingestion) load(ctx context.Context, before file) (file, error) {
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
	r.report.Records += d.Skipped
	if len(after.Edges) > 0 {
		r.pages[after.Source] = passages
		return after, nil
	}
	return after, r.push(passages)
}

// sameReader reports whether a file would be read by the same program as before.
func (r *ingestion) sameReader(ctx context.Context, f file) bool {
	return f.Reader == "" || document.CurrentReader(ctx, f.Reader)
}

// hasText reports whether the extracted text of a file exists.
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

// keepOthers keeps the files outside the roots and counts those missing below them.
func (r *ingestion) keepOthers(ctx context.Context, kept map[string]bool) error {
	for _, f := range r.old.Files {
		if kept[f.Path] {
			continue
		}
		if slices.ContainsFunc(r.roots, func(root string) bool { return below(f.Path, root) }) {
			r.report.Removed++
			r.gone = append(r.gone, f.Source)
			continue
		}
		if r.afresh {
			var err error
			if f, err = r.load(ctx, f); err != nil {
				return &EarlierFileError{Err: err}
			}
		}
		r.files = append(r.files, f)
	}
	return nil
}

// nothing returns the error of an ingest without any text.
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
	return fmt.Errorf("found no document in %s; supported are %s and text of any other name%s",
		strings.Join(paths, ", "), strings.Join(document.Extensions(), " "), b.String())
}

// duplicated says which two files have passages of one id, which records can have.
func (r *ingestion) duplicated(d *index.DuplicateError) error {
	path := func(source string) string {
		for _, f := range r.files {
			if f.Source == source {
				return f.Path
			}
		}
		return source
	}
	return &document.InputError{Path: path(d.Sources[1]), Msg: fmt.Sprintf("its passage %q has the id of one in %s", d.ID, path(d.Sources[0])),
		Hint: "give records ids that are unique in the corpus, or ingest the files into two corpora"}
}

// faultOf returns the fault of a file; false if the error is not the file's.
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
		if parent == dir { // reached only by a text that is in two places
			name = "_/" + name
			continue
		}
		name = filepath.Base(dir) + "/" + name
		dir = parent
	}
	return name
}
