package qa_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"example.com/assay/memory/qa"
)

var benchConditions = []qa.Condition{{Name: "corpus", Value: "f"}, {Name: "model", Value: "offline"}}

// A town has people who do things to each other: questions of few words that
// many questions have, as those on one corpus do.
var (
	who   = []string{"landlord", "tenant", "buyer", "seller", "agent", "trustee", "surety", "clerk", "witness", "director", "partner", "guardian"}
	does  = []string{"notify", "pay", "sue", "dismiss", "indemnify", "audit", "represent", "warn", "release", "insure", "evict", "appoint"}
	whom  = []string{"insurer", "creditor", "bank", "council", "heir", "lessee", "carrier", "minor", "board", "court", "broker", "lodger"}
	lead  = []string{"When must", "Why may", "How does", "Can", "When can", "Must"}
	where = []string{"roof", "cellar", "bridge", "harbour", "orchard", "archive", "kitchen", "vault", "stable", "tower", "garden", "mill"}
)

// question returns question i of a town, all of them different.
func question(i int) string {
	pick := func(list []string) string {
		word := list[i%len(list)]
		i /= len(list)
		return word
	}
	l, a, d, b, p := pick(lead), pick(who), pick(does), pick(whom), pick(where)
	return fmt.Sprintf("%s the %s %s the %s of the %s in year %d?", l, a, d, b, p, 1900+i)
}

// town makes a memory of n answers of 3 kB each.
func town(t testing.TB, n int, embed func(string) []float32) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "town.db")
	m, err := qa.Open(t.Context(), path, &qa.Options{Embed: embed})
	if err != nil {
		t.Fatal(err)
	}
	payload := append(append([]byte(`"`), bytes.Repeat([]byte("evidence "), 300)...), '"')
	if err := m.StoreAll(t.Context(), n, func(i int) qa.Entry {
		return qa.Entry{Question: question(i), Answer: "An answer.", Payload: payload, Conditions: benchConditions}
	}); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// kinds are the ways in which a question can be met, worst last.
var kinds = []struct {
	name string
	ask  func(i int) string
	want qa.Kind
}{
	{"exact", question, qa.Exact},
	{"near", func(i int) string { return "Please tell me: " + question(i) }, qa.Near},
	{"hint", func(i int) string { return "Never " + question(i) }, qa.Hint},
	{"none", func(i int) string { return fmt.Sprintf("Which zebra sleeps under cloud %d?", i) }, qa.None},
}

// BenchmarkLookup is a look-up among 100,000 answers.
func BenchmarkLookup(b *testing.B) {
	const n = 100_000
	embed := corpusOf(b, pairs(b, "question_pairs.txt")).Embed
	path := town(b, n, embed)
	m, err := qa.Open(b.Context(), path, &qa.Options{Embed: embed})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			rnd := rand.New(rand.NewPCG(1, 2))
			for b.Loop() {
				if _, err := m.Lookup(b.Context(), k.ask(rnd.IntN(n)), benchConditions); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("store", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, err := m.Store(b.Context(), qa.Entry{Question: question(n + i), Answer: "x", Conditions: benchConditions}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			m, err := qa.Open(b.Context(), path, nil)
			if err != nil {
				b.Fatal(err)
			}
			if err := m.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d answers: %.0f MB on disk, %d bytes each", n, float64(info.Size())/1e6, info.Size()/n)
}

// A look-up costs the same among many answers as among few, and takes no
// memory for them.
func TestLookupDoesNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	const few, many = 500, 10_000
	paths := map[int]string{few: town(t, few, blind), many: town(t, many, blind)}
	median := func(n int, ask func(int) string, want qa.Kind) (time.Duration, uint64) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		m, err := qa.Open(t.Context(), paths[n], &qa.Options{Embed: blind})
		if err != nil {
			t.Fatal(err)
		}
		var all []time.Duration
		for i := range 60 {
			q := ask(i * few / 60)
			start := time.Now()
			found, err := m.Lookup(t.Context(), q, benchConditions)
			if all = append(all, time.Since(start)); err != nil || found.Kind != want {
				t.Fatalf("%q: %q, %v, want %q", q, found.Kind, err, want)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		slices.Sort(all)
		return all[len(all)/2], after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc)
	}
	for _, k := range kinds[:3] {
		small, _ := median(few, k.ask, k.want)
		large, heap := median(many, k.ask, k.want)
		t.Logf("%s: %v among %d, %v among %d, heap grew by %d kB", k.name, small, few, large, many, heap>>10)
		if large > 4*small+10*time.Millisecond || heap > 8<<20 {
			t.Errorf("%s: %v among %d answers, %v among %d, and %d bytes of heap", k.name, small, few, large, many, heap)
		}
	}
}
