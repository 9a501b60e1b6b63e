package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/document"
	"example.com/assay/memory/index"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// tree writes files below a new directory; a content of "-" removes one.
func tree(t testing.TB, dir string, files map[string]string) string {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if content == "-" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func small() map[string]string {
	return map[string]string{
		"torts/battery.md":  "# Battery\n\nBattery is a harmful contact without consent.\n",
		"torts/assault.md":  "# Assault\n\nAssault is the apprehension of a harmful contact.\n",
		"notes/leases.txt":  "A lease ends when the tenant surrenders the keys.\n",
		"web/page.html":     "<title>Liens</title><p>A lien secures a debt.</p>",
		"data/cases.jsonl":  `{"id":"c1","text":"The court dismissed the appeal."}` + "\n" + `{"id":"c2","text":"The buyer rescinded the contract."}`,
		"data/broken.jsonl": `{"id":`,
		"pictures/a.png":    "\x89PNG\r\n",
		".git/config":       "x",
	}
}

func mustIngest(t testing.TB, opts IngestOptions) Report {
	t.Helper()
	r, err := Ingest(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// verify opens a corpus and checks every passage against the bytes of the
// file that TextPath names.
func verify(t testing.TB, home, name string) *Corpus {
	t.Helper()
	c, err := Open(home, name)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range c.manifest.Files {
		path, original, err := c.TextPath(f.Source)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]string{true: f.Path}[f.Text != ""]; original != want {
			t.Fatalf("original of %s is %s", f.Source, original)
		}
		for _, p := range passagesOf(t, c, f.Source) {
			if string(text[p.Start:p.End]) != p.Text {
				t.Fatalf("passage %q is not at its place in %s", p.ID, path)
			}
			n++
		}
	}
	if info := c.Info(); info.Passages != n || info.Files != len(c.manifest.Files) || info.Name != name {
		t.Fatalf("info %+v of %d passages in %d files", info, n, len(c.manifest.Files))
	}
	return c
}

// passagesOf reads the passages of a source, by id.
func passagesOf(t testing.TB, c *Corpus, source string) (out []state.Passage) {
	t.Helper()
	for _, id := range c.index.IDs() {
		p, ok, err := c.Passage(id)
		if err != nil || !ok {
			t.Fatalf("passage %q: %v, %v", id, ok, err)
		}
		if p.Source == source {
			out = append(out, p)
		}
	}
	return out
}

func closeCorpus(t testing.TB, c *Corpus) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestIngest(t *testing.T) {
	home, docs := t.TempDir(), tree(t, t.TempDir(), small())
	opts := IngestOptions{Home: home, Corpus: "law", Paths: []string{docs}}
	r := mustIngest(t, opts)
	if r.Added != 5 || r.Changed+r.Removed+r.Unchanged != 0 || r.Files != 5 || r.Passages != 6 {
		t.Fatalf("first: %+v", r)
	}
	var skipped []string
	for _, s := range r.Skipped {
		skipped = append(skipped, filepath.Base(s.Path)+": "+strings.SplitN(s.Reason, ";", 2)[0])
	}
	want := []string{".git: it is hidden", "broken.jsonl: broken.jsonl:1: it is not a JSON object: unexpected end of JSON input (byte 6 of the line)", "a.png: a.png: this kind of file is not supported: it is a picture"}
	if !slices.Equal(skipped, want) {
		t.Errorf("skipped %q", skipped)
	}
	c := verify(t, home, "law")
	res, err := c.Search(t.Context(), retrieval.Query{Primary: "who rescinded the contract", K: 1})
	if err != nil || len(res.Hits) != 1 || res.Hits[0].Passage.ID != "c2" {
		t.Errorf("search: %+v, %v", res, err)
	}
	if c.Fingerprint() != r.Fingerprint || c.Name() != "law" || len(c.Sources()) != 5 {
		t.Errorf("corpus: %+v", c.Info())
	}
	closeCorpus(t, c)

	if again := mustIngest(t, opts); again.Unchanged != 5 || again.Added+again.Changed+again.Removed != 0 || again.Fingerprint != r.Fingerprint || again.Passages != 6 {
		t.Errorf("again: %+v", again)
	}
	tree(t, docs, map[string]string{"torts/battery.md": "# Battery\n\nChanged text.\n", "torts/assault.md": "-", "torts/new.md": "New text.", "web/page.html": "-"})
	r2 := mustIngest(t, opts)
	if r2.Added != 1 || r2.Changed != 1 || r2.Removed != 2 || r2.Unchanged != 2 || r2.Files != 4 {
		t.Errorf("changed: %+v", r2)
	}
	closeCorpus(t, verify(t, home, "law"))
	if entries, err := os.ReadDir(filepath.Join(home, "corpora", "law", "texts")); err != nil || len(entries) != 1 {
		t.Errorf("texts left: %v, %v", entries, err)
	}
	if gens := generationsOf(t, home, "law"); len(gens) != 1 {
		t.Errorf("generations left: %v", gens)
	}

	// The same content by another road has the same fingerprint.
	other := t.TempDir()
	fresh := mustIngest(t, IngestOptions{Home: other, Corpus: "x", Paths: []string{docs}})
	moved := tree(t, t.TempDir(), map[string]string{})
	if err := os.CopyFS(filepath.Join(moved, "copy"), os.DirFS(docs)); err != nil {
		t.Fatal(err)
	}
	copied := mustIngest(t, IngestOptions{Home: other, Corpus: "y", Paths: []string{filepath.Join(moved, "copy")}})
	if fresh.Fingerprint != r2.Fingerprint || copied.Fingerprint != r2.Fingerprint || r2.Fingerprint == r.Fingerprint {
		t.Errorf("fingerprints %s %s %s %s", r.Fingerprint, r2.Fingerprint, fresh.Fingerprint, copied.Fingerprint)
	}
}

// sourcesOf lists the sources without looking at the files.
func sourcesOf(t testing.TB, home, name string) []string {
	t.Helper()
	c, err := Open(home, name)
	if err != nil {
		t.Fatal(err)
	}
	defer closeCorpus(t, c)
	return c.Sources()
}

func generationsOf(t testing.TB, home, name string) []string {
	t.Helper()
	s := &store{name: name, dir: corpusDir(home, name)}
	gens, err := s.generations()
	if err != nil {
		t.Fatal(err)
	}
	return gens
}

func TestIngestRoots(t *testing.T) {
	home, base := t.TempDir(), t.TempDir()
	tree(t, base, map[string]string{"a/x.md": "Text of a.", "a/sub/y.md": "Text of y.", "b/x.md": "Text of b.", "single.txt": "Single text."})
	at := func(paths ...string) IngestOptions {
		o := IngestOptions{Home: home, Corpus: "r"}
		for _, p := range paths {
			o.Paths = append(o.Paths, filepath.Join(base, p))
		}
		return o
	}
	sources := func() string {
		c := verify(t, home, "r")
		defer closeCorpus(t, c)
		return strings.Join(c.Sources(), " ")
	}
	mustIngest(t, at("a/sub"))
	mustIngest(t, at("a"))
	if got := sources(); got != "sub/y.md x.md" {
		t.Errorf("a wider root: %s", got)
	}
	r := mustIngest(t, at("b", "single.txt", "single.txt", "b"))
	if got := sources(); got != "b/x.md single.txt sub/y.md x.md" || r.Added != 2 {
		t.Errorf("another root: %s %+v", got, r)
	}
	// Only what lies below the roots of a call is removed by it.
	tree(t, base, map[string]string{"a/x.md": "-", "b/x.md": "-", "b/z.md": "More."})
	r = mustIngest(t, at("b"))
	if got := sourcesOf(t, home, "r"); r.Removed != 1 || r.Added != 1 || !slices.Contains(got, "x.md") {
		t.Errorf("removed: %v %+v", got, r)
	}
	r = mustIngest(t, at("a"))
	if got := sources(); got != "single.txt sub/y.md z.md" || r.Removed != 1 {
		t.Errorf("removed: %s %+v", got, r)
	}
	// Other options read everything again, also what lies elsewhere.
	o := at("a")
	o.Split = document.SplitOptions{Target: 64, Max: 64}
	before := r.Fingerprint
	if r = mustIngest(t, o); r.Fingerprint == before || r.Files != 3 {
		t.Errorf("other options: %+v", r)
	}
	tree(t, base, map[string]string{"single.txt": "-"})
	_, err := Ingest(t.Context(), at("a"))
	if !errors.As(err, new(*EarlierFileError)) || !strings.Contains(err.Error(), "single.txt") {
		t.Errorf("a file that is gone and needed: %v", err)
	}
	o = at("a")
	o.Rebuild = true
	if r = mustIngest(t, o); r.Files != 1 || r.Added != 1 {
		t.Errorf("rebuilt: %+v", r)
	}
	if got := sources(); got != "sub/y.md" {
		t.Errorf("rebuilt: %s", got)
	}
}

func TestIngestErrors(t *testing.T) {
	home, docs := t.TempDir(), tree(t, t.TempDir(), map[string]string{"ok.md": "Text.", "bad.txt": "x\x00", "empty/.keep": "",
		"one.jsonl": `{"id":"same","text":"x"}`, "two.jsonl": `{"id":"same","text":"y"}`})
	at := func(corpus string, names ...string) IngestOptions {
		o := IngestOptions{Home: home, Corpus: corpus}
		for _, n := range names {
			o.Paths = append(o.Paths, filepath.Join(docs, n))
		}
		return o
	}
	for _, c := range []struct {
		opts IngestOptions
		want string
	}{
		{at("Law", "ok.md"), "a-z"},
		{at("../x", "ok.md"), "a-z"},
		{at("x"), "at least one file"},
		{at("x", "bad.txt"), "zero byte at offset 1"},
		{at("x", "missing"), "cannot be read"},
		{at("x", "empty"), "no document"},
		{at("x", "one.jsonl", "two.jsonl"), "unique in the corpus"},
	} {
		if _, err := Ingest(t.Context(), c.opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.opts.Paths, err, c.want)
		}
	}
	if list, err := List(home); err != nil || len(list) != 0 {
		t.Errorf("a failed first ingest leaves %v, %v", list, err)
	}
	mustIngest(t, at("law", "ok.md"))
	_, err := Ingest(t.Context(), at("law", "ok.md", "bad.txt"))
	var in *document.InputError
	if !errors.As(err, &in) || in.Line != 1 {
		t.Errorf("a bad file that was named: %v", err)
	}
	closeCorpus(t, verify(t, home, "law"))
	ctx, cancel := context.WithCancel(t.Context())
	o := at("law", "ok.md", "one.jsonl")
	o.Progress = func(phase string, _, _ int) {
		if phase == index.PhaseIndex {
			cancel()
		}
	}
	if _, err := Ingest(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if gens := generationsOf(t, home, "law"); len(gens) != 1 {
		t.Errorf("generations after a cancelled ingest: %v", gens)
	}
}

func TestWalkLinks(t *testing.T) {
	docs := tree(t, t.TempDir(), map[string]string{"a/x.md": "Text.", "b/y.md": "Text."})
	for name, target := range map[string]string{"a/loop": docs, "a-link": filepath.Join(docs, "b"), "b/file.md": filepath.Join(docs, "a", "x.md"), "dangling": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(docs, name)); err != nil {
			t.Skip("no links here")
		}
	}
	w, _, err := walk(t.Context(), []string{docs}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var rel, skipped []string
	for _, f := range w.files {
		rel = append(rel, f.rel)
	}
	for _, s := range w.skipped {
		r, err := filepath.Rel(docs, s.Path)
		if err != nil {
			t.Fatal(err)
		}
		skipped = append(skipped, r)
	}
	if !slices.Equal(rel, []string{"a/x.md", "b/file.md", "b/y.md"}) || !slices.Equal(skipped, []string{"dangling", "a/loop", "a-link"}) {
		t.Errorf("files %v, skipped %v", rel, skipped)
	}
}

// A link that leads out of the folder that was named is not followed, and said.
func TestWalkLinksOut(t *testing.T) {
	outside := tree(t, t.TempDir(), map[string]string{"secret.txt": "Secret.", "more/deep.md": "Deep."})
	docs := tree(t, t.TempDir(), map[string]string{"a.md": "Text."})
	for name, target := range map[string]string{"link.txt": filepath.Join(outside, "secret.txt"), "more": filepath.Join(outside, "more"), "near": docs + "/../" + filepath.Base(docs) + "x"} {
		if err := os.Symlink(target, filepath.Join(docs, name)); err != nil {
			t.Skip("no links here")
		}
	}
	named := filepath.Join(t.TempDir(), "named")
	if err := os.Symlink(docs, named); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{docs, named} {
		r := mustIngest(t, IngestOptions{Home: t.TempDir(), Corpus: "x", Paths: []string{root}})
		if r.Files != 1 || len(r.Skipped) != 3 {
			t.Fatalf("%+v", r)
		}
		for _, s := range r.Skipped {
			if filepath.Base(s.Path) != "near" && !strings.Contains(s.Reason, "leads out of the folder") {
				t.Errorf("%s: %s", s.Path, s.Reason)
			}
		}
	}
}

// A record that is lost is listed by every ingest of its file.
func TestLostRecordsAreListed(t *testing.T) {
	docs := tree(t, t.TempDir(), map[string]string{"a.jsonl": "{\"text\":\"One.\"}\nnonsense\n{\"text\":\"Two.\"}"})
	opts := IngestOptions{Home: t.TempDir(), Corpus: "x", Paths: []string{docs}}
	for range 2 {
		r := mustIngest(t, opts)
		if r.Passages != 2 || len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0].Reason, "a.jsonl:2: it is not a JSON object") {
			t.Errorf("%+v", r)
		}
	}
}

// What stands at the head or foot of most pages of a directory is in no passage,
// whatever ingests led there.
func TestRunningBlocks(t *testing.T) {
	page := func(i int) string {
		return fmt.Sprintf("<table><tr><td><a href=a%[1]d>Back</a><td>Title %[1]d<td><a href=b%[1]d>Forth</a></table><h1>Chapter %[1]d</h1><p>The text on %[2]s is its own.<p>Version %[1]d.2 of the Manual, all rights reserved.", i, []string{"leases", "liens", "torts", "wills", "trusts"}[i])
	}
	files := map[string]string{"other/x.html": page(0), "x.md": "Version 1.2 of the Manual, all rights reserved."}
	for i := range 4 {
		files[fmt.Sprintf("site/%d.html", i)] = page(i)
	}
	docs := tree(t, t.TempDir(), files)
	opts := IngestOptions{Home: t.TempDir(), Corpus: "x", Paths: []string{docs}}
	count := func(home string) (texts []string) {
		t.Helper()
		c := verify(t, home, "x")
		defer closeCorpus(t, c)
		for _, f := range c.manifest.Files {
			for _, p := range passagesOf(t, c, f.Source) {
				texts = append(texts, p.Source+": "+p.Text)
			}
		}
		slices.Sort(texts)
		return texts
	}
	having := func(texts []string, what string) (n int) {
		for _, s := range texts {
			n += strings.Count(s, what)
		}
		return n
	}
	mustIngest(t, opts)
	if got := count(opts.Home); having(got, "all rights") != 6 || having(got, "Forth") != 5 {
		t.Errorf("four pages: %q", got)
	}
	tree(t, docs, map[string]string{"site/4.html": page(4)})
	if r := mustIngest(t, opts); r.Added != 1 || r.Changed != 4 || r.Unchanged != 2 {
		t.Errorf("a fifth page: %+v", r)
	}
	five := count(opts.Home)
	if having(five, "all rights") != 2 || having(five, "Forth") != 1 || having(five, "is its own") != 6 {
		t.Errorf("five pages: %q", five)
	}
	once := opts
	once.Home = t.TempDir()
	mustIngest(t, once)
	if got := count(once.Home); !slices.Equal(got, five) {
		t.Errorf("at once %q, after each other %q", got, five)
	}
	if r := mustIngest(t, opts); r.Unchanged != 7 || r.Changed != 0 {
		t.Errorf("again: %+v", r)
	}
	tree(t, docs, map[string]string{"site/4.html": "-"})
	mustIngest(t, opts)
	if got := count(opts.Home); having(got, "all rights") != 6 {
		t.Errorf("four pages again: %q", got)
	}
}

// What is kept of documents is for its owner alone.
func TestModes(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	docs := tree(t, t.TempDir(), small())
	mustIngest(t, IngestOptions{Home: home, Corpus: "law", Paths: []string{docs}})
	err := filepath.WalkDir(home, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 && (e.IsDir() || !strings.Contains(path, "/index/")) {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpenErrors(t *testing.T) {
	home, docs := t.TempDir(), tree(t, t.TempDir(), map[string]string{"a.md": "Text.", "b.html": "<p>Text."})
	opts := IngestOptions{Home: home, Corpus: "law", Paths: []string{docs}}
	var unknown *UnknownCorpusError
	if _, err := Open(home, "law"); !errors.As(err, &unknown) || len(unknown.Known) != 0 {
		t.Errorf("nothing there: %v", err)
	}
	mustIngest(t, opts)
	if _, err := Open(home, "lore"); !errors.As(err, &unknown) || !slices.Equal(unknown.Known, []string{"law"}) || !strings.Contains(err.Error(), "law") {
		t.Errorf("unknown: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(home, "corpora", "begun", "gen-000001"), 0o755); err != nil {
		t.Fatal(err)
	}
	var empty *EmptyCorpusError
	if _, err := Open(home, "begun"); !errors.As(err, &empty) {
		t.Errorf("begun: %v", err)
	}
	list, err := List(home)
	if err != nil || len(list) != 2 || list[0].Name != "begun" || list[0].Fault == "" || list[1].Files != 2 || list[1].Fault != "" || list[1].Passages != 2 {
		t.Errorf("list: %+v, %v", list, err)
	}

	c := verify(t, home, "law")
	raw, err := c.Original(t.Context(), "a.md", 1<<20)
	if d, again := c.Document(t.Context(), "a.md", 1<<20); err != nil || again != nil || d.Text != string(raw) || d.Text == "" {
		t.Errorf("an unchanged file: %q, %v, %q, %v", raw, err, d.Text, again)
	}
	if _, err := c.Original(t.Context(), "a.md", 1); err == nil {
		t.Error("a file that is too long is read")
	}
	tree(t, docs, map[string]string{"a.md": "Text changed."})
	var in *document.InputError
	if err := c.Check("a.md"); !errors.As(err, &in) {
		t.Errorf("a changed original: %v", err)
	}
	if _, err := c.Original(t.Context(), "a.md", 1<<20); !errors.As(err, &in) {
		t.Errorf("its bytes: %v", err)
	}
	if _, err := c.Document(t.Context(), "a.md", 1<<20); !errors.As(err, &in) {
		t.Errorf("its document: %v", err)
	}
	if _, _, err := c.TextPath("none"); err == nil {
		t.Error("an unknown source has a text")
	}
	closeCorpus(t, c)

	gen := filepath.Join(home, "corpora", "law", "gen-000001")
	damage := []struct {
		name string
		do   func() error
	}{
		{"index file cut", func() error { return cutFiles(filepath.Join(gen, "index")) }},
		{"manifest", func() error { return os.WriteFile(filepath.Join(gen, "manifest.json"), []byte("{"), 0o644) }},
		{"generation gone", func() error { return os.RemoveAll(gen) }},
		{"pointer", func() error {
			return os.WriteFile(filepath.Join(home, "corpora", "law", "CURRENT"), []byte("../../x"), 0o644)
		}},
	}
	for _, d := range damage {
		if err := d.do(); err != nil {
			t.Fatal(err)
		}
		var corrupt *CorruptCorpusError
		if _, err := Open(home, "law"); !errors.As(err, &corrupt) || corrupt.Name != "law" {
			t.Errorf("%s: %v", d.name, err)
		}
	}
	opts.Rebuild = true
	mustIngest(t, opts)
	closeCorpus(t, verify(t, home, "law"))
}

func cutFiles(dir string) error {
	return filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		return os.Truncate(path, info.Size()/2)
	})
}
