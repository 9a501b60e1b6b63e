package eval_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/assay/eval/jsonl"
	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A relevanceCase is an answered question with its figures, and whether the answer
// holds what was asked.
type relevanceCase struct {
	retrieved, shown float64
	right            bool
}

// TestMeasureRelevance asks questions with known answers over the manuals below
// ASSAY_MANUALS (folders pg and deb, questions.jsonl), and prints how often an answer
// holds what was asked where the curve of relevance says so. The curve was fitted to
// other questions: docs/measurements.md.
func TestMeasureRelevance(t *testing.T) {
	dir := os.Getenv("ASSAY_MANUALS")
	if dir == "" {
		t.Skip("ASSAY_MANUALS names no folder with manuals and questions")
	}
	cases := askManuals(t, dir)
	shown := func(c relevanceCase) float64 { return c.shown }
	retrieved := func(c relevanceCase) float64 { return c.retrieved }
	t.Logf("%d answers, %d right", len(cases), rightOf(cases))
	t.Logf("relevance: ECE %.3f\n%s", calibrationError(cases, shown), reliability(cases, shown))
	t.Logf("the retrieval's own confidence: ECE %.3f\n%s", calibrationError(cases, retrieved), reliability(cases, retrieved))
	if e := calibrationError(cases, shown); e > .25 {
		t.Errorf("the shipped curve is %.3f from what was measured", e)
	}
}

func askManuals(t *testing.T, dir string) []relevanceCase {
	t.Helper()
	type question struct {
		Corpus, Question string
		Answerable       bool
		Gold, Gold2      []string
	}
	var questions []question
	err := jsonl.EachLine(context.Background(), filepath.Join(dir, "questions.jsonl"), nil, func(_ int, line []byte) error {
		var q question
		err := json.Unmarshal(line, &q)
		questions = append(questions, q)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	var out []relevanceCase
	for _, name := range []string{"pg", "deb"} {
		if _, err := memory.Ingest(context.Background(), memory.IngestOptions{Home: home, Corpus: name, Paths: []string{filepath.Join(dir, name)}}); err != nil {
			t.Fatal(err)
		}
		corpus, err := memory.Open(home, name)
		if err != nil {
			t.Fatal(err)
		}
		defer corpus.Close()
		p, err := research.New(research.Deps{Model: offline.New(nil), Skills: set, Corpus: corpus}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range questions {
			if q.Corpus != name {
				continue
			}
			final, err := p.Run(context.Background(), q.Question, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := research.Result(final, nil, corpus)
			if got.Status != state.StatusAnswered {
				continue
			}
			body, _, _ := strings.Cut(got.Answer, "\n## Sources")
			c := relevanceCase{retrieved: got.Relevance.Retrieved, shown: got.Relevance.Confidence}
			c.right = q.Answerable && holdsOne(body, q.Gold) && (q.Gold2 == nil || holdsOne(body, q.Gold2))
			out = append(out, c)
		}
	}
	return out
}

var manualMarks = strings.NewReplacer("“", `"`, "”", `"`, "’", "'", "‘", "'", "`", "", "\u00a0", " ", "—", "-", `\`, "")

func plainManual(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(manualMarks.Replace(s)), " "))
}

func holdsOne(text string, golds []string) bool {
	text = plainManual(text)
	return slices.ContainsFunc(golds, func(g string) bool {
		g = plainManual(g)
		return regexp.MustCompile(`(?:^|[^a-z0-9])` + regexp.QuoteMeta(g) + `(?:$|[^a-z0-9])`).MatchString(text)
	})
}

func rightOf(cases []relevanceCase) int {
	n := 0
	for _, c := range cases {
		if c.right {
			n++
		}
	}
	return n
}

// reliability is how often answers held what was asked, by the figure in fifths.
func reliability(cases []relevanceCase, figure func(relevanceCase) float64) string {
	var b strings.Builder
	for _, bin := range fifths(cases, figure) {
		mean := 0.0
		for _, c := range bin {
			mean += figure(c) / float64(len(bin))
		}
		fmt.Fprintf(&b, "%.2f–%.2f  n %2d  figure %.2f  right %.2f\n", figure(bin[0]), figure(bin[len(bin)-1]), len(bin), mean, float64(rightOf(bin))/float64(len(bin)))
	}
	return b.String()
}

func calibrationError(cases []relevanceCase, figure func(relevanceCase) float64) float64 {
	sum := 0.0
	for _, bin := range fifths(cases, figure) {
		mean := 0.0
		for _, c := range bin {
			mean += figure(c) / float64(len(bin))
		}
		sum += math.Abs(mean-float64(rightOf(bin))/float64(len(bin))) * float64(len(bin)) / float64(len(cases))
	}
	return sum
}

func fifths(cases []relevanceCase, figure func(relevanceCase) float64) [][]relevanceCase {
	list := slices.Clone(cases)
	slices.SortStableFunc(list, func(a, b relevanceCase) int {
		switch x, y := figure(a), figure(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	var out [][]relevanceCase
	for i := range 5 {
		if from, to := i*len(list)/5, (i+1)*len(list)/5; from < to {
			out = append(out, list[from:to])
		}
	}
	return out
}
