package offline

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/assay/decide/claim/support"
	"example.com/assay/llm"
	"example.com/assay/skills"
)

// pages makes evidence of n sentences of about twenty words.
func pages(n int) []skills.Source {
	words := strings.Fields("harbour quay lantern pilot mooring winter tide bell fog crew permit office berth ketch vessel insurer master lease tenant cargo salvage anchor beacon channel dredger ferry gangway hull inspector jetty keel launch")
	var out []skills.Source
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "In %d the", 1900+i%120)
		for k := range 16 {
			b.WriteByte(' ')
			b.WriteString(words[(i*7+k*k+k*i)%len(words)])
		}
		fmt.Fprintf(&b, " of Port %s paid %d crowns. ", strings.ToUpper(words[i%len(words)][:1])+words[i%len(words)][1:], i*13)
		if i%10 == 9 {
			out = append(out, skills.Source{N: len(out) + 1, Title: "Harbour records", Text: b.String()})
			b.Reset()
		}
	}
	return out
}

const benchClaim = "In 1931 the harbour office of Port Lantern, which kept the pilot and the ferry, paid 403 crowns for a new beacon."

// One claim against a hundred sentences, from the request to the answer.
func BenchmarkJudgeClaim(b *testing.B) {
	vars, err := json.Marshal(skills.JudgeInput{Claim: benchClaim, Sources: pages(100)})
	if err != nil {
		b.Fatal(err)
	}
	m := New(nil)
	for b.Loop() {
		if _, err := m.Generate(b.Context(), llm.Request{Skill: skills.JudgeClaim, Origin: llm.Origin{Vars: vars}}); err != nil {
			b.Fatal(err)
		}
	}
}

// The same claim when the evidence is split already.
func BenchmarkJudgePrepared(b *testing.B) {
	m, err := support.Default()
	if err != nil {
		b.Fatal(err)
	}
	var sources []support.Source
	for _, s := range pages(100) {
		sources = append(sources, support.Source{Title: s.Title, Text: s.Text})
	}
	e := m.PrepareSources(sources)
	for b.Loop() {
		e.Judge(benchClaim)
	}
}

func BenchmarkPrepare(b *testing.B) {
	m, err := support.Default()
	if err != nil {
		b.Fatal(err)
	}
	var sources []support.Source
	for _, s := range pages(100) {
		sources = append(sources, support.Source{Title: s.Title, Text: s.Text})
	}
	for b.Loop() {
		m.PrepareSources(sources)
	}
}
