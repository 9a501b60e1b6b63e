package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// again clones the commit into another folder, makes the release there with the clone's own
// program, and compares it with the files in dir. The variable GOCACHE can name an empty
// build cache.
func again(ctx context.Context, s source, dir string, systems []string) (err error) {
	work, err := os.MkdirTemp("", "assay-again")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	clone, other := filepath.Join(work, "a", "clone"), filepath.Join(work, "again")
	step("cloning %.12s", s.commit)
	if _, err := s.git(ctx, "clone", "--quiet", "--no-checkout", s.root, clone); err != nil {
		return err
	}
	if _, err := output(ctx, clone, nil, "git", "checkout", "--quiet", "--detach", s.commit); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "run", "./release", "-out", other, "-version", s.version, "-systems", strings.Join(systems, ","))
	cmd.Dir, cmd.Stderr = clone, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("making the release in a clone: %w", err)
	}
	return compare(dir, other, len(systems) < len(all))
}

// compare compares the files of two folders byte by byte. Its error names the first file that differs,
// and the byte. Partly leaves out the sums, and files that only the first folder has.
func compare(one, other string, partly bool) error {
	names := map[string]bool{}
	dirs := []string{other, one}
	if partly {
		dirs = dirs[:1]
	}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			names[e.Name()] = true
		}
	}
	if partly {
		delete(names, sumsFile)
	}
	for _, name := range ordered(names) {
		x, err := os.ReadFile(filepath.Join(one, name))
		if err != nil {
			return fmt.Errorf("only the second release has a file: %w", err)
		}
		y, err := os.ReadFile(filepath.Join(other, name))
		if err != nil {
			return fmt.Errorf("only the first release has a file: %w", err)
		}
		if at := difference(x, y); at >= 0 {
			return fmt.Errorf("%s differs from byte %d (%d and %d bytes)", name, at, len(x), len(y))
		}
		step("equal: %s", name)
	}
	step("%d files are equal", len(names))
	return nil
}

// ordered sorts the names for the comparison: the sums come last, because they differ when any file
// does.
func ordered(names map[string]bool) []string {
	var out []string
	for name := range names {
		if name != sumsFile {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	if names[sumsFile] {
		out = append(out, sumsFile)
	}
	return out
}

// difference is the first byte in which two files differ, -1 for none.
func difference(x, y []byte) int {
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return i
		}
	}
	if len(x) != len(y) {
		return min(len(x), len(y))
	}
	return -1
}
