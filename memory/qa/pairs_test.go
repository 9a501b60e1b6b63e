package qa_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory"
	"example.com/assay/memory/qa"
)

// A pair is two questions, and whether they are one ("same", "typed") or what
// tells them apart.
type pair struct {
	kind, a, b string
	held       bool // it was not looked at while the rules were made
}

func (p pair) same() bool { return p.kind == "same" || p.kind == "typed" }

// pairs reads the pairs of a file. Of each kind every third is held back when
// the file is the fresh one.
func pairs(t testing.TB, name string) []pair {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []pair
	seen := map[string]int{}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, " | ")
		if len(parts) != 3 {
			t.Fatalf("bad line %q", line)
		}
		seen[parts[0]]++
		out = append(out, pair{parts[0], parts[1], parts[2], name == "fresh_pairs.txt" && seen[parts[0]]%3 == 0})
	}
	return out
}

// blind is an embedder that takes every question for every other: with it,
// only the guards are left.
func blind(string) []float32 { return []float32{1} }

// corpusOf ingests a corpus in the words of the questions, so that the embedder
// learnt from it knows them.
func corpusOf(t testing.TB, all []pair) *memory.Corpus {
	t.Helper()
	home, docs := t.TempDir(), t.TempDir()
	for i, p := range all {
		text := "# Note\n\nThe note answers this: " + p.a + " It says more of it.\n"
		if err := os.WriteFile(filepath.Join(docs, fmt.Sprintf("%03d.md", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: "law", Paths: []string{docs}}); err != nil {
		t.Fatal(err)
	}
	c, err := memory.Open(home, "law")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// A tally counts look-ups, and hits with the guards alone and with the
// corpus's embedder.
type tally struct{ asked, guards, hits int }

// No pair of different questions is taken for one, not even with an embedder
// that sees no difference; most of the true paraphrases are found.
func TestQAPairs(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	first := pairs(t, "question_pairs.txt")
	all := slices.Concat(first, pairs(t, "fresh_pairs.txt"))
	if len(all) < 300 {
		t.Fatalf("%d pairs", len(all))
	}
	c := corpusOf(t, all)
	hits := map[string][]bool{}
	for name, embed := range map[string]func(string) []float32{"guards": blind, "embedder": c.Embed} {
		hits[name] = lookups(t, embed, all)
	}
	var kinds []string
	old, open, held := map[string]*tally{}, map[string]*tally{}, map[string]*tally{}
	for i, p := range all {
		if !slices.Contains(kinds, p.kind) {
			kinds = append(kinds, p.kind)
			old[p.kind], open[p.kind], held[p.kind] = &tally{}, &tally{}, &tally{}
		}
		part := old
		if p.held {
			part = held
		} else if i >= len(first) {
			part = open
		}
		for d := range 2 {
			guards, hit := hits["guards"][2*i+d], hits["embedder"][2*i+d]
			n := part[p.kind]
			n.asked++
			n.guards += count(guards)
			n.hits += count(hit)
			switch {
			case !p.same() && (guards || hit):
				t.Errorf("%s: a false hit: %q and %q", p.kind, p.a, p.b)
			case p.kind == "typed" && !hit:
				t.Errorf("typed another way, not found: %q, %q", p.a, p.b)
			case p.kind == "same" && !guards && !p.held && d == 0:
				t.Logf("paraphrase not found: %q, %q", p.a, p.b)
			}
		}
	}
	t.Logf("look-ups, of them passing the guards, of them hits with the corpus's embedder")
	for _, kind := range kinds {
		t.Logf("%-10s  first pairs %v  fresh pairs %v  held back %v", kind, *old[kind], *open[kind], *held[kind])
	}
	// What was reached is kept; of what is held back nothing is asked.
	for _, part := range []struct {
		name string
		of   *tally
		want int
	}{{"first", old["same"], 50}, {"fresh", open["same"], 68}} {
		if part.of.guards < part.want || part.of.hits < part.want {
			t.Errorf("%s pairs: %d of %d paraphrases pass the guards and %d hit, want %d", part.name, part.of.guards, part.of.asked, part.of.hits, part.want)
		}
	}
}

// lookups says for each pair, in both directions, whether the second question
// is answered with what was stored for the first.
func lookups(t *testing.T, embed func(string) []float32, all []pair) []bool {
	t.Helper()
	m, err := qa.Open(t.Context(), filepath.Join(t.TempDir(), "law.db"), &qa.Options{Embed: embed})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}()
	var out []bool
	for i, p := range all {
		for d, turn := range []pair{p, {a: p.b, b: p.a}} {
			only := []qa.Condition{{Name: "pair", Value: fmt.Sprint(i, d)}}
			if _, err := m.Store(t.Context(), qa.Entry{Question: turn.a, Answer: "x", Conditions: only}); err != nil {
				t.Fatal(err)
			}
			found, err := m.Lookup(t.Context(), turn.b, only)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, found.Kind.Hit())
		}
	}
	return out
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
