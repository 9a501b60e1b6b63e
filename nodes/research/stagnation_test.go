package research_test

import (
	"math"
	"testing"

	"example.com/assay/llm/llmtest"
	"example.com/assay/memory"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/embed/embedtest"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
)

// Embedders whose cosines lie in very different ranges mean the same by a
// confidence of 0.70, and let a search that leads nowhere end. Of the third of
// these no cosine is below .9, so that a limit on cosines would never be
// reached by an answer nor by the lack of one.
func TestEmbeddersMeanTheSame(t *testing.T) {
	answered := []string{"How does a candidate earn the blue certificate?", "When is a tow line condemned?", "Which lanterns does a barge show at night?", "To whom does a kite found adrift belong?"}
	foreign := []string{"Which vaccine prevents measles in infants?", "How is a mortgage refinanced by a bank?", "Who composed the symphony about volcanoes?"}
	var first []float64
	for _, bias := range []float64{0, .6, .9} {
		space, err := embed.New(&embedtest.Words{Bias: bias, Dims: 256}, nil)
		if err != nil {
			t.Fatal(err)
		}
		home := t.TempDir()
		if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: "barge", Paths: []string{"../../memory/index/testdata/kitebarge"}, Space: space}); err != nil {
			t.Fatal(err)
		}
		corpus, err := memory.OpenWith(home, "barge", &memory.OpenOptions{Space: space})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := corpus.Close(); err != nil {
				t.Error(err)
			}
		})
		var confidences []float64
		for i, q := range append(append([]string{}, answered...), foreign...) {
			found, err := corpus.Search(t.Context(), retrieval.Query{Primary: q})
			if err != nil {
				t.Fatal(err)
			}
			if c := found.Confidence; i < len(answered) && c < .70 || i >= len(answered) && c >= .35 {
				t.Errorf("bias %v: %q has the confidence %.2f", bias, q, c)
			}
			confidences = append(confidences, found.Confidence)
		}
		if first == nil {
			first = confidences
		}
		for i, c := range confidences {
			if math.Abs(c-first[i]) > .002 {
				t.Errorf("bias %v, question %d: confidence %.4f; without bias %.4f", bias, i, c, first[i])
			}
		}

		m := script(multi)
		m.Answers[skills.QueryRewrite] = nil
		for _, q := range foreign {
			m.Answers[skills.QueryRewrite] = append(m.Answers[skills.QueryRewrite], answer(skills.RewriteOutput{Primary: q}))
		}
		m.Answers[skills.SynthesizeAndCite] = repeat(5, llmtest.Answer{Text: "x [Source 1]"})
		m.Answers[skills.AdaptiveReplan] = []llmtest.Answer{next(foreign[1]), next(foreign[2]), next("And then?"), done}
		final := mustRun(t, research.Deps{Model: m, Corpus: corpus}, &research.Options{SkipInjectionCheck: true}, foreign[0])
		if got := m.Calls(skills.AdaptiveReplan); got != 2 || final.Metrics.StepsFailed != 3 {
			t.Errorf("bias %v: %d replans and %d failed steps; three that are below the limit end the research", bias, got, final.Metrics.StepsFailed)
		}
	}
}
