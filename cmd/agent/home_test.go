package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/home"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/skills"
)

var newHome = flag.String("new-home", "", "make the fixture testdata/homes/`NAME` with this version of the program")

// homes holds homes of earlier versions. Each folder has the home as home.zip, a trace and a
// cassette, and the printed output of commands in expected.json. A version that changes a format
// adds a folder (-new-home NAME) and changes no other.
var homes = filepath.Join("testdata", "homes")

// onHome executes a command line on a home.
func onHome(t *testing.T, place string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	a, out, errs := clitest.App(place)
	code = execute(t.Context(), a, args)
	return code, out.String(), errs.String()
}

// must is onHome for a command that has to succeed.
func must(t *testing.T, place string, args ...string) string {
	t.Helper()
	code, out, errs := onHome(t, place, args...)
	if code != cli.ExitDone {
		t.Fatalf("agent %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// breaking is a model that ends the run when one skill is called.
type breaking struct {
	llm.Model
	skill string
	end   func()
}

func (b breaking) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	if req.Skill == b.skill {
		b.end()
		<-ctx.Done()
		return llm.Response{}, context.Cause(ctx)
	}
	return b.Model.Generate(ctx, req)
}

const permitPage = `<html><head><title>Permits</title></head><body><h1>Lantern permits</h1>
<p>A lantern permit costs 40 dollars. It expires after two winters.</p>
<h2>Renewal</h2><p>A renewal costs 10 dollars and must be asked for in March.</p></body></html>`

// fill makes a home with a corpus, threads, one of them cut off, and remembered answers. It
// writes a trace and a cassette to dir.
func fill(t *testing.T, place, dir string) {
	t.Helper()
	docs := filepath.Join(t.TempDir(), "docs")
	if err := cli.WriteFile(filepath.Join(docs, "permits.html"), []byte(permitPage), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, place, "ingest", docs)
	must(t, place, "ask", "What does a lantern permit cost?", "--thread", "fees", "--memory", "--trace", filepath.Join(dir, "run.jsonl"), "--record", filepath.Join(dir, "run.cassette"))
	must(t, place, "ask", "What does a renewal cost?", "--thread", "fees", "--memory")
	a, _, _ := clitest.App(place)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a.Models[offline.Name] = func() llm.Model { return breaking{offline.New(nil), skills.SynthesizeAndCite, cancel} }
	if code := execute(ctx, a, []string{"ask", "When does a lantern permit expire?", "--thread", "cut"}); code == cli.ExitDone {
		t.Fatal("the run that was to be cut short ended well")
	}
}

// asked are the commands whose output a home's fixture records.
func asked(dir string) [][]string {
	return [][]string{
		{"corpus", "list"},
		{"threads", "list"},
		{"memory", "list"},
		{"ask", "What does a lantern permit cost?", "--memory"},
		{"ask", "What does a lantern permit cost?", "--no-memory"},
		{"ask", "What does a lantern permit cost?", "--replay", filepath.Join(dir, "run.cassette")},
		{"trace", "show", filepath.Join(dir, "run.jsonl")},
		{"resume", "cut"},
		{"doctor", "--deep", filepath.Join(dir, "run.jsonl"), filepath.Join(dir, "run.cassette")},
	}
}

type outcome struct {
	Args   string `json:"args"`
	Code   int    `json:"code"`
	Stdout string `json:"stdout"`
}

var counted = regexp.MustCompile(`\d+ files? read`)

func outcomes(t *testing.T, place, dir string) []outcome {
	t.Helper()
	var out []outcome
	for _, args := range asked(dir) {
		code, stdout, _ := onHome(t, place, args...)
		here := strings.NewReplacer(place, "HOME", dir, "DIR")
		out = append(out, outcome{here.Replace(strings.Join(args, " ")), code, counted.ReplaceAllString(here.Replace(stdout), "N files read")})
	}
	return out
}

// Homes of earlier versions open, and give the same output.
func TestEarlierHomes(t *testing.T) {
	t.Setenv("TZ", "UTC")
	if *newHome != "" {
		dir, place := filepath.Join(homes, *newHome), filepath.Join(t.TempDir(), "home")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		fill(t, place, dir)
		must(t, place, "backup", filepath.Join(dir, "home.zip"))
	}
	entries, err := os.ReadDir(homes)
	if err != nil || len(entries) == 0 {
		t.Fatal("no fixture", err)
	}
	for _, e := range entries {
		t.Run(e.Name(), func(t *testing.T) {
			dir, err := filepath.Abs(filepath.Join(homes, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			place := filepath.Join(t.TempDir(), "home")
			must(t, place, "restore", filepath.Join(dir, "home.zip"))
			got := outcomes(t, place, dir)
			file := filepath.Join(dir, "expected.json")
			if *update || *newHome == e.Name() {
				var b bytes.Buffer
				enc := json.NewEncoder(&b)
				enc.SetEscapeHTML(false)
				enc.SetIndent("", " ")
				if err := errors.Join(enc.Encode(got), os.WriteFile(file, b.Bytes(), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			var want []outcome
			if err := readJSON(file, &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("what the home says changed (-want +got):\n%s", diff)
			}
			for _, o := range got {
				if o.Code != cli.ExitDone && !(strings.Contains(o.Args, "--replay") && e.Name() != entries[len(entries)-1].Name()) { // a cassette belongs to the skills of one version
					t.Errorf("agent %s: exit code %d", o.Args, o.Code)
				}
			}
		})
	}
}

// opened is a home of this version, in the form of a backup: without its locks.
func opened(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	filled, file, place := filepath.Join(dir, "filled"), filepath.Join(dir, "home.zip"), filepath.Join(dir, "home")
	fill(t, filled, dir)
	must(t, filled, "backup", file)
	must(t, place, "restore", file)
	return place
}

// treeOf reads all files of a folder, with their modes.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		var data []byte
		if err == nil && d.Type().IsRegular() {
			data, err = os.ReadFile(path)
		}
		rel, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = fmt.Sprintf("%v %d bytes, %x", info.Mode(), len(data), sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A home with one file of a newer version is refused by each verb that opens it, and does not
// change by a byte.
func TestNewerHome(t *testing.T) {
	place := opened(t)
	versions, err := home.Versions(place)
	if err != nil {
		t.Fatal(err)
	}
	if len(versions) < 5 {
		t.Fatalf("only %d files have a version: %v", len(versions), versions)
	}
	zip := filepath.Join(t.TempDir(), "b.zip")
	verbs := [][]string{
		{"ask", "What does a lantern permit cost?"}, {"search", "permit"}, {"ingest", homes}, {"corpus", "list"}, {"corpus", "remove", "default", "--yes"},
		{"threads", "list"}, {"threads", "sweep", "--older-than", "1h"}, {"resume", "cut"}, {"memory", "list"}, {"memory", "forget", "--all"},
		{"backup", zip}, {"doctor"}, {"doctor", "--deep"}, {"serve", "--addr", "127.0.0.1:0"}, {"mcp"}, {"chat"}, {},
	}
	for _, v := range versions {
		data, err := os.ReadFile(v.File)
		made := errors.Is(err, fs.ErrNotExist) // a home of layout 1 has no file layout
		if err != nil && !made {
			t.Fatal(err)
		}
		if err := os.WriteFile(v.File, newer(t, v.File, data, v.Known), 0o600); err != nil {
			t.Fatal(err)
		}
		before := treeOf(t, place)
		for _, args := range verbs {
			code, _, errs := onHome(t, place, args...)
			out := ""
			if len(args) > 0 && args[0] == "doctor" {
				_, out, _ = onHome(t, place, args...)
			}
			want := fmt.Sprintf("%s has format %d, and this program knows up to %d", v.File, v.Known+1, v.Known)
			if code != cli.ExitFailed || !strings.Contains(errs+out, want) || !strings.Contains(errs+out, "mv "+v.File) {
				t.Errorf("agent %s with a newer %s: exit code %d, %s%s", strings.Join(args, " "), v.File, code, out, errs)
			}
			if diff := cmp.Diff(before, treeOf(t, place)); diff != "" {
				t.Fatalf("agent %s changed a newer home:\n%s", strings.Join(args, " "), diff)
			}
		}
		if made {
			err = os.Remove(v.File)
		} else {
			err = os.WriteFile(v.File, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if code, _, errs := onHome(t, place, "corpus", "list"); code != cli.ExitDone {
		t.Errorf("the home as it was: exit code %d, %s", code, errs)
	}
}

// newer raises the version in a file's content.
func newer(t *testing.T, file string, data []byte, known int) []byte {
	data = bytes.Clone(data)
	was := fmt.Sprint(known)
	switch base := filepath.Base(file); {
	case strings.HasSuffix(base, ".db"):
		binary.BigEndian.PutUint32(data[60:], uint32(known+1))
		return data
	case base == "layout":
		return fmt.Appendln(nil, known+1)
	case base == "manifest.json":
		return bytes.Replace(data, []byte(`"version": `+was), fmt.Appendf(nil, `"version": %d`, known+1), 1)
	case base == "manifest":
		return regexp.MustCompile(`^assay-index \d+`).ReplaceAll(data, fmt.Appendf(nil, "assay-index %d", known+1))
	}
	t.Fatalf("%s: the test does not know how to make it newer", file)
	return nil
}

// A home whose layout cannot be read is refused by each verb, and doctor says so.
func TestLayoutUnreadable(t *testing.T) {
	place := opened(t)
	if err := os.WriteFile(filepath.Join(place, "layout"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"doctor"}, {"doctor", "--deep"}, {"ask", "What?"}} {
		if code, out, errs := onHome(t, place, args...); code != cli.ExitFailed || !strings.Contains(out+errs, "layout does not hold a number") {
			t.Errorf("agent %v: exit code %d, %s%s", args, code, out, errs)
		}
	}
}

// Doctor --deep changes nothing, and names each damaged file.
func TestDeepDamage(t *testing.T) {
	place := opened(t)
	token := filepath.Join(place, "serve.token")
	if err := os.WriteFile(token, []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := treeOf(t, place)
	if code, out, errs := onHome(t, place, "doctor", "--deep"); code != cli.ExitDone {
		t.Fatalf("a whole home: exit code %d\n%s%s", code, out, errs)
	}
	if diff := cmp.Diff(before, treeOf(t, place)); diff != "" {
		t.Errorf("doctor --deep changed the home:\n%s", diff)
	}
	ways := []struct {
		name   string
		damage func(path string, data []byte) error
	}{
		{"cut", func(path string, data []byte) error { return os.WriteFile(path, data[:len(data)/2], 0o600) }},
		{"zeroed", func(path string, data []byte) error { return os.WriteFile(path, make([]byte, len(data)), 0o600) }},
		{"flipped", func(path string, data []byte) error {
			data = bytes.Clone(data)
			at := len(data) / 2
			if strings.HasSuffix(path, ".db") {
				at = 100 // the type of the first page: SQLite has no checksums of rows
			}
			data[at] ^= 0x55
			return os.WriteFile(path, data, 0o600)
		}},
		{"removed", func(path string, _ []byte) error { return os.Remove(path) }},
	}
	tried := 0
	for name := range before {
		path := filepath.Join(place, filepath.FromSlash(name))
		data, err := os.ReadFile(path)
		if err != nil || len(data) == 0 {
			continue // a folder, or a file that matters only by its presence
		}
		for _, w := range ways {
			switch {
			case w.name == "removed" && !strings.HasPrefix(name, "corpora/"): // nothing else records that the file was there
				continue
			case name == "serve.token" && w.name == "flipped": // any text can be a token
				continue
			}
			if err := w.damage(path, data); err != nil {
				t.Fatal(err)
			}
			tried++
			code, out, errs := onHome(t, place, "doctor", "--deep")
			if code != cli.ExitFailed || !strings.Contains(out, filepath.Base(name)) && !strings.Contains(out, filepath.Dir(path)) || !strings.Contains(out, "→ ") {
				t.Errorf("%s %s: exit code %d\n%s%s", name, w.name, code, out, errs)
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if tried < 40 {
		t.Errorf("only %d ways of damage were tried", tried)
	}
	// A process that is killed while it makes a database leaves it without tables: nothing was
	// lost.
	begun := filepath.Join(place, "qa", "begun.db")
	if err := cli.WriteFile(begun, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := onHome(t, place, "doctor", "--deep"); code != cli.ExitDone || !strings.Contains(out, "begun.db: it has no tables") {
		t.Errorf("a database that was only begun: exit code %d\n%s", code, out)
	}
	if err := os.Remove(begun); err != nil {
		t.Fatal(err)
	}
	for _, stray := range []string{".tmp-1234", "corpora/.removed-1/x", "corpora/default/CURRENT.tmp", "corpora/default/gen-000009/manifest.json", "notes.db-wal"} {
		path := filepath.Join(place, filepath.FromSlash(stray))
		if err := cli.WriteFile(path, []byte("left"), 0o600); err != nil {
			t.Fatal(err)
		}
		first := strings.Split(filepath.ToSlash(strings.TrimPrefix(path, place+"/")), "/")
		_, out, _ := onHome(t, place, "doctor", "--deep")
		if !strings.Contains(out, first[min(len(first)-1, 2)]) && !strings.Contains(out, first[min(len(first)-1, 1)]) {
			t.Errorf("%s is not named:\n%s", stray, out)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}
