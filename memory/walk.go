package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/assay/memory/document"
)

// A Skip is a skipped file below an ingested directory, or a skipped record of a file.
type Skip struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// A found is a file to ingest.
type found struct {
	path  string // absolute
	root  string // absolute: the named path
	real  string // root with its links resolved; empty for a file
	rel   string // slash-separated, below the root; the base name of a named file
	named bool   // the file itself was named, so a fault of it is an error
}

// A walker collects the files below the named paths.
type walker struct {
	ctx     func() error // says when to stop
	files   []found
	skipped []Skip
	seen    map[string]bool // paths in files
	dirs    map[string]bool // directories entered, links resolved
	links   []found         // links to directories, followed once the real tree is walked
}

// walk lists the files below paths, in the order of paths and sorted below
// each; home may be empty. Hidden entries, links that lead out of the directory
// that was named and directories reached a second time through a link are skipped and
// listed. A path that does not exist is an error.
func walk(ctx context.Context, paths []string, home string) (*walker, []string, error) {
	w := &walker{ctx: ctx.Err, seen: map[string]bool{}, dirs: map[string]bool{}}
	roots := make([]string, 0, len(paths))
	// The data of corpora is never input.
	for _, own := range []string{"corpora", "qa"} {
		if home == "" {
			break
		}
		if real, err := filepath.EvalSymlinks(filepath.Join(home, own)); err == nil {
			if real, err = filepath.Abs(real); err == nil {
				w.dirs[real] = true
			}
		}
	}
	for _, p := range paths {
		root, err := filepath.Abs(p)
		if err != nil {
			return nil, nil, fmt.Errorf("locating %q: %w", p, err)
		}
		info, err := os.Stat(root)
		if err != nil {
			return nil, nil, fmt.Errorf("reading %q: %w", p, inputFault(root, err))
		}
		roots = append(roots, root)
		if !info.IsDir() {
			w.add(found{path: root, root: root, rel: filepath.Base(root), named: true})
			continue
		}
		real, err := filepath.EvalSymlinks(root)
		if err != nil {
			return nil, nil, fmt.Errorf("reading %q: %w", p, inputFault(root, err))
		}
		if err := w.dir(found{path: root, root: root, real: real}); err != nil {
			return nil, nil, err
		}
		for len(w.links) > 0 {
			link := w.links[0]
			w.links = w.links[1:]
			if err := w.dir(link); err != nil {
				return nil, nil, err
			}
		}
	}
	return w, roots, nil
}

// inputFault makes the error for a named path.
func inputFault(path string, err error) error {
	hint := "check the path"
	if errors.Is(err, os.ErrPermission) {
		hint = "allow reading it"
	}
	return fmt.Errorf("%w (%w)", &document.InputError{Path: path, Msg: "it cannot be read", Hint: hint}, err)
}

func (w *walker) add(f found) {
	if w.seen[f.path] {
		for i := range w.files { // named itself after its directory was: its faults now count
			if w.files[i].path == f.path && f.named {
				w.files[i].named = true
			}
		}
		return
	}
	w.seen[f.path] = true
	w.files = append(w.files, f)
}

func (w *walker) skip(path, reason string) {
	w.skipped = append(w.skipped, Skip{Path: path, Reason: reason})
}

// dir collects the files of a directory d.
func (w *walker) dir(d found) error {
	if err := w.ctx(); err != nil {
		return fmt.Errorf("listing %q: %w", d.path, err)
	}
	real, err := filepath.EvalSymlinks(d.path)
	if err != nil {
		w.skip(d.path, "it cannot be read: "+err.Error())
		return nil
	}
	if w.dirs[real] {
		w.skip(d.path, "the directory it leads to is read already, or is Assay's own")
		return nil
	}
	w.dirs[real] = true
	entries, err := os.ReadDir(d.path)
	if err != nil {
		w.skip(d.path, "it cannot be read: "+err.Error())
		return nil
	}
	for _, e := range entries { // sorted by name
		next := found{path: filepath.Join(d.path, e.Name()), root: d.root, real: d.real, rel: e.Name()}
		if d.rel != "" {
			next.rel = d.rel + "/" + e.Name()
		}
		if err := w.entry(next, e); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) entry(f found, e os.DirEntry) error {
	if strings.HasPrefix(e.Name(), ".") {
		w.skip(f.path, "it is hidden")
		return nil
	}
	if e.IsDir() {
		return w.dir(f)
	}
	if e.Type()&os.ModeSymlink != 0 {
		if real, err := filepath.EvalSymlinks(f.path); err == nil && !below(real, f.real) {
			w.skip(f.path, "it is a link that leads out of the folder: name what it leads to, if that is to be read")
			return nil
		}
	}
	info, err := os.Stat(f.path) // follows links
	switch {
	case err != nil && e.Type()&os.ModeSymlink != 0:
		w.skip(f.path, "the link leads nowhere")
	case err != nil:
		w.skip(f.path, "it cannot be read: "+err.Error())
	case info.IsDir():
		w.links = append(w.links, f)
	case !info.Mode().IsRegular():
		w.skip(f.path, "it is not a regular file")
	default:
		w.add(f)
	}
	return nil
}

// below reports whether path is root or lies below it.
func below(path, root string) bool {
	if path == root {
		return true
	}
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(root, string(filepath.Separator)))
	return ok && strings.HasPrefix(rest, string(filepath.Separator))
}
