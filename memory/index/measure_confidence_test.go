package index

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"example.com/assay/state"
)

// askedQuestions are the question sets by name. Each is cut to at most 700
// questions, evenly.
func askedQuestions(t testing.TB) map[string][]string {
	t.Helper()
	sets := map[string][]string{
		"law": lawQuestions, "other": otherQuestions, "unheard law": unheardLaw, "vague law": vagueLaw,
		"unheard finance": unheardFinance, "vague finance": vagueFinance, "barge": bargeQuestions, "strange": strangeQuestions,
	}
	for set, name := range map[string]string{
		"obliqa": "obliqa/questions.jsonl", "scifact": "scifact/claims.jsonl",
		"morehopqa": "morehopqa/questions.jsonl", "legalbench": "legalbench_rag/queries.jsonl", "barexam": "barexam_qa/questions.jsonl",
	} {
		var list []string
		for _, q := range readLines[struct {
			Question, Claim, Query string
			Hops                   string `json:"previous_question"` // without the arithmetic that follows it
		}](t, name) {
			list = append(list, firstOf(q.Hops, q.Question, q.Claim, q.Query))
		}
		step := len(list)/700 + 1
		for i := 0; i < len(list); i += step {
			sets[set] = append(sets[set], list[i])
		}
	}
	return sets
}

// firstOf returns the first that is not empty.
func firstOf(list ...string) string {
	return list[slices.IndexFunc(list, func(s string) bool { return s != "" })]
}

// firstHalf says which half of a set a question belongs to: the one to tune
// on, or the one to look at when that is done.
func firstHalf(q string) bool {
	h := fnv.New32a()
	h.Write([]byte(q))
	return h.Sum32()%2 == 0
}

// TestMeasureConfidence asks each corpus the questions that were written for
// it and those of other corpora.
func TestMeasureConfidence(t *testing.T) {
	sets := askedQuestions(t)
	byID := func(r record) string { return r.ID }
	legalbench := func() (out []state.Passage) {
		for _, r := range readLines[record](t, "legalbench_rag/corpus.jsonl.gz") {
			out = append(out, chunks(r.ID, []rune(r.Text))...)
		}
		return out
	}
	for _, c := range []struct {
		name      string
		passages  []state.Passage
		own       string   // the set that the corpus answers
		accepted  float64  // least share of it at .70 or more
		refused   float64  // and most below .35
		others    []string // sets that it does not answer
		unsettled []string // sets that are printed only
	}{
		{"primer", lawPrimer(t), "law", .85, .10, []string{"other", "unheard law", "obliqa", "scifact", "morehopqa", "barge"}, []string{"vague law", "legalbench", "barexam"}},
		{"barge", kiteBarge(t), "barge", .85, .06, []string{"strange", "law", "obliqa"}, nil},
		{"obliqa", passagesOf(readLines[record](t, "obliqa/corpus.jsonl.gz"), func(r record) string { return fmt.Sprint(r.DocID) }),
			"obliqa", .80, .06, []string{"scifact", "morehopqa", "law", "barge", "barexam"}, []string{"unheard finance", "vague finance", "legalbench"}},
		{"scifact", passagesOf(readLines[record](t, "scifact/corpus.jsonl.gz"), byID),
			"scifact", .72, .10, []string{"obliqa", "morehopqa", "law", "legalbench", "barexam"}, nil},
		{"morehopqa", passagesOf(readLines[record](t, "morehopqa/corpus.jsonl.gz"), byID),
			"morehopqa", .85, .06, []string{"obliqa", "scifact", "law"}, nil},
		{"legalbench", legalbench(), "", 0, 0, []string{"obliqa", "scifact", "morehopqa"}, []string{"legalbench"}},
	} {
		x := buildMeasured(t, c.passages)
		all := spread{}
		for half, name := range []string{"first half ", "second half"} {
			ask := func(set, kind string) spread {
				s := spreadOf(t, x, slices.DeleteFunc(slices.Clone(sets[set]), func(q string) bool { return firstHalf(q) == (half == 1) }))
				t.Logf("%s %-10s asked %-15s (%s): %v", name, c.name, set, kind, s)
				return s
			}
			if c.own != "" {
				if s := ask(c.own, "answered"); s.accepted < c.accepted || s.empty > c.refused {
					t.Errorf("%s asked %s: %v; want %.0f %% at .70 and at most %.0f %% below .35", c.name, c.own, s, 100*c.accepted, 100*c.refused)
				}
			}
			for _, set := range c.others {
				s := ask(set, "not answered")
				all.n++
				all.mean, all.accepted, all.empty = all.mean+s.mean, all.accepted+s.accepted, all.empty+s.empty
			}
			for _, set := range c.unsettled {
				ask(set, strings.Fields(set)[0])
			}
		}
		all.mean, all.accepted, all.empty = all.mean/all.n, all.accepted/all.n, all.empty/all.n
		t.Logf("%s asked what it does not answer, mean of the sets' halves: %v", c.name, all)
		if all.empty < .88 || all.accepted > .06 {
			t.Errorf("%s asked what it does not answer: %v; want 88 %% below .35 and at most 6 %% at .70", c.name, all)
		}
	}
}
