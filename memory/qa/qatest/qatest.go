// Package qatest tests memories of answers on any implementation of their rows.
package qatest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/memory/qa"
)

// Open opens the memory of one place, which the test's end closes. Each call opens it once
// more.
type Open func(t *testing.T, opts *qa.Options) *qa.Memory

// Test runs the suite. Each call of place makes a new place.
func Test(t *testing.T, place func(t *testing.T) Open) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Open)
	}{
		{"Lookup", lookups}, {"Embedder", asksTheEmbedder}, {"Manage", manages}, {"AmbiguousID", ambiguous},
		{"Bound", bounded}, {"OddTexts", oddTexts}, {"Concurrent", concurrent},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, place(t)) })
	}
}

var now = []qa.Condition{{Name: "corpus", Value: "f"}, {Name: "model", Value: "m"}}

func blindly(string) []float32 { return []float32{1} }

// clock advances by a minute with each call.
func clock() func() time.Time {
	t := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	return func() time.Time { t = t.Add(time.Minute); return t }
}

func store(t *testing.T, m *qa.Memory, question, answer string, conditions []qa.Condition) string {
	t.Helper()
	id, err := m.Store(t.Context(), qa.Entry{Question: question, Answer: answer, Conditions: conditions, Payload: json.RawMessage(`{"n":1}`), Confidence: .5})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func lookup(t *testing.T, m *qa.Memory, question string, conditions []qa.Condition) qa.Match {
	t.Helper()
	found, err := m.Lookup(t.Context(), question, conditions)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func lookups(t *testing.T, open Open) {
	m := open(t, &qa.Options{Embed: blindly, Now: clock()})
	if got := lookup(t, m, "Anything?", now); got.Kind != qa.None || got.Entry.ID != "" {
		t.Errorf("an empty memory: %+v", got)
	}
	other := []qa.Condition{{Name: "corpus", Value: "g"}, {Name: "model", Value: "m"}}
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
		conditions []qa.Condition
		kind       qa.Kind
		answer     string
	}{
		{"Is the TENANT  liable", now, qa.Exact, "new"},
		{"Is the tenant liable?", other, qa.Exact, "of another corpus"},
		{"Please tell me whether the tenant is liable.", now, qa.Near, "new"},
		{"Are tenants liable?", other, qa.Near, "of another corpus"},
		{"Is the landlord liable?", now, qa.Hint, "new"},
		{"Is the tenant not liable?", now, qa.Hint, "new"},
		{"Who repairs the tenant's roof?", now, qa.Hint, "the owner"},
		{"What is a lien?", now, qa.None, ""},
		{"Is the tenant liable?", []qa.Condition{{Name: "corpus", Value: "f"}, {Name: "model", Value: "n"}}, qa.None, ""},
		{"Is the tenant liable?", now[:1], qa.None, ""},
		{"Is the tenant liable?", nil, qa.None, ""},
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
func asksTheEmbedder(t *testing.T, open Open) {
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
		want       qa.Kind
	}{
		{"known", "Can a court hear it?", "Can courts hear it?", knows("court courts hear"), qa.Near},
		{"known in canonical words", "Can a court hear it?", "Can courts hear it?", knows("court hear it"), qa.Near},
		{"unknown", "Can a court hear it?", "Can courts hear it?", knows("lease"), qa.None},
		{"apart", "Is the landlord liable?", "Is the tenant liable?", apart, qa.None},
		{"none", "Can a court hear it?", "Can courts hear it?", nil, qa.None},
		{"none, typed otherwise", "Can a court hear it?", "can a court hear it", nil, qa.Exact},
		{"no words", "the a an", "please the", blindly, qa.None},
	} {
		m := open(t, &qa.Options{Embed: c.embed})
		conditions := append([]qa.Condition{{Name: "case", Value: c.name}}, now...)
		store(t, m, c.a, "x", conditions)
		if got := lookup(t, m, c.b, conditions).Kind; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func manages(t *testing.T, open Open) {
	m := open(t, &qa.Options{Embed: blindly, Now: clock()})
	later := []qa.Condition{{Name: "corpus", Value: "g"}, {Name: "model", Value: "m"}}
	var ids []string
	for i := range 6 {
		ids = append(ids, store(t, m, fmt.Sprintf("Who owns house %d?", i), strings.Repeat("x", 20_000), [][]qa.Condition{now, later}[i%2]))
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
	if err != nil || before.Entries != 6 || before.Stale != 3 || before.Served != 2 || !before.Oldest.Before(before.Newest) || before.Bytes < 6*20 {
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
		if _, err := m.Get(t.Context(), id); !errors.As(err, new(*qa.UnknownError)) {
			t.Errorf("get %q: %v", id, err)
		}
	}
	forgets(t, m, ids, later)
}

// forgets continues with six entries.
func forgets(t *testing.T, m *qa.Memory, ids []string, later []qa.Condition) {
	// All or none.
	if _, err := m.Forget(t.Context(), ids[4], "nobody"); !errors.As(err, new(*qa.UnknownError)) {
		t.Errorf("forgetting an unknown one: %v", err)
	}
	if got := lookup(t, m, "Who owns house 4?", now).Kind; got != qa.Exact {
		t.Errorf("after a failure house 4 is %q", got)
	}
	if gone, err := m.Forget(t.Context(), ids[4], ids[4]); err != nil || len(gone) != 2 || gone[0].Answer != "" {
		t.Errorf("forget: %v, %v", gone, err)
	}
	if got := lookup(t, m, "Who owns house 4?", now).Kind; got != qa.Hint {
		t.Errorf("house 4 was forgotten, and is %q", got)
	}
	if gone, err := m.ForgetStale(t.Context(), now); err != nil || len(gone) != 3 {
		t.Errorf("stale: %v, %v", gone, err)
	}
	if got := lookup(t, m, "Who owns house 3?", later).Kind; got != qa.None {
		t.Errorf("house 3 is of other conditions, and is %q", got)
	}
	if gone, err := m.ForgetAll(t.Context()); err != nil || len(gone) != 2 {
		t.Errorf("all: %v, %v", gone, err)
	}
	after, err := m.Stats(t.Context(), now)
	if err != nil || after.Entries != 0 || after.Bytes > 64<<10 {
		t.Errorf("stats afterwards: %+v, %v", after, err)
	}
}

// Two ids that begin alike are named.
func ambiguous(t *testing.T, open Open) {
	m := open(t, nil)
	seen := map[byte]bool{}
	for i := range 17 { // at most 16 first digits
		seen[store(t, m, fmt.Sprintf("Who owns house %d?", i), "x", now)[0]] = true
	}
	for digit := range seen {
		_, err := m.Get(t.Context(), string(digit))
		if unknown, ok := errors.AsType[*qa.UnknownError](err); ok {
			if len(unknown.Begin) < 2 || !slices.IsSorted(unknown.Begin) {
				t.Errorf("%q: %v", digit, err)
			}
			return
		}
	}
	t.Error("no beginning is shared")
}

// The memory is bounded, and the newest entries are those that stay.
func bounded(t *testing.T, open Open) {
	m := open(t, &qa.Options{Keep: 100})
	for i := range 104 {
		store(t, m, fmt.Sprintf("Question number %d here?", i), "x", now)
	}
	store(t, m, "Question number 103 here?", "y", now) // replaces the entry instead of adding one
	list, err := m.List(t.Context(), 0)
	if err != nil || len(list) > 100 || len(list) < 98 {
		t.Fatalf("%d entries, %v", len(list), err)
	}
	for i, want := range map[int]qa.Kind{0: qa.None, 103: qa.Exact, 50: qa.Exact} {
		if got := lookup(t, m, fmt.Sprintf("Question number %d here?", i), now).Kind; got != want {
			t.Errorf("question %d: %q, want %q", i, got, want)
		}
	}
}

// Texts are stored to the byte, whatever bytes they contain.
func oddTexts(t *testing.T, open Open) {
	m := open(t, &qa.Options{Embed: blindly})
	for _, text := range []string{"a zero\x00byte?", "broken \xff\xfe UTF-8?", "quotes ' \" \\ and $1?", "ü 漢字 🎈?"} {
		id, err := m.Store(t.Context(), qa.Entry{Question: text, Answer: text + "!", Payload: json.RawMessage(`"` + "\x00" + `"`), Conditions: []qa.Condition{{Name: text, Value: text}}})
		if err != nil {
			t.Fatal(err)
		}
		if e, err := m.Get(t.Context(), id); err != nil || e.Question != text || e.Answer != text+"!" || string(e.Payload) != "\"\x00\"" {
			t.Errorf("%q: %+v, %v", text, e, err)
		}
		if got := lookup(t, m, text, []qa.Condition{{Name: text, Value: text}}); got.Kind != qa.Exact {
			t.Errorf("%q is %q", text, got.Kind)
		}
	}
	none, err := m.Store(t.Context(), qa.Entry{})
	if err != nil {
		t.Fatal(err)
	}
	if e, err := m.Get(t.Context(), none); err != nil || e.Question != "" || e.Payload != nil || !e.LastServed.IsZero() {
		t.Errorf("an empty entry: %+v, %v", e, err)
	}
}

// Several openings write and read concurrently, as several processes do.
func concurrent(t *testing.T, open Open) {
	const writers, each = 4, 8
	var wg sync.WaitGroup
	for w := range writers {
		m := open(t, &qa.Options{Embed: blindly})
		wg.Go(func() {
			for i := range each {
				question := fmt.Sprintf("Question %d of writer %d?", i, w)
				if _, err := m.Store(t.Context(), qa.Entry{Question: question, Conditions: now}); err != nil {
					t.Error(err)
				}
				if found, err := m.Lookup(t.Context(), question, now); err != nil || found.Kind != qa.Exact {
					t.Errorf("%q: %q, %v", question, found.Kind, err)
				}
			}
		})
	}
	wg.Wait()
	if list, err := open(t, nil).List(t.Context(), 0); err != nil || len(list) != writers*each {
		t.Errorf("%d entries, %v", len(list), err)
	}
}
