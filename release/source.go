package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A source is the commit from which a release is made.
type source struct {
	root    string // of the repository
	commit  string
	time    time.Time // of the commit
	version string    // with the v
	dirty   bool
}

var semantic = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// find returns the source in the current folder. A version overrides the tag's.
func find(ctx context.Context, version string, dirty bool) (source, error) {
	for _, program := range []string{"git", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			return source{}, fmt.Errorf("%w: a release is made with git and Go: install it", err)
		}
	}
	root, err := output(ctx, "", nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return source{}, fmt.Errorf("this is not a git repository, which gives the version and the time: %w", err)
	}
	s := source{root: root}
	if s.commit, err = s.git(ctx, "rev-parse", "HEAD"); err != nil {
		return s, err
	}
	seconds, err := s.git(ctx, "show", "--no-patch", "--format=%ct", "HEAD")
	if err != nil {
		return s, err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return s, fmt.Errorf("reading the time of the commit: %w", err)
	}
	s.time = time.Unix(unix, 0).UTC()
	changes, err := s.git(ctx, "status", "--porcelain")
	if err != nil {
		return s, err
	}
	if s.dirty = changes != ""; s.dirty && !dirty {
		first, _, _ := strings.Cut(changes, "\n")
		return s, fmt.Errorf("the tree has changes that are not committed (%s): commit them, or give -dirty to try a release", strings.TrimSpace(first))
	}
	return s, s.name(ctx, version)
}

// name sets the version.
func (s *source) name(ctx context.Context, version string) error {
	if version == "" {
		tags, err := s.git(ctx, "tag", "--points-at", "HEAD", "--list", "v*", "--sort=-version:refname")
		if err != nil {
			return err
		}
		if version, _, _ = strings.Cut(tags, "\n"); version == "" {
			return fmt.Errorf("the commit %.12s has no tag: tag it (git tag v0.1.0), or give -version v0.1.0", s.commit)
		}
	}
	s.version = "v" + strings.TrimPrefix(version, "v")
	if !semantic.MatchString(s.version) {
		return fmt.Errorf("the version is %q: it must be such as v1.2.3 or v1.2.3-rc.1", version)
	}
	if s.dirty {
		s.version += "+dirty"
	}
	return nil
}

func (s source) git(ctx context.Context, args ...string) (string, error) {
	return output(ctx, s.root, nil, "git", args...)
}

// plain is the version for names of files and packages, without the v.
func (s source) plain() string { return strings.TrimPrefix(s.version, "v") }

// output runs a program in a folder, with variables in addition to those of this process,
// and returns what it printed.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		said := bytes.TrimSpace(append(stdout.Bytes(), stderr.Bytes()...))
		return "", fmt.Errorf("running %s %s: %w\n%s", name, strings.Join(args, " "), err, said)
	}
	return strings.TrimSpace(stdout.String()), nil
}

// empty makes a folder, or refuses one that holds something.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return os.MkdirAll(dir, 0o755)
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s has files in it: name a new or empty folder", filepath.Clean(dir))
	}
	return nil
}
