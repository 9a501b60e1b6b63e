package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Archives depend only on their files, not on the order, the owner or the time of day.
func TestArchives(t *testing.T) {
	at := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	files := []file{{"b", []byte("two"), 0o644}, {"a/c", []byte("one"), 0o755}}
	turned := []file{files[1], files[0]}
	for name, archive := range map[string]func([]file, time.Time) ([]byte, error){"tar": tarball, "zip": zipped} {
		one, err := archive(sorted("x", files), at)
		if err != nil {
			t.Fatal(err)
		}
		two, err := archive(sorted("x", turned), at.In(time.FixedZone("east", 3600)).UTC())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one, two) {
			t.Errorf("%s: the order of the files shows", name)
		}
	}
}

func TestCompare(t *testing.T) {
	one, other := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{one, other} {
		write(dir, "a", "same")
		write(dir, sumsFile, dir)
	}
	if err := compare(one, other, true); err != nil {
		t.Error(err)
	}
	if err := compare(one, other, false); err == nil || !strings.Contains(err.Error(), sumsFile) {
		t.Errorf("other sums: %v", err)
	}
	write(other, "a", "some")
	if err := compare(one, other, false); err == nil || !strings.Contains(err.Error(), "a differs from byte 1 ") {
		t.Errorf("another byte: %v", err)
	}
	write(one, "b", "")
	write(other, "a", "same")
	if err := compare(one, other, false); err == nil || !strings.Contains(err.Error(), "only the first release") {
		t.Errorf("a file less: %v", err)
	}
}

// A source without a tag or with changes is refused, and the error says what to do.
func TestFind(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	ctx := context.Background()
	find := func(version string, dirty bool) (source, string) {
		s, err := find(ctx, version, dirty)
		if err != nil {
			return s, err.Error()
		}
		return s, ""
	}
	expect := func(what, err, want string) {
		t.Helper()
		if want == "" && err != "" || !strings.Contains(err, want) {
			t.Errorf("%s: %q, want %q", what, err, want)
		}
	}
	_, err := find("", false)
	expect("no repository", err, "not a git repository")
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)
		if out, err := exec.CommandContext(ctx, "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	git("init", "-q")
	if err := os.WriteFile("x", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	git("add", "x")
	git("commit", "-qm", "x")
	_, err = find("", false)
	expect("no tag", err, "git tag v0.1.0")
	_, err = find("one", false)
	expect("a wrong version", err, "v1.2.3")
	git("tag", "v1.2.3")
	s, err := find("", false)
	expect("a tag", err, "")
	if s.version != "v1.2.3" || s.dirty || s.plain() != "1.2.3" {
		t.Errorf("%+v", s)
	}
	if err := os.WriteFile("y", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = find("", false)
	expect("a dirty tree", err, "-dirty")
	s, err = find("", true)
	expect("a dirty tree that is accepted", err, "")
	if s.version != "v1.2.3+dirty" {
		t.Errorf("%+v", s)
	}
	if err := empty(dir); err == nil {
		t.Error("a folder with files is written to")
	}
}
