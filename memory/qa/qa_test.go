package qa

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var now = []Condition{{"corpus", "f"}, {"model", "m"}}

func openAt(t testing.TB, path string, opts *Options) *Memory {
	t.Helper()
	m, err := Open(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func store(t testing.TB, m *Memory, question, answer string, conditions []Condition) string {
	t.Helper()
	id, err := m.Store(t.Context(), Entry{Question: question, Answer: answer, Conditions: conditions, Payload: json.RawMessage(`{"n":1}`), Confidence: .5})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func lookup(t testing.TB, m *Memory, question string, conditions []Condition) Match {
	t.Helper()
	found, err := m.Lookup(t.Context(), question, conditions)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestForgottenIsOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	m := openAt(t, path, nil)
	id := store(t, m, "Who holds the secret sapphire?", "Nobody knows of the sapphire.", now)
	store(t, m, "Who owns the house?", "x", now)
	if _, err := m.Forget(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal"} {
		data, err := os.ReadFile(name) // after the last use of m: reading it elsewhere ends SQLite's locks
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("sapphire")) {
			t.Errorf("%s still holds what was forgotten", filepath.Base(name))
		}
	}
}

func TestStoreRefuses(t *testing.T) {
	m := openAt(t, filepath.Join(t.TempDir(), "law.db"), nil)
	if _, err := m.Store(t.Context(), Entry{Question: "x", Answer: strings.Repeat("x", maxEntry)}); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("an entry without a bound: %v", err)
	}
	if err := os.Remove(m.path); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Store(t.Context(), Entry{Question: "x"}); err == nil || !strings.Contains(err.Error(), "removed") {
		t.Errorf("the file is gone: %v", err)
	}
	if err := os.WriteFile(m.path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Store(t.Context(), Entry{Question: "x"}); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("the file is another: %v", err)
	}
}

func TestDifferences(t *testing.T) {
	then := []Condition{{"corpus", "f"}, {"model", "m"}, {"skill x", "1"}}
	got := Differences(then, []Condition{{"model", "n"}, {"corpus", "f"}, {"reranker", "r"}})
	want := []Difference{{"model", "m", "n"}, {"reranker", "", "r"}, {"skill x", "1", ""}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Differences(then, then); len(got) != 0 {
		t.Errorf("of equal ones: %v", got)
	}
}

// Whatever is typed, a question is itself, and being the same has no
// direction.
func FuzzShape(f *testing.F) {
	f.Add("What's the deadline?", "What is the deadline?")
	f.Add("'s the of of", "-5,5 −3")
	f.Add("In Ohio, is a handshake binding?", "Who is allowed to enter?")
	f.Add("what rights does have", "is to to")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := shapeOf(a), shapeOf(b)
		if len(x.words) > 0 && !x.same(shapeOf(a)) {
			t.Fatalf("%q is not itself", a)
		}
		if x.same(y) != y.same(x) || x.same(y) && x.hash() != y.hash() {
			t.Fatalf("%q and %q", a, b)
		}
		// Keys do not see the comma that unfront goes by.
		if questionKey(a) == questionKey(b) && len(x.words) > 0 && !x.same(y) && !strings.Contains(a+b, ",") {
			t.Fatalf("%q and %q have one key and two shapes", a, b)
		}
	})
}
