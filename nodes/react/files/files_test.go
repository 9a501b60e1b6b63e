package files_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	storememory "example.com/assay/graph/store/memory"
	"example.com/assay/nodes/react/files"
)

// backends open an empty backend of each kind.
var backends = map[string]func(*testing.T) files.Backend{
	"memory": func(*testing.T) files.Backend { return &files.Memory{} },
	"disk":   func(t *testing.T) files.Backend { return onDisk(t, t.TempDir()) },
	"store": func(t *testing.T) files.Backend {
		s, err := storememory.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		// A neighbour below the namespace is not part of it.
		if err := files.InStore(s, "ann", "files", "more").Write(t.Context(), "/hidden.md", "x"); err != nil {
			t.Fatal(err)
		}
		return files.InStore(s, "ann", "files")
	},
}

func onDisk(t *testing.T, folder string) *files.Disk {
	t.Helper()
	d, err := files.NewDisk(folder)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func write(t *testing.T, b files.Backend, list ...string) {
	t.Helper()
	for _, p := range list {
		if err := files.Write(t.Context(), b, p, "text of "+p+"\n"); err != nil {
			t.Fatal(err)
		}
	}
}

func walked(t *testing.T, b files.Backend, folder, skip string) string {
	t.Helper()
	var out []string
	if err := b.Walk(t.Context(), folder, func(e files.Entry) error {
		if e.Folder {
			if out = append(out, e.Path+"/"); e.Path == skip {
				return fs.SkipDir
			}
			return nil
		}
		out = append(out, e.Path)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

// Each backend gives the same answers.
func TestBackends(t *testing.T) {
	for name, open := range backends {
		t.Run(name, func(t *testing.T) {
			ctx, b := t.Context(), open(t)
			if got, err := files.Ls(ctx, b, ""); err != nil || len(got) != 0 {
				t.Errorf("an empty root: %v, %v", got, err)
			}
			write(t, b, "b.md", "/a/x.md", "a/deep/y.txt", "a.md", ".git/z.md")
			for folder, want := range map[string]string{
				"/":       "/.git/ /.git/z.md /a/ /a/deep/ /a/deep/y.txt /a/x.md /a.md /b.md",
				"/a":      "/a/deep/ /a/deep/y.txt /a/x.md",
				"/a/deep": "/a/deep/y.txt",
			} {
				if got := walked(t, b, folder, ""); got != want {
					t.Errorf("walking %s: %s, want %s", folder, got, want)
				}
			}
			if got := walked(t, b, "/", "/a"); got != "/.git/ /.git/z.md /a/ /a.md /b.md" {
				t.Errorf("skipping a folder: %s", got)
			}
			if got, err := files.Ls(ctx, b, "a/"); err != nil || fmt.Sprint(got) != "[{/a/deep true} {/a/x.md false}]" {
				t.Errorf("ls: %v, %v", got, err)
			}
			n := 0
			stop := errors.New("stop")
			for _, want := range []error{stop, fs.SkipAll} {
				if err := b.Walk(ctx, "/", func(files.Entry) error { n++; return want }); want == stop && !errors.Is(err, stop) || want != stop && err != nil {
					t.Errorf("ending with %v: %v", want, err)
				}
			}
			if n != 2 {
				t.Errorf("a walk that ended went on: %d", n)
			}

			// Replacing is whole, and what is missing is told.
			if err := files.Write(ctx, b, "/b.md", "new"); err != nil {
				t.Error(err)
			}
			if got, err := files.Read(ctx, b, "//x/../b.md"); got != "new" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
			if _, err := files.Read(ctx, b, "none"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), `"/none"`) {
				t.Errorf("a missing file: %v", err)
			}
			if err := b.Walk(ctx, "/none", func(files.Entry) error { return nil }); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a missing folder: %v", err)
			}
			for what, err := range map[string]error{
				"over the root":   files.Write(ctx, b, "/", "x"),
				"over a folder":   files.Write(ctx, b, "/a", "x"),
				"below a file":    files.Write(ctx, b, "/a.md/x", "x"),
				"too large":       files.Write(ctx, b, "/big", strings.Repeat("x", files.MaxBytes+1)),
				"not UTF-8":       files.Write(ctx, b, "/bad", "\xff"),
				"a strange path":  files.Write(ctx, b, "/a\nb", "x"),
				"a long path":     files.Write(ctx, b, strings.Repeat("x", 600), "x"),
				"reading a place": func() error { _, err := files.Read(ctx, b, "/a"); return err }(),
			} {
				if err == nil {
					t.Errorf("%s: no error", what)
				}
			}

			// Edits.
			if err := files.Write(ctx, b, "/e", "one two two"); err != nil {
				t.Error(err)
			}
			for _, e := range []struct {
				old, with string
				all       bool
				n         int
				want      string
			}{
				{"two", "2", false, 0, "2 times"}, {"three", "3", true, 0, "does not contain"}, {"", "x", true, 0, "empty"}, {"one", "one", false, 0, "equals"},
				{"one", "1", false, 1, ""}, {"two", "2", true, 2, ""},
			} {
				n, err := files.Edit(ctx, b, "/e", e.old, e.with, e.all)
				if n != e.n || (err == nil) != (e.want == "") || err != nil && !strings.Contains(err.Error(), e.want) {
					t.Errorf("%+v: %d, %v", e, n, err)
				}
			}
			if got, _ := files.Read(ctx, b, "/e"); got != "1 2 2" {
				t.Errorf("after edits: %q", got)
			}

			// Searches leave hidden folders out.
			for _, g := range []struct{ pattern, folder, want string }{
				{"*.md", "/", "[/a.md /b.md]"}, {"**/*.md", "/", "[/a/x.md /a.md /b.md]"}, {"/a/**", "/", "[/a/deep/y.txt /a/x.md]"},
				{"**/deep/*", "/", "[/a/deep/y.txt]"}, {"*.md", "/a", "[/a/x.md]"}, {"**/y.txt", "a/deep", "[/a/deep/y.txt]"}, {"?.md", "/a/deep", "[]"},
			} {
				if got, more, err := files.Glob(ctx, b, g.pattern, g.folder, 10); fmt.Sprint(got) != g.want || more || err != nil {
					t.Errorf("%+v: %v, %t, %v", g, got, more, err)
				}
			}
			if got, more, err := files.Glob(ctx, b, "**", "/", 2); len(got) != 2 || !more || err != nil {
				t.Errorf("a limit: %v, %t, %v", got, more, err)
			}
			if _, _, err := files.Glob(ctx, b, "[", "/", 2); err == nil {
				t.Error("a bad pattern is taken")
			}
			if got, more, err := files.Grep(ctx, b, "text of", "/", "*.md", 10); fmt.Sprint(got) != "[{/a/x.md 1 text of /a/x.md} {/a.md 1 text of a.md}]" || more || err != nil {
				t.Errorf("grep: %v, %t, %v", got, more, err)
			}
			if got, more, err := files.Grep(ctx, b, "t", "/", "", 2); len(got) != 2 || !more || err != nil {
				t.Errorf("grep to a limit: %v, %t, %v", got, more, err)
			}
			if _, _, err := files.Grep(ctx, b, "", "/", "", 2); err == nil {
				t.Error("grep for nothing")
			}
			cancelled, cancel := context.WithCancel(ctx)
			cancel()
			if err := b.Walk(cancelled, "/", func(files.Entry) error { return nil }); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
		})
	}
}

// No edit through one backend is lost.
func TestEditsWait(t *testing.T) {
	for _, name := range []string{"disk", "store"} {
		b := backends[name](t)
		var old strings.Builder
		for n := range 20 {
			fmt.Fprintf(&old, "<%d>", n)
		}
		if err := files.Write(t.Context(), b, "/f", old.String()); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for n := range 20 {
			all.Go(func() {
				if _, err := files.Edit(t.Context(), b, "/f", fmt.Sprintf("<%d>", n), "", false); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got, err := files.Read(t.Context(), b, "/f"); got != "" || err != nil {
			t.Errorf("%s: lost %q, %v", name, got, err)
		}
	}
}

// What is special on a disk: links and other things lead nowhere, and modes stay.
func TestDisk(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it makes links")
	}
	outside, dir := t.TempDir(), t.TempDir()
	d := onDisk(t, dir)
	d.MaxBytes = 100
	write(t, d, "/in.sh")
	if err := errors.Join(
		os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600),
		os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "link")),
		os.Symlink(outside, filepath.Join(dir, "away")),
		os.Symlink("in.sh", filepath.Join(dir, "within")),
		os.WriteFile(filepath.Join(dir, "binary"), []byte{0, 1, 2}, 0o600),
		os.WriteFile(filepath.Join(dir, "large"), []byte(strings.Repeat("secret", 100)), 0o600),
		os.Chmod(filepath.Join(dir, "in.sh"), 0o755),
	); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"link", "away/secret", "../" + filepath.Base(outside) + "/secret", filepath.Join(outside, "secret"), "away"} {
		if got, err := files.Read(t.Context(), d, p); err == nil {
			t.Errorf("%s was read: %q", p, got)
		}
		if err := files.Write(t.Context(), d, p, "mine"); err == nil && p != filepath.Join(outside, "secret") && !strings.HasPrefix(p, "../") {
			t.Errorf("%s was written", p)
		}
	}
	if got, err := os.ReadFile(filepath.Join(outside, "secret")); err != nil || string(got) != "secret" {
		t.Errorf("outside: %q, %v", got, err)
	}
	if got, more, err := files.Grep(t.Context(), d, "secret", "/", "", 10); len(got) != 0 || more || err != nil {
		t.Errorf("found %v, %v", got, err)
	}
	for _, p := range []string{"binary", "large"} {
		if _, err := files.Read(t.Context(), d, p); !errors.Is(err, files.ErrUnreadable) {
			t.Errorf("%s: %v", p, err)
		}
	}
	if err := files.Write(t.Context(), d, "x", strings.Repeat("x", 101)); err == nil {
		t.Error("a file above the limit was written")
	}
	if got, err := files.Read(t.Context(), d, "within"); !strings.Contains(got, "text of") || err != nil {
		t.Errorf("a link within: %q, %v", got, err)
	}
	write(t, d, "/in.sh")
	if info, err := os.Stat(filepath.Join(dir, "in.sh")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := files.Read(t.Context(), d, "none"); err == nil || strings.Contains(err.Error(), dir) {
		t.Errorf("an error shows where the folder is: %v", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") }) {
		t.Errorf("left over: %v, %v", left, err)
	}
}

func TestWindow(t *testing.T) {
	text := "a\nb\nc\nd\n"
	for _, w := range []struct {
		text                string
		offset, limit, most int
		want                string
	}{
		{text, 0, 10, 100, "     1\ta\n     2\tb\n     3\tc\n     4\td\n"},
		{text, 1, 2, 100, "     2\tb\n     3\tc\n(lines 2 to 3 of 4; read on with offset 3)\n"},
		{text, 0, 10, 10, "     1\ta\n     2\tb\n(lines 1 to 2 of 4; read on with offset 2)\n"},
		{strings.Repeat("ä", 20), 0, 10, 10, "     1\tää (cut off: the line has 40 bytes)\n"},
		{"", 0, 10, 100, "(the file is empty)"},
		{text, 4, 1, 100, ""}, {text, -1, 1, 100, ""}, {text, 0, 0, 100, ""},
	} {
		got, err := files.Window(w.text, w.offset, w.limit, w.most)
		if got != w.want || (err == nil) != (w.want != "") {
			t.Errorf("%+v: %q, %v", w, got, err)
		}
	}
}

// Clients write files in three forms; one comes out.
func TestFileJSON(t *testing.T) {
	var all map[string]files.File
	if err := json.Unmarshal([]byte(`{"a":"x\ny","b":{"content":["x","y"],"created_at":"t"},"c":{"content":"x\ny","encoding":"utf-8"},"d":{"content":"eA==","encoding":"base64"}}`), &all); err != nil {
		t.Fatal(err)
	}
	m := &files.Memory{Files: all}
	for _, p := range []string{"a", "b", "c"} {
		if got, err := m.Read(t.Context(), p); got != "x\ny" || err != nil {
			t.Errorf("%s: %q, %v", p, got, err)
		}
	}
	if _, err := m.Read(t.Context(), "d"); !errors.Is(err, files.ErrUnreadable) {
		t.Error(err)
	}
	if data, err := json.Marshal(all["b"]); string(data) != `{"content":"x\ny","encoding":"utf-8"}` || err != nil {
		t.Errorf("%s, %v", data, err)
	}
	if err := json.Unmarshal([]byte(`{"content":5}`), new(files.File)); err == nil {
		t.Error("a number is taken for a content")
	}
}

func FuzzClean(f *testing.F) {
	f.Add("../../etc/passwd")
	f.Add("/a//b/./c/..")
	f.Fuzz(func(t *testing.T, p string) {
		clean, err := files.Clean(p)
		if err != nil {
			return
		}
		if !strings.HasPrefix(clean, "/") || clean != "/" && !fs.ValidPath(clean[1:]) {
			t.Errorf("%q became %q", p, clean)
		}
	})
}
