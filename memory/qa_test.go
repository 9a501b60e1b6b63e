package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

type pair struct{ kind, a, b string }

func pairs(t testing.TB) []pair {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "question_pairs.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out []pair
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, " | ")
		if len(parts) != 3 {
			t.Fatalf("bad line %q", line)
		}
		out = append(out, pair{parts[0], parts[1], parts[2]})
	}
	return out
}

// blind is an embedder that takes every question for every other: with it,
// only the guards are left.
func blind(string) []float32 { return []float32{1} }

func newQA(t testing.TB, embed func(string) []float32) *QA {
	t.Helper()
	q, err := OpenQA(filepath.Join(t.TempDir(), "qa", "law.jsonl"), embed)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// asked reports whether b is answered with what was stored for a.
func asked(t testing.TB, embed func(string) []float32, a, b string) bool {
	t.Helper()
	q := newQA(t, embed)
	if err := q.Store(QAEntry{Question: a, Answer: "x", Fingerprint: "f", Pipeline: "p/1"}); err != nil {
		t.Fatal(err)
	}
	_, _, ok, err := q.Lookup(b, "f", "p/1")
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// No pair of different questions is taken for one, not even with an embedder
// that sees no difference; most true paraphrases are found.
func TestQAPairs(t *testing.T) {
	all := pairs(t)
	if len(all) < 150 {
		t.Fatalf("%d pairs", len(all))
	}
	home := t.TempDir()
	mustIngest(t, IngestOptions{Home: home, Corpus: "law", Paths: []string{primer(t, all)}})
	c := verify(t, home, "law")
	defer closeCorpus(t, c)
	total, guards, lsa := 0, 0, 0
	different := 0
	for _, p := range all {
		for _, turn := range []pair{p, {p.kind, p.b, p.a}} {
			withGuards, withLSA := asked(t, blind, turn.a, turn.b), asked(t, c.Embed, turn.a, turn.b)
			switch {
			case p.kind == "typed":
				if !withLSA {
					t.Errorf("typed another way, not found: %q, %q", turn.a, turn.b)
				}
			case p.kind != "same":
				different++
				if withGuards || withLSA {
					t.Errorf("%s: %q answers %q", p.kind, turn.a, turn.b)
				}
			default:
				total++
				guards, lsa = guards+count(withGuards), lsa+count(withLSA)
				if !withGuards {
					t.Logf("paraphrase not found: %q, %q", turn.a, turn.b)
				}
			}
		}
	}
	t.Logf("%d pairs; 0 false hits wanted of %d lookups; paraphrases: %d of %d pass the guards, %d hit with the corpus's embedder", len(all), different, guards, total, lsa)
	if guards*2 < total {
		t.Errorf("only %d of %d paraphrases pass the guards", guards, total)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// primer writes a corpus in the words of the questions, so that the embedder
// learnt from it knows them.
func primer(t testing.TB, all []pair) string {
	t.Helper()
	files := map[string]string{}
	for i, p := range all {
		files[fmt.Sprintf("%s/%03d.md", p.kind, i)] = "# Note\n\nThe note answers this: " + p.a + " It says more of it.\n"
	}
	return tree(t, t.TempDir(), files)
}

func TestQALookup(t *testing.T) {
	q := newQA(t, blind)
	if _, s, ok, err := q.Lookup("Anything?", "f", "p/1"); ok || s != 0 || err != nil {
		t.Errorf("an empty memory: %v %v %v", s, ok, err)
	}
	store := func(question, answer, fingerprint, pipeline string) {
		t.Helper()
		if err := q.Store(QAEntry{Question: question, Answer: answer, Fingerprint: fingerprint, Pipeline: pipeline, Payload: json.RawMessage(`{"n":1}`), Confidence: .5, Corpus: "law"}); err != nil {
			t.Fatal(err)
		}
	}
	store("Is the tenant liable?", "old", "f", "p/1")
	store("Is the tenant liable?", "new", "f", "p/1")
	store("Is the tenant liable?", "other corpus", "g", "p/1")
	store("Is the tenant liable?", "other pipeline", "f", "p/2")
	for _, c := range []struct{ fingerprint, pipeline, want string }{{"f", "p/1", "new"}, {"g", "p/1", "other corpus"}, {"f", "p/2", "other pipeline"}, {"h", "p/1", ""}, {"f", "p/3", ""}} {
		e, s, ok, err := q.Lookup("is the TENANT liable", c.fingerprint, c.pipeline)
		if err != nil || ok != (c.want != "") || e.Answer != c.want || ok && (s != 1 || string(e.Payload) != `{"n":1}` || e.Confidence != .5) {
			t.Errorf("%+v: %+v %v %v %v", c, e, s, ok, err)
		}
	}
	// A near miss comes back as a hint.
	if e, s, ok, _ := q.Lookup("Is the landlord liable?", "f", "p/1"); ok || e.Answer != "new" || s != 1 {
		t.Errorf("hint: %+v %v %v", e, s, ok)
	}
	// A low cosine is no hit, whatever the guards say; no embedder leaves the key.
	apart := func(s string) []float32 {
		return map[bool][]float32{true: {1, 0}, false: {.9, .43589}}[strings.Contains(s, "courts")]
	}
	if asked(t, apart, "What court hears it?", "What courts hear it?") || asked(t, apart, "Can a court hear it?", "Can courts hear it?") {
		t.Error("a cosine of .9 is a hit")
	}
	if asked(t, nil, "What court hears it?", "Which court hears it?") || !asked(t, nil, "What court hears it?", "what court hears it") {
		t.Error("without an embedder")
	}
	if !asked(t, blind, "Can a court hear it?", "Can courts hear it?") {
		t.Error("a cosine of 1 is no hit")
	}
	if asked(t, blind, "the a an", "please the") {
		t.Error("questions without words are one question")
	}
}

func TestQAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "qa", "law.jsonl")
	open := func() *QA {
		t.Helper()
		q, err := OpenQA(path, blind)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	found := func(q *QA, question string) bool {
		t.Helper()
		_, _, ok, err := q.Lookup(question, "f", "p")
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	q, other := open(), open()
	if err := q.Store(QAEntry{Question: "First question here?", Fingerprint: "f", Pipeline: "p"}); err != nil {
		t.Fatal(err)
	}
	if !found(other, "First question here?") {
		t.Error("another process does not see what was stored")
	}
	// Every way a crash can cut the last line: ignored, then overwritten.
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line := `{"question":"Torn question?","fingerprint":"f","pipeline":"p"}`
	for cut := range len(line) + 1 {
		if err := os.WriteFile(path, append(whole[:len(whole):len(whole)], line[:cut]...), 0o644); err != nil {
			t.Fatal(err)
		}
		q := open()
		if found(q, "Torn question?") || !found(q, "First question here?") {
			t.Fatalf("cut at %d", cut)
		}
		if err := q.Store(QAEntry{Question: "Second question here?", Fingerprint: "f", Pipeline: "p"}); err != nil {
			t.Fatal(err)
		}
		if q = open(); !found(q, "First question here?") || !found(q, "Second question here?") {
			t.Fatalf("stored behind a cut at %d", cut)
		}
	}
	// What is torn is removed also where it is longer than what follows.
	if err := os.WriteFile(path, []byte(string(whole)+`{"question":"`+strings.Repeat("torn ", 99)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := open().Store(QAEntry{Question: "Q?", Fingerprint: "f", Pipeline: "p"}); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || strings.Contains(string(data), "torn") {
		t.Errorf("a torn line stays: %q, %v", data, err)
	}
	// A foreign line costs itself.
	data := string(whole) + "not json\n[1]\n{}\n" + line + "\n"
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
	if q = open(); !found(q, "First question here?") || !found(q, "Torn question?") {
		t.Error("a foreign line")
	}
	if err := q.Store(QAEntry{Question: "x", Answer: strings.Repeat("x", qaLine)}); err == nil {
		t.Error("an entry without a bound")
	}
	if _, err := OpenQA(t.TempDir(), nil); err == nil {
		t.Error("a directory is a memory")
	}
	var pathErr *os.PathError
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := (&QA{path: filepath.Join(filepath.Dir(path), "file", "x.jsonl")}).Store(QAEntry{Question: "x"}); !errors.As(err, &pathErr) {
		t.Errorf("no directory: %v", err)
	}
}

// The memory is bounded, and the newest entries are those that stay.
func TestQABound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "law.jsonl")
	var b strings.Builder
	for i := range 2*qaKept - 1 {
		fmt.Fprintf(&b, `{"question":"Question number %d here?","fingerprint":"f","pipeline":"p"}`+"\n", i)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	q, err := OpenQA(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := OpenQA(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Store(QAEntry{Question: "The last one?", Fingerprint: "f", Pipeline: "p"}); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*QA{q, other} {
		_, _, last, err1 := m.Lookup("The last one?", "f", "p")
		_, _, first, err2 := m.Lookup("Question number 0 here?", "f", "p")
		if !last || first || len(m.entries) != qaKept || err1 != nil || err2 != nil {
			t.Errorf("%v %v %d %v %v", last, first, len(m.entries), err1, err2)
		}
	}
}

func TestQAConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "law.jsonl")
	const writers, each = 4, 12
	var wg sync.WaitGroup
	for w := range writers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			q, err := OpenQA(path, blind)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range each {
				if err := q.Store(QAEntry{Question: fmt.Sprintf("Question %d of writer %d?", i, w), Fingerprint: "f", Pipeline: "p"}); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	q, err := OpenQA(path, blind)
	if err != nil || len(q.entries) != writers*each {
		t.Errorf("%d entries, %v", len(q.entries), err)
	}
}

// Whatever is typed, a question is itself, and being the same has no
// direction.
func FuzzShape(f *testing.F) {
	f.Add("What's the deadline?", "What is the deadline?")
	f.Add("'s the of of", "-5,5 −3")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := shapeOf(a), shapeOf(b)
		if len(x.words) > 0 && !x.same(shapeOf(a)) {
			t.Fatalf("%q is not itself", a)
		}
		if x.same(y) != y.same(x) {
			t.Fatalf("%q and %q", a, b)
		}
		if questionKey(a) == questionKey(b) && len(x.words) > 0 && !x.same(y) {
			t.Fatalf("%q and %q have one key and two shapes", a, b)
		}
	})
}
