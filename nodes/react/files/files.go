package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Backend keeps files of text. Its paths are those of Clean. It is safe for concurrent use.
type Backend interface {
	// Walk calls fn for each folder and file below a folder, as fs.WalkDir orders them, without
	// symbolic links. If fn returns fs.SkipDir for a folder, what is below it is left out;
	// fs.SkipAll ends the walk. A folder that does not exist is fs.ErrNotExist; "/" always exists.
	Walk(ctx context.Context, folder string, fn func(Entry) error) error
	// Read returns the text of a file. A file that does not exist is fs.ErrNotExist, one that is not
	// text or too large is ErrUnreadable.
	Read(ctx context.Context, path string) (string, error)
	// Write makes or replaces a file, whole or not at all, and makes the folders above it. A folder in
	// its place, or a file in the place of one above it, is an error.
	Write(ctx context.Context, path, text string) error
}

// An Entry is a file or a folder.
type Entry struct {
	Path   string
	Folder bool
}

// ErrUnreadable reports a file that is not text, or too large.
var ErrUnreadable = errors.New("the file cannot be read as text")

// MaxBytes is how large a file of a Memory or a Store may be, and the default for a Disk.
const MaxBytes = 1 << 20

const maxPath = 512 // bytes

// Clean returns a path as backends have it: from the root, with slashes, without "." and "..".
func Clean(p string) (string, error) {
	clean := path.Clean("/" + p)
	if len(clean) > maxPath || !utf8.ValidString(clean) || strings.ContainsFunc(clean, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", fmt.Errorf("path %.80q: it must be at most %d bytes of UTF-8 without control characters", p, maxPath)
	}
	return clean, nil
}

// Ls returns what a folder holds.
func Ls(ctx context.Context, b Backend, folder string) ([]Entry, error) {
	folder, err := Clean(folder)
	if err != nil {
		return nil, err
	}
	var out []Entry
	err = b.Walk(ctx, folder, func(e Entry) error {
		if out = append(out, e); e.Folder {
			return fs.SkipDir
		}
		return nil
	})
	return out, err
}

// Read returns a file's text.
func Read(ctx context.Context, b Backend, p string) (string, error) {
	p, err := Clean(p)
	if err != nil {
		return "", err
	}
	return b.Read(ctx, p)
}

// Write makes or replaces a file.
func Write(ctx context.Context, b Backend, p, text string) error {
	p, err := Clean(p)
	if err != nil {
		return err
	}
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return fmt.Errorf("writing %q: the text is not UTF-8", p)
	}
	return b.Write(ctx, p, text)
}

// Edit replaces a text in a file and returns how often. It must occur exactly once, unless all says
// that each occurrence is to be replaced.
func Edit(ctx context.Context, b Backend, p, old, with string, all bool) (int, error) {
	if l, ok := b.(sync.Locker); ok {
		l.Lock()
		defer l.Unlock()
	}
	text, err := Read(ctx, b, p)
	if err != nil {
		return 0, err
	}
	n := 0
	if old != "" {
		n = strings.Count(text, old)
	}
	switch {
	case old == "" || old == with:
		return 0, fmt.Errorf("editing %q: the old text is empty or equals the new one", p)
	case n == 0:
		return 0, fmt.Errorf("editing %q: it does not contain the old text; read it and give the text exactly", p)
	case n > 1 && !all:
		return 0, fmt.Errorf("editing %q: it contains the old text %d times; give more of what is around it, or replace all", p, n)
	}
	return n, Write(ctx, b, p, strings.ReplaceAll(text, old, with))
}

// Window returns lines of a text with their numbers: at most limit after the first offset lines, and
// at most so many bytes. A note says how to read on.
func Window(text string, offset, limit, most int) (string, error) {
	if text == "" {
		return "(the file is empty)", nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if offset < 0 || offset >= len(lines) || limit < 1 {
		return "", fmt.Errorf("offset %d and limit %d: the file has %d lines", offset, limit, len(lines))
	}
	var out strings.Builder
	end := offset
	for ; end < min(offset+limit, len(lines)); end++ {
		line := lines[end]
		if len(line) > most/2 {
			line = fmt.Sprintf("%s (cut off: the line has %d bytes)", strings.ToValidUTF8(line[:most/2], ""), len(line))
		}
		if end > offset && out.Len()+len(line) > most {
			break
		}
		fmt.Fprintf(&out, "%6d\t%s\n", end+1, line)
	}
	if end < len(lines) {
		fmt.Fprintf(&out, "(lines %d to %d of %d; read on with offset %d)\n", offset+1, end, len(lines), end)
	}
	return out.String(), nil
}

// Glob returns at most so many files below a folder whose path from there matches a pattern, and
// whether there are more. In a pattern, "**" is any number of folders; the rest is as for path.Match.
// Folders whose names begin with "." are left out.
func Glob(ctx context.Context, b Backend, pattern, folder string, most int) (found []string, more bool, err error) {
	err = visible(ctx, b, folder, strings.TrimPrefix(pattern, "/"), func(p string) error {
		if more = len(found) == most; more {
			return fs.SkipAll
		}
		found = append(found, p)
		return nil
	})
	return found, more, err
}

// A Match is a line that contains a text.
type Match struct {
	Path string
	Line int // from 1
	Text string
}

const maxLine = 300 // bytes of a match's line

// Grep returns at most so many lines that contain a text, in files below a folder, as Glob selects
// them; a pattern without "/" is for a file's name in any folder, and "" selects all. Files that are
// not text are left out.
func Grep(ctx context.Context, b Backend, text, folder, pattern string, most int) (found []Match, more bool, err error) {
	if text == "" || strings.Contains(text, "\n") {
		return nil, false, errors.New("the text to look for is empty or has several lines")
	}
	if !strings.Contains(pattern, "/") {
		pattern = "**/" + cmp.Or(pattern, "*")
	}
	err = visible(ctx, b, folder, strings.TrimPrefix(pattern, "/"), func(p string) error {
		content, err := b.Read(ctx, p)
		if errors.Is(err, ErrUnreadable) || errors.Is(err, fs.ErrNotExist) { // deleted since it was listed
			return nil
		}
		n := 0
		for line := range strings.Lines(content) {
			n++
			if !strings.Contains(line, text) {
				continue
			}
			if more = len(found) == most; more {
				return fs.SkipAll
			}
			line = strings.TrimRight(line, "\r\n")
			if len(line) > maxLine {
				line = strings.ToValidUTF8(line[:maxLine], "") + "…"
			}
			found = append(found, Match{p, n, line})
		}
		return err
	})
	return found, more, err
}

// visible calls fn for the files below a folder that match a pattern and are in no hidden folder.
func visible(ctx context.Context, b Backend, folder, pattern string, fn func(string) error) error {
	folder, err := Clean(folder)
	if err != nil {
		return err
	}
	if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
		return fmt.Errorf("%q is not a pattern", pattern)
	}
	segments := strings.Split(pattern, "/")
	return b.Walk(ctx, folder, func(e Entry) error {
		switch {
		case e.Folder && strings.HasPrefix(path.Base(e.Path), "."):
			return fs.SkipDir
		case !e.Folder && match(segments, strings.Split(strings.TrimPrefix(strings.TrimPrefix(e.Path, folder), "/"), "/")):
			return fn(e.Path)
		}
		return nil
	})
}

// match reports whether the names of a path match the segments of a pattern.
func match(pattern, names []string) bool {
	for i, segment := range pattern {
		if segment == "**" {
			for skip := range len(names) - i + 1 {
				if match(pattern[i+1:], names[i+skip:]) {
					return true
				}
			}
			return false
		}
		if i >= len(names) {
			return false
		}
		if ok, err := path.Match(segment, names[i]); err != nil || !ok {
			return false
		}
	}
	return len(pattern) == len(names)
}

// walk is Walk over the paths of all files.
func walk(ctx context.Context, paths []string, folder string, fn func(Entry) error) error {
	order := func(p string) string { return strings.ReplaceAll(p, "/", "\x00") } // a folder before its neighbours
	slices.SortFunc(paths, func(a, b string) int { return cmp.Compare(order(a), order(b)) })
	prefix, found := strings.TrimSuffix(folder, "/")+"/", folder == "/"
	seen, skipped := map[string]bool{}, "\x00"
	for _, p := range paths {
		rest, below := strings.CutPrefix(p, prefix)
		if !below || strings.HasPrefix(p, skipped+"/") {
			continue
		}
		found = true
		if err := ctx.Err(); err != nil {
			return err
		}
		for at := range len(rest) + 1 {
			e := Entry{prefix + rest[:at], at < len(rest)}
			if e.Folder && rest[at] != '/' || seen[e.Path] {
				continue
			}
			seen[e.Path] = true
			if err := fn(e); errors.Is(err, fs.SkipDir) && e.Folder {
				skipped = e.Path
				break
			} else if errors.Is(err, fs.SkipAll) {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("listing %q: %w", folder, fs.ErrNotExist)
	}
	return nil
}

// place reports why a file cannot be written where it is to be.
func place(paths []string, p, text string) error {
	if p == "/" {
		return errors.New(`writing "/": it is a folder`)
	}
	if len(text) > MaxBytes {
		return fmt.Errorf("writing %q: it would have %d bytes, more than %d", p, len(text), MaxBytes)
	}
	for _, other := range paths {
		if strings.HasPrefix(other, p+"/") {
			return fmt.Errorf("writing %q: it is a folder", p)
		}
		if strings.HasPrefix(p, other+"/") {
			return fmt.Errorf("writing %q: %q is a file, not a folder", p, other)
		}
	}
	return nil
}
