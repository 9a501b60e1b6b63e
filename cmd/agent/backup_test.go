package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/cmd/agent/internal/cli"
)

// A home that was restored from a backup gives the same answers.
func TestBackupRestore(t *testing.T) {
	t.Setenv("TZ", "UTC")
	place, dir := opened(t), t.TempDir()
	file := filepath.Join(dir, "home.zip")
	must(t, place, "backup", file)
	second := filepath.Join(t.TempDir(), "deep", "home")
	must(t, second, "restore", file)
	fixture, err := filepath.Abs(filepath.Join(homes, "1"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(outcomes(t, place, fixture), outcomes(t, second, fixture)); diff != "" {
		t.Errorf("the restored home differs (-before +after):\n%s", diff)
	}
	if code, _, errs := onHome(t, place, "backup", file); code != cli.ExitUsage || !strings.Contains(errs, "--force") {
		t.Errorf("a file that exists: exit code %d, %s", code, errs)
	}
	must(t, place, "backup", file, "--force")
	if code, _, errs := onHome(t, place, "backup", filepath.Join(place, "b.zip")); code != cli.ExitUsage {
		t.Errorf("a file inside the home: exit code %d, %s", code, errs)
	}
	before := treeOf(t, second)
	if code, _, errs := onHome(t, second, "restore", file); code != cli.ExitUsage || !strings.Contains(errs, "--force") {
		t.Errorf("a home that holds something: exit code %d, %s", code, errs)
	}
	if diff := cmp.Diff(before, treeOf(t, second)); diff != "" {
		t.Errorf("a refused restore changed the home:\n%s", diff)
	}
	var done struct {
		Before string `json:"before"`
	}
	if err := json.Unmarshal([]byte(must(t, second, "restore", file, "--force", "--json")), &done); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, treeOf(t, done.Before)); diff != "" {
		t.Errorf("the home before is not kept whole:\n%s", diff)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A home, its corpora and one corpus may be links to other disks. A backup names the links that
// it does not follow, with an exit code. A corpus of plain text keeps no texts, and is whole
// after a restore, also into an empty folder.
func TestBackupThroughLinks(t *testing.T) {
	whole, elsewhere := opened(t), t.TempDir()
	rules := filepath.Join(t.TempDir(), "rules.md")
	if err := os.WriteFile(rules, []byte("# Fees\n\nA buoy costs 12 dollars.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, whole, "ingest", rules, "--corpus", "plain")
	link := func(name string) {
		t.Helper()
		to := filepath.Join(elsewhere, filepath.Base(name))
		if err := errors.Join(os.Rename(filepath.Join(whole, name), to), os.Symlink(to, filepath.Join(whole, name))); err != nil {
			t.Fatal(err)
		}
	}
	link("corpora/plain")
	link("corpora")
	place, file := filepath.Join(t.TempDir(), "link"), filepath.Join(t.TempDir(), "home.zip")
	if err := os.Symlink(whole, place); err != nil {
		t.Fatal(err)
	}
	must(t, place, "backup", file)
	if out := must(t, place, "doctor", "--deep"); !strings.Contains(out, "no damage") {
		t.Errorf("a home that is a link: %s", out)
	}
	second := t.TempDir()
	must(t, second, "restore", file)
	must(t, second, "doctor", "--deep")
	must(t, second, "ask", "What does a buoy cost?", "--corpus", "plain")
	for _, name := range []string{"threads.db", "corpora/default"} {
		if _, err := os.Stat(filepath.Join(second, name)); err != nil {
			t.Errorf("not in the backup: %v", err)
		}
	}
	for _, nowhere := range []string{"corpora/gone", "corpora"} {
		path := filepath.Join(whole, nowhere)
		if nowhere == "corpora" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(filepath.Join(t.TempDir(), "unmounted"), path); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := onHome(t, place, "backup", file, "--force"); code != cli.ExitFailed || !strings.Contains(errs, nowhere+": it is") {
			t.Errorf("%s leads nowhere: backup ends with %d, %s", nowhere, code, errs)
		}
	}
	if code, out, _ := onHome(t, place, "doctor", "--deep"); code != cli.ExitFailed || !strings.Contains(out, "leads nowhere") {
		t.Errorf("corpora lead nowhere: doctor --deep ends with %d\n%s", code, out)
	}
	link("threads.db")
	if code, _, errs := onHome(t, place, "backup", file, "--force"); code != cli.ExitFailed || !strings.Contains(errs, "threads.db: it is not a regular file") {
		t.Errorf("a database that is a link: exit code %d, %s", code, errs)
	}
}

// The earlier home is kept even if its new name is too long for the file system.
func TestRestoreKeeps(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems rename it first, and change nothing when that fails")
	}
	file := filepath.Join(t.TempDir(), "home.zip")
	must(t, opened(t), "backup", file)
	place := filepath.Join(t.TempDir(), strings.Repeat("h", 228))
	must(t, place, "restore", file)
	before := treeOf(t, place)
	var done struct{ Before string }
	if err := json.Unmarshal([]byte(must(t, place, "restore", file, "--force", "--json")), &done); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, treeOf(t, done.Before)); diff != "" {
		t.Errorf("the home before, in %s:\n%s", done.Before, diff)
	}
	if code, _, errs := onHome(t, place, "restore", file, "--force"); code != cli.ExitDone || !strings.Contains(errs, done.Before) {
		t.Errorf("what an earlier restore left is not named: exit code %d, %s", code, errs)
	}
}

// An archive that backup did not write is refused, and nothing is changed.
func TestRestoreRefuses(t *testing.T) {
	place := opened(t)
	good := filepath.Join(t.TempDir(), "good.zip")
	must(t, place, "backup", good)
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	type file struct {
		name string
		mode fs.FileMode
		data string
	}
	listed := func(name string, size int, data string) string {
		return fmt.Sprintf(`{"name":%q,"size":%d,"mode":384,"sha256":"%x"}`, name, size, sha256.Sum256([]byte(data)))
	}
	archive := func(version int, entries string, files ...file) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, f := range append(files, file{"manifest.json", 0o600, fmt.Sprintf(`{"assay_backup":%d,"files":[%s]}`, version, entries)}) {
			h := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
			h.SetMode(f.mode)
			w, err := z.CreateHeader(h)
			if err == nil {
				_, err = io.WriteString(w, f.data)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	flipped := bytes.Clone(data)
	flipped[len(flipped)/3] ^= 1
	newerDB := string(newer(t, "x.db", append([]byte("SQLite format 3\x00"), make([]byte, 84)...), 1))
	newerDB = newerDB[:68] + "\x41\x73\x73\x61" + newerDB[72:]
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"cut", data[:len(data)-40], "damaged"},
		{"half", data[:len(data)/2], "damaged"},
		{"flipped", flipped, "not restored"},
		{"text", []byte("hello"), "damaged"},
		{"no manifest", func() []byte {
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			z.Close()
			return b.Bytes()
		}(), "no manifest"},
		{"traversal", archive(1, listed("../x", 1, "x"), file{"home/../x", 0o600, "x"}), "not below a home"},
		{"absolute", archive(1, listed("/etc/x", 1, "x"), file{"home//etc/x", 0o600, "x"}), "not below a home"},
		{"backslash", archive(1, listed(`..\\x`, 1, "x"), file{`home/..\\x`, 0o600, "x"}), "not below a home"},
		{"link", archive(1, listed("x", 4, "/etc"), file{"home/x", fs.ModeSymlink | 0o777, "/etc"}), "not a regular file"},
		{"unlisted", archive(1, "", file{"home/x", 0o600, "x"}), "does not list"},
		{"missing", archive(1, listed("x", 1, "x")), "not in it"},
		{"wrong bytes", archive(1, listed("x", 1, "y"), file{"home/x", 0o600, "x"}), "checksum"},
		{"larger", archive(1, listed("x", 1, "x"), file{"home/x", 0o600, strings.Repeat("x", 1<<20)}), "manifest says 1"},
		{"bomb", archive(1, listed("x", 1<<40, "x"), file{"home/x", 0o600, "x"}), "more bytes than a file of"},
		{"two bombs", archive(1, listed("x", 1<<62, "x")+","+listed("y", 1<<62, "y"), file{"home/x", 0o600, "x"}, file{"home/y", 0o600, "y"}), "more bytes than a file of"},
		{"twice", archive(1, listed("x", 1, "x"), file{"home/x", 0o600, "x"}, file{"home/x", 0o600, "x"}), "twice"},
		{"newer archive", archive(2, ""), "knows up to 1"},
		{"newer database", archive(1, listed("threads.db", 100, newerDB), file{"home/threads.db", 0o600, newerDB}), "its threads.db has format 2"},
		{"newer layout", archive(1, listed("layout", 1, "2"), file{"home/layout", 0o600, "2"}), "its layout has format 2"},
	} {
		bad := filepath.Join(t.TempDir(), "bad.zip")
		if err := os.WriteFile(bad, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		before := treeOf(t, filepath.Dir(place))
		code, _, errs := onHome(t, place, "restore", bad, "--force")
		if code != cli.ExitFailed || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d, %s; want %q", c.name, code, errs, c.want)
		}
		if diff := cmp.Diff(before, treeOf(t, filepath.Dir(place))); diff != "" {
			t.Errorf("%s: something changed:\n%s", c.name, diff)
		}
	}
}
