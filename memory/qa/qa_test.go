package qa

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var now = []Condition{{"corpus", "f"}, {"model", "m"}}

func blindly(string) []float32 { return []float32{1} }

// at is a clock that goes on by a minute with each look at it.
func at() func() time.Time {
	t := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	return func() time.Time { t = t.Add(time.Minute); return t }
}

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

func newMemory(t testing.TB) *Memory {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "qa", "law.db"), &Options{Embed: blindly, Now: at()})
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

func TestLookup(t *testing.T) {
	m := newMemory(t)
	if got := lookup(t, m, "Anything?", now); got.Kind != None || got.Entry.ID != "" {
		t.Errorf("an empty memory: %+v", got)
	}
	other := []Condition{{"corpus", "g"}, {"model", "m"}}
	old := store(t, m, "Is the tenant liable?", "old", now)
	id := store(t, m, "is the tenant liable", "new", now)
	if old != id {
		t.Errorf("one question has the ids %s and %s", old, id)
	}
	if again := store(t, m, "Is the tenant liable?", "of another corpus", other); again == id {
		t.Error("under other conditions the id is the same")
	}
	store(t, m, "Who repairs the roof?", "the owner", now)
	for _, c := range []struct {
		question   string
		conditions []Condition
		kind       Kind
		answer     string
	}{
		{"Is the TENANT  liable", now, Exact, "new"},
		{"Is the tenant liable?", other, Exact, "of another corpus"},
		{"Please tell me whether the tenant is liable.", now, Near, "new"},
		{"Are tenants liable?", other, Near, "of another corpus"},
		{"Is the landlord liable?", now, Hint, "new"},
		{"Is the tenant not liable?", now, Hint, "new"},
		{"Who repairs the tenant's roof?", now, Hint, "the owner"},
		{"What is a lien?", now, None, ""},
		{"Is the tenant liable?", []Condition{{"corpus", "f"}, {"model", "n"}}, None, ""},
		{"Is the tenant liable?", now[:1], None, ""},
		{"Is the tenant liable?", nil, None, ""},
	} {
		got := lookup(t, m, c.question, c.conditions)
		if got.Kind != c.kind || got.Entry.Answer != c.answer {
			t.Errorf("%q under %v: %q with %q, want %q with %q", c.question, c.conditions, got.Kind, got.Entry.Answer, c.kind, c.answer)
		}
		if got.Kind.Hit() && (string(got.Entry.Payload) != `{"n":1}` || got.Entry.Confidence != .5 || !slices.Equal(got.Entry.Conditions, c.conditions)) {
			t.Errorf("%q: %+v", c.question, got.Entry)
		}
	}
}

// What the embedder says decides too; without one only the letter does.
func TestLookupAsksTheEmbedder(t *testing.T) {
	knows := func(words string) func(string) []float32 {
		return func(s string) []float32 {
			for _, w := range strings.Fields(s) {
				if !strings.Contains(words, w) {
					return []float32{0, 0}
				}
			}
			return []float32{1, 0}
		}
	}
	apart := func(s string) []float32 { // a cosine of .7
		return map[bool][]float32{true: {1, 0}, false: {.7, .714143}}[strings.Contains(s, "landlord")]
	}
	for _, c := range []struct {
		name, a, b string
		embed      func(string) []float32
		want       Kind
	}{
		{"known", "Can a court hear it?", "Can courts hear it?", knows("court courts hear"), Near},
		{"known in canonical words", "Can a court hear it?", "Can courts hear it?", knows("court hear it"), Near},
		{"unknown", "Can a court hear it?", "Can courts hear it?", knows("lease"), None},
		{"apart", "Is the landlord liable?", "Is the tenant liable?", apart, None},
		{"none", "Can a court hear it?", "Can courts hear it?", nil, None},
		{"none, typed otherwise", "Can a court hear it?", "can a court hear it", nil, Exact},
		{"no words", "the a an", "please the", blindly, None},
	} {
		m := openAt(t, filepath.Join(t.TempDir(), "x.db"), &Options{Embed: c.embed})
		store(t, m, c.a, "x", now)
		if got := lookup(t, m, c.b, now).Kind; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestManage(t *testing.T) {
	m := newMemory(t)
	later := []Condition{{"corpus", "g"}, {"model", "m"}}
	var ids []string
	for i := range 6 {
		ids = append(ids, store(t, m, fmt.Sprintf("Who owns house %d?", i), strings.Repeat("x", 20_000), [][]Condition{now, later}[i%2]))
	}
	for range 2 {
		if err := m.MarkServed(t.Context(), ids[3]); err != nil {
			t.Fatal(err)
		}
	}
	list, err := m.List(t.Context(), 3)
	if err != nil || len(list) != 3 || list[0].ID != ids[5] || list[2].Served != 2 || list[2].LastServed.IsZero() || list[0].Answer != "" {
		t.Errorf("list: %+v, %v", list, err)
	}
	before, err := m.Stats(t.Context(), now)
	if err != nil || before.Entries != 6 || before.Stale != 3 || before.Served != 2 || !before.Oldest.Before(before.Newest) || before.Bytes < 120_000 {
		t.Errorf("stats: %+v, %v", before, err)
	}
	if e, err := m.Get(t.Context(), ids[4]); err != nil || e.Question != "Who owns house 4?" || len(e.Answer) != 20_000 {
		t.Errorf("get: %+v, %v", e, err)
	}
	short := ids[4]
	for len(short) > 1 && !slices.ContainsFunc(ids, func(id string) bool { return id != ids[4] && strings.HasPrefix(id, short[:len(short)-1]) }) {
		short = short[:len(short)-1]
	}
	if e, err := m.Get(t.Context(), short); err != nil || e.ID != ids[4] {
		t.Errorf("get %q: %v, %v", short, e.ID, err)
	}
	for _, id := range []string{"", "zz", ids[4] + "0", strings.Repeat("0", 16), "%"} {
		if _, err := m.Get(t.Context(), id); !errors.As(err, new(*UnknownError)) {
			t.Errorf("get %q: %v", id, err)
		}
	}
	// All or none.
	if _, err := m.Forget(t.Context(), ids[4], "nobody"); !errors.As(err, new(*UnknownError)) {
		t.Errorf("forgetting an unknown one: %v", err)
	}
	if got := lookup(t, m, "Who owns house 4?", now).Kind; got != Exact {
		t.Errorf("after a failure house 4 is %q", got)
	}
	if gone, err := m.Forget(t.Context(), ids[4], ids[4]); err != nil || len(gone) != 2 || gone[0].Answer != "" {
		t.Errorf("forget: %v, %v", gone, err)
	}
	if got := lookup(t, m, "Who owns house 4?", now).Kind; got != Hint {
		t.Errorf("house 4 was forgotten, and is %q", got)
	}
	if gone, err := m.ForgetStale(t.Context(), now); err != nil || len(gone) != 3 {
		t.Errorf("stale: %v, %v", gone, err)
	}
	if got := lookup(t, m, "Who owns house 3?", later).Kind; got != None {
		t.Errorf("house 3 is of other conditions, and is %q", got)
	}
	if gone, err := m.ForgetAll(t.Context()); err != nil || len(gone) != 2 {
		t.Errorf("all: %v, %v", gone, err)
	}
	after, err := m.Stats(t.Context(), now)
	if err != nil || after.Entries != 0 || after.Bytes > 64<<10 {
		t.Errorf("stats afterwards: %+v, were %+v, %v", after, before, err)
	}
	for _, table := range []string{"entries", "answers", "words", "scopes"} {
		var n int
		if err := m.db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s holds %d rows, %v", table, n, err)
		}
	}
	if err := m.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// Two ids that begin alike are named.
func TestAmbiguousID(t *testing.T) {
	m := newMemory(t)
	seen := map[byte]bool{}
	for i := range 17 { // at most 16 first digits
		seen[store(t, m, fmt.Sprintf("Who owns house %d?", i), "x", now)[0]] = true
	}
	for digit := range seen {
		_, err := m.Get(t.Context(), string(digit))
		if unknown, ok := errors.AsType[*UnknownError](err); ok {
			if len(unknown.Begin) < 2 || !strings.Contains(err.Error(), unknown.Begin[1]) {
				t.Errorf("%q: %v", digit, err)
			}
			return
		}
	}
	t.Error("no beginning is shared")
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

// The memory is bounded, and the newest entries are those that stay.
func TestBound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	m := openAt(t, path, &Options{Keep: 100})
	for i := range 104 {
		store(t, m, fmt.Sprintf("Question number %d here?", i), "x", now)
	}
	store(t, m, "Question number 103 here?", "y", now) // replaces, and is no further entry
	list, err := m.List(t.Context(), 0)
	if err != nil || len(list) > 100 || len(list) < 98 {
		t.Fatalf("%d entries, %v", len(list), err)
	}
	for i, want := range map[int]Kind{0: None, 103: Exact, 50: Exact} {
		if got := lookup(t, m, fmt.Sprintf("Question number %d here?", i), now).Kind; got != want {
			t.Errorf("question %d: %q, want %q", i, got, want)
		}
	}
	var orphans int
	if err := m.db.QueryRow("SELECT (SELECT count(*) FROM answers WHERE seq NOT IN (SELECT seq FROM entries)) + (SELECT count(*) FROM words WHERE seq NOT IN (SELECT seq FROM entries))").Scan(&orphans); err != nil || orphans != 0 {
		t.Errorf("%d rows of entries that are gone, %v", orphans, err)
	}
}

func TestStoreRefuses(t *testing.T) {
	m := newMemory(t)
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
