package postgres_test

import (
	"bytes"
	"fmt"
	"testing"

	"example.com/assay/internal/pgtest"
	"example.com/assay/memory/qa"
	"example.com/assay/memory/qa/postgres"
)

// BenchmarkMemory measures a memory of answers of 3 kB each: storing one, and finding one in
// each of the ways.
func BenchmarkMemory(b *testing.B) {
	const n = 5000
	rows, err := postgres.New(b.Context(), pgtest.Pool(b), "law", &postgres.Options{Schema: pgtest.Schema(b)})
	if err != nil {
		b.Fatal(err)
	}
	m := qa.New(rows, &qa.Options{Embed: func(string) []float32 { return []float32{1} }})
	now := []qa.Condition{{Name: "corpus", Value: "f"}}
	payload := append(append([]byte(`"`), bytes.Repeat([]byte("evidence "), 300)...), '"')
	question := func(i int) string { return fmt.Sprintf("When must the tenant of house %d pay?", i) }
	store := func(i int) {
		if _, err := m.Store(b.Context(), qa.Entry{Question: question(i), Answer: "An answer.", Payload: payload, Conditions: now}); err != nil {
			b.Fatal(err)
		}
	}
	for i := range n {
		store(i)
	}
	b.Run("store", func(b *testing.B) {
		i := n
		for b.Loop() {
			store(i)
			i++
		}
	})
	for kind, ask := range map[qa.Kind]string{qa.Exact: "%s", qa.Near: "Please tell me: %s", qa.Hint: "Never %s"} {
		b.Run(string(kind), func(b *testing.B) {
			i := 0
			for b.Loop() {
				found, err := m.Lookup(b.Context(), fmt.Sprintf(ask, question(i*7919%n)), now)
				if err != nil || found.Kind != kind {
					b.Fatal(found.Kind, err)
				}
				i++
			}
		})
	}
}
